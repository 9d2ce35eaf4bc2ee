package connect_test

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"conch/mcp/connect"
	"conch/mcp/connect/apps"
	"conch/mcp/connect/disk"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const launcher = "/opt/conch/bin/conch"

// bench is a home with one app in it.
type bench struct {
	*testing.T
	*connect.Connector
	app  apps.App
	file string
}

func newBench(t *testing.T, goos, app string) *bench {
	t.Helper()
	a, ok := apps.ByID(app)
	if !ok {
		t.Fatalf("no app %q", app)
	}
	c := &connect.Connector{
		Launcher: launcher,
		Env: apps.Env{
			OS: goos, Home: t.TempDir(),
			Getenv:   func(string) string { return "" },
			LookPath: func(string) (string, error) { return "", errors.New("not found") },
			Bundles:  []string{"/nowhere"},
		},
	}
	return &bench{T: t, Connector: c, app: a, file: a.File(c.Env)}
}

func (b *bench) write(text string) {
	b.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(b.file), 0o700), os.WriteFile(b.file, []byte(text), 0o640)); err != nil {
		b.Fatal(err)
	}
}

// text is what is in the file, or "(none)".
func (b *bench) text() string {
	b.Helper()
	got, err := os.ReadFile(b.file)
	if errors.Is(err, fs.ErrNotExist) {
		return "(none)"
	}
	if err != nil {
		b.Fatal(err)
	}
	return string(got)
}

func (b *bench) is(want string) {
	b.Helper()
	if got := b.text(); got != want {
		b.Errorf("the file is\n%s\nwant\n%s", got, want)
	}
}

func (b *bench) connect(client string) connect.Result {
	b.Helper()
	p, err := b.Plan(b.app, client)
	if err != nil {
		b.Fatal(err)
	}
	r, err := b.Apply(p)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func (b *bench) remove(client string, r *connect.Receipt) connect.Result {
	b.Helper()
	res, err := b.Remove(b.app, client, r)
	if err != nil {
		b.Fatal(err)
	}
	return res
}

func (b *bench) found() []connect.Found {
	b.Helper()
	f, err := b.Find(b.app)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// kept forgets the copy of the old file, as if it had never been made.
func (b *bench) forget() {
	b.Helper()
	if err := os.Remove(b.file + disk.Kept); err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.Fatal(err)
	}
}
