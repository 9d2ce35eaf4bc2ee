package gateway

import (
	"errors"
	"net/http"

	"conch/gateway/access"
	"conch/gateway/access/devices"
	"conch/gateway/web"
)

// postSignIn takes {password} from a browser elsewhere, which then waits to be let in. Every wrong try is answered
// in the same words after the same work, whatever is wrong with it.
func (g *Gateway) postSignIn(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Password string `json:"password"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	from := who(r).From
	if err := g.confirm.SignIn(from, in.Password); err != nil {
		return g.confirmProblem(err)
	}
	http.SetCookie(w, access.NewDeviceCookie(g.devices.SignIn(devices.Name(r.UserAgent()), from.String())))
	g.log.Info("a device signed in and waits to be let in")
	g.settingsChanged()
	return noContent(w)
}

// getDevice answers {state, number} to a device that signed in: whether it waits or was let in.
func (g *Gateway) getDevice(w http.ResponseWriter, r *http.Request) error {
	out := struct {
		State  string `json:"state"`
		Number string `json:"number"`
	}{"waiting", devices.Number(who(r).Waiting)}
	if id := who(r).Device; id != "" {
		out.State, out.Number = "in", devices.Number(id)
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

// postDevice lets in a device that waits. Its route is for a page on this computer.
func (g *Gateway) postDevice(w http.ResponseWriter, r *http.Request) error {
	if err := readJSON(r, &struct{}{}); err != nil {
		return err
	}
	if err := g.mustMay(r, "A device can be let in"); err != nil {
		return err
	}
	was, err := g.devices.LetIn(r.PathValue("id"))
	if errors.Is(err, devices.ErrFull) {
		return &Problem{Code: CodeBusy, Say: "There are too many devices.", Next: "Remove one that you don’t use, then let this one in.", Err: err}
	}
	if err != nil {
		return err
	}
	if !was {
		return problem(CodeTooLate, "This device doesn’t wait any more.", "Sign in on it again.")
	}
	g.log.Info("a device was let in")
	g.settingsChanged()
	return noContent(w)
}

// deleteDevice removes a device, and ends its requests and sockets.
func (g *Gateway) deleteDevice(w http.ResponseWriter, r *http.Request) error {
	if err := readJSON(r, &struct{}{}); err != nil {
		return err
	}
	was, err := g.devices.Remove(r.PathValue("id"))
	if err != nil {
		return err
	}
	if !was {
		return problem(CodeNotFound, "That device isn’t on the list.", "Load the page again.")
	}
	g.log.Info("a device was removed")
	g.settingsChanged()
	return noContent(w)
}

// postPassword takes {password}: the one Conch password, with which a person confirms and devices sign in.
func (g *Gateway) postPassword(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Password string `json:"password"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	return g.confirmChanged(w, g.confirm.SetPassword(who(r).Session, in.Password))
}

func (g *Gateway) pageDevices(w http.ResponseWriter, r *http.Request) error {
	frame, err := g.frame(r.Context())
	if err != nil {
		return err
	}
	return g.writePage(w, http.StatusOK, web.DevicesPage{
		Frame: frame, Address: g.addressView(who(r).Local), Devices: g.devicesView(who(r)),
	})
}

// devicesView is the list as a page shows it. Only a page on this computer lets in.
func (g *Gateway) devicesView(me access.Who) web.Devices {
	in, err := g.devices.In()
	v := web.Devices{Local: me.Local}
	if err != nil {
		v.Broken = "The list of devices can’t be read, so none comes in."
	}
	if me.Local {
		for _, d := range g.devices.Waiting() {
			v.Waiting = append(v.Waiting, web.Device{ID: d.ID, Name: d.Name, Number: d.Number, From: d.From, Since: d.Since.Local()})
		}
	}
	for _, d := range in {
		v.In = append(v.In, web.Device{ID: d.ID, Name: d.Name, Number: d.Number, Seen: dayName(d.Seen, g.cfg.Now()), This: d.ID == me.Device})
	}
	return v
}

// signInPage is what a browser elsewhere sees until it was let in.
func (g *Gateway) signInPage(r *http.Request, waiting bool) web.SignIn {
	v := web.SignIn{Waiting: waiting}
	if !waiting {
		return v
	}
	for _, c := range r.CookiesNamed(access.DeviceCookie) {
		if id, _ := g.devices.Known(c.Value); id != "" {
			v.Number = devices.Number(id)
		}
	}
	return v
}
