package replay

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/dpverify/dpverify/algorithms/primitive"
)

// Call is a recorded call of a primitive.
type Call struct {
	primitive.Call           // its Value is a copy
	Released       []float64 // values that it released, drawn or replayed
	Place          string    // "count.go:12"; "" if the language does not report it
	// Bare marks noise that may later be added to data that its value does not include. If the value is the same in
	// both runs, such data remain unseen.
	Bare bool
}

// Run is one release: its calls in order, and its output.
type Run struct {
	Calls  []Call
	Output any // in the form that [outputs.Value] returns
	// Concurrent reports that calls came from several goroutines. Their order may then change from run to run.
	Concurrent bool
	// Coins is 1 + the number of calls before the first coin that was drawn outside the primitives, if that is known;
	// 0 if there is no such coin.
	Coins int
}

// NoSensitivity is the sensitivity of a call that declares none. All parts except [Sensitivity] judge such a call.
var NoSensitivity = math.Inf(1)

// Subject is the release under test. Run makes one release of an input, with coins from the seed. A call that fits
// the next call in replay (see [Fits]) releases its recorded values. From the first call that does not fit, all
// values are drawn.
type Subject[D any] interface {
	Run(seed uint64, input D, replay []Call) (Run, error)
}

// MaxCalls is the maximum number of calls in one release.
const MaxCalls = 1_000_000

var errCalls = errors.New("the release makes more than 1000000 calls of primitives: record a smaller one")

// sameScale is the relative difference up to which two scales count as equal.
const sameScale = 1e-9

// Fits reports whether a and b are the same call except for the given value: the same primitive with the same scale,
// sensitivity, norm and number of values.
func Fits(a, b primitive.Call) bool {
	same := func(x, y float64) bool {
		return x == y || math.Abs(x-y) <= sameScale*math.Max(math.Abs(x), math.Abs(y))
	}
	return a.Kind == b.Kind && a.Norm == b.Norm && same(a.Scale, b.Scale) && same(a.Sensitivity, b.Sensitivity) &&
		len(a.Value) == len(b.Value)
}

// coin reports whether a primitive is given only a count and no data.
func coin(k primitive.Kind) bool {
	return k == primitive.Poisson || k == primitive.Permutation || k == primitive.Uniform || k == primitive.Public
}

// additive reports whether a primitive adds noise to each of its values.
func additive(k primitive.Kind) bool {
	switch k {
	case primitive.Laplace, primitive.Gaussian, primitive.L2Laplace, primitive.DiscreteLaplace,
		primitive.DiscreteGaussian:
		return true
	}
	return false
}

// norms holds the norm of each primitive's sensitivity. A call of [primitive.Pure] declares its own.
var norms = map[primitive.Kind]primitive.Norm{
	primitive.Laplace: primitive.L1, primitive.Gaussian: primitive.L2, primitive.L2Laplace: primitive.L2,
	primitive.DiscreteLaplace: primitive.L1, primitive.DiscreteGaussian: primitive.L2,
	primitive.Geometric: primitive.L1, primitive.Exponential: primitive.LInf, primitive.NoisyMax: primitive.LInf,
	primitive.RandomizedResponse: primitive.Discrete, primitive.PrivateSampling: primitive.L2,
}

// NormOf returns the norm of a primitive's sensitivity; "" for coins and for primitives that declare it in each call.
func NormOf(k primitive.Kind) primitive.Norm { return norms[k] }

// CheckCall returns an error if a call declares an impossible value, norm, scale or sensitivity.
func CheckCall(c primitive.Call) error {
	if coin(c.Kind) {
		if len(c.Value) != 1 || !(c.Value[0] >= 0 && c.Value[0] <= MaxCalls) || c.Value[0] != math.Trunc(c.Value[0]) {
			return fmt.Errorf("primitive %s of %v things: want one number, from 0 to %d", c.Kind, c.Value, MaxCalls)
		}
		if c.Kind == primitive.Poisson && !(c.Scale >= 0 && c.Scale <= 1) {
			return fmt.Errorf("primitive %s at the rate %v: want a number in [0, 1]", c.Kind, c.Scale)
		}
		return nil
	}
	norm, known := norms[c.Kind]
	if c.Kind == primitive.Pure {
		norm, known = c.Norm, slices.Contains([]primitive.Norm{primitive.L1, primitive.L2, primitive.LInf,
			primitive.Discrete}, c.Norm)
	}
	switch {
	case !known:
		return fmt.Errorf("primitive %q with the norm %q is unknown", c.Kind, c.Norm)
	case norm != c.Norm:
		return fmt.Errorf("primitive %s has a sensitivity in the norm %q: want %q", c.Kind, c.Norm, norm)
	case len(c.Value) == 0 && (c.Kind == primitive.Exponential || c.Kind == primitive.NoisyMax):
		return fmt.Errorf("primitive %s has no scores to choose from", c.Kind)
	}
	switch { // a value that is the same for all neighbors needs no noise
	case !(c.Sensitivity >= 0):
		return fmt.Errorf("primitive %s declares the sensitivity %v: want a finite number, at least 0", c.Kind,
			c.Sensitivity)
	case !(c.Scale > 0 && c.Scale <= math.MaxFloat64) && (c.Scale != 0 || c.Sensitivity != 0):
		return fmt.Errorf("primitive %s declares the scale %v: want a finite number above 0, or 0 for the sensitivity 0",
			c.Kind, c.Scale)
	case c.Kind == primitive.Pure && c.Sensitivity == NoSensitivity:
		return fmt.Errorf("primitive %s declares the sensitivity %v: want a finite number, at least 0", c.Kind,
			c.Sensitivity)
	}
	return nil
}

