package calibration

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify/calibration/results"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Hidden leaks are of a mass that the evidence promises to see, by little: what is rarer is
// promised by larger samples alone. Outputs of many values take longer to search, so
// that theirs are common ones and their samples few. A near violation is one of twice the
// claim here, so that it is not what keeps a claim from being confirmed.
const (
	hiddenEpsilon = 1.0
	hiddenEffect  = 2.0
	hiddenMass    = 0.1
	hiddenSamples = 7_000
	commonMass    = 0.4
	commonSamples = 1_500
)

// hiddenCases are leaks of every family at the mass that is promised, at ten masses around
// it, and in every mode; and sound mechanisms that are to be confirmed.
func hiddenCases() []Case {
	var out []Case
	for _, f := range slices.Concat(numberFamilies(), stringFamilies()) {
		out = append(out, leaking(f, "", standard(hiddenMass, hiddenEpsilon+1))...)
	}
	common := standard(commonMass, hiddenEpsilon+1)
	common.samples, common.promise = commonSamples, commonMass
	for _, f := range sequenceFamilies() {
		out = append(out, leaking(f, "", common)...)
	}
	common.samples = commonSamples * 5 / 4 // more scores raise the threshold
	for _, f := range wideFamilies() {
		out = append(out, hides(f, "ε + 1", common))
	}
	out = slices.Concat(out, tenMasses(), hiddenModes(), hiddenPairs(), hiddenClaims(), confirmed())
	for i := range out {
		out[i].fewer = 20
	}
	return out
}

// standard is a leak of a mass and a loss under a claim of pure privacy.
func standard(mass, loss float64) hidden {
	return hidden{leak: leak{mass: mass, loss: loss}, claim: privacy.ApproximateDP(hiddenEpsilon, 0),
		samples: hiddenSamples, promise: hiddenMass}
}

// hides is a false claim; loss stands in the name.
func hides(f audits, name string, h hidden) Case {
	return Case{Name: fmt.Sprintf("%s; %s", f.label(), name), event: results.Confirmed, hidden: h.mass,
		check: f.check(h)}
}

// keeps is the same leak at what is claimed.
func keeps(f audits, name string, h hidden) Case {
	return Case{Name: fmt.Sprintf("%s; %s", f.label(), name), isTrue: true, check: f.check(h)}
}

// leaking is a leak of one nat too many, and the same of just what is claimed, where all
// else is at the claim.
func leaking(f audits, name string, h hidden) []Case {
	gross := hides(f, name+"ε + 1", h)
	h.loss = hiddenEpsilon
	return []Case{gross, keeps(f, name+"ε", h)}
}

// tenMasses from a quarter of the promised one to eight times it, of one family with three
// losses; all else is public.
func tenMasses() (out []Case) {
	type named struct {
		name string
		of   float64
	}
	losses := []named{{"ε + 1", hiddenEpsilon + 1}, {"2 (ε + 1)", 2 * (hiddenEpsilon + 1)}, {"∞", math.Inf(1)}}
	for k, f := range []audits{exactValue(), residue(7), tokens("prefix", prefixed, hasPrefix)} {
		if k > 0 {
			losses = losses[:1]
		}
		for i := range 10 {
			share := 0.25 * math.Pow(32, float64(i)/9)
			for _, loss := range losses {
				h := standard(share*hiddenMass, loss.of)
				h.quiet, h.promise = true, hiddenMass
				out = append(out, hides(f, fmt.Sprintf("%s, %.2g times the mass", loss.name, share), h))
			}
		}
	}
	return out
}

// hiddenModes are audits that stop early, of recorded outputs, and of searched pairs.
func hiddenModes() (out []Case) {
	for _, mode := range []string{anytimeMode, recordedMode, pairsMode} {
		for _, f := range []audits{exactValue(), beyond53(), tokens("prefix", prefixed, hasPrefix)} {
			h := standard(hiddenMass, hiddenEpsilon+1)
			h.mode = mode
			switch mode {
			case anytimeMode:
				h.samples *= 2 // bets certify less
			case recordedMode:
				h.samples *= 3 // the near violation is of 1.25 times the claim
			}
			out = append(out, leaking(f, mode+", ", h)...)
		}
	}
	return out
}

// hiddenPairs leak in one of many pairs, and by what is likelier under B.
func hiddenPairs() (out []Case) {
	f := exactValue()
	for _, n := range []int{8, 20} {
		h := standard(hiddenMass, hiddenEpsilon+1)
		h.pairs, h.pair = n, n/2
		out = append(out, leaking(f, fmt.Sprintf("one of %d pairs, ", n), h)...)
	}
	h := standard(hiddenMass, hiddenEpsilon+1)
	h.underB = true
	return append(out, hides(f, "under B, ε + 1", h))
}

// hiddenClaims are leaks under other claims. With δ a gross violation is two in δ as well:
// of mass 2δ where the mark is impossible under the other input, and else more.
func hiddenClaims() (out []Case) {
	const delta = 0.05
	f := exactValue()
	at := func(mass, loss, taken float64) hidden {
		h := standard(mass, loss)
		h.claim, h.delta, h.promise = privacy.ApproximateDP(hiddenEpsilon, delta), taken, 0
		return h
	}
	out = append(out, keeps(f, "of mass δ, and no other", at(delta, math.Inf(1), 0)))
	for _, k := range []float64{1.5, 2, 3} {
		out = append(out, hides(f, fmt.Sprintf("of mass %g δ, and no other", k), at(k*delta, math.Inf(1), 0)))
	}
	return append(out,
		keeps(f, "(ε, δ) of mass 6 δ", at(6*delta, hiddenEpsilon, delta)),
		hides(f, "(ε + 1, 2δ) of mass 6 δ", at(6*delta, hiddenEpsilon+1, 2*delta)))
}

// confirmed are sound mechanisms, whose every output is public: they are to be confirmed.
func confirmed() (out []Case) {
	for _, f := range []audits{exactValue(), residue(7), tokens("prefix", prefixed, hasPrefix)} {
		h := standard(hiddenMass, 0)
		h.quiet = true
		out = append(out, Case{Name: f.label() + "; public", isTrue: true, event: results.Confirmed, check: f.check(h)})
	}
	return out
}
