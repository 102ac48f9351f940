package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

var seedLike = regexp.MustCompile(`(?i)seed`)

// visit applies the rules to everything below n. Decisions count only outside of tests, where they reach a user.
func (s *orderSearch) visit(n ast.Node, decisions bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			if s.overMap(n.X) {
				s.mapLoop(n)
				if decisions {
					s.decides(n)
				}
			}
		case *ast.FuncDecl:
			if n.Body != nil {
				s.appends(n.Body)
			}
		case *ast.FuncLit:
			if s.callsParallel(n.Body) && s.uses(n.Body, n) {
				s.fault(n, drawnInParallel)
			}
			s.elsewhere(n)
		case *ast.GoStmt:
			s.goroutine(n.Call, append(slices.Clone(n.Call.Args), n.Call.Fun))
		case *ast.CallExpr:
			s.call(n)
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				s.seeded(nameOf(left), n.Rhs[min(i, len(n.Rhs)-1)])
			}
		case *ast.ValueSpec:
			for i, value := range n.Values {
				s.seeded(n.Names[i].Name, value)
			}
		case *ast.KeyValueExpr:
			s.seeded(nameOf(n.Key), n.Value)
		case *ast.SelectorExpr:
			s.global(n)
		}
		return true
	})
}

// nameOf returns the last name of an identifier, a field or a function.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// callee returns the function that a call names, if any.
func (s *orderSearch) callee(call *ast.CallExpr) types.Object {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return s.info.Uses[f]
	case *ast.SelectorExpr:
		return s.info.Uses[f.Sel]
	}
	return nil
}

// calls reports whether e calls a function of a library package.
func (s *orderSearch) calls(e ast.Expr, path string, names ...string) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	o := s.callee(call)
	return o != nil && o.Pkg() != nil && o.Pkg().Path() == path && slices.Contains(names, o.Name())
}

func (s *orderSearch) overMap(e ast.Expr) bool {
	t := s.info.TypeOf(e)
	if t == nil {
		return false
	}
	_, isMap := t.Underlying().(*types.Map)
	f, isMethod := e.(*ast.SelectorExpr)
	return isMap || s.calls(e, "maps", "Keys", "Values", "All") || isMethod && f.Sel.Name == "Range" && strings.HasSuffix(s.info.TypeOf(f.X).String(), "sync.Map")
}

// mapLoop finds draws, seeds and sums in the order of a map.
func (s *orderSearch) mapLoop(loop *ast.RangeStmt) {
	if s.uses(loop.Body, loop) || loop.Value != nil && nameOf(loop.Value) != "_" && s.carries(loop.X) {
		s.fault(loop, drawnInMapOrder)
	}
	moved := make(map[types.Object]bool) // outer variables that an iteration changes
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IncDecStmt:
			moved[s.root(n.X)] = true
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if o := s.root(left); o != nil && !declaredIn(o, loop) {
					moved[o] = true
					if s.accumulates(n, i, o) && !s.ownElement(left, loop) {
						s.fault(n, summedInMapOrder)
					}
				}
			}
		}
		return true
	})
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && s.makesSeed(call) && slices.ContainsFunc(call.Args, func(e ast.Expr) bool {
			return s.mentions(e, func(o types.Object) bool { return moved[o] && !declaredIn(o, loop) })
		}) {
			s.fault(call, drawnInMapOrder)
		}
		return true
	})
}

// makesSeed reports whether a call derives a stream or a seed from its arguments.
func (s *orderSearch) makesSeed(call *ast.CallExpr) bool {
	t := s.info.TypeOf(call)
	return t != nil && (isStream(t, nil) || seedLike.MatchString(nameOf(call.Fun)) || seedLike.MatchString(types.TypeString(t, func(*types.Package) string { return "" })))
}

// accumulates reports whether an assignment adds to a number or text so that the order of the additions matters.
func (s *orderSearch) accumulates(n *ast.AssignStmt, i int, o types.Object) bool {
	b, ok := s.info.TypeOf(n.Lhs[i]).Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsFloat|types.IsComplex|types.IsString) == 0 {
		return false
	}
	if n.Tok != token.ASSIGN {
		return n.Tok != token.DEFINE
	}
	if i >= len(n.Rhs) || s.builtin(n.Rhs[i], "max", "min") {
		return false
	}
	return s.mentions(n.Rhs[i], func(used types.Object) bool { return used == o })
}

// ownElement reports whether left is the element under the loop's own key, which no other iteration changes.
func (s *orderSearch) ownElement(left ast.Expr, loop *ast.RangeStmt) bool {
	x, ok := left.(*ast.IndexExpr)
	if !ok || loop.Key == nil {
		return false
	}
	key, isName := x.Index.(*ast.Ident)
	if !isName || s.root(key) == nil || s.root(key) != s.root(loop.Key) {
		return false
	}
	changed := false
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			changed = changed || slices.ContainsFunc(a.Lhs, func(e ast.Expr) bool { return s.root(e) == s.root(key) })
		}
		return true
	})
	return !changed
}

func (s *orderSearch) builtin(e ast.Expr, names ...string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	_, builtin := s.callee(call).(*types.Builtin)
	return builtin && slices.Contains(names, nameOf(call.Fun))
}

func (s *orderSearch) mentions(n ast.Node, wanted func(types.Object) bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := s.info.Uses[id]; o != nil {
				found = found || wanted(o)
			}
		}
		return !found
	})
	return found
}
