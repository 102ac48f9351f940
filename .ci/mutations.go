//go:build ignore

// Mutations breaks the code on purpose, one fault at a time, and requires that a fast test fails for each:
//
//	go run .ci/mutations.go
//	go run .ci/mutations.go -only 'renyi|matrix'
//
// It changes no file of the work tree: the faulty file is a temporary one, which Go's -overlay option puts in place of
// the original. The tests run without DPVERIFY_LONG, as in go test ./....
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mutation is a fault in one file: the text old, which occurs exactly once, becomes new. At least one of the tests
// that match run, in the package of the directory dir, must fail.
type mutation struct{ name, file, old, new, dir, run string }

var mutations = []mutation{
	// Confidence limits and searches.
	{"joint limit: both counts get the whole error", "empirical/confidence/joint.go",
		"target := alpha - gamma", "target := 2*alpha - gamma", "empirical/confidence", "LowerHasItsSize"},
	{"joint limit: no supremum over the nuisance parameter", "empirical/confidence/joint.go",
		"region.sweep(box, family.line(v), target,", "region.sweep(box, family.line(v), math.Inf(1),", "empirical/confidence", "LowerHasItsSize"},
	{"joint limit: the error of the nuisance set is not charged", "empirical/confidence/joint.go",
		"newJointBox(x, n1, y, n2, gamma)", "newJointBox(x, n1, y, n2, alpha)", "empirical/confidence", "LowerHasItsSize"},
	{"audit: each fold gets the whole error", "verify/privacy/audit.go",
		"t.alpha /= 2", "t.alpha /= 1", "verify/privacy", "ViewsShareTheSamples"},
	{"audit: events counted in the samples that chose them", "verify/privacy/audit_views.go",
		"{a[1-fold], b[1-fold]}", "{a[fold], b[fold]}", "verify/privacy", "ViewsThatCountTheirOwnSampleErr"},
	{"audit: pooled samples counted by the fold that chose them", "verify/privacy/audit_views.go",
		"shared.Of(p.Input, 1-fold)", "shared.Of(p.Input, fold)", "verify/privacy", "FoldsOfASharedInput"},
	{"Clopper–Pearson: both tails get the whole error", "empirical/confidence/binomial.go",
		"float64(k), float64(n), alpha/2)", "float64(k), float64(n), alpha)", "empirical/confidence", "TestClopperPearson"},
	{"sequential test: bets ignore e^ε", "empirical/confidence/betting.go",
		"ratio := e.line.t * block.n1 / block.n2", "ratio := block.n1 / block.n2", "empirical/confidence", "EProcess|Wealth"},
	{"sequential test: threshold", "empirical/confidence/betting.go",
		"e.peak >= -math.Log(alpha)", "e.peak >= -math.Log(2*alpha)", "empirical/confidence", "RejectedFrom"},
	{"sequential test: several tests share one error", "empirical/sequential/levels.go",
		"math.Log(float64(p.Family)/alpha)", "math.Log(1/alpha)", "empirical/sequential", "TestPassed"},
	{"sequential test: price of a bet", "empirical/sequential/claim.go",
		"math.Log(dg/df)", "math.Log(df/dg)", "empirical/sequential", "NeverGain"},
	{"slope: every limit gets the whole error", "empirical/confidence/slope.go",
		"p.Limits(alpha / float64(2*len(points)))", "p.Limits(alpha)", "empirical/confidence", "SlopeSplitsItsError"},
	{"slope: variance of a weighted sum", "empirical/confidence/slope.go",
		"part := c * c * f.v[i]", "part := c * f.v[i]", "empirical/confidence", "FitSlope"},
	{"low-order bits: a difference over the reals counts", "verify/privacy/precision.go",
		"verify.Refuted && t.overTheReals:", "verify.Refuted && !t.overTheReals:", "verify/privacy", "TestPrecision$"},
	{"trees: rows of one value divided by their order", "empirical/distinguisher/binner.go",
		"b.edges[bin] <= c.values[i]", "b.edges[bin] <= c.values[i]-float64(i)", "empirical/distinguisher", "RowsHaveTheirBins"},
	{"sequences: codes among numbers are numbers", "empirical/distinguisher/words.go",
		"r.mixture = newMixture(numbers, rows, count)", "_ = numbers", "empirical/distinguisher", "WordsOfCodes"},

	// Premises of a training.
	{"membership: every test gets the whole error", "verify/premises/membership_judge.go",
		"2*float64(tests)*math.Min(t.Less, t.Greater)", "math.Min(t.Less, t.Greater)", "verify/premises", "MembershipFalseAlarms"},
	{"noise: repeated vectors are not counted", "verify/premises/noise.go",
		"f.Repeated = repeatedVectors(z)", "_ = repeatedVectors", "verify/premises", "TestFaults"},
	{"update: the sum is not subtracted", "verify/premises/update.go",
		"v*s.Divisor-s.Sum[j]-s.Noise[j]", "v*s.Divisor-s.Noise[j]", "verify/premises", "TestSoundTrainings"},

	// Sensitivity, input search, claim sets, seeds.
	{"sensitivity: a factor of 2", "verify/sensitivity/sensitivity.go",
		"case lower > c.Claimed:", "case lower > 2*c.Claimed:", "verify/sensitivity", "SensitivityVerdicts"},
	{"sensitivity of pairs: rounding is a finding", "verify/sensitivity/statistics.go",
		"return p.Value-p.Slack > f.Claimed", "return p.Value > f.Claimed", "verify/sensitivity", "PairsAndRounding"},
	{"input search: no shrinking", "verify/privacy/shrink.go",
		"for s.Smallest != nil && s.first(", "for false && s.first(", "verify/privacy", "ShrinkFinds"},
	{"claim set: every claim gets the whole error", "verify/ledger.go",
		"return total * c.Weight / l.weight", "return total * c.Weight", "verify", "AlphaShares"},
	{"seeds: labels without their lengths", "empirical/seed.go",
		"h.Write(n[:])", "_ = n", "empirical", "SeedsAreApart"},
	{"seeds: two shards with one stream", "empirical/seed.go",
		"strconv.Itoa(index))", "strconv.Itoa(index/2))", "empirical", "SeedsAreApart"},

	// Accounting.
	{"privacy-loss distribution: probabilities move to the lower end of a cell", "bounds/accountant/internal/pld/cells.go",
		"mass[i+1] += right", "mass[i] += right", "bounds/accountant", "GridOfTrainingRuns"},
	{"privacy-loss distribution: infinite losses of swapped inputs", "bounds/accountant/internal/pld/cells.go",
		"m.Lost, m.LostQ = c.LostQ, c.Lost", "m.Lost, m.LostQ = c.Lost, c.LostQ", "bounds/accountant", "DrawnTables"},
	{"Rényi divergence of the Gaussian", "bounds/accountant/rdp.go",
		"l.a * l.a / 2 * (1 + beta)", "l.a * l.a / 2 * beta", "bounds/accountant", "RenyiLowerEndsOccur|DrawnRenyi"},
	{"Rényi divergence of the sampled Gaussian: replaced records", "bounds/accountant/rdp_gauss.go",
		"l -= below", "l += below", "bounds/accountant", "RenyiDefinitions"},
	{"Rényi divergence: lower ends of both orders in one sum", "bounds/accountant/renyi_lower.go",
		"forth += t.count * f", "forth += t.count * math.Max(f, b)", "bounds/accountant", "RenyiLowerEndsOccur"},
	{"conversion from Rényi divergence", "bounds/accountant/convert.go",
		"gain, loss := -logDelta/beta, 0.0", "gain, loss := -logDelta/(1+beta), 0.0", "bounds/accountant", "ReferenceClosedForms"},
	{"zCDP: order of the curve", "bounds/accountant/zcdp.go",
		"return z.Rho * (1 + beta)", "return z.Rho * beta", "bounds/accountant", "ReferenceClosedForms"},
	{"closed form of the Gaussian", "bounds/accountant/gaussian.go",
		"a := epsilon/mu - mu/2", "a := epsilon/mu - mu", "bounds/accountant", "ReferenceClosedForms"},
	{"closed form of Laplace noise", "bounds/accountant/laplace.go",
		"e := math.Max(0, epsilon0+2*math.Log1p(-delta))", "e := math.Max(0, epsilon0+math.Log1p(-delta))", "bounds/accountant", "ReferenceDistributions"},
	{"composition of pure ε", "bounds/accountant/kov.go",
		"float64(o.K-2*l) * o.Epsilon0", "float64(o.K-l) * o.Epsilon0", "bounds/accountant", "ReferenceClosedForms"},
	{"discrete Laplace noise: losses", "bounds/accountant/law.go",
		"atom{a * (2*k - d), log0 - a*k}", "atom{a * (k - d), log0 - a*k}", "bounds/accountant", "ReferenceDistributions"},
	{"discrete Gaussian noise: losses", "bounds/accountant/internal/pld/pair_discrete.go",
		"loss := unitLoss * (2*k - shift)", "loss := unitLoss * (2*k + shift)", "bounds/accountant", "LawsByEnumeration"},
	{"matrix mechanism: steps of the last participation", "bounds/accountant/matrix/toeplitz.go",
		"if i >= times*distance {", "if i > times*distance {", "bounds/accountant/matrix", "NamedAgainstAllPatterns"},
	{"amplification by sampling", "bounds/accountant/sampling.go",
		"_, more := numeric.MixtureRatio(q, base)\n\treturn more", "more := q * base\n\treturn more", "bounds/accountant", "SamplingOnce"},

	// Runs in parts, training runs, replays.
	{"checkpoint: no checksum", "empirical/journal_read.go",
		"if l.Sum != journalSum(head, l.Entry) {", `if l.Sum == "" {`, "empirical", "ChangedEntry"},
	{"checkpoint: resumed with another seed", "verify/checkpoint/checkpoint.go",
		"{h.Seed == other.Seed,", "{h.Seed == h.Seed,", "verify/checkpoint", "OtherRunsAreRefused"},
	{"merge: shards counted twice", "empirical/engine.go",
		"err = t.UnmarshalJSON(kept)", "err = errors.Join(t.UnmarshalJSON(kept), r.merged.Merge(t))", "verify/checkpoint", "Merged"},
	{"merge: every process samples every shard", "verify/checkpoint/claim.go",
		"shard%s.head.Total == s.head.Shard-1", "s.head.Shard >= 1", "verify/checkpoint", "Merged"},
	{"one-run audit: wrong guesses count", "verify/training/one_run_guesses.go",
		"if g.in[row] == s.included[row] {", "if s.included[row] {", "verify/training", "TestVerdicts"},
	{"one-run audit: each number of guesses gets the whole error", "verify/training/one_run_guesses.go",
		"list[i].alpha = alpha * weight / weights", "list[i].alpha = alpha * max(1, weight/weights)", "verify/training", "TestRungs"},
	{"one-run audit: tied scores on both sides", "verify/training/one_run_guesses.go",
		"x == centre && above <= below", "x == centre && (i%2 == 0 || above <= below)", "verify/training", "TiesAreNotGuessedByCoin"},
	{"one-run bound: the price of δ", "empirical/confidence/onerun.go",
		"beta += 2 * float64(g.Canaries) * delta", "beta += delta", "empirical/confidence", "OneRun"},
	{"replay: rounding is a difference", "verify/replay/compare.go",
		"m.distance-m.slack > sensitivity", "m.distance > sensitivity", "verify/replay", "TestRounding"},
	{"replay: outputs are not compared", "verify/replay/compare.go",
		"differ(a.Output, b.Output,", "differ(a.Output, a.Output,", "verify/replay", "TwinsAreFoundFromOnePair"},
	{"replay: missing calls are ignored", "verify/replay/compare.go",
		"c.parted = len(a.Calls) != len(b.Calls)", "c.parted = len(a.Calls) < len(b.Calls)", "verify/replay", "Twins"},

	// Files and reports.
	{"exit code of a refuted claim", "cmd/cli/app.go",
		"err != nil && refutedIsError", "err == nil && refutedIsError", "cmd/cli", "ExitCodePrecedence"},
	{"recompute: a changed number is not noticed", "cmd/cli/recheck_tree.go",
		"return verify.AlmostEqual(x, y)", "return verify.AlmostEqual(x, x)", "cmd/cli", "EveryChangedFieldIsReported"},
	{"baseline: any finding of a known claim is excused", "reports/baseline.go",
		"needsReason(r.Verdict) && c.Verdict == r.Verdict {", "needsReason(r.Verdict) {", "reports", "BaselineNews"},
	{"diff: contradictions are not findings", "reports/diff.go",
		"case format.IsWrong(b) && !format.IsWrong(a):", "case b == verify.Refuted && !format.IsWrong(a):", "reports", "CompareReports"},
	{"quantities: no sense before the claimed value", "reports/internal/format/figures.go",
		`f.Claimed = string(sense) + " " + f.Claimed`, `f.Claimed = "" + f.Claimed`, "reports", "TestSense"},
	{"quantities: intervals rounded inward", "reports/internal/format/figures.go",
		"up && y < n.X-slack || !up && y > n.X+slack", "up && y > n.X-slack || !up && y < n.X+slack", "reports", "RoundOutward"},
	{"HTML: text without escapes", "reports/sheet_html.go",
		"text := template.HTMLEscapeString(format.Unbroken(s))", "text := format.Unbroken(s)", "reports", "HTMLEscapes"},
	{"JSON: numbers are not rounded", "reports/internal/format/json.go",
		"append(out, roundedNumber(text[:n])...)", "append(out, text[:n]...)", "reports/internal/format", "RoundsFigures"},
	{"YAML: numbers in any form", "internal/strictyaml/strictyaml.go",
		"l.err = checkNumber(n)", "_ = checkNumber(n)", "internal/strictyaml", "ParseRejects"},
	{"CSV: every first row of words is a header", "verify/outputs/csv.go",
		"return !numeric(first) && numeric(second) ||", "return !numeric(first) ||", "verify/outputs", "ReadRecording"},
}

