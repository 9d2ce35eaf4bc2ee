//go:build linux

package main

import (
	"log"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"

	"conch/mcp/pair"
)

// newProxy serves the door to somebody who has no key: it adds the key, and Conch's own Host where the proxy's stood.
// Every other header, Host and body is passed as it came, and so is every answer.
func newProxy(conch string, key pair.Key) (*httptest.Server, error) {
	to, err := url.Parse(conch)
	if err != nil {
		return nil, err
	}
	p := &httputil.ReverseProxy{FlushInterval: -1, ErrorLog: log.New(log.Writer(), "conform: the proxy: ", 0)}
	srv := httptest.NewServer(p)
	own, err := url.Parse(srv.URL)
	if err != nil {
		srv.Close()
		return nil, err
	}
	p.Rewrite = func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
		r.Out.Host = r.In.Host
		if r.In.Host == own.Host || r.In.Host == "localhost:"+own.Port() {
			r.Out.Host = to.Host
		}
		r.Out.Header.Set("Authorization", "Bearer "+string(key))
	}
	return srv, nil
}
