// Package archtest holds the rules of the house that a compiler doesn't: who may import whom, where code for
// one operating system may live, how long a file may grow, that every package says what it is for, and that what a
// SPEC.md promises is held by the tests that it names.
//
// It reads the text of a tree (all files, whatever their build tags), so one run on any machine judges the
// code of every platform. It changes nothing and knows no exception that isn't written down in this file.
package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// MaxLines is the hard limit of one source file.
const MaxLines = 450

// Problem is one broken rule at one place.
type Problem struct {
	Path string // of the file or folder, from the root of the tree
	Rule string
	Say  string
}

func (p Problem) String() string { return p.Path + ": " + p.Rule + ": " + p.Say }

// mayImport says which of our top folders each top folder may import. A folder that isn't named here may be
// imported by nobody and may import nothing of ours.
var mayImport = map[string][]string{
	"app":     {"app", "mcp", "gateway", "overlay", "driver"},
	"mcp":     {"mcp", "gateway", "driver"},
	"gateway": {"gateway", "driver"},
	"overlay": {"overlay", "driver"},
	"driver":  {"driver"},
}

// The overlay shares values with the driver and nothing else, so that either can change by itself. What an
// X11 painter and an X11 driver have in common below those values is listed here, one package a line.
var overlayMayImport = []string{
	"driver",
	"driver/key",
	"driver/x11/xraw",  // the raw connection for XInput 2 events, which xgb can't read
	"driver/x11/xconn", // connections of xgb that don't disturb each other in one process
}

// inTestsOnly may be imported by any test in the tree: private servers, scripted screens and the real driver.
var inTestsOnly = []string{"driver/x11/xserver", "driver/x11/xserver/xtest", "driver/fake", "driver/drivertest", "driver/x11"}

// platformFolders are where code for one operating system may live; in the program itself (app) it is told by
// the file's name. The last ones are no part of the program: they measure it and try it on X11.
var platformFolders = []string{
	"driver/mac", "driver/x11", "overlay/mac", "overlay/x11",
	"app/bench", "app/delivery", "app/e2e", "app/internal",
}

// pureGo are folders without a C compiler: `import "C"` is refused there.
var pureGo = []string{"driver/x11", "overlay/x11", "gateway", "mcp"}

// topLevel is all that may stand at the top of the tree, beside names that begin with a dot.
var topLevel = []string{
	"app", "gateway", "overlay", "driver", "mcp", "docs",
	"Info.plist", "entitlements.plist", "go.mod", "go.sum", "Makefile", "README.md",
}

// measured are the kinds of files that MaxLines is for.
var measured = []string{".go", ".m", ".h", ".js", ".css", ".html"}

// file is one Go file, as far as the rules look at it.
type file struct {
	path   string
	dir    string
	top    string // first folder
	test   bool
	syntax *ast.File
	limits bool // has a //go:build line, or a name such as x_darwin.go
}

// Check judges the tree. module is its import path. The error is about reading, not about the rules.
func Check(tree fs.FS, module string) ([]Problem, error) {
	var found []Problem
	dirs := map[string][]*file{}
	err := fs.WalkDir(tree, ".", func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case at == ".":
			return nil
		case d.IsDir() && skip(at, d.Name()):
			return fs.SkipDir
		}
		if !strings.Contains(at, "/") {
			found = append(found, checkTop(at)...)
		}
		if path.Base(at) == "SPEC.md" {
			spec, err := checkSpec(tree, at)
			found = append(found, spec...)
			return err
		}
		if d.IsDir() || !slices.Contains(measured, path.Ext(at)) {
			return nil
		}
		text, err := fs.ReadFile(tree, at)
		if err != nil {
			return err
		}
		if n := bytes.Count(text, []byte("\n")); n > MaxLines {
			found = append(found, Problem{at, "length", fmt.Sprintf("%d lines, and %d is the limit: it wants a second file", n, MaxLines)})
		}
		if path.Ext(at) != ".go" {
			return nil
		}
		f, err := read(at, text)
		if err != nil {
			return err
		}
		dirs[f.dir] = append(dirs[f.dir], f)
		found = append(found, checkFile(f, module)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for dir, files := range dirs {
		found = append(found, checkDir(dir, files)...)
	}
	slices.SortFunc(found, func(a, b Problem) int { return strings.Compare(a.String(), b.String()) })
	return found, nil
}

func skip(at, name string) bool {
	return name == "testdata" || strings.HasPrefix(name, ".") || at == "bin" || at == "build"
}

func checkTop(name string) []Problem {
	if slices.Contains(topLevel, name) || strings.HasPrefix(name, ".") ||
		strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".prof") {
		return nil
	}
	return []Problem{{name, "top", "not one of the names of the design: it wants a place inside a folder"}}
}