func main() {
	only := flag.String("only", "", "regular expression of the mutations to try (default all)")
	flag.Parse()
	chosen, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "-only:", err)
		os.Exit(2)
	}
	list := slices.DeleteFunc(mutations, func(m mutation) bool { return !chosen.MatchString(m.name) })
	faults := unchanged(list)
	for _, m := range list {
		if caught, err := m.try(); err != nil {
			faults++
			fmt.Printf("NOT CAUGHT  %s: %v\n", m.name, err)
		} else {
			fmt.Printf("caught  %s: %s\n", m.name, strings.Join(caught, ", "))
		}
	}
	fmt.Printf("%d mutations, %d faults\n", len(list), faults)
	if faults > 0 || len(list) == 0 {
		os.Exit(1)
	}
}

// unchanged runs the tests of all mutations on the unchanged code and returns the number of packages in which one fails.
func unchanged(list []mutation) (faults int) {
	patterns := make(map[string][]string)
	for _, m := range list {
		patterns[m.dir] = append(patterns[m.dir], m.run)
	}
	for _, dir := range slices.Sorted(maps.Keys(patterns)) {
		if failed, err := test(dir, strings.Join(patterns[dir], "|")); len(failed) > 0 || err != nil {
			faults++
			fmt.Printf("FAILS  %s without a mutation: %s %v\n", dir, strings.Join(failed, ", "), err)
		}
	}
	return faults
}

