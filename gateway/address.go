package gateway

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
	"syscall"

	"conch/gateway/access/address"
	"conch/gateway/access/keep"
	"conch/gateway/web"
)

// listening is Conch's own HTTPS port, where it has one. The zero value is none.
type listening struct {
	change sync.Mutex // held while the port is opened or closed

	mu      sync.Mutex
	srv     *http.Server
	served  chan error
	trouble string // why the port isn't open although it should be
	cert    *address.Certificate
}

// opened is a port that is ready to be served.
type opened struct {
	ln   net.Listener
	cert *address.Certificate
}

// openPort reads an address's certificate and opens its port. Behind a proxy there is nothing to open.
func (g *Gateway) openPort(a keep.Address) (*opened, error) {
	if a.Proxy {
		return nil, nil
	}
	cert, err := address.Load(a, g.cfg.Now, g.log)
	if err != nil {
		return nil, err
	}
	if g.cfg.Listen == nil {
		return nil, &address.Error{Say: "This Conch can’t open a port by itself.", Next: "Use a TLS proxy on this computer."}
	}
	ln, err := g.cfg.Listen(g.closing, a.Port)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, &address.Error{Say: "Another program has that port.", Next: "Give another port, or end that program."}
	case errors.Is(err, syscall.EACCES):
		return nil, &address.Error{Say: "Your account may not use that port.", Next: "Give one above 1023."}
	case err != nil:
		g.log.Error("the address's port can't be opened", "err", err)
		return nil, &address.Error{Say: "That port can’t be opened.", Next: "Give another port, then try again."}
	}
	return &opened{ln, cert}, nil
}

// servePort answers at a port from now on. The one before is closed already.
func (g *Gateway) servePort(o *opened) {
	if o == nil {
		return
	}
	srv := g.server()
	srv.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){} // HTTP/1.1 only, see Certificate.Config
	served := make(chan error, 1)
	go func() { served <- srv.Serve(tls.NewListener(newDoorway(o.ln), o.cert.Config())) }()
	g.away.mu.Lock()
	defer g.away.mu.Unlock()
	g.away.srv, g.away.served, g.away.cert = srv, served, o.cert
}

// closePort ends what comes through the port, and waits until nobody listens there any more.
func (g *Gateway) closePort() {
	g.away.mu.Lock()
	srv, served := g.away.srv, g.away.served
	g.away.srv, g.away.served, g.away.cert, g.away.trouble = nil, nil, nil, ""
	g.away.mu.Unlock()
	if srv == nil {
		return
	}
	_ = srv.Close()
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		g.log.Error("the address's port ended", "err", err)
	}
}

// startAddress opens the port that the person turned on earlier. Where that fails Conch starts all the same, and
// Settings says why nobody comes in.
func (g *Gateway) startAddress() {
	g.away.change.Lock()
	defer g.away.change.Unlock()
	g.reopen()
}

// reopen opens the port that the document names. Call it under change.
func (g *Gateway) reopen() {
	doc, err := g.access.Read()
	if err != nil || !doc.Address.On || g.closing.Err() != nil {
		return
	}
	a, err := address.Check(doc.Address)
	var o *opened
	if err == nil {
		o, err = g.openPort(a)
	}
	if err != nil {
		g.log.Warn("the address doesn't answer", "err", err)
		g.away.mu.Lock()
		defer g.away.mu.Unlock()
		g.away.trouble = err.Error()
		return
	}
	g.servePort(o)
}

// stopAddress is for the end of Conch.
func (g *Gateway) stopAddress() {
	g.away.change.Lock()
	defer g.away.change.Unlock()
	g.closePort()
}

