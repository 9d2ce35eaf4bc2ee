package disk_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"conch/mcp/connect/disk"
)

const before, after = "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"conch\": {}\n}\n"

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) disk.File {
	t.Helper()
	f, err := disk.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func check(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != text || info.Mode() != mode {
		t.Errorf("%s: %v %q, want %v %q", filepath.Base(path), info.Mode(), got, mode, text)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestReplaceKeepsModeAndACopy(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o640, 0o755} {
		path := filepath.Join(t.TempDir(), "s.json")
		write(t, path, before, mode)
		var w disk.Writer
		f := read(t, path)
		if err := w.Keep(f); err != nil {
			t.Fatal(err)
		}
		if err := w.Replace(f, []byte(after)); err != nil {
			t.Fatal(err)
		}
		check(t, path, after, mode)
		check(t, path+disk.Kept, before, mode)

		f = read(t, path)
		if err := w.Keep(f); err != nil {
			t.Fatal(err)
		}
		if err := w.Replace(f, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		check(t, path+disk.Kept, before, mode) // never overwritten
		if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{"s.json", "s.json" + disk.Kept}) {
			t.Errorf("left behind: %v", got)
		}
	}
}

func TestNewFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "er", "s.json")
	var w disk.Writer
	if err := w.Replace(read(t, path), []byte(after)); err != nil {
		t.Fatal(err)
	}
	check(t, path, after, 0o600)
	if _, kept := disk.Backup(read(t, path)); kept {
		t.Error("a copy of nothing")
	}
	if err := w.Delete(read(t, path)); err != nil {
		t.Fatal(err)
	}
	if got := names(t, filepath.Dir(path)); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestLinkStays(t *testing.T) {
	dir := t.TempDir()
	real, mid, path := filepath.Join(dir, "dotfiles", "s.json"), filepath.Join(dir, "mid.json"), filepath.Join(dir, "app", "s.json")
	write(t, real, before, 0o640)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, l := range [][2]string{{"dotfiles/s.json", mid}, {"../mid.json", path}} {
		if err := os.Symlink(l[0], l[1]); err != nil {
			t.Fatal(err)
		}
	}
	var w disk.Writer
	f := read(t, path)
	if err := w.Keep(f); err != nil {
		t.Fatal(err)
	}
	if err := w.Replace(f, []byte(after)); err != nil {
		t.Fatal(err)
	}
	check(t, real, after, 0o640)
	check(t, real+disk.Kept, before, 0o640)
	for _, l := range []string{mid, path} {
		if info, err := os.Lstat(l); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", l, err)
		}
	}
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{"s.json"}) {
		t.Errorf("left behind: %v", got)
	}
}

func TestOwnerStays(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	path := filepath.Join(t.TempDir(), "s.json")
	write(t, path, before, 0o640)
	if err := os.Chown(path, 4321, 1234); err != nil {
		t.Fatal(err)
	}
	var w disk.Writer
	f := read(t, path)
	if err := errors.Join(w.Keep(f), w.Replace(f, []byte(after))); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, path + disk.Kept} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		sys := reflect.ValueOf(info.Sys()).Elem()
		if uid, gid := sys.FieldByName("Uid").Uint(), sys.FieldByName("Gid").Uint(); uid != 4321 || gid != 1234 || info.Mode() != 0o640 {
			t.Errorf("%s belongs to %d:%d, %v", filepath.Base(p), uid, gid, info.Mode())
		}
	}
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	link := func(to, name string) {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, at("big"), strings.Repeat(" ", disk.MaxSize+1), 0o600)
	write(t, at("full"), strings.Repeat(" ", disk.MaxSize), 0o600)
	if out, err := exec.Command("mkfifo", at("pipe")).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v %s", err, out)
	}
	link("nowhere", "dangling")
	link("loop", "loop")
	link(".", "folder")
	link("/dev/null", "device")
	link("pipe", "linked-pipe")
	for _, c := range []struct{ name, want string }{
		{".", "it is a folder"},
		{"folder", "it is a folder"},
		{"device", "it is not a plain file"},
		{"pipe", "it is not a plain file"},
		{"linked-pipe", "it is not a plain file"},
		{"big", "it is larger than 10 MB"},
		{"dangling", "it is a link that leads nowhere"},
		{"loop", "it is a link that leads nowhere"},
		{"full/under", "it can't be opened (not a directory)"},
	} {
		_, err := disk.Read(at(c.name))
		if _, ok := errors.AsType[*disk.RefusedError](err); !ok || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if f := read(t, at("full")); len(f.Data) != disk.MaxSize {
		t.Errorf("read %d bytes", len(f.Data))
	}
}

