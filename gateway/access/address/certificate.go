package address

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"conch/gateway/access/keep"
)

const mostPEM = 256 << 10

// Certificate is a certificate and its key, read again when the files change: a certificate is renewed every few
// weeks, and nobody should have to open Conch again for it. Make it with Load.
type Certificate struct {
	cert, key string // where they are
	name      string // whom it has to be for
	now       func() time.Time
	log       *slog.Logger

	mu     sync.Mutex
	pair   *tls.Certificate
	stamps [2]stamp
}

// stamp tells one state of a file from another.
type stamp struct {
	size int64
	at   time.Time
}

// Load reads the certificate of an address, or says in words for a person why it won't do.
func Load(a keep.Address, now func() time.Time, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{cert: a.Cert, key: a.Key, name: a.Name, now: now, log: log}
	pair, stamps, err := c.read()
	if err != nil {
		return nil, err
	}
	c.pair, c.stamps = pair, stamps
	return c, nil
}

// Config is how Conch speaks TLS.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, // every browser that can show the pages has it
		// The sockets of pages need HTTP/1.1, and so one kind of connection is all that there is to guard.
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current(), nil },
	}
}

// Ends is when the certificate ends.
func (c *Certificate) Ends() time.Time { return c.current().Leaf.NotAfter }

// current is the certificate as the files are now. While they are no good (one is being written) the one that was
// read before stays.
func (c *Certificate) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	stamps := [2]stamp{stampOf(c.cert), stampOf(c.key)}
	if stamps == c.stamps {
		return c.pair
	}
	pair, read, err := c.read()
	if err != nil {
		c.log.Warn("the address's certificate was changed and can't be used; the one before stays", "err", err)
		c.stamps = stamps // said once
		return c.pair
	}
	c.pair, c.stamps = pair, read
	return c.pair
}

func stampOf(file string) stamp {
	info, err := os.Stat(file)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

func (c *Certificate) read() (*tls.Certificate, [2]stamp, error) {
	stamps := [2]stamp{stampOf(c.cert), stampOf(c.key)}
	certPEM, _, err := readPEM(c.cert)
	if err != nil {
		return nil, stamps, fileError("certificate", c.cert, err)
	}
	keyPEM, mode, err := readPEM(c.key)
	if err != nil {
		return nil, stamps, fileError("key", c.key, err)
	}
	if mode.Perm()&0o004 != 0 {
		return nil, stamps, &Error{"Everybody on this computer can read the key.", "Run “chmod 600” on the key’s file, then try again."}
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		// What the parser says of a key stays here.
		return nil, stamps, &Error{"The two files aren’t a certificate and its key.", "Both are PEM files, and the key belongs to the first certificate."}
	}
	return &pair, stamps, c.check(pair.Leaf)
}

func (c *Certificate) check(leaf *x509.Certificate) error {
	if err := leaf.VerifyHostname(c.name); err != nil {
		return &Error{fmt.Sprintf("The certificate isn’t for %s.", c.name), "Use one that is, or give the name that it is for."}
	}
	switch now := c.now(); {
	case now.After(leaf.NotAfter):
		return &Error{"The certificate ended on " + leaf.NotAfter.Local().Format("2 January 2006") + ".", "Renew it, then try again."}
	case now.Before(leaf.NotBefore):
		return &Error{"The certificate isn’t valid yet.", "Look at this computer’s clock, or wait until it is."}
	}
	return nil
}

// readPEM reads a small plain file.
func readPEM(file string) ([]byte, fs.FileMode, error) {
	info, err := os.Stat(file) // a pipe would keep Conch waiting
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostPEM {
		return nil, 0, errNoFile
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, mostPEM))
	return data, info.Mode(), err
}

func fileError(what, file string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Error{fmt.Sprintf("There is no file %s.", file), "Give the whole path of the " + what + "’s file."}
	case errors.Is(err, fs.ErrPermission):
		return &Error{fmt.Sprintf("Conch may not read %s.", file), "Let your account read it, then try again."}
	}
	return &Error{fmt.Sprintf("%s isn’t a file with a %s.", file, what), "Give the whole path of a PEM file."}
}
