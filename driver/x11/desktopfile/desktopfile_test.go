package desktopfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgv(t *testing.T) {
	e := Entry{Name: "Näme here", Icon: "pic", Path: "/a/b.desktop"}
	for exec, want := range map[string][]string{
		`mousepad %U`:                    {"mousepad"},
		`mousepad  --new %f `:            {"mousepad", "--new"},
		`app %i %c %k`:                   {"app", "--icon", "pic", "Näme here", "/a/b.desktop"},
		`app --caption=%c`:               {"app", "--caption=Näme here"},
		`app 100%%`:                      {"app", "100%"},
		`"/opt/My App/run" -x`:           {"/opt/My App/run", "-x"},
		`sh -c "echo \"\$HOME\" > /x"`:   {"sh", "-c", `echo "$HOME" > /x`},
		`sh -c 'a b' c`:                  {"sh", "-c", "a b", "c"},
		`app $HOME ; rm -rf / > x | y &`: {"app", "$HOME", ";", "rm", "-rf", "/", ">", "x", "|", "y", "&"},
		`app ""`:                         {"app", ""},
		`app a\ b`:                       {"app", "a b"},
		`env GDK_BACKEND=x11 app %F`:     {"env", "GDK_BACKEND=x11", "app"},
		`app %d %D %n %N %v %m`:          {"app"},
		`app file=%f`:                    {"app", "file="},
		`app "%f"`:                       {"app", ""},
	} {
		e.Exec = exec
		got, err := e.Argv()
		if err != nil {
			t.Errorf("%s: %v", exec, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", exec, d)
		}
	}
	for _, exec := range []string{"", "  ", "%f", `""`, `app "open`, `app 'open`, `app \`, "app %", "app %z", "app a\x00b"} {
		e.Exec = exec
		var bad *ExecError
		if got, err := e.Argv(); !errors.As(err, &bad) {
			t.Errorf("%q gave %q, %v; want an ExecError", exec, got, err)
		}
	}
}

const editor = `# a comment
[Desktop Entry]
Type=Application
Name=Text Editor
Name[de]=Texteditor
Name[de_CH]=Texteditor (CH)
Name[sr@latin]=Uređivač
GenericName=Editor
Exec=sh -c "echo \\"a b\\" \\$X"
Icon=edit
OnlyShowIn=XFCE;LXQt;
NotShowIn=KDE;
StartupWMClass=Editor
Name=A second name
Terminal=false

[Desktop Action new]
Name=New window
Exec=never
`

func TestParse(t *testing.T) {
	for locale, want := range map[string]string{
		"": "Text Editor", "C": "Text Editor", "de_DE.UTF-8": "Texteditor", "de_CH.UTF-8@euro": "Texteditor (CH)",
		"sr_RS@latin": "Uređivač", "fr_FR": "Text Editor",
	} {
		e, err := Parse(strings.NewReader(editor), Locales(locale))
		if err != nil || e.Name != want || e.English != "Text Editor" || e.Class != "Editor" {
			t.Errorf("%s: %+v, %v", locale, e, err)
		}
		if argv, err := e.Argv(); err != nil || len(argv) != 3 || argv[2] != `echo "a b" $X` {
			t.Errorf("%s: %q, %v", locale, argv, err)
		}
	}
	for desktops, want := range map[string]bool{"XFCE": true, "ubuntu:LXQt": true, "KDE": false, "GNOME": false, "": false} {
		e, err := Parse(strings.NewReader(editor), nil)
		if err != nil || e.Shown(desktops) != want {
			t.Errorf("on %q shown: %t (%v)", desktops, e.Shown(desktops), err)
		}
	}
	for _, s := range []string{"", "[Desktop Entry]\nType=Link\nName=x", "[Desktop Entry]\nType=Application", "Type=Application\nName=x"} {
		if e, err := Parse(strings.NewReader(s), nil); !errors.Is(err, ErrNotApp) {
			t.Errorf("%q: %+v, %v", s, e, err)
		}
	}
	if _, err := Parse(strings.NewReader("[Desktop Entry]\nName="+strings.Repeat("x", maxLine)), nil); err == nil {
		t.Error("a line without end was read")
	}
}

func TestReadFolders(t *testing.T) {
	mine, theirs := t.TempDir(), t.TempDir()
	put := func(dir, name, text string) {
		t.Helper()
		path := filepath.Join(dir, "applications", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	app := func(name, more string) string {
		return "[Desktop Entry]\nType=Application\nExec=x\nName=" + name + "\n" + more
	}
	put(mine, "a.desktop", app("mine", ""))
	put(theirs, "a.desktop", app("theirs", ""))
	put(mine, "gone.desktop", "[Desktop Entry]\nType=Application\nHidden=true\n")
	put(theirs, "gone.desktop", app("gone", ""))
	put(theirs, "kde/b.desktop", app("sub", ""))
	put(theirs, "notes.txt", app("no", ""))
	put(theirs, "broken.desktop", "\x00\xff[")
	if err := syscall.Mkfifo(filepath.Join(theirs, "applications", "pipe.desktop"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"XDG_DATA_HOME": mine, "XDG_DATA_DIRS": theirs + ":relative:/nowhere/at/all"}
	dirs := Dirs(func(n string) string { return env[n] })
	got := map[string]string{}
	for _, e := range Read(dirs, nil) {
		if !e.Hidden {
			got[e.ID] = e.Name
		}
	}
	if d := cmp.Diff(map[string]string{"a": "mine", "kde-b": "sub"}, got); d != "" {
		t.Error(d)
	}
}

func FuzzArgv(f *testing.F) {
	for _, s := range []string{`mousepad %U`, `"a b" 'c' \d %% %i`, `sh -c "x \"y\" \$z"`, "\\", "%", "\"", "a\tb\nc"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, exec string) {
		argv, err := Entry{Exec: exec, Name: "N", Icon: "I", Path: "P"}.Argv()
		if (err == nil) != (len(argv) > 0) {
			t.Fatalf("%q: %q and %v", exec, argv, err)
		}
		// What was read can be written quoted, and reads the same again.
		var quoted []string
		for _, a := range argv {
			quoted = append(quoted, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", "$", `\$`, "%", "%%").Replace(a)+`"`)
		}
		again, err := Entry{Exec: strings.Join(quoted, " ")}.Argv()
		if len(argv) > 0 && (err != nil || !cmp.Equal(argv, again)) {
			t.Fatalf("%q became %q, %v", argv, again, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(editor))
	f.Add([]byte("[Desktop Entry]\nType=Application\nName=\\s\\n\\"))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Parse(strings.NewReader(string(b)), []string{"de"})
		if err == nil && e.Name == "" && !e.Hidden {
			t.Fatalf("an app without a name: %+v", e)
		}
		_, _ = e.Argv()
	})
}
