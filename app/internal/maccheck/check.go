package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// listed is what `go list -json` says of one package.
type listed struct {
	ImportPath, Dir, ForTest string
	GoFiles, CgoFiles        []string
	MFiles, HFiles           []string
	ImportMap                map[string]string
	DepOnly                  bool
	Module                   *struct {
		Main bool
		Path string
	}
	Error *struct{ Err string }
}

const fields = "ImportPath,Dir,ForTest,GoFiles,CgoFiles,MFiles,HFiles,ImportMap,DepOnly,Module,Error"

// report is the check for one processor.
type report struct {
	arch              string
	read, ours, withC int
	seen              map[string]bool // our files that were checked
	problems          []string
	elsewhere         []string // programs that aren't for a Mac
	fset              *token.FileSet
	known             map[string]*types.Package
	cgo               *cgo            // checks the C side; nil leaves it to the report of another processor
	sent              map[string]bool // selectors that darwinkit itself sends
}

func (r *report) problem(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

func (r *report) check(ctx context.Context, dir string, patterns []string) error {
	all, err := list(ctx, dir, r.arch, patterns)
	if err != nil {
		return err
	}
	if err := r.passedOver(ctx, dir, patterns, all); err != nil {
		return err
	}
	r.seen = map[string]bool{}
	r.fset, r.known = token.NewFileSet(), map[string]*types.Package{"unsafe": types.Unsafe}
	r.sent = map[string]bool{}
	for _, p := range all { // a package comes after all that it imports
		if p.ImportPath == "unsafe" || p.ImportPath == "C" || strings.HasSuffix(p.ImportPath, ".test") {
			continue // the last: a generated main around the tests
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		r.read++
		if err := r.pkg(ctx, p); err != nil {
			return err
		}
	}
	if r.ours == 0 && len(r.problems) == 0 {
		return errNothing
	}
	return nil
}

// list asks go for the packages, their tests and all they import, as a build for darwin with cgo sees them.
// CC is a program that fails, so that nothing can be compiled by accident.
func list(ctx context.Context, dir, arch string, patterns []string) ([]*listed, error) {
	args := append([]string{"list", "-deps", "-test", "-e", "-json=" + fields, "--"}, patterns...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=darwin", "GOARCH="+arch, "CGO_ENABLED=1", "CC=false")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go list for darwin/%s: %w\n%s", arch, err, errs.String())
	}
	var all []*listed
	for dec := json.NewDecoder(&out); ; {
		p := new(listed)
		switch err := dec.Decode(p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("read go list's answer: %w", err)
		}
		all = append(all, p)
	}
}

// passedOver finds packages that go list leaves out without a word, because a Mac's build has no file of them.
// A program for another system is only named, since without a main it couldn't be built for a Mac at all.
func (r *report) passedOver(ctx context.Context, dir string, patterns []string, all []*listed) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-e", "-f", "{{.ImportPath}} {{.Name}}", "--"}, patterns...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list for this machine: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		path, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case slices.ContainsFunc(all, func(p *listed) bool { return p.ImportPath == path }):
		case name == "main":
			r.elsewhere = append(r.elsewhere, path)
		default:
			r.problem("%s: nothing is built for a Mac here, so nothing can be checked: give it a file without a build tag", path)
		}
	}
	return nil
}

// pkg checks one package: ours with all its bodies, another's only as far as ours lean on it.
func (r *report) pkg(ctx context.Context, p *listed) error {
	own := p.Module != nil && p.Module.Main
	if p.Error != nil {
		if own || !p.DepOnly {
			r.problem("%s: %s", p.ImportPath, strings.TrimSpace(p.Error.Err))
		}
		return nil
	}
	names := append(append([]string{}, p.GoFiles...), p.CgoFiles...)
	files, ok := r.parse(p, names, own)
	if !ok {
		return nil
	}
	if strings.HasPrefix(p.ImportPath, darwinkit) {
		selectors(files, func(_ ast.Node, sel string) { r.sent[sel] = true })
	}
	conf := types.Config{
		FakeImportC:      true,
		IgnoreFuncBodies: !own,
		Sizes:            types.SizesFor("gc", r.arch),
		Importer:         importer{r.known, p.ImportMap},
		Error:            func(err error) { r.typeError(err, own, len(p.CgoFiles) > 0) },
	}
	var info *types.Info
	if own {
		info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	}
	checked, _ := conf.Check(p.ImportPath, r.fset, files, info) // errors came through conf.Error
	r.known[p.ImportPath] = checked
	if !own {
		return nil
	}
	for _, name := range names {
		r.seen[filepath.Join(p.Dir, name)] = true
	}
	r.house(p, files, info)
	if p.ForTest != "" {
		return nil
	}
	r.ours++
	if len(p.CgoFiles) == 0 {
		return nil
	}
	r.withC++
	if r.cgo == nil {
		return nil
	}
	if err := r.names(p, r.cgo.table); err != nil {
		return err
	}
	return r.cgo.check(ctx, r, p)
}

func (r *report) parse(p *listed, names []string, own bool) (files []*ast.File, ok bool) {
	for _, name := range names {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		f, err := parser.ParseFile(r.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			if own {
				r.problem("%v", err)
			}
			return nil, false
		}
		files = append(files, f)
	}
	return files, true
}

// typeError keeps what is wrong in our code. Where a value comes from C its element or address has an
// invalid type to go/types, since that name was taken on trust: only there such a complaint is dropped.
func (r *report) typeError(err error, own, hasC bool) {
	if !own || (hasC && strings.Contains(err.Error(), "invalid type")) {
		return
	}
	if text := err.Error(); !slices.Contains(r.problems, text) { // met before, in the package without its tests
		r.problem("%s", text)
	}
}

type importer struct {
	known map[string]*types.Package
	remap map[string]string // vendored copies and test variants
}

func (im importer) Import(path string) (*types.Package, error) {
	if to := im.remap[path]; to != "" {
		path = to
	}
	if p := im.known[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s could not be read", path)
}
