package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// orderFault is a violation of one of the rules.
type orderFault struct {
	pos  token.Pos
	rule string
}

// orderSearch checks the files of one package.
type orderSearch struct {
	fset   *token.FileSet
	info   *types.Info
	faults []orderFault

	// carriers are the variables that give access to a stream: by their type, or because a function, an interface or a
	// struct has captured one.
	carriers map[types.Object]bool
	// clocks are the variables computed from the time.
	clocks map[types.Object]bool
	// makers are the functions whose results draw from a stream that the function created.
	makers map[types.Object]bool
	// parallel are the functions that call Parallel.
	parallel map[types.Object]bool
}

func orderFaults(fset *token.FileSet, files []*ast.File, info *types.Info) []orderFault {
	s := &orderSearch{
		fset: fset, info: info, carriers: make(map[types.Object]bool),
		clocks: make(map[types.Object]bool), makers: make(map[types.Object]bool), parallel: make(map[types.Object]bool),
	}
	for _, o := range info.Defs {
		if v, ok := o.(*types.Var); ok && !v.IsField() && isStream(v.Type(), nil) {
			s.carriers[v] = true
		}
	}
	for before := -1; before != len(s.carriers)+len(s.makers)+len(s.clocks); {
		before = len(s.carriers) + len(s.makers) + len(s.clocks)
		for _, f := range files {
			ast.Inspect(f, s.follow)
		}
	}
	for _, f := range files {
		s.packageStreams(f)
		s.visit(f, !strings.HasSuffix(fset.Position(f.Pos()).Filename, "_test.go"))
	}
	return s.faults
}

func (s *orderSearch) fault(n ast.Node, rule string) {
	s.faults = append(s.faults, orderFault{n.Pos(), rule})
}

// follow propagates carriers and clocks from the right to the left of an assignment.
func (s *orderSearch) follow(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			s.assign(left, n.Rhs[min(i, len(n.Rhs)-1)])
		}
	case *ast.ValueSpec:
		for i, left := range n.Names {
			if len(n.Values) > 0 {
				s.assign(left, n.Values[min(i, len(n.Values)-1)])
			}
		}
	case *ast.RangeStmt:
		for _, left := range []ast.Expr{n.Key, n.Value} {
			if left != nil {
				s.assign(left, n.X)
			}
		}
	case *ast.FuncDecl:
		if n.Body != nil && s.callsParallel(n.Body) && !strings.HasPrefix(n.Name.Name, "Test") {
			s.parallel[s.info.Defs[n.Name]] = true
		}
		if n.Body != nil && s.returnsCarrier(n.Body) {
			s.makers[s.info.Defs[n.Name]] = true
		}
	}
	return true
}

func (s *orderSearch) assign(left, right ast.Expr) {
	o := s.root(left)
	if o == nil {
		return
	}
	if mayHoldStream(o.Type(), nil) && s.carries(right) {
		s.carriers[o] = true
	}
	if lit, ok := ast.Unparen(right).(*ast.FuncLit); ok && s.returnsCarrier(lit.Body) {
		s.makers[o] = true
	}
	if s.tellsTime(right) {
		s.clocks[o] = true
	}
}

// returnsCarrier reports whether a body returns a function or an object that draws from a stream. A returned stream
// is visible in the type.
func (s *orderSearch) returnsCarrier(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			for _, e := range n.Results {
				found = found || !isStream(s.info.TypeOf(e), nil) && s.carries(e)
			}
		}
		return !found
	})
	return found
}

// root returns the variable that an assignable expression belongs to.
func (s *orderSearch) root(e ast.Expr) types.Object {
	switch e := e.(type) {
	case *ast.Ident:
		if v, ok := s.info.ObjectOf(e).(*types.Var); ok {
			return v
		}
	case *ast.SelectorExpr:
		return s.root(e.X)
	case *ast.IndexExpr:
		return s.root(e.X)
	case *ast.StarExpr:
		return s.root(e.X)
	case *ast.ParenExpr:
		return s.root(e.X)
	}
	return nil
}

