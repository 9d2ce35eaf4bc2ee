package main

import (
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
)

// darwinkit is the module whose hazards the rules of the house avoid. All of them were measured in v0.5.0.
const darwinkit = "github.com/progrium/darwinkit/"

// appKitFolders are where windows, views and menus of a Mac may be touched, below the module's path.
var appKitFolders = []string{"app", "overlay/mac"}

// otherSelectors are those that our code sends and darwinkit doesn't, with the class that has them (AppKit's
// headers say so).
var otherSelectors = map[string]string{
	"setLineBreakMode:": "NSControl", // macOS 10.10
}

// house holds our code to the rules that darwinkit makes necessary.
func (r *report) house(p *listed, files []*ast.File, info *types.Info) {
	for _, f := range files {
		for _, im := range f.Imports {
			to, _ := strconv.Unquote(im.Path.Value)
			if strings.HasPrefix(to, darwinkit) && !mayUseAppKit(p) {
				r.rule(im, "darwinkit is for app and overlay/mac only: what a Mac is asked elsewhere is asked in C")
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				r.call(call, info)
			}
			return true
		})
	}
	selectors(files, func(at ast.Node, sel string) {
		if len(r.sent) > 0 && !r.sent[sel] && otherSelectors[sel] == "" {
			r.rule(at, "darwinkit itself never sends %q: is it misspelt? A selector that isn't there ends the program", sel)
		}
	})
}

func mayUseAppKit(p *listed) bool {
	if p.Module == nil {
		return false
	}
	in, _, _ := strings.Cut(p.ImportPath, " ") // a package with its tests: "conch/app [conch/app.test]"
	in = strings.TrimPrefix(strings.TrimPrefix(in, p.Module.Path), "/")
	return slices.Contains(appKitFolders, in)
}

// rule reports a broken rule at a place, once.
func (r *report) rule(at ast.Node, format string, args ...any) {
	where := r.fset.Position(at.Pos()).String() + ": "
	if !slices.ContainsFunc(r.problems, func(s string) bool { return strings.HasPrefix(s, where) }) {
		r.problem(where+format, args...)
	}
}

// plain are darwinkit's functions with small results that don't go through libffi.
var plain = []string{"IsNil", "RespondsToSelector", "IsKindOfClass", "ConformsToProtocol"}

// call judges one call of a function of darwinkit's.
func (r *report) call(call *ast.CallExpr, info *types.Info) {
	fn := callee(call, info)
	if fn == nil || fn.Pkg() == nil || !strings.HasPrefix(fn.Pkg().Path(), darwinkit) {
		return
	}
	sig := fn.Signature()
	if path.Base(fn.Pkg().Path()) == "objc" && fn.Name() == "Retain" && sig.Recv() == nil {
		r.rule(call, "objc.Retain lets go on the garbage collector's thread: use o.Retain and o.Release on the main thread")
	}
	if result := info.Types[call].Type; result != nil && small(result) && !slices.Contains(plain, fn.Name()) {
		r.rule(call, "%s has a result of %s, and darwinkit writes 8 bytes over it: use objc.Call[uint64] and look at the low bits",
			fn.Name(), result)
	}
	for _, arg := range call.Args {
		t := info.Types[arg].Type
		if t == nil || !strings.Contains(strings.ToLower(fn.Name()), "completionhandler") && !raw(fn) {
			continue
		}
		if _, is := t.Underlying().(*types.Signature); is {
			r.rule(arg, "a Go function as a completion handler is freed wrongly: answer it in Objective-C")
		}
	}
}

// raw says whether a function sends any selector with any arguments.
func raw(fn *types.Func) bool { return path.Base(fn.Pkg().Path()) == "objc" && fn.Name() == "Call" }

func callee(call *ast.CallExpr, info *types.Info) *types.Func {
	var id *ast.Ident
	fun := ast.Unparen(call.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr: // objc.Call[T]
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	switch f := fun.(type) {
	case *ast.SelectorExpr:
		id = f.Sel
	case *ast.Ident:
		id = f
	default:
		return nil
	}
	fn, _ := info.Uses[id].(*types.Func)
	return fn
}

// small says whether libffi writes more than a value of this type has room for.
func small(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	switch b.Kind() {
	case types.Bool, types.Int8, types.Uint8, types.Int16, types.Uint16, types.Int32, types.Uint32:
		return true
	}
	return false
}

// selectors finds every objc.Sel("…").
func selectors(files []*ast.File, found func(ast.Node, string)) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			fn, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || fn.Sel.Name != "Sel" {
				return true
			}
			if lit, ok := call.Args[0].(*ast.BasicLit); ok {
				if sel, err := strconv.Unquote(lit.Value); err == nil {
					found(lit, sel)
				}
			}
			return true
		})
	}
}