func TestReadOnlyAndHardLinksAreLeftAlone(t *testing.T) {
	for want, prepare := range map[string]func(path string) error{
		"it is marked read-only": func(path string) error { return os.Chmod(path, 0o440) },
		"it has two names on the disk (a hard link), which replacing it would break": func(path string) error {
			return os.Link(path, path+".other")
		},
	} {
		path := filepath.Join(t.TempDir(), "s.json")
		write(t, path, before, 0o640)
		if err := prepare(path); err != nil {
			t.Fatal(err)
		}
		f := read(t, path)
		for _, err := range []error{(disk.Writer{}).Replace(f, []byte(after)), (disk.Writer{}).Delete(f)} {
			if _, ok := errors.AsType[*disk.RefusedError](err); !ok || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != before {
			t.Errorf("%v %q", err, got)
		}
	}
}

func TestChangedIsNotReplaced(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path string){
		"other text": func(t *testing.T, path string) { write(t, path, before+" ", 0o600) },
		"other mode": func(t *testing.T, path string) { write(t, path, before, 0o644) },
		"gone": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
		"a link now": func(t *testing.T, path string) {
			if err := errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.json")
			write(t, path, before, 0o600)
			f := read(t, path)
			w := disk.Writer{At: func(s disk.Step) error {
				if s == disk.Written {
					change(t, path)
				}
				return nil
			}}
			if err := w.Replace(f, []byte(after)); !errors.Is(err, disk.ErrChanged) {
				t.Fatalf("%v", err)
			}
			if got, err := os.ReadFile(path); err == nil && bytes.Contains(got, []byte("conch")) {
				t.Errorf("written all the same: %q", got)
			}
			if got := names(t, filepath.Dir(path)); slices.Contains(got, "s.json.conch-new") {
				t.Errorf("left behind: %v", got)
			}
			if err := (disk.Writer{}).Delete(f); !errors.Is(err, disk.ErrChanged) {
				t.Errorf("delete: %v", err)
			}
		})
	}
}

func TestWrittenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	write(t, path, before, 0o600)
	w := disk.Writer{At: func(s disk.Step) error {
		if s == disk.Replaced {
			write(t, path, before, 0o600)
		}
		return nil
	}}
	if err := w.Replace(read(t, path), []byte(after)); !errors.Is(err, disk.ErrOverwritten) {
		t.Fatalf("%v", err)
	}
}

// A crash at any moment leaves the file whole, old or new, and the next try succeeds and tidies up.
func TestCutOffAnywhere(t *testing.T) {
	crash := errors.New("crash")
	for _, existed := range []bool{true, false} {
		for _, step := range []disk.Step{disk.BackupWritten, disk.BackupKept, disk.Written, disk.Checked, disk.Replaced} {
			if !existed && (step == disk.BackupWritten || step == disk.BackupKept) {
				continue
			}
			t.Run(fmt.Sprint(existed, " ", step), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "s.json")
				if existed {
					write(t, path, before, 0o640)
				}
				reached := false
				w := disk.Writer{At: func(s disk.Step) error {
					if s == step {
						reached = true
						return crash
					}
					return nil
				}}
				f := read(t, path)
				err := w.Keep(f)
				if err == nil {
					err = w.Replace(f, []byte(after))
				}
				if !reached || err == nil || err.Error() != crash.Error() {
					t.Fatalf("%v %v", reached, err)
				}
				got, err := os.ReadFile(path)
				switch {
				case step == disk.Replaced:
					check(t, path, after, map[bool]fs.FileMode{true: 0o640, false: 0o600}[existed])
				case existed:
					check(t, path, before, 0o640)
				case !errors.Is(err, fs.ErrNotExist):
					t.Errorf("there is a file: %q %v", got, err)
				}
				if kept, ok := disk.Backup(f); ok && string(kept) != before {
					t.Errorf("half a copy: %q", kept)
				}
				f = read(t, path)
				again := disk.Writer{}
				if step != disk.Replaced { // as the caller does: a copy only before the first entry
					if err := again.Keep(f); err != nil {
						t.Fatal(err)
					}
				}
				if err := again.Replace(f, []byte(after)); err != nil {
					t.Fatal(err)
				}
				want := []string{"s.json"}
				if existed {
					check(t, path+disk.Kept, before, 0o640)
					want = append(want, "s.json"+disk.Kept)
				}
				if got := names(t, filepath.Dir(path)); !slices.Equal(got, want) {
					t.Errorf("left behind: %v", got)
				}
			})
		}
	}
}

func TestSomethingInTheWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	write(t, path, before, 0o600)
	if err := os.Symlink("elsewhere", path+".conch-new"); err != nil {
		t.Fatal(err)
	}
	err := (disk.Writer{}).Replace(read(t, path), []byte(after))
	if err == nil || err.Error() != "it can't be replaced: s.json.conch-new is in the way beside it" {
		t.Errorf("%v", err)
	}
	check(t, path, before, 0o600)
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "elsewhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("written through a link: %v", err)
	}
}
