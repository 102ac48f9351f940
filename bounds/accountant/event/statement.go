package event

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/decimal"
)

// compute_dp_sgd_privacy_statement of TensorFlow Privacy returns a statement. It contains the number of examples,
// the batch size, the noise multiplier, the epochs, whether microbatches double the sensitivity, δ, and two values
// of ε: one if each example occurs once per epoch, one as if batches were Poisson samples. If the number of
// examples per user is bounded, it contains two more for users. Lines can break between any two words. See
// statement_old.go for the statement of older versions, which is one sentence.

const (
	statementBegins = "DP-SGD performed over"
	tfp             = "a statement of TensorFlow Privacy"
)

// Samplings lists the values of the sampling argument; the first is the default. For users, all examples of a user are
// protected together.
var Samplings = []string{"fixed", "poisson", "user-fixed", "user-poisson"}

// words joins the words of a text with single spaces. It removes the marks with which Markdown begins a line of a quote
// or of code.
func words(data []byte) string {
	lines := bytes.Split(data, []byte("\n"))
	for i, line := range lines {
		lines[i] = bytes.TrimLeft(line, "> \t*`")
	}
	return string(bytes.Join(bytes.Fields(bytes.Join(lines, []byte("\n"))), []byte(" ")))
}

// isStatement reports whether a text contains a statement.
func isStatement(data []byte) bool {
	if !utf8.Valid(data) || !bytes.Contains(data, []byte("DP-SGD")) {
		return false
	}
	text := words(data)
	return strings.Contains(text, statementBegins) || oldBegins.MatchString(text)
}

const (
	numberForm  = `([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)`
	printedForm = `(?:0|[1-9][0-9]*)(?:\.[0-9]+)?` // a rounded ε
	epsilonsOf  = ` accounting(?: and group privacy)?: Epsilon with each example occurring once per epoch: (inf|` +
		printedForm + `)(?: \(\*\*\))? Epsilon assuming Poisson sampling \(\*\): (inf|` + printedForm + `)(?: |$)`
)

var (
	statementRun = regexp.MustCompile(statementBegins + ` ([0-9]+) examples with ([0-9]+) examples per iteration, ` +
		`noise multiplier ` + numberForm + ` for ` + numberForm + ` epochs (with|without) microbatching, ` +
		`(?:and no bound on number of examples per user|and at most ([0-9]+) examples per user)`)
	statementLevel = regexp.MustCompile(`Example-level DP with add-or-remove-one adjacency at delta = ` + numberForm +
		` computed with ([A-Z]+)` + epsilonsOf)
	statementUser = regexp.MustCompile(`User-level DP with add-or-remove-one adjacency at delta = ` + numberForm +
		` computed using ([A-Z]+)` + epsilonsOf)
)

// placeOf returns the line and column of the first occurrence of a word in the unmodified text.
func placeOf(data []byte, word string) string {
	return placeAt(data, max(0, bytes.Index(data, []byte(word))))
}

// placeAt returns the line and column of an offset.
func placeAt(data []byte, start int) string {
	line := bytes.Count(data[:start], []byte("\n")) + 1
	column := utf8.RuneCount(data[bytes.LastIndexByte(data[:start], '\n')+1:start]) + 1
	return fmt.Sprintf("%d:%d: ", line, column)
}

// said is one statement: the texts that the expressions capture. users is nil if there are no values for users.
type said struct{ run, level, users []string }

// sayings returns the different statements of a text whose first sentence is complete.
func sayings(text string) (list []said) {
	seen := map[string]bool{}
	for i, part := range strings.Split(text, statementBegins) {
		if part = statementBegins + part; i == 0 {
			continue
		}
		s := said{statementRun.FindStringSubmatch(part), statementLevel.FindStringSubmatch(part),
			statementUser.FindStringSubmatch(part)}
		key := fmt.Sprintf("%q", s)
		if s.run != nil && !seen[key] {
			list, seen[key] = append(list, s), true
		}
	}
	return list
}

// statement reads the only statement of a text. page is the file, in which errors give places.
func statement(page, text []byte, sampling string) (File, error) {
	joined := words(text)
	list, olds := sayings(joined), oldSayings(joined)
	wrong := func(word, format string, args ...any) (File, error) {
		return File{}, fmt.Errorf("%s%s", placeOf(page, word), fmt.Sprintf(format, args...))
	}
	switch {
	case len(list)+len(olds) > 1:
		return wrong("DP-SGD", "more than one statement: want one")
	case sampling != "" && !slices.Contains(Samplings, sampling):
		return File{}, fmt.Errorf(" sampling %q: want %s, the accounts of the statement", sampling,
			strings.Join(Samplings, " or "))
	case len(olds) == 1:
		return oldStatement(page, olds[0], sampling)
	case len(list) == 0 && strings.Contains(joined, statementBegins):
		return wrong("DP-SGD", tfp+" whose first sentence is not as compute_dp_sgd_privacy_statement writes it")
	case len(list) == 0:
		return wrong("DP-SGD", tfp+" that is not as compute_dp_sgd_privacy writes it: want “DP-SGD with sampling rate "+
			"= 1%% and noise_multiplier = 1.1 iterated over 1000 steps satisfies differential privacy with eps = 1.2 and "+
			"delta = 1e-05”")
	case list[0].level == nil:
		return wrong("Example-level", tfp+" without the example-level ε at a δ, as "+
			"compute_dp_sgd_privacy_statement writes them")
	}
	return list[0].file(page, sampling)
}

