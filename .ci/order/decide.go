package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// decides finds decisions that depend on the order of a map: which of several values is returned, kept or written
// first or last. Counts, flags, maxima and elements under the loop's own key are the same in every order.
func (s *orderSearch) decides(loop *ast.RangeStmt) {
	own := func(o types.Object) bool {
		_, isVar := o.(*types.Var)
		return isVar && declaredIn(o, loop)
	}
	if loop.Tok == token.ASSIGN {
		s.fault(loop, decidedByMap)
	}
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // its return statements do not leave the loop
		case *ast.ReturnStmt:
			if slices.ContainsFunc(n.Results, func(e ast.Expr) bool { return s.mentions(e, own) }) {
				s.fault(n, decidedByMap)
			}
		case *ast.ExprStmt:
			if s.writes(n.X, loop) {
				s.fault(n, decidedByMap)
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				o := s.root(left)
				right := n.Rhs[min(i, len(n.Rhs)-1)]
				switch {
				case n.Tok != token.ASSIGN, o == nil, declaredIn(o, loop), !s.mentions(right, own):
				case s.ownElement(left, loop), s.builtin(right, "append", "max", "min"), s.accumulates(n, i, o):
				case s.boolean(left) && s.mentions(right, func(used types.Object) bool { return used == o }):
				default:
					s.fault(n, decidedByMap)
				}
			}
		}
		return true
	})
}

func (s *orderSearch) boolean(e ast.Expr) bool {
	b, ok := s.info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// writes reports whether a statement prints, or writes to a variable from outside the loop.
func (s *orderSearch) writes(e ast.Expr, loop *ast.RangeStmt) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !strings.HasPrefix(f.Sel.Name, "Write") && !strings.HasPrefix(f.Sel.Name, "Print") && !strings.HasPrefix(f.Sel.Name, "Fprint") {
		return false
	}
	to := f.X
	if strings.HasPrefix(f.Sel.Name, "Fprint") && len(call.Args) > 0 {
		to = call.Args[0]
	}
	if u, ok := to.(*ast.UnaryExpr); ok {
		to = u.X
	}
	o := s.root(to)
	return o == nil || !declaredIn(o, loop)
}

// appends finds lists that grow in the order of a map and are not sorted afterwards.
func (s *orderSearch) appends(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if !ok || !s.overMap(loop.X) {
			return true
		}
		ast.Inspect(loop.Body, func(n ast.Node) bool {
			a, ok := n.(*ast.AssignStmt)
			if !ok {
				return true
			}
			for i, left := range a.Lhs {
				o := s.root(left)
				if o != nil && !declaredIn(o, loop) && i < len(a.Rhs) && s.builtin(a.Rhs[i], "append") && !s.ownElement(left, loop) && !s.sortedAfter(body, loop.End(), o) {
					s.fault(a, decidedByMap)
				}
			}
			return true
		})
		return true
	})
}

func (s *orderSearch) sortedAfter(body ast.Node, end token.Pos, list types.Object) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && call.Pos() >= end && len(call.Args) > 0 && s.root(call.Args[0]) == list {
			o := s.callee(call)
			found = found || o != nil && o.Pkg() != nil && (o.Pkg().Path() == "slices" || o.Pkg().Path() == "sort") && !strings.HasPrefix(o.Name(), "Is")
		}
		return !found
	})
	return found
}

// call applies the rules that concern calls.
func (s *orderSearch) call(call *ast.CallExpr) {
	if name := nameOf(call.Fun); name == "Go" || name == "RunParallel" {
		s.goroutine(call, call.Args)
	}
	if s.makesSeed(call) && slices.ContainsFunc(call.Args, s.tellsTime) {
		s.fault(call, seededByClock)
	}
	if f, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && f.Sel.Name == "Range" && strings.HasSuffix(s.info.TypeOf(f.X).String(), "sync.Map") {
		if slices.ContainsFunc(call.Args, s.carries) {
			s.fault(call, drawnInMapOrder)
		}
	}
	if (s.calls(call, "slices", "Collect") || s.calls(call, "slices", "AppendSeq")) && s.overMap(call.Args[len(call.Args)-1]) {
		s.fault(call, decidedByMap)
	}
}

func (s *orderSearch) goroutine(n ast.Node, given []ast.Expr) {
	if slices.ContainsFunc(given, s.carries) {
		s.fault(n, drawnByGoroutine)
	}
	for _, e := range given {
		if lit, ok := e.(*ast.FuncLit); ok {
			ast.Inspect(lit.Body, func(n ast.Node) bool {
				if a, ok := n.(*ast.AssignStmt); ok {
					for i, left := range a.Lhs {
						if o := s.root(left); o != nil && !declaredIn(o, lit) && s.accumulates(a, i, o) {
							s.fault(a, summedByGoroutine)
						}
					}
				}
				return true
			})
		}
	}
}

// elsewhere finds mechanisms that get a stream but draw from another one. Their outputs depend on earlier calls.
func (s *orderSearch) elsewhere(lit *ast.FuncLit) {
	if !slices.ContainsFunc(lit.Type.Params.List, func(f *ast.Field) bool { return isStream(s.info.TypeOf(f.Type), nil) }) {
		return
	}
	if s.mentions(lit.Body, func(o types.Object) bool {
		v, ok := o.(*types.Var)
		return ok && !v.IsField() && isStream(v.Type(), nil) && !declaredIn(o, lit)
	}) {
		s.fault(lit, drawnElsewhere)
	}
}

// callsParallel reports whether a body runs in parallel with other tests, directly or through a helper.
func (s *orderSearch) callsParallel(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if _, inner := n.(*ast.FuncLit); inner {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok {
			o := s.callee(call)
			found = found || o != nil && (s.parallel[o] || o.Name() == "Parallel" && o.Pkg() != nil && o.Pkg().Path() == "testing")
		}
		return !found
	})
	return found
}

// tellsTime reports whether a value depends on the clock or on the process id.
func (s *orderSearch) tellsTime(e ast.Expr) bool {
	return s.mentions(e, func(o types.Object) bool {
		path := ""
		if o.Pkg() != nil {
			path = o.Pkg().Path()
		}
		return s.clocks[o] || path == "time" && (o.Name() == "Now" || o.Name() == "Since") || path == "os" && (o.Name() == "Getpid" || o.Name() == "Getppid")
	})
}

// seeded finds a clock in a value that is named a seed.
func (s *orderSearch) seeded(name string, value ast.Expr) {
	if seedLike.MatchString(name) && s.tellsTime(value) {
		s.fault(value, seededByClock)
	}
}

// global finds streams of the library or the system.
func (s *orderSearch) global(n *ast.SelectorExpr) {
	o := s.info.Uses[n.Sel]
	if o == nil || o.Pkg() == nil || o.Parent() != o.Pkg().Scope() {
		return
	}
	_, isFunc := o.(*types.Func)
	switch path := o.Pkg().Path(); {
	case strings.HasPrefix(path, "math/rand") && isFunc && !strings.HasPrefix(o.Name(), "New"):
		s.fault(n, globalStream)
	case path == "testing/quick": // draws from the clock
		s.fault(n, globalStream)
	case path == "crypto/rand", path == "hash/maphash" && o.Name() == "MakeSeed":
		s.fault(n, systemEntropy)
	}
}

// packageStreams finds package variables that hold a stream.
func (s *orderSearch) packageStreams(f *ast.File) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				for _, name := range v.Names {
					if s.carriers[s.info.Defs[name]] {
						s.fault(name, packageStream)
					}
				}
			}
		}
	}
}