// carries reports whether the value of e can draw from a stream that e names, or from one that e creates and hides.
func (s *orderSearch) carries(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			found = found || s.uses(lit.Body, lit)
			return false
		}
		x, ok := n.(ast.Expr)
		if !ok || found {
			return !found
		}
		if call, ok := x.(*ast.CallExpr); ok {
			lit, isLit := ast.Unparen(call.Fun).(*ast.FuncLit)
			if isStream(s.info.TypeOf(call), nil) && !isStream(s.info.TypeOf(e), nil) {
				found = true
				return false
			}
			if s.makers[s.callee(call)] && mayHoldStream(s.info.TypeOf(call), nil) || isLit && s.returnsCarrier(lit.Body) {
				found = true
				return false
			}
		}
		if id, ok := x.(*ast.Ident); ok {
			found = s.carriers[s.info.ObjectOf(id)]
			return false
		}
		t := s.info.TypeOf(x)
		return t == nil || mayHoldStream(t, nil)
	})
	return found
}

// uses reports whether n can draw from a stream that is declared outside of scope. Fields without a stream may be
// read from a struct that has one.
func (s *orderSearch) uses(n ast.Node, scope ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			sel := s.info.Selections[n]
			if sel != nil && sel.Kind() == types.FieldVal && !mayHoldStream(sel.Type(), nil) && s.root(n) != nil {
				return false
			}
		case *ast.Ident:
			o := s.info.Uses[n]
			found = found || s.carriers[o] && !declaredIn(o, scope)
		}
		return !found
	})
	return found
}

func declaredIn(o types.Object, scope ast.Node) bool {
	return scope.Pos() <= o.Pos() && o.Pos() < scope.End()
}

// isStream reports whether values of the type hold a generator. It does not look into structs of other modules.
func isStream(t types.Type, seen []types.Type) bool {
	return typeHolds(t, seen, func(t types.Type) bool {
		n, ok := t.(*types.Named)
		return ok && n.Obj().Pkg() != nil && strings.HasPrefix(n.Obj().Pkg().Path(), "math/rand")
	})
}

// mayHoldStream reports whether a value of the type can have captured a generator.
func mayHoldStream(t types.Type, seen []types.Type) bool {
	return isStream(t, nil) || typeHolds(t, seen, func(t types.Type) bool {
		switch u := t.Underlying().(type) {
		case *types.Signature:
			return true
		case *types.Struct: // of another module, such as a distribution with its source
			for i := range u.NumFields() {
				if f := u.Field(i); f.Exported() && isStream(f.Type(), nil) {
					return true
				}
			}
		case *types.Interface:
			n, ok := t.(*types.Named)
			return ok && n.Obj().Pkg() != nil && strings.HasPrefix(n.Obj().Pkg().Path(), module) && u.NumMethods() > 0
		}
		return false
	})
}

// typeHolds reports whether a type contains a wanted type.
func typeHolds(t types.Type, seen []types.Type, wanted func(types.Type) bool) bool {
	t = types.Unalias(t)
	if wanted(t) {
		return true
	}
	for _, s := range seen {
		if types.Identical(s, t) {
			return false
		}
	}
	seen = append(seen, t)
	if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil && !strings.HasPrefix(n.Obj().Pkg().Path(), module) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return typeHolds(u.Elem(), seen, wanted)
	case *types.Slice:
		return typeHolds(u.Elem(), seen, wanted)
	case *types.Array:
		return typeHolds(u.Elem(), seen, wanted)
	case *types.Chan:
		return typeHolds(u.Elem(), seen, wanted)
	case *types.Map:
		return typeHolds(u.Elem(), seen, wanted)
	case *types.Tuple:
		for i := range u.Len() {
			if typeHolds(u.At(i).Type(), seen, wanted) {
				return true
			}
		}
	case *types.Struct:
		for i := range u.NumFields() {
			if typeHolds(u.Field(i).Type(), seen, wanted) {
				return true
			}
		}
	}
	return false
}