// file converts a statement.
func (s said) file(page []byte, sampling string) (f File, err error) {
	run, level := s.run, s.level
	wrong := func(word, format string, args ...any) (File, error) {
		return File{}, fmt.Errorf("%s%s", placeOf(page, word), fmt.Sprintf(format, args...))
	}
	examples, errN := decimal.Int(run[1])
	batch, errB := decimal.Int(run[2])
	sigma, okS := decimal.Near(run[3])
	epochs, okE := new(big.Rat).SetString(strings.TrimSuffix(run[4], "."))
	delta, okD := decimal.Near(level[1])
	users, errU := s.examplesOfUser(sampling)
	switch {
	case errN != nil || errB != nil || !(0 < batch && batch <= examples && examples < 1<<53):
		return wrong(statementBegins[:6], "%s examples per batch of %s in all: want a batch of 1 to all", run[2], run[1])
	case !okD || !(delta < 1):
		return wrong("delta", "delta is %s: want a probability below 1, 0 or at least 4.9e-324", level[1])
	case !okS:
		return wrong("noise", "noise multiplier %s is beyond the range of a double", run[3])
	case !okE || epochs.Sign() <= 0 || len(run[4]) > 32:
		return wrong(run[4], "%s epochs: want a number above 0", run[4])
	case errU != nil:
		return wrong("user", "%v", errU)
	}
	f.Delta = delta
	sensitivity := 1.0
	if run[5] == "with" {
		sensitivity = 2
		f.Notes = append(f.Notes, "microbatches double the sensitivity")
	}
	perEpoch := new(big.Rat).SetFrac64(examples, batch)
	if strings.HasSuffix(sampling, "poisson") {
		step := groupStep(sigma, float64(batch)/float64(examples), sensitivity, users)
		f.Event = Repeat(ceiling(perEpoch.Mul(perEpoch, epochs)), step)
	} else {
		step := Gaussian(sigma).WithSensitivity(sensitivity * float64(users))
		if sigma == 0 {
			step = nonPrivate
		}
		f.Event = Repeat(ceiling(epochs), FixedBatches(ceiling(perEpoch), step))
	}
	f.Epsilon = s.printed(sampling)
	f.Notes = append(f.Notes, s.notes(sampling)...)
	add := AddRemove
	f.Adjacency = &add
	return f, nil
}

// examplesOfUser returns the number of examples by which neighbors differ, 1 unless users are protected.
func (s said) examplesOfUser(sampling string) (int64, error) {
	const most = 1000
	if !strings.HasPrefix(sampling, "user-") {
		return 1, nil
	}
	if s.run[6] == "" {
		return 0, fmt.Errorf("sampling %q: the statement has no bound on the number of examples per user", sampling)
	}
	n, err := decimal.Int(s.run[6])
	if err != nil || !(n >= 1 && n <= most) {
		return 0, fmt.Errorf("%s examples per user: want a whole number of 1 to %d", s.run[6], most)
	}
	return n, nil
}

// groupStep returns a step on a Poisson sample in which k examples together are added or removed. The number of sampled
// ones is binomial. The dominating pair is the Gaussian mixture with this number as its shift (Ganesh 2024, “Tight
// Group-Level DP Guarantees for DP-SGD with Sampling via Mixture of Gaussians Mechanisms”, Theorem 3.1). k equal
// examples attain it.
func groupStep(sigma, q, sensitivity float64, k int64) Event {
	switch {
	case sigma == 0:
		return Poisson(-math.Expm1(float64(k)*math.Log1p(-q)), nonPrivate)
	case k == 1 || q == 1:
		return Poisson(q, Gaussian(sigma).WithSensitivity(sensitivity*float64(k)))
	}
	shifts, weights := make([]float64, k+1), make([]float64, k+1)
	weight := math.Exp(float64(k) * math.Log1p(-q))
	for i := range weights {
		shifts[i], weights[i] = float64(i), weight
		weight *= float64(k-int64(i)) / float64(i+1) * q / (1 - q)
	}
	return GaussianMixture(sigma, shifts, weights).WithSensitivity(sensitivity)
}

// printed returns the reported ε of an account, or "" if it is infinite or missing.
func (s said) printed(sampling string) string {
	values := s.level
	if strings.HasPrefix(sampling, "user-") {
		values = s.users
	}
	if values == nil || values[1] != s.level[1] {
		return ""
	}
	text := values[3]
	if strings.HasSuffix(sampling, "poisson") {
		text = values[4]
	}
	return strings.TrimSuffix(text, "inf")
}

func (s said) notes(sampling string) []string {
	notes := []string{fmt.Sprintf("%s, which prints ε = %s by %s accounting if "+
		"each example occurs once per epoch, and %s as if batches were Poisson samples, at δ = %s", tfp, s.level[3],
		s.level[2], s.level[4], s.level[1])}
	switch {
	case s.run[6] == "":
	case strings.HasPrefix(sampling, "user-"):
		notes = append(notes, "neighbors differ by all examples of a user, up to "+s.run[6])
	default:
		notes = append(notes, "neighbors differ by one example, not by the up to "+s.run[6]+" examples of a user")
	}
	if s.users != nil && !strings.HasPrefix(sampling, "user-") {
		notes = append(notes, fmt.Sprintf("the statement also prints ε = %s and %s for users, which this account does not "+
			"cover: sampling %s and %s are the accounts for users", s.users[3], s.users[4], Samplings[2], Samplings[3]))
	} else if s.users != nil {
		notes = append(notes, fmt.Sprintf("for users it prints ε = %s and %s by %s accounting", s.users[3], s.users[4],
			s.users[2]))
	}
	return notes
}

// ceiling returns ⌈x⌉, at most 2⁶².
func ceiling(x *big.Rat) int64 {
	n := new(big.Int).Add(x.Num(), new(big.Int).Sub(x.Denom(), big.NewInt(1)))
	if n.Quo(n, x.Denom()); !n.IsInt64() {
		return 1 << 62 // accountants reject this value
	}
	return n.Int64()
}
