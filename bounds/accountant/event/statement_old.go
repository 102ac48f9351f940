package event

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/internal/decimal"
)

// compute_dp_sgd_privacy and compute_noise of older versions of TensorFlow Privacy, and compute_dp_sgd_privacy.py
// of Opacus, print one sentence with the sampling rate of Poisson samples, the noise multiplier, the number of
// steps, ε and δ. The rate in percent and ε have three significant digits, without trailing zeros.

var (
	oldBegins = regexp.MustCompile(`DP-SGD (?:\([A-Z]+\) )?with sampling rate =`)
	oldForm   = regexp.MustCompile(oldBegins.String() + ` ` + numberForm + `%,?(?: and)? noise_multiplier = ` +
		numberForm + `,? iterated over ([0-9]+) steps,? satisfies differential privacy with (?:eps|epsilon|ε|Ɛ) = (inf|` +
		printedForm + `(?:e[+-][0-9]+)?),?(?: and)? (?:delta|δ) = ` + numberForm)
)

// oldSayings returns the different sentences of a text, as the expression captures them.
func oldSayings(text string) (list [][]string) {
	for _, s := range oldForm.FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(list, func(other []string) bool { return slices.Equal(s[1:], other[1:]) }) {
			list = append(list, s)
		}
	}
	return list
}

func oldStatement(page []byte, s []string, sampling string) (File, error) {
	wrong := func(word, format string, args ...any) (File, error) {
		return File{}, fmt.Errorf("%s%s", placeOf(page, word), fmt.Sprintf(format, args...))
	}
	percent, okQ := new(big.Rat).SetString(strings.TrimSuffix(s[1], "."))
	sigma, okS := decimal.Near(strings.TrimSuffix(s[2], "."))
	steps, errT := decimal.Int(s[3])
	delta, okD := decimal.Near(strings.TrimSuffix(s[5], "."))
	switch {
	case sampling != "" && sampling != Samplings[1]:
		return wrong("DP-SGD", "sampling %q: the sentence contains only the account with Poisson sampling", sampling)
	case !okQ || len(s[1]) > 32 || percent.Cmp(big.NewRat(100, 1)) > 0:
		return wrong("rate", "the sampling rate is %s%%: want 0%% to 100%%", s[1])
	case !okS:
		return wrong("noise", "noise_multiplier %s is beyond the range of a double", s[2])
	case errT != nil || !(steps >= 1 && steps < 1<<53):
		return wrong("steps", "%s steps: want a whole number of at least 1", s[3])
	case !okD || !(delta < 1):
		return wrong("delta", "delta is %s: want a probability below 1, 0 or at least 4.9e-324", s[5])
	}
	q, _ := percent.Quo(percent, big.NewRat(100, 1)).Float64()
	step := Gaussian(sigma)
	if sigma == 0 {
		step = nonPrivate
	}
	add := AddRemove
	return File{Event: Repeat(steps, Poisson(q, step)), Adjacency: &add, Epsilon: threeDigits(s[4]), Delta: delta,
		Notes: []string{fmt.Sprintf("%s or Opacus in one sentence, which prints ε = %s at δ = %s as if batches were "+
			"Poisson samples, and rounds the sampling rate to three digits", tfp, s[4], s[5])}}, nil
}

// threeDigits appends the trailing zeros that a format of three significant digits omits. An infinite value becomes "".
func threeDigits(text string) string {
	if text == "inf" {
		return ""
	}
	mantissa, power, raised := strings.Cut(text, "e")
	missing := 3 - len(strings.TrimLeft(strings.ReplaceAll(mantissa, ".", ""), "0"))
	if missing > 0 && missing < 3 {
		if !strings.Contains(mantissa, ".") {
			mantissa += "."
		}
		mantissa += strings.Repeat("0", missing)
	}
	if raised {
		return mantissa + "e" + power
	}
	return mantissa
}
