package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("STATE_TEST_ADD"); dir != "" {
		os.Exit(addMany(dir))
	}
	goleak.VerifyTestMain(m)
}

type note struct {
	Versioned
	Words string         `json:"words,omitempty"`
	Count map[string]int `json:"count,omitempty"`
}

func open(t *testing.T) *Dir {
	t.Helper()
	d, err := Open(filepath.Join(t.TempDir(), "home"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func set(words string) func(*note) error {
	return func(n *note) error { n.Words = words; return nil }
}

func put(t *testing.T, d *Dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(d.Path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAbsentIsZeroAndReadingWritesNothing(t *testing.T) {
	d := open(t)
	f := NewFile[note](d, "note.json", 1, nil)
	got, err := f.Read()
	if err != nil || !reflect.DeepEqual(got, note{}) {
		t.Errorf("absent: %+v, %v", got, err)
	}
	if entries := list(t, d); len(entries) != 0 {
		t.Errorf("reading left %v", entries)
	}
}

func TestChangeIsReadBackWithTightModes(t *testing.T) {
	d := open(t)
	f := NewFile[note](d, "deep/er/note.json", 1, nil)
	if err := f.Change(set("hello")); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Read(); err != nil || got.Words != "hello" || got.Version != 1 {
		t.Errorf("read back %+v, %v", got, err)
	}
	for name, want := range map[string]fs.FileMode{".": 0o700, "deep": 0o700, "deep/er": 0o700, "deep/er/note.json": 0o600, lockName: 0o600} {
		info, err := os.Stat(d.Path(name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, want %v (%v)", name, info.Mode().Perm(), want, err)
		}
	}
}

func TestOpenClosesAWideFolder(t *testing.T) {
	home := t.TempDir()
	if err := os.Chmod(home, 0o777); err != nil {
		t.Fatal(err)
	}
	d, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if info, _ := os.Stat(home); info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v", info.Mode().Perm())
	}
}

func TestUnreadableMeansOffAndIsKeptAside(t *testing.T) {
	for _, bad := range []string{"", "{", `{"words":1}`, `{"words":"a"} {}`, `{"words":"a","words":"b"}`, "\xff", strings.Repeat(" ", maxSize+1)} {
		d := open(t)
		f := NewFile[note](d, "note.json", 1, nil)
		put(t, d, "note.json", bad)
		got, err := f.Read()
		var unreadable *UnreadableError
		if !errors.As(err, &unreadable) || !reflect.DeepEqual(got, note{}) {
			t.Fatalf("%.20q: read %+v, %v", bad, got, err)
		}
		if err := f.Change(set("new")); err != nil {
			t.Fatalf("%.20q: %v", bad, err)
		}
		kept, err := os.ReadFile(d.Path("note.json.unreadable-1"))
		if err != nil || string(kept) != bad {
			t.Errorf("%.20q: not kept as it was (%v)", bad, err)
		}
		if got, err := f.Read(); err != nil || got.Words != "new" {
			t.Errorf("%.20q: after the change %+v, %v", bad, got, err)
		}
	}
}

func TestNewerVersionIsLeftAlone(t *testing.T) {
	d := open(t)
	f := NewFile[note](d, "note.json", 2, nil)
	const newer = `{"version":3,"words":"from the future"}`
	put(t, d, "note.json", newer)
	got, err := f.Read()
	var e *NewerError
	if !errors.As(err, &e) || got.Words != "" {
		t.Errorf("read %+v, %v", got, err)
	}
	if err := f.Change(set("x")); !errors.As(err, &e) {
		t.Errorf("change: %v", err)
	}
	if data, _ := os.ReadFile(d.Path("note.json")); string(data) != newer {
		t.Errorf("it was changed to %s", data)
	}
}

func TestOldVersionsAndUnknownMembersSurvive(t *testing.T) {
	d := open(t)
	f := NewFile[note](d, "note.json", 2, nil)
	put(t, d, "note.json", `{"later":{"a":[1,2]},"words":"old"}`)
	if err := f.Change(set("new")); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(d.Path("note.json"))
	squeezed := strings.Join(strings.Fields(string(data)), "")
	for _, want := range []string{`"later":{"a":[1,2]}`, `"words":"new"`, `"version":2`} {
		if !strings.Contains(squeezed, want) {
			t.Errorf("%s is missing in %s", want, squeezed)
		}
	}
}

func TestOnlyPlainFilesAreReadOrReplaced(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.json")
	if err := os.WriteFile(outside, []byte(`{"words":"outside"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	inPlace := map[string]func(at string) error{
		"link out": func(at string) error { return os.Symlink(outside, at) },
		"link in":  func(at string) error { return os.Symlink("other.json", at) },
		"dangling": func(at string) error { return os.Symlink("nothing", at) },
		"folder":   func(at string) error { return os.Mkdir(at, 0o700) },
		"pipe":     func(at string) error { return syscall.Mkfifo(at, 0o600) },
	}
	for name, make := range inPlace {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			put(t, d, "other.json", `{"words":"other"}`)
			if err := make(d.Path("note.json")); err != nil {
				t.Fatal(err)
			}
			f := NewFile[note](d, "note.json", 1, nil)
			var e *NotRegularError
			if got, err := f.Read(); !errors.As(err, &e) || got.Words != "" {
				t.Errorf("read %+v, %v", got, err)
			}
			if err := f.Change(set("x")); !errors.As(err, &e) {
				t.Errorf("change: %v", err)
			}
			if data, _ := os.ReadFile(outside); string(data) != `{"words":"outside"}` {
				t.Error("the file outside was changed")
			}
		})
	}
}

func TestFolderLinkLeadsNowhere(t *testing.T) {
	d := open(t)
	outside := t.TempDir()
	if err := os.Symlink(outside, d.Path("deep")); err != nil {
		t.Fatal(err)
	}
	if err := NewFile[note](d, "deep/note.json", 1, nil).Change(set("x")); err == nil {
		t.Error("a write went through a linked folder")
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Errorf("outside has %v", entries)
	}
}

func TestCutOffBetweenWriteAndRename(t *testing.T) {
	d := open(t)
	f := NewFile[note](d, "note.json", 1, nil)
	if err := f.Change(set("old")); err != nil {
		t.Fatal(err)
	}
	cut := errors.New("cut off")
	d.interrupt = func() error { return cut }
	if err := f.Change(set("new")); !errors.Is(err, cut) {
		t.Fatalf("change: %v", err)
	}
	d.interrupt = nil
	if got, err := f.Read(); err != nil || got.Words != "old" {
		t.Errorf("after a cut: %+v, %v", got, err)
	}
	// A process that is killed removes nothing; the next change does.
	put(t, d, ".note.json"+tmpMark+"LEFTOVER", "half")
	if err := f.Change(set("new")); err != nil {
		t.Fatal(err)
	}
	if entries := list(t, d); len(entries) != 2 {
		t.Errorf("left: %v", entries)
	}
}

func TestFullDiskKeepsTheOldOne(t *testing.T) {
	d := open(t)
	f := NewFile[note](d, "note.json", 1, nil)
	if err := f.Change(set("old")); err != nil {
		t.Fatal(err)
	}
	var had syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &had); err != nil {
		t.Skip(err)
	}
	small := syscall.Rlimit{Cur: 8, Max: had.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Skip(err)
	}
	err := f.Change(set(strings.Repeat("long ", 100)))
	if rerr := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &had); rerr != nil {
		t.Fatal(rerr)
	}
	if err == nil {
		t.Error("a write that didn't fit was reported as done")
	}
	if got, err := f.Read(); err != nil || got.Words != "old" {
		t.Errorf("after: %+v, %v", got, err)
	}
	if entries := list(t, d); len(entries) != 2 {
		t.Errorf("left: %v", entries)
	}
}

func TestChangeThatFailsWritesNothing(t *testing.T) {
	d := open(t)
	f := NewFile[note](d, "note.json", 1, nil)
	no := errors.New("no")
	if err := f.Change(func(*note) error { return no }); !errors.Is(err, no) {
		t.Errorf("change: %v", err)
	}
	if _, err := os.Stat(d.Path("note.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something was written")
	}
}

const adds = 40

// addMany is what the second process of TestTwoProcesses does.
func addMany(home string) int {
	d, err := Open(home)
	if err != nil {
		return 1
	}
	f := NewFile[note](d, "note.json", 1, nil)
	for range adds {
		if err := f.Change(func(n *note) error { count(n, "sum"); return nil }); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	_ = d.Close()
	return 0
}

func count(n *note, key string) {
	if n.Count == nil {
		n.Count = map[string]int{}
	}
	n.Count[key]++
}

func TestTwoProcessesLoseNoChange(t *testing.T) {
	d := open(t)
	f := NewFile[note](d, "note.json", 1, nil)
	var wg sync.WaitGroup
	for range 2 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "STATE_TEST_ADD="+d.path)
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			for range adds {
				if err := f.Change(func(n *note) error { count(n, "sum"); return nil }); err != nil {
					t.Error(err)
				}
				if _, err := f.Read(); err != nil {
					t.Errorf("a reader saw a half-written file: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if got, err := f.Read(); err != nil || got.Count["sum"] != 4*adds {
		t.Errorf("%d of %d changes are there, %v", got.Count["sum"], 4*adds, err)
	}
}

func TestSecret(t *testing.T) {
	d := open(t)
	a, err := d.Secret("here/key", 32)
	if err != nil || len(a) != 32 {
		t.Fatal(len(a), err)
	}
	b, err := d.Secret("here/key", 32)
	if err != nil || string(a) != string(b) {
		t.Errorf("a second reading gave another key (%v)", err)
	}
	if info, _ := os.Stat(d.Path("here/key")); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if got := fmt.Sprintf("%v %s %x", a, a, a); strings.Contains(got, string(a)) || !strings.Contains(got, "[hidden]") {
		t.Errorf("a key shows as %q", got)
	}
	put(t, d, "here/key", "short")
	if c, err := d.Secret("here/key", 32); err != nil || len(c) != 32 {
		t.Errorf("after a bad key: %d bytes, %v", len(c), err)
	}
	if kept, _ := os.ReadFile(d.Path("here/key.unreadable-1")); string(kept) != "short" {
		t.Error("the bad key was not kept aside")
	}
}

func TestEveryDeclaredNameIsProtected(t *testing.T) {
	d := open(t)
	NewComputerUse(d, nil, nil)
	if _, err := d.Secret("here/key", 32); err != nil {
		t.Fatal(err)
	}
	d.Declare("conch.db")
	want := []string{lockName, ComputerUseFile, "conch.db", "here/key"}
	if got := d.Protected(); !reflect.DeepEqual(got, want) {
		t.Errorf("protected %v, want %v", got, want)
	}
}

func TestComputerUse(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	d := open(t)
	c := NewComputerUse(d, func() time.Time { return at }, nil)
	if c.On() || c.Allowed("mousepad") {
		t.Error("an absent file must mean off")
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(c.Set(true))
	check(c.Allow("mousepad", "Mousepad"))
	check(c.Allow("mousepad", "Mousepad again"))
	if !c.On() || !c.Allowed("mousepad") || c.Allowed("") || c.Allowed("other") {
		t.Error("on, with Mousepad allowed")
	}
	if apps := c.Apps(); len(apps) != 1 || apps[0].Name != "Mousepad" || !apps[0].Since.Equal(at) {
		t.Errorf("apps %+v", apps)
	}
	check(c.Set(false))
	if c.Allowed("mousepad") {
		t.Error("off allows nothing")
	}
	check(c.Set(true))
	// Another hand edits the file: the very next call sees it.
	put(t, d, ComputerUseFile, `{"on":true,"apps":[{"id":"a","name":"A","since":"2026-01-01T00:00:00Z","colour":"red"}]}`)
	if !c.Allowed("a") || c.Allowed("mousepad") {
		t.Error("an edit was not seen at once")
	}
	check(c.Allow("b", "B"))
	if data, _ := os.ReadFile(d.Path(ComputerUseFile)); !strings.Contains(string(data), `"colour": "red"`) {
		t.Errorf("an app's unknown member was lost: %s", data)
	}
	if was, err := c.TakeBack("a"); err != nil || !was || c.Allowed("a") {
		t.Errorf("take back: %v, %v", was, err)
	}
	put(t, d, ComputerUseFile, `{"on":true`)
	if c.On() || c.Problem() == nil {
		t.Error("an unreadable file must mean off and say so")
	}
}

// list names the files of the folder, without the lock file.
func list(t *testing.T, d *Dir) []string {
	t.Helper()
	entries, err := os.ReadDir(d.path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