func read(at string, text []byte) (*file, error) {
	syntax, err := parser.ParseFile(token.NewFileSet(), at, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	dir := path.Dir(at)
	top, _, _ := strings.Cut(at, "/")
	return &file{
		path: at, dir: dir, top: top, syntax: syntax,
		test:   strings.HasSuffix(at, "_test.go"),
		limits: hasTag(text) || osName(at),
	}, nil
}

// hasTag says whether a file has a build constraint, which stands above its package clause.
func hasTag(text []byte) bool {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "package ") {
			return false
		}
		if constraint.IsGoBuild(line) || constraint.IsPlusBuild(line) {
			return true
		}
	}
	return false
}

// osName says whether a file's name alone limits it to an operating system or a processor.
func osName(at string) bool {
	name := strings.TrimSuffix(strings.TrimSuffix(path.Base(at), ".go"), "_test")
	parts := strings.Split(name, "_")
	if len(parts) < 2 {
		return false
	}
	return slices.Contains([]string{
		"linux", "darwin", "windows", "freebsd", "netbsd", "openbsd", "js", "wasip1", "plan9", "android", "ios",
		"amd64", "arm64", "386", "arm", "wasm", "unix",
	}, parts[len(parts)-1])
}

func under(dir string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return dir == f || strings.HasPrefix(dir, f+"/") })
}

func checkFile(f *file, module string) (found []Problem) {
	say := func(rule, format string, args ...any) {
		found = append(found, Problem{f.path, rule, fmt.Sprintf(format, args...)})
	}
	if f.limits && !mayBeLimited(f) {
		say("platform", "code for one operating system lives in %s and in app/*_linux.go, app/*_darwin.go", strings.Join(platformFolders[:4], ", "))
	}
	for _, spec := range f.syntax.Imports {
		to, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			say("import", "can't read %s", spec.Path.Value)
			continue
		}
		if to == "C" && under(f.dir, pureGo) {
			say("cgo", "this folder is pure Go")
		}
		if ours, ok := strings.CutPrefix(to, module+"/"); ok {
			if why := refuseImport(f, ours); why != "" {
				say("import", "%s", why)
			}
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "runtime" && n.Sel.Name == "GOOS" && !mayBeLimited(f) {
				say("platform", "runtime.GOOS is asked only where code for one operating system may live")
			}
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "init" {
				say("init", "nothing happens by being imported: call it from where it is needed")
			}
		}
		return true
	})
	return found
}

func mayBeLimited(f *file) bool {
	if under(f.dir, platformFolders) {
		return true
	}
	return f.top == "app" && osName(f.path)
}

// refuseImport says why f may not import to, a folder of ours; "" when it may.
func refuseImport(f *file, to string) string {
	if f.test && slices.Contains(inTestsOnly, to) {
		return ""
	}
	if !f.test && slices.Contains([]string{"driver/fake", "driver/drivertest"}, to) && !under(f.dir, []string{"driver/fake", "driver/drivertest"}) {
		return to + " is for tests"
	}
	top, _, _ := strings.Cut(to, "/")
	if !slices.Contains(mayImport[f.top], top) {
		return f.top + " may not import " + to
	}
	if f.top == "overlay" && top == "driver" && !slices.Contains(overlayMayImport, to) {
		return "overlay shares only values with the driver, so not " + to
	}
	return ""
}

// checkDir judges what only all the files of a package show.
func checkDir(dir string, files []*file) []Problem {
	var code, everywhere, documented int
	for _, f := range files {
		if f.test {
			continue
		}
		code++
		if !f.limits {
			everywhere++
		}
		if f.syntax.Doc != nil && saysWhat(f.syntax) {
			documented++
		}
	}
	switch {
	case code == 0:
		return nil
	case everywhere == 0 && files[0].syntax.Name.Name != "main": // a program without a main elsewhere couldn't be built there
		return []Problem{{dir, "untagged", "every file has a build tag, so elsewhere nobody would notice that it is never checked: give it a doc.go"}}
	case documented == 0:
		return []Problem{{dir, "doc", "no file says “Package x …”: what it is for, and what it never does"}}
	case documented > 1:
		return []Problem{{dir, "doc", fmt.Sprintf("%d files have a package comment; one place says what a package is for", documented)}}
	}
	return nil
}

// saysWhat asks for the standard form, with at least a sentence in it.
func saysWhat(f *ast.File) bool {
	text := f.Doc.Text()
	for _, start := range []string{"Package " + f.Name.Name + " ", "Command "} {
		if strings.HasPrefix(text, start) {
			return len(strings.Fields(text)) >= 8
		}
	}
	// A program may begin with its own name: "Conch is …".
	return f.Name.Name == "main" && len(strings.Fields(text)) >= 8
}
