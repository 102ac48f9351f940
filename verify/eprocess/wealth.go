package eprocess

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Wealth is the evidence against one version of a claim.
//
// A sound version reaches 1/α with probability at most α. Let G(k) be the runs that the k-th decision knows, its own
// run included, in the order of [inOrder], which extends the order of G(k−1). When the runs in G(k) were sampled,
// their bets depended on earlier runs in this order only. So the expectation of each factor against a sound version,
// given all runs before it, is at most 1. The part of the wealth with which a product starts follows from the number
// of the run, its start and the runs that added claims. These are known before the factor, and all parts sum to at
// most 1. Let M be the sum of all products against sound versions and of the parts that have not started. A product
// stays constant while other versions or claims run. So M is a nonnegative supermartingale with M(0) ≤ 1. It is at
// least the wealth of each sound version, and reaches 1/α with probability at most α (Ville). Versions may be chosen
// after earlier runs.
type Wealth struct {
	Version string
	Runs    []string // its runs in order, as id or "id of start 2"
	// Log holds the natural logarithm of the wealth after each run. The version is refuted once it reaches
	// log(1/(the claim's share of α)).
	Log []float64
	// Open reports for each run that no decision has used it yet. Later merges may put other runs before it, so only
	// the wealth after all open runs counts.
	Open []bool
}

// Short returns the beginning of the version's digest.
func (w Wealth) Short() string { return w.Version[:min(8, len(w.Version))] }

// counts reports whether the wealth after run i decides.
func (w Wealth) counts(i int) bool { return !w.Open[i] || i == len(w.Log)-1 }

// Peak returns the largest log wealth that decides.
func (w Wealth) Peak() float64 {
	peak := math.Inf(-1)
	for i, x := range w.Log {
		if w.counts(i) {
			peak = max(peak, x)
		}
	}
	return peak
}

// Reached returns the first run after which the log wealth was at least need, or "".
func (w Wealth) Reached(need float64) string {
	for i, x := range w.Log {
		if w.counts(i) && x >= need {
			return w.Runs[i]
		}
	}
	return ""
}

const (
	// firstReserve is the part of the wealth that is left for later runs when the first run of a claim has started.
	firstReserve = 0.5
	// firstClaims is the share of the claims of the first run of a start. The n-th run that adds claims, n ≥ 2, has the
	// share (1 − firstClaims)/(n(n−1)) for them.
	firstClaims = 0.8
)

// reserve returns the part of the wealth that is left for the products that start at run n ≥ 1 of a claim, or later.
// The product that starts at run n has the part reserve(n) − reserve(n+1).
func reserve(n int) float64 {
	if n <= 1 {
		return 1
	}
	return firstReserve / (1 + math.Log(float64(n-1)))
}

// stakeOf returns the stake of the k-th start. The stakes of all starts sum to 1.
func stakeOf(k int) float64 { return 6 / (math.Pi * math.Pi * float64(k) * float64(k)) }

// Stake returns the share of α of the bets that start in the n-th run of the k-th start, for a project with one claim.
func Stake(k, n int) float64 { return stakeOf(k) * firstClaims * (reserve(n) - reserve(n+1)) }

// shares returns the share of each claim in a start. A claim gets its share in the first run that contains it and keeps
// it, so the shares of all claims sum to at most 1 whenever claims are added.
func shares(runs []Run) map[string]float64 {
	out := make(map[string]float64)
	batch := 0
	for _, r := range runs {
		share := 0.0
		for id, outcome := range r.Claims {
			if _, known := out[id]; known {
				continue
			}
			if share == 0 {
				batch++
				share = firstClaims
				if batch > 1 {
					share = (1 - firstClaims) / float64(batch*(batch-1))
				}
			}
			out[id] = share * outcome.Weight
		}
	}
	return out
}

// WealthOf returns the wealth against each version of a claim, in the order of their first runs. The runs must be in
// order. The weight is the share of α that the claim has among the claims of the present run.
func WealthOf(runs []Run, claim string, weight float64) []Wealth {
	return accumulate(entriesOf(runs, claim, weight))
}

// entriesOf returns the runs of a claim.
func entriesOf(runs []Run, claim string, weight float64) (entries []entry) {
	byStart := make(map[int][]Run)
	for _, r := range runs {
		byStart[r.Start] = append(byStart[r.Start], r)
	}
	share, number := make(map[int]float64), make(map[int]int)
	for start, of := range byStart {
		share[start] = shares(of)[claim]
	}
	used := decisions(runs)
	for _, r := range runs {
		if outcome, ok := r.Claims[claim]; ok {
			number[r.Start]++
			entries = append(entries, entry{ID: r.ID, Start: r.Start, Number: number[r.Start], Version: outcome.Version,
				Open:  !contains(used, r.key()),
				Share: stakeOf(r.Start) * share[r.Start] / weight, LogFactors: outcome.LogFactors,
				Upper: outcome.Upper, Rarest: outcome.Rarest})
		}
	}
	return entries
}

// entry holds the fields of a run on which the wealth against one claim depends.
type entry struct {
	ID         string    `json:"run"`
	Start      int       `json:"start"`
	Number     int       `json:"number"` // number of the run among the start's runs with this claim, from 1
	Version    string    `json:"version"`
	Open       bool      `json:"open,omitempty"` // see [Wealth]
	Share      float64   `json:"share"`
	LogFactors []float64 `json:"log_factors"`
	Upper      figure    `json:"upper"`
	Rarest     figure    `json:"rarest"`
}

// name returns the id of the run, with its start if that is not the first.
func (e entry) name() string {
	if e.Start == 1 {
		return e.ID
	}
	return fmt.Sprintf("%s of start %d", e.ID, e.Start)
}

// products identifies the products that one run continues.
type products struct {
	start, bets int
	version     string
}

// accumulate returns the wealth against each version.
func accumulate(entries []entry) (out []Wealth) {
	logs := make(map[products][]float64) // log wealth of each bet, with its share
	for _, e := range entries {
		k := products{e.Start, len(e.LogFactors), e.Version}
		if logs[k] == nil {
			logs[k] = make([]float64, k.bets)
			for i := range logs[k] {
				logs[k][i] = math.Inf(-1)
			}
		}
		begun := math.Log(e.Share * (reserve(e.Number) - reserve(e.Number+1)) / float64(k.bets))
		for i, factor := range e.LogFactors {
			logs[k][i] = logAdd(logs[k][i], begun) + factor
		}
		i := slices.IndexFunc(out, func(w Wealth) bool { return w.Version == e.Version })
		if i < 0 {
			i = len(out)
			out = append(out, Wealth{Version: e.Version})
		}
		sum := math.Inf(-1)
		for _, k := range slices.SortedFunc(maps.Keys(logs), products.compare) {
			if k.version == e.Version {
				for _, x := range logs[k] {
					sum = logAdd(sum, x)
				}
			}
		}
		out[i].Runs, out[i].Log = append(out[i].Runs, e.name()), append(out[i].Log, sum)
		out[i].Open = append(out[i].Open, e.Open)
	}
	return out
}

// logAdd returns log(e^a + e^b).
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

func (k products) compare(o products) int {
	return cmp.Or(cmp.Compare(k.start, o.start), cmp.Compare(k.bets, o.bets), cmp.Compare(k.version, o.version))
}