// postAddress takes {name, port, proxy, certificate, key} and turns the address on. Its route is for a page on this
// computer, and it takes a confirmation. What is answered as done was seen: the port is open by then.
func (g *Gateway) postAddress(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Name  string `json:"name"`
		Port  int    `json:"port"`
		Proxy bool   `json:"proxy"`
		Cert  string `json:"certificate"`
		Key   string `json:"key"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if set, err := g.confirm.HasPassword(); err != nil {
		return err
	} else if !set {
		return problem(CodeInvalid, "There’s no Conch password yet.", "Set one on this page first: your devices sign in with it.")
	}
	if err := g.mustMay(r, "Your address can be turned on"); err != nil {
		return err
	}
	a, err := address.Check(keep.Address{On: true, Name: in.Name, Port: in.Port, Proxy: in.Proxy, Cert: in.Cert, Key: in.Key})
	if err != nil {
		return addressProblem(err)
	}
	if err := g.turnOn(a); err != nil {
		return addressProblem(err)
	}
	g.log.Info("the address was turned on", "proxy", a.Proxy)
	g.settingsChanged()
	return noContent(w)
}

func (g *Gateway) turnOn(a keep.Address) error {
	g.away.change.Lock()
	defer g.away.change.Unlock()
	if g.closing.Err() != nil {
		return context.Canceled
	}
	g.closePort() // it may be the same port
	o, err := g.openPort(a)
	if err == nil {
		if err = g.setAddress(a); err != nil && o != nil {
			err = errors.Join(err, o.ln.Close())
		}
	}
	if err != nil {
		g.reopen() // what was on stays on
		return err
	}
	g.devices.EndSockets() // their windows come back by themselves, at the address as it is now
	g.servePort(o)
	return nil
}

func (g *Gateway) setAddress(a keep.Address) error {
	return g.access.Change(func(d *keep.Doc) error {
		a.Versioned = d.Address.Versioned
		d.Address = a
		return nil
	})
}

// deleteAddress turns the address off: nobody elsewhere reaches Conch any more, and those who do are cut off.
func (g *Gateway) deleteAddress(w http.ResponseWriter, r *http.Request) error {
	if err := readJSON(r, &struct{}{}); err != nil {
		return err
	}
	err := g.access.Change(func(d *keep.Doc) error {
		d.Address.On = false
		return nil
	})
	if err != nil {
		return err
	}
	g.log.Info("the address was turned off")
	g.settingsChanged()
	if who(r).Device == "" {
		g.shutOut()
		return noContent(w)
	}
	// A device gets no answer through a port that is closed, so it is answered first. It is refused from here on.
	w.Header().Set("Connection", "close")
	_ = noContent(w)
	_ = http.NewResponseController(w).Flush()
	g.open.Go(g.shutOut)
	return nil
}

// shutOut cuts off everybody elsewhere, unless the address was turned on again since.
func (g *Gateway) shutOut() {
	g.away.change.Lock()
	defer g.away.change.Unlock()
	if doc, err := g.access.Read(); err == nil && doc.Address.On {
		return
	}
	g.devices.EndAll()
	g.closePort()
}

func addressProblem(err error) error {
	if e, ok := errors.AsType[*address.Error](err); ok {
		return &Problem{Code: CodeInvalid, Say: e.Say, Next: e.Next, Err: err}
	}
	return err
}

// addressView is the address as a page shows it. Where its files are is only for a page on this computer.
func (g *Gateway) addressView(local bool) web.Address {
	doc, err := g.access.Read()
	a := doc.Address
	v := web.Address{On: a.On, URL: address.URL(a), Proxy: a.Proxy, Password: doc.Password(), Local: local, Port: a.Port, Name: a.Name}
	if said := stateProblem(err); said != nil {
		v.Broken = said.Say
	} else if err != nil {
		v.Broken = "The file with it can’t be read, so nobody comes in from elsewhere."
	}
	if local {
		v.Certificate, v.Key = a.Cert, a.Key
	}
	g.away.mu.Lock()
	defer g.away.mu.Unlock()
	if a.On && v.Broken == "" {
		v.Broken = g.away.trouble
	}
	if g.away.cert != nil {
		v.Ends = g.away.cert.Ends().Local()
	}
	return v
}
