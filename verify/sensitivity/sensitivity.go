package sensitivity

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

// Check checks the sensitivity of a map F from datasets to vectors: ‖F(A) − F(B)‖ is at most Claimed for all
// neighboring datasets A and B. Examples are gradients, iterates and averages of iterates, and in the norm [LInf] the
// scores of the exponential mechanism, one entry per candidate.
//
// An adversarial search looks for the worst pair with coupled randomness: both runs draw from the same stream, so that
// the difference is due only to the datasets. A map must draw the same numbers for both. If it draws one per record,
// datasets of different sizes get different numbers after the record that differs.
//
// A search gives only a lower bound on the sensitivity. A pair above Claimed is Refuted; a pair above Tight, but not
// above Claimed, is an error. A cell Holds in two cases: the domain is so small that all pairs are tried, or Tight is
// at most Claimed, Proof derives it, and the search reaches 99 % of it. All other results are Inconclusive.
type Check struct {
	Quantity  string // name of the map, for example "the mean of the records"
	Norm      Norm   // of the difference
	Adjacency inputs.Adjacency
	Cells     []Cell
	// Proof shows why no pair exceeds Tight, in every cell that sets it.
	Proof string
	// Evaluations is the number of pairs to evaluate in each cell at the standard budget; 0 means 20000.
	Evaluations int64
}

// Cell is a map with its domain and the claimed bound.
type Cell struct {
	Place string // unique in a check, for example "n = 10, d = 3"
	// Map writes F to dst, which has length OutputLength and holds zeros. It may change the input, but must not keep it.
	Map          func(r *rand.Rand, in Input, dst []float64) error
	OutputLength int // length of the output
	// N ≥ 1 is the number of records. Under AddOrRemoveOneRecord the neighbor has N − 1.
	N       int
	Records Records // domain of each record
	// Shared and Choices are the domains of the parameters that both runs share: real ones, such as weights, and discrete
	// ones, such as a step or a loss, each with its number of values. Both may be empty.
	Shared  Ball
	Choices []int
	Claimed float64       // finite, ≥ 0
	Tight   verify.Number // the derived supremum, or an upper bound on it, if known
	// Error bounds the floating-point error of the difference, relative to the maximum of the claim and the norms of both
	// outputs. 0 means 1e-9, which is enough for a million operations without cancellation.
	Error float64
}

// Input is the input of a map.
type Input struct {
	Records []Record
	Shared  []float64 // in the ball Cell.Shared
	Choice  []int     // Choice[i] in [0, Choices[i])
}

const (
	defaultEvaluations = 20000
	defaultMapError    = 1e-9
	// attained is the share of the derived supremum that the search must reach. A supremum need not be attained, but can
	// be approached.
	attained = 0.99
	// maxParameters is the maximum number of real parameters in a pair, maxOutputs the maximum length of an output. They
	// limit the memory.
	maxParameters, maxOutputs = 100_000, 1_000_000
)

// Check returns an error that names the invalid parameter.
func (s Check) Check() error {
	switch {
	case s.Norm != L1 && s.Norm != L2 && s.Norm != LInf:
		return fmt.Errorf("sensitivity: %s: want L1, L2 or LInf", s.Norm)
	case s.Adjacency != inputs.AddOrRemoveOneRecord && s.Adjacency != inputs.ReplaceOneRecord:
		return fmt.Errorf("sensitivity: %s: want AddRemoveOne or ReplaceOne", s.Adjacency)
	case len(s.Cells) == 0:
		return errors.New("sensitivity: no cells")
	case s.Evaluations < 0:
		return fmt.Errorf("sensitivity: %d evaluations: want a number ≥ 0", s.Evaluations)
	case s.Proof != "" && !slices.ContainsFunc(s.Cells, func(c Cell) bool { return c.Tight.Set }):
		return errors.New("sensitivity: a proof, but no cell with a derived supremum: set Tight in a cell")
	}
	for i, c := range s.Cells {
		if err := c.check(s.Adjacency); err != nil {
			return fmt.Errorf("at %s: %w", c.Place, err)
		}
		if c.Tight.Set && s.Proof == "" {
			return fmt.Errorf("at %s: a derived supremum without its proof: set Proof", c.Place)
		}
		if slices.ContainsFunc(s.Cells[:i], func(o Cell) bool { return o.Place == c.Place }) {
			return fmt.Errorf("two cells at %q: want distinct places", c.Place)
		}
	}
	return nil
}

