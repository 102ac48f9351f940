package event

import (
	"bytes"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/decimal"
)

// compute_dp_sgd_privacy_statement of TensorFlow Privacy returns this statement. It contains the number of examples,
// the batch size, the noise multiplier, the epochs, whether microbatches double the sensitivity, δ, and two values of
// ε: one if each example occurs once per epoch, one as if batches were Poisson samples. Lines can break between any two
// words.

const statementBegins = "DP-SGD performed over"

// words joins the words of a text with single spaces.
func words(data []byte) string { return string(bytes.Join(bytes.Fields(data), []byte(" "))) }

func isStatement(data []byte) bool {
	const maxBytes = 1 << 16
	return len(data) <= maxBytes && utf8.Valid(data) && strings.Contains(words(data), statementBegins)
}

const (
	numberForm  = `([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)`
	printedForm = `(?:0|[1-9][0-9]*)(?:\.[0-9]+)?` // a rounded ε
)

var (
	statementRun = regexp.MustCompile(statementBegins + ` ([0-9]+) examples with ([0-9]+) examples per iteration, ` +
		`noise multiplier ` + numberForm + ` for ` + numberForm + ` epochs (with|without) microbatching, ` +
		`(?:and no bound on number of examples per user|and at most ([0-9]+) examples per user)`)
	statementLevel = regexp.MustCompile(`Example-level DP with add-or-remove-one adjacency at delta = ` + numberForm +
		` computed with ([A-Z]+) accounting: Epsilon with each example occurring once per epoch: (inf|` + printedForm + `) ` +
		`Epsilon assuming Poisson sampling \(\*\): (inf|` + printedForm + `)(?: |$)`)
)

// placeOf returns the line and column of the first occurrence of a word in the unmodified text.
func placeOf(data []byte, word string) string {
	start := max(0, bytes.Index(data, []byte(word)))
	line := bytes.Count(data[:start], []byte("\n")) + 1
	column := utf8.RuneCount(data[bytes.LastIndexByte(data[:start], '\n')+1:start]) + 1
	return fmt.Sprintf("%d:%d: ", line, column)
}

func statement(data []byte, sampling string) (f File, err error) {
	text := words(data)
	run, level := statementRun.FindStringSubmatch(text), statementLevel.FindStringSubmatch(text)
	wrong := func(word, format string, args ...any) (File, error) {
		return File{}, fmt.Errorf("%s%s", placeOf(data, word), fmt.Sprintf(format, args...))
	}
	switch {
	case strings.Count(text, statementBegins) > 1:
		return wrong("DP-SGD", "more than one statement: want one")
	case run == nil:
		return wrong("DP-SGD", "a statement of TensorFlow Privacy whose first sentence is not as "+
			"compute_dp_sgd_privacy_statement writes it")
	case level == nil:
		return wrong("Example-level", "a statement of TensorFlow Privacy without the example-level ε at a δ, as "+
			"compute_dp_sgd_privacy_statement writes them")
	case sampling != "" && !slices.Contains(Samplings, sampling):
		return File{}, fmt.Errorf(" sampling %q: want %s, the two accounts of the statement", sampling,
			strings.Join(Samplings, " or "))
	}
	examples, errN := decimal.Int(run[1])
	batch, errB := decimal.Int(run[2])
	sigma, okS := decimal.Near(run[3])
	epochs, okE := new(big.Rat).SetString(strings.TrimSuffix(run[4], "."))
	delta, okD := decimal.Near(level[1])
	switch {
	case errN != nil || errB != nil || !(0 < batch && batch <= examples && examples < 1<<53):
		return wrong(statementBegins[:6], "%s examples per batch of %s in all: want a batch of 1 to all", run[2], run[1])
	case !okD || !(delta < 1):
		return wrong("delta", "delta is %s: want a probability below 1, 0 or at least 4.9e-324", level[1])
	case !okS:
		return wrong("noise", "noise multiplier %s is beyond the range of a double", run[3])
	case !okE || epochs.Sign() <= 0 || len(run[4]) > 32:
		return wrong(run[4], "%s epochs: want a number above 0", run[4])
	}
	f.Delta = delta
	sensitivity := 1.0
	if run[5] == "with" {
		sensitivity = 2
		f.Notes = append(f.Notes, "microbatches double the sensitivity")
	}
	step := Gaussian(sigma).WithSensitivity(sensitivity)
	if sigma == 0 {
		step = nonPrivate
	}
	perEpoch := new(big.Rat).SetFrac64(examples, batch)
	f.Event, f.Epsilon = Repeat(ceiling(epochs), FixedBatches(ceiling(perEpoch), step)), level[3]
	if sampling == Samplings[1] {
		q := float64(batch) / float64(examples)
		f.Event, f.Epsilon = Repeat(ceiling(perEpoch.Mul(perEpoch, epochs)), Poisson(q, step)), level[4]
	}
	if f.Epsilon == "inf" {
		f.Epsilon = ""
	}
	f.Notes = append(f.Notes, fmt.Sprintf("a statement of TensorFlow Privacy, which prints ε = %s by %s accounting if "+
		"each example occurs once per epoch, and %s as if batches were Poisson samples, at δ = %s", level[3], level[2],
		level[4], level[1]))
	if run[6] != "" {
		f.Notes = append(f.Notes, "neighbors differ by one example, not by the up to "+run[6]+" examples of a user")
	}
	add := AddRemove
	f.Adjacency = &add
	return f, nil
}

// ceiling returns ⌈x⌉, at most 2⁶².
func ceiling(x *big.Rat) int64 {
	n := new(big.Int).Add(x.Num(), new(big.Int).Sub(x.Denom(), big.NewInt(1)))
	if n.Quo(n, x.Denom()); !n.IsInt64() {
		return 1 << 62 // accountants reject this value
	}
	return n.Int64()
}
