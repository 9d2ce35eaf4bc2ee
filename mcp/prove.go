package mcp

import (
	"io"
	"net/http"

	"github.com/go-json-experiment/json"

	"conch/gateway"
	"conch/mcp/wire"
)

// hello gives a nonce to whoever asks from this computer.
func (d *Door) hello(w http.ResponseWriter, r *http.Request) {
	var in wire.Hello
	if !d.near(w, r) || !read(w, r, &in) {
		return
	}
	nonce, err := d.opt.Clients.Nonce(in.Client)
	if err != nil {
		d.broke(w, "make a nonce", err)
		return
	}
	send(w, wire.HelloAnswer{Nonce: nonce})
}

// session gives a launcher that proves itself a token for a day.
func (d *Door) session(w http.ResponseWriter, r *http.Request) {
	var in wire.Session
	if !d.near(w, r) || !read(w, r, &in) {
		return
	}
	token, until, err := d.opt.Clients.Session(in.Client, in.Nonce, in.Proof)
	if err != nil {
		d.refuse(w, gateway.DoorCaller(r), "a proof that isn't right")
		return
	}
	send(w, wire.SessionAnswer{Token: token, Until: until})
}

// near refuses what doesn't come from this computer: launchers never work from elsewhere.
func (d *Door) near(w http.ResponseWriter, r *http.Request) bool {
	from := gateway.DoorCaller(r)
	if !from.LooksLocal {
		d.refuse(w, from, "a launcher from elsewhere")
	}
	return from.LooksLocal
}

func read(w http.ResponseWriter, r *http.Request, v any) bool {
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, v, json.RejectUnknownMembers(true))
	}
	if err != nil {
		flat(w, http.StatusBadRequest, "invalid", "That request can't be read.")
	}
	return err == nil
}

func send(w http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		flat(w, http.StatusInternalServerError, "internal", "Something inside Conch went wrong.")
		return
	}
	writeJSON(w, http.StatusOK, data)
}

func (d *Door) broke(w http.ResponseWriter, what string, err error) {
	d.opt.Log.Error("the door failed", "what", what, "err", err)
	flat(w, http.StatusInternalServerError, "internal", "Something inside Conch went wrong. Try again.")
}
