package calibration

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify/calibration/results"
	"github.com/dpverify/dpverify/verify/privacy"
)

// The probability of a hidden leak is slightly above the smallest probability that the evidence promises to detect.
// Rarer leaks would need more samples. Outputs of many values take longer to search, so that their leaks are more
// probable and their samples fewer. A small violation is twice the claim here, so that it does not prevent
// confirmation.
const (
	hiddenEpsilon = 1.0
	hiddenEffect  = 2.0
	hiddenMass    = 0.1
	hiddenSamples = 7_000
	commonMass    = 0.4
	commonSamples = 1_500
)

// hiddenCases returns leaks of every family at the promised probability, at ten probabilities around it, and in every
// mode. It also returns sound mechanisms that must be confirmed.
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

// standard returns a leak of a probability and a loss under a claim of pure DP.
func standard(mass, loss float64) hidden {
	return hidden{leak: leak{mass: mass, loss: loss}, claim: privacy.ApproximateDP(hiddenEpsilon, 0),
		samples: hiddenSamples, promise: hiddenMass}
}

// hides returns a case with a false claim. The name contains the loss.
func hides(f audits, name string, h hidden) Case {
	return Case{Name: fmt.Sprintf("%s; %s", f.label(), name), event: results.Confirmed, hidden: h.mass,
		check: f.check(h)}
}

// keeps returns a case with a true claim, for a leak that attains it.
func keeps(f audits, name string, h hidden) Case {
	return Case{Name: fmt.Sprintf("%s; %s", f.label(), name), isTrue: true, check: f.check(h)}
}

// leaking returns a leak of ε + 1 and the same leak at the claimed ε. Unmarked outputs attain the claim.
func leaking(f audits, name string, h hidden) []Case {
	gross := hides(f, name+"ε + 1", h)
	h.loss = hiddenEpsilon
	return []Case{gross, keeps(f, name+"ε", h)}
}

// tenMasses returns leaks at ten probabilities from 0.25 to 8 times the promised one. The first family has three
// losses. Unmarked outputs are public.
func tenMasses() (out []Case) {
	type named struct {
		name string
		loss float64
	}
	losses := []named{{"ε + 1", hiddenEpsilon + 1}, {"2 (ε + 1)", 2 * (hiddenEpsilon + 1)}, {"∞", math.Inf(1)}}
	for k, f := range []audits{exactValue(), residue(7), tokens("prefix", prefixed, hasPrefix)} {
		if k > 0 {
			losses = losses[:1]
		}
		for i := range 10 {
			share := 0.25 * math.Pow(32, float64(i)/9)
			for _, loss := range losses {
				h := standard(share*hiddenMass, loss.loss)
				h.quiet, h.promise = true, hiddenMass
				out = append(out, hides(f, fmt.Sprintf("%s, %.2g times the mass", loss.name, share), h))
			}
		}
	}
	return out
}

// hiddenModes returns sequential audits, audits of recorded outputs, and audits with a search of pairs.
func hiddenModes() (out []Case) {
	for _, mode := range []string{anytimeMode, recordedMode, pairsMode} {
		for _, f := range []audits{exactValue(), beyond53(), tokens("prefix", prefixed, hasPrefix)} {
			h := standard(hiddenMass, hiddenEpsilon+1)
			h.mode = mode
			switch mode {
			case anytimeMode:
				h.samples *= 2 // sequential tests certify less
			case recordedMode:
				h.samples *= 3 // the small violation is 1.25 times the claim
			}
			out = append(out, leaking(f, mode+", ", h)...)
		}
	}
	return out
}

// hiddenPairs returns leaks in one of many pairs, and a leak that is likelier under B.
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

// hiddenClaims returns leaks under other claims. With δ, a large violation has 2δ: a mark of probability 2δ if it is
// impossible under the other input, and a larger probability otherwise.
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

// confirmed returns sound mechanisms, all of whose outputs are public. They must be confirmed.
func confirmed() (out []Case) {
	for _, f := range []audits{exactValue(), residue(7), tokens("prefix", prefixed, hasPrefix)} {
		h := standard(hiddenMass, 0)
		h.quiet = true
		out = append(out, Case{Name: f.label() + "; public", isTrue: true, event: results.Confirmed, check: f.check(h)})
	}
	return out
}
