package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// cgo checks what Go asks of C: it has the go command translate the C names of a package against the package's
// own headers, with this machine's C compiler, and checks the types of what comes out. That works while the
// headers are plain C.
type cgo struct {
	cc      string // empty: there is no compiler here
	tmp     string
	table   map[string]version // names of macOS
	checked []string           // packages
}

func newCgo() (*cgo, error) {
	table, err := parseTable(appleTable)
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "maccheck")
	if err != nil {
		return nil, err
	}
	c := &cgo{tmp: tmp, table: table}
	for _, name := range []string{"cc", "gcc", "clang"} {
		if path, err := exec.LookPath(name); err == nil {
			c.cc = path
			break
		}
	}
	return c, nil
}

func (c *cgo) close() { _ = os.RemoveAll(c.tmp) }

// summary says what was looked at.
func (c *cgo) summary() string {
	if c.cc == "" {
		return "What Go asks of C is not checked: there is no C compiler here."
	}
	return fmt.Sprintf("%d packages checked against their C headers.", len(c.checked))
}

// check checks one package of ours that has C.
func (c *cgo) check(ctx context.Context, r *report, p *listed) error {
	if c.cc == "" {
		return nil
	}
	out := filepath.Join(c.tmp, fmt.Sprint(len(c.checked)))
	if err := os.Mkdir(out, 0o700); err != nil {
		return err
	}
	c.checked = append(c.checked, p.ImportPath)
	args := append([]string{"tool", "cgo", "-objdir", out, "-importpath", p.ImportPath, "--", "-I", p.Dir}, p.CgoFiles...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=", "CC="+c.cc, "LC_ALL=C")
	if text, err := cmd.CombinedOutput(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			return err
		}
		c.said(r, p, string(text))
		return ctx.Err()
	}
	if err := c.types(r, p, out); err != nil {
		return err
	}
	return c.exports(ctx, r, p, out)
}

// said reports what the go command or the compiler said, one problem a line, without the lines around it.
func (c *cgo) said(r *report, p *listed, text string) {
	found := false
	for line := range strings.Lines(text) {
		if problemLine.MatchString(line) {
			found = true
			r.problem("%s: C: %s", p.ImportPath, c.short(p, strings.TrimSpace(line)))
		}
	}
	if !found {
		r.problem("%s: C: %s", p.ImportPath, strings.TrimSpace(text))
	}
}

// problemLine is one that says where.
var problemLine = regexp.MustCompile(`^\S+:\d+:(\d+:)? .`)

// short leaves the folders out of a problem.
func (c *cgo) short(p *listed, text string) string {
	text = strings.ReplaceAll(text, p.Dir+string(filepath.Separator), "")
	return strings.NewReplacer("_Ctype_", "C.", "(_Cfunc_", "(C.").Replace(text)
}

// types checks the translated files together with the rest of the package.
func (c *cgo) types(r *report, p *listed, out string) error {
	fset := token.NewFileSet()
	var files []*ast.File
	paths := []string{}
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(path, ".cgo1.go") || filepath.Base(path) == "_cgo_gotypes.go") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range p.GoFiles {
		paths = append(paths, filepath.Join(p.Dir, name))
	}
	for _, path := range paths {
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	known := importer{r.known, p.ImportMap}
	conf := types.Config{
		Sizes: types.SizesFor("gc", r.arch), Importer: known,
		Error: func(err error) {
			text := err.Error()
			switch {
			case strings.Contains(text, "imported and not used"): // by what was translated
			case slices.Contains(r.problems, text): // found without C
			default:
				r.problem("%s: C: %s", p.ImportPath, c.short(p, text))
			}
		},
	}
	_, _ = conf.Check(p.ImportPath, fset, files, nil) // errors came through conf.Error
	return nil
}

// exports compiles what C sees of our exported functions: a header that says otherwise of one is found here.
func (c *cgo) exports(ctx context.Context, r *report, p *listed, out string) error {
	cmd := exec.CommandContext(ctx, c.cc, "-fsyntax-only", "-I", p.Dir, "-I", out, filepath.Join(out, "_cgo_export.c"))
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	if text, err := cmd.CombinedOutput(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			return err
		}
		for line := range strings.Lines(string(text)) {
			if rest, is := strings.CutPrefix(line, filepath.Join(out, "_cgo_export.c:")); is && strings.Contains(rest, "error:") {
				_, say, _ := strings.Cut(rest, "error: ")
				r.problem("%s: C: the header disagrees with Go: %s", p.ImportPath, strings.TrimSpace(say))
			}
		}
	}
	return ctx.Err()
}