func (c *Cell) check(a inputs.Adjacency) error {
	finite := func(x float64) bool { return x >= 0 && x <= math.MaxFloat64 }
	switch {
	case c.Map == nil:
		return errors.New("no map")
	case c.OutputLength < 1 || c.OutputLength > maxOutputs:
		return fmt.Errorf("%d outputs: want 1 to %d", c.OutputLength, maxOutputs)
	case c.N < 1 || c.N > maxParameters:
		return fmt.Errorf("%d records: want 1 to %d", c.N, maxParameters)
	case !finite(c.Claimed):
		return fmt.Errorf("claimed sensitivity %v: want a finite number ≥ 0", c.Claimed)
	case c.Tight.Set && !finite(c.Tight.X):
		return fmt.Errorf("derived supremum %v: want a finite number ≥ 0", c.Tight.X)
	case !(c.Error >= 0 && c.Error < 1):
		return fmt.Errorf("relative error %v: want a number in [0, 1)", c.Error)
	}
	if err := c.Records.check(a); err != nil {
		return err
	}
	if err := c.Shared.check(); err != nil {
		return fmt.Errorf("shared parameters: %w", err)
	}
	if i := slices.IndexFunc(c.Choices, func(k int) bool { return k < 1 }); i >= 0 {
		return fmt.Errorf("choice %d has %d values: want at least 1", i, c.Choices[i])
	}
	if reals := float64(c.N+1)*float64(c.Records.Dim) + float64(c.Shared.Dim); reals > maxParameters {
		return fmt.Errorf("%v real parameters: want at most %d", reals, maxParameters)
	}
	return nil
}

func (c *Cell) mapError() float64 {
	if c.Error == 0 {
		return defaultMapError
	}
	return c.Error
}

// Prepare searches for the worst pair. It needs no samples.
func (s Check) Prepare(ctx context.Context, settings verify.Settings) (verify.Trial, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	evaluations := s.Evaluations
	if evaluations == 0 {
		evaluations = defaultEvaluations
	}
	evaluations = settings.Budget.Samples(evaluations)
	e := verify.Evidence{Exact: true, Quantity: fmt.Sprintf("%s-sensitivity of %s", s.Norm, s.Quantity),
		Sense: verify.AtMost, Verdict: verify.Holds}
	var worst sensitivityFinding
	look := sensitivityLook{evaluations: evaluations}
	tried := 0 // number of cells in which every pair was tried
	for i := range s.Cells {
		f, err := s.judgeCell(ctx, &s.Cells[i], evaluations, settings.Stream("sensitivity", strconv.Itoa(i)))
		if err != nil {
			return nil, fmt.Errorf("at %s: %w", s.Cells[i].Place, err)
		}
		if len(e.Cells) < verify.MaxCells {
			e.Cells = append(e.Cells, f.row())
		}
		e.Verdict = e.Verdict.Worse(f.verdict)
		look.findings = append(look.findings, f)
		if f.all {
			tried++
		}
		if f.warning != "" {
			e.Warnings = append(e.Warnings, fmt.Sprintf("at %s: %s", f.cell.Place, f.warning))
		}
		if i == 0 || f.outranks(worst) {
			worst = f
		}
	}
	e.WorstCell(worst.row(), len(e.Cells)) // the worst may be beyond the last row shown
	e.WorstCase += ", " + worst.witness
	s.explain(&e, evaluations, tried)
	look.worst = worst
	e.LookAgain(&look)
	return verify.Decided(e), nil
}

// sensitivityFinding is the result for one cell.
type sensitivityFinding struct {
	cell         *Cell
	value, slack float64 // difference of the pair, and its floating-point error
	all          bool    // every pair was tried
	witness      string
	verdict      verify.Verdict
	warning      string
}

