package mechanism

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// row is a mechanism made by one of its constructors, with the inputs of the tests that all mechanisms share.
type row struct {
	constructor string
	typ         string // "*mechanism.Laplace"
	lawIn       string // the test that compares releases with the distribution if the row's own cannot
	streams     func(t *testing.T)
	law         func(t *testing.T, seed uint64)
	inputs      func(t *testing.T) // checks inputs outside the domain
	refusals    []refusal          // errors of the constructor
}

// refusal is an error and the name of the value outside its domain.
type refusal struct {
	names string
	err   error
}

// known states the known properties of a mechanism.
type known[D, O any] struct {
	a, b    D       // neighbors
	more    []D     // further inputs for the comparison of releases with a distribution
	epsilon float64 // bound on the log ratio of their distributions; not used if lawIn names a test
	equal   func(a, b O) bool
	bad     []D  // inputs outside the domain
	total   bool // no input is outside the domain
	out     O    // an output for the densities at these inputs
	lawIn   string
	refuses []refusal
}

// rowOf returns the row of a mechanism whose distribution is a density or a list of probabilities of the outputs
// 0, 1, ….
func rowOf[D, O any](constructor string, m mechanismOf[D, O], k known[D, O]) row {
	return row{
		constructor: constructor, typ: fmt.Sprintf("%T", m), lawIn: k.lawIn, refusals: k.refuses,
		streams: func(t *testing.T) { checkStreams(t, m, k.a, k.equal) },
		law: func(t *testing.T, seed uint64) {
			indexed, finite := m.(interface{ Distribution(D) []float64 })
			indices, isInt := any(m).(mechanismOf[D, int])
			density, hasDensity := m.(densityOf[D, O])
			switch {
			case finite && isInt:
				for i, d := range append([]D{k.a, k.b}, k.more...) {
					checkIndexed(t, seed+uint64(i), indices, d, indexed.Distribution(d))
				}
				if got := loss(indexed.Distribution(k.a), indexed.Distribution(k.b)); !(got <= k.epsilon*(1+1e-9)) {
					t.Errorf("log ratio %v exceeds %v", got, k.epsilon)
				}
			case hasDensity && k.lawIn == "":
				checkRatio(t, seed, density, k.a, k.b, k.epsilon, draws/4)
			case k.lawIn == "":
				t.Error("neither a law nor a density, and no test that is named has one")
			}
		},
		inputs: func(t *testing.T) {
			if (len(k.bad) == 0) != k.total {
				t.Error("inputs outside the domain are missing, or there are none")
			}
			for _, d := range k.bad {
				_, err := m.Release(newRand(1), d)
				if all := m.ReleaseN(newRand(1), d, make([]O, 2)); !errors.Is(err, ErrDomain) || !errors.Is(all, ErrDomain) {
					t.Errorf("input %v: errors %v and %v, want ErrDomain", d, err, all)
				}
				if l, ok := m.(interface{ Distribution(D) []float64 }); ok && l.Distribution(d) != nil {
					t.Errorf("input %v: law %v, want none", d, l.Distribution(d))
				}
				if l, ok := m.(densityOf[D, O]); ok && !math.IsNaN(l.LogDensity(d, k.out)) {
					t.Errorf("input %v: log density %v, want NaN", d, l.LogDensity(d, k.out))
				}
			}
		},
	}
}

// densityOf is the interface of the mechanisms that have a density.
type densityOf[D, O any] interface {
	mechanismOf[D, O]
	LogDensity(D, O) float64
}

func failing[M any](_ M, err error) error { return err }

// positive returns the refusals of a parameter that must be finite and above 0.
func positive(names string, f func(v float64) error) (all []refusal) {
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		all = append(all, refusal{names, f(v)})
	}
	return all
}

func TestTable(t *testing.T) {
	for seed, r := range table() {
		t.Run(r.constructor, func(t *testing.T) {
			t.Run("streams", r.streams)
			t.Run("law", func(t *testing.T) { r.law(t, uint64(100*seed)) })
			t.Run("inputs", r.inputs)
			if len(r.refusals) == 0 {
				t.Error("the constructor refuses nothing")
			}
			for _, f := range r.refusals {
				if !errors.Is(f.err, ErrDomain) || !strings.Contains(f.err.Error(), f.names) {
					t.Errorf("error %v, want ErrDomain with the name %q", f.err, f.names)
				}
			}
		})
	}
}