// try returns the names of the tests that fail with the mutation. If no test fails, it returns an error.
func (m mutation) try() (failed []string, err error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(source), m.old); n != 1 {
		return nil, fmt.Errorf("the text %q occurs %d times in %s, want once: update the mutation", m.old, n, m.file)
	}
	dir, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	original, err := filepath.Abs(m.file)
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	replaced, errReplaced := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err = errors.Join(err, errReplaced, os.WriteFile(overlay, replaced, 0o600),
		os.WriteFile(changed, []byte(strings.Replace(string(source), m.old, m.new, 1)), 0o600)); err != nil {
		return nil, err
	}
	if failed, err = test(m.dir, m.run, "-overlay="+overlay); err == nil && len(failed) == 0 {
		err = fmt.Errorf("the tests %q of %s pass: add a test that fails", m.run, m.dir)
	}
	return failed, err
}

// test runs tests in their fast form and returns the names of those that fail, without subtests. A build that fails
// and a pattern without tests are errors.
func test(dir, run string, flags ...string) (failed []string, err error) {
	args := slices.Concat([]string{"test", "-json", "-vet=off", "-timeout=5m", "-run=" + run}, flags, []string{"./" + dir})
	cmd := exec.Command("go", args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "DPVERIFY_LONG=") })
	cmd.Env = append(cmd.Env, "RAPID_NOFAILFILE=true", "RAPID_SHRINKTIME=0s") // rapid would write files into the work tree
	cmd.Stderr = os.Stderr
	output, exit := cmd.Output()
	var text strings.Builder
	ran, built := false, true
	for lines := json.NewDecoder(bytes.NewReader(output)); lines.More(); {
		var e struct{ Action, Test, Output, FailedBuild string }
		if err := lines.Decode(&e); err != nil {
			return nil, fmt.Errorf("the output of go test: %w", err)
		}
		text.WriteString(e.Output)
		ran, built = ran || e.Action == "run", built && e.FailedBuild == ""
		if e.Action == "fail" && e.Test != "" && !strings.Contains(e.Test, "/") {
			failed = append(failed, e.Test)
		}
	}
	switch {
	case !built:
		return nil, fmt.Errorf("%s does not compile:\n%s", dir, &text)
	case !ran && exit == nil:
		return nil, fmt.Errorf("no test of %s matches %q", dir, run)
	case exit != nil && len(failed) == 0:
		return nil, fmt.Errorf("%s fails outside its tests: %w\n%s", dir, exit, &text)
	}
	return failed, nil
}