// Mechanism is a release written in Go. It draws its noise from n, and coins independent of the data by
// [primitive.Noise.Public]. Other coins come from r, which has the same seed in all runs of a pair. Findings that
// depend on r are left open.
type Mechanism[D, O any] func(n *primitive.Noise, r *rand.Rand, input D) (O, error)

// Run makes one release. It records the calls, and replays those given.
func (m Mechanism[D, O]) Run(seed uint64, input D, replay []Call) (Run, error) {
	t := &tape{replay: replay, most: MaxCalls, frames: map[uintptr]frame{}}
	if pc, _, _, ok := runtime.Caller(0); ok {
		t.run = runtime.FuncForPC(pc).Entry()
	}
	n := primitive.Watched(rand.New(rand.NewPCG(seed, 0)), t)
	o, err := m(n, rand.New(ownCoins{rand.NewPCG(seed, 1), t}), input)
	if t.err != nil {
		err = t.err // even if the mechanism ignored the error
	}
	if err != nil {
		return Run{}, err
	}
	run, err := NewRun(t.calls, o)
	run.Concurrent, run.Coins = t.concurrent, t.coins
	return run, err
}

// tape is a [primitive.Watch] that records and replays calls. It may be used from several goroutines and reports if
// it was.
type tape struct {
	mu         sync.Mutex
	caller     string // goroutine of the first call
	concurrent bool
	drawing    bool // a call is drawing its values
	coins      int  // as in [Run]

	replay []Call
	parted bool // the calls have departed from replay
	calls  []Call
	most   int // maximum number of calls
	err    error
	run    uintptr           // entry address of Run, which identifies its goroutine
	frames map[uintptr]frame // by program counter
}

// frame describes one call on the stack.
type frame struct {
	at  string // "count.go:12"; "" within package primitive
	run bool   // the call of Run
}

func (t *tape) Replay(c primitive.Call, released []float64) (ok bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return false, t.err
	}
	if t.err = CheckCall(c); t.err == nil && len(t.calls) >= t.most {
		t.err = errCalls
	}
	if t.err != nil {
		return false, t.err
	}
	stack := t.callers()
	if caller := t.goroutine(stack); t.caller == "" {
		t.caller = caller
	} else if caller != t.caller {
		t.concurrent = true
	}
	c.Value = slices.Clone(c.Value)
	i := len(t.calls)
	t.calls = append(t.calls, Call{Call: c, Place: t.place(stack)})
	if i >= len(t.replay) || t.parted || !Fits(t.replay[i].Call, c) || len(released) != len(t.replay[i].Released) {
		t.parted, t.drawing = true, true
		return false, nil
	}
	copy(released, t.replay[i].Released)
	t.calls[i].Released = t.replay[i].Released
	return true, nil
}

func (t *tape) Record(released []float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls[len(t.calls)-1].Released, t.drawing = slices.Clone(released), false
}

// ownCoins is the source of a mechanism's coins outside the primitives. It records in the tape after how many calls the
// first coin was drawn.
type ownCoins struct {
	rand.Source
	t *tape
}

func (o ownCoins) Uint64() uint64 {
	o.t.mu.Lock()
	if !o.t.drawing && o.t.coins == 0 {
		o.t.coins = len(o.t.calls) + 1
	}
	o.t.mu.Unlock()
	return o.Source.Uint64()
}

// callers returns the program counters of the stack above [tape.Replay], up to Run or beyond it, at any recursion
// depth. If Run is not on the stack, it returns the whole stack.
func (t *tape) callers() []uintptr {
	for pcs := make([]uintptr, 16); ; pcs = make([]uintptr, 4*len(pcs)) {
		if n := runtime.Callers(3, pcs); n < len(pcs) || t.inRun(pcs) {
			return pcs[:n]
		}
	}
}

// inRun reports whether Run is on a stack.
func (t *tape) inRun(stack []uintptr) bool {
	return slices.ContainsFunc(stack, func(pc uintptr) bool { return t.frame(pc).run })
}

// goroutine returns a name of the goroutine with this stack: "Run" if Run is on the stack, which is cheap to find, or
// for example "goroutine 7".
func (t *tape) goroutine(stack []uintptr) string {
	if t.inRun(stack) {
		return "Run"
	}
	var text [32]byte
	name, _, _ := strings.Cut(string(text[:runtime.Stack(text[:], false)]), " [")
	return name
}

// place returns the file and line of the innermost call outside package primitive.
func (t *tape) place(stack []uintptr) string {
	for _, pc := range stack {
		if at := t.frame(pc).at; at != "" {
			return at
		}
	}
	return ""
}

func (t *tape) frame(pc uintptr) frame {
	f, known := t.frames[pc]
	if known {
		return f
	}
	of := runtime.FuncForPC(pc - 1)
	f.run = of != nil && t.run != 0 && of.Entry() == t.run
	frames := runtime.CallersFrames([]uintptr{pc}) // one counter has several frames if calls are inlined
	for more := true; more && f.at == ""; {
		var at runtime.Frame
		if at, more = frames.Next(); !strings.Contains(at.Function, "/algorithms/primitive.") &&
			!strings.Contains(at.Function, "/verify/replay.(*tape)") {
			f.at = fmt.Sprintf("%s:%d", filepath.Base(at.File), at.Line)
		}
	}
	t.frames[pc] = f
	return f
}