// judgeCell searches for the worst pair, replays it from its witness, and decides the verdict.
func (s Check) judgeCell(ctx context.Context, c *Cell, evaluations int64, r *rand.Rand) (sensitivityFinding, error) {
	search := newSensitivitySearch(ctx, &s, c, r)
	f := sensitivityFinding{cell: c}
	best, all, err := search.run(evaluations)
	if err != nil {
		return f, err
	}
	f.all = all
	if f.witness, err = search.witness(best); err != nil {
		return f, err
	}
	// The verdict uses the printed witness: it is checked against the domain and evaluated again.
	if f.value, f.slack, err = s.replay(c, f.witness); err != nil {
		return f, fmt.Errorf("the witness %s: %w", f.witness, err)
	}
	if f.value-f.slack != best.value {
		return f, fmt.Errorf("the map is not a function of its input and its stream: at %s it differs by %v, and by another "+
			"value before; take its randomness from r and keep no state", f.witness, f.value)
	}
	return f, f.judge()
}

// judge returns the verdict for one cell.
func (f *sensitivityFinding) judge() error {
	c := f.cell
	lower := f.value - f.slack // lower bound on the difference of the pair
	claimed := c.Claimed * (1 + c.mapError())
	switch {
	case lower > c.Claimed:
		f.verdict = verify.Refuted
	case c.Tight.Set && lower > c.Tight.X:
		return fmt.Errorf("the pair %s differs by %v, more than the derived supremum %v: the derivation is wrong", f.witness,
			f.value, c.Tight.X)
	case f.all:
		f.verdict = verify.Holds
	case !c.Tight.Set:
		f.verdict = verify.Inconclusive
	case c.Tight.X > claimed:
		f.verdict = verify.Inconclusive
		f.warning = fmt.Sprintf("the derived supremum %v exceeds the claim, but the largest difference found "+
			"is %v: search longer", c.Tight.X, f.value)
	case f.value >= attained*c.Tight.X:
		f.verdict = verify.Holds
	default:
		f.verdict = verify.Inconclusive
		f.warning = fmt.Sprintf("the largest difference found is %v, %.3g %% of the derived supremum %v: search longer, or "+
			"derive a smaller supremum", f.value, 100*f.value/c.Tight.X, c.Tight.X)
	}
	return nil
}

// share returns the pair's difference as a share of the claim.
func (f sensitivityFinding) share() float64 {
	if f.value == 0 {
		return 0
	}
	return f.value / f.cell.Claimed
}

// outranks reports whether f is worse than o: a counterexample is worse than an undecided cell, which is worse than a
// cell that holds. Among equal verdicts the larger share of the claim is worse.
func (f sensitivityFinding) outranks(o sensitivityFinding) bool {
	if f.verdict != o.verdict {
		return f.verdict.Worse(o.verdict) == f.verdict
	}
	return f.share() > o.share()
}

func (f sensitivityFinding) row() verify.Cell {
	c := verify.Cell{Label: f.cell.Place, Claimed: verify.Num(f.cell.Claimed), Measured: verify.Num(f.value),
		Lower: verify.Num(math.Max(0, f.value-f.slack))}
	switch {
	case f.cell.Tight.Set:
		c.ExactValue, c.Upper = f.cell.Tight, verify.Num(math.Max(f.value, f.cell.Tight.X))
	case f.all:
		c.ExactValue, c.Upper = verify.Num(f.value), verify.Num(f.value+f.slack)
	}
	return c
}

// explain sets the method and the power of the evidence.
func (s Check) explain(e *verify.Evidence, evaluations int64, tried int) {
	e.Method = fmt.Sprintf("every pair of neighbors (%s)", s.Adjacency)
	if searched := len(s.Cells) - tried; searched > 0 {
		e.Method = fmt.Sprintf("adversarial search for neighbors (%s) in %d of %d cells: edge pairs, random pairs, local "+
			"search and CMA-ES, %d pairs per cell, both runs with the same random numbers",
			s.Adjacency, searched, len(s.Cells), evaluations)
		if tried > 0 {
			e.Method += "; every pair in the other cells"
		}
	}
	if s.Proof != "" {
		e.Method += "; the supremum follows: " + s.Proof
	}
	if e.Verdict == verify.Inconclusive {
		e.Power = fmt.Sprintf("the largest difference found in %d pairs per cell is %.4g", evaluations, e.Measured.X)
		if e.Ratio.Set {
			e.Power += fmt.Sprintf(", %.4g %% of the bound", 100*e.Ratio.X)
		}
		e.Power += "; a search cannot show that no difference is larger"
	}
}
