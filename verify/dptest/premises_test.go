package dptest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify/premises"
)

// loggedTraining runs DP-SGD for a mean of 300 records with the given fault and returns its log.
func loggedTraining(t *testing.T, fault string) *premises.Log {
	const records, size, rate, multiplier, steps = 300, 10, 0.1, 1.5, 120
	r := rand.New(rand.NewPCG(1, 2))
	data := make([][]float64, records)
	for i := range data {
		for range size {
			data[i] = append(data[i], r.NormFloat64())
		}
	}
	log, model, kept := premises.NewLog(records, []int{0, 3, 4, 9}), make([]float64, size), make([]float64, size)
	for step := range steps {
		var batch []int
		for i := range records {
			if r.Float64() < rate || fault == "weighted" && i == 7 && r.IntN(2) == 0 {
				batch = append(batch, i)
			}
		}
		if fault == "fixed order" {
			batch = nil
			for i := range records / 10 {
				batch = append(batch, step%10*records/10+i)
			}
		}
		var clipped [][]float64
		for _, i := range batch {
			gradient, norm := make([]float64, size), 0.0
			for k := range gradient {
				gradient[k] = model[k] - data[i][k]
				norm = math.Hypot(norm, gradient[k])
			}
			for k := range gradient {
				gradient[k] /= math.Max(1, norm)
			}
			clipped = append(clipped, gradient)
		}
		noise, update := make([]float64, size), make([]float64, size)
		for k := range noise {
			noise[k] = multiplier * r.NormFloat64()
			if fault == "half the noise" {
				noise[k] /= 2
			}
			for _, c := range clipped {
				update[k] += c[k]
			}
			if fault == "kept sums" {
				kept[k] += update[k]
				update[k] = kept[k]
			}
			update[k] = (update[k] + noise[k]) / (rate * records)
			model[k] -= update[k]
		}
		if err := log.Add(batch, clipped, noise, update, rate*records); err != nil {
			t.Fatal(err)
		}
	}
	return log
}

var meanTraining = premises.Training{Sampling: premises.Poisson, Rate: 0.1, ClippingNorm: 1, NoiseMultiplier: 1.5,
	Divisor: 30, Steps: 120, Tolerance: 1e-9}

// TestPremises checks that a sound training passes and that each fault fails the premise that it violates.
func TestPremises(t *testing.T) {
	for _, c := range []struct{ fault, want string }{
		{"", ""},
		{"weighted", "membership (each step includes each record independently with probability 0.1): claim refuted"},
		{"fixed order", "fixed batches in the same order"},
		{"half the noise", "0.5"},
		{"kept sums", "the sums of all earlier steps are kept"},
	} {
		got := &fake{name: "TestTraining"}
		Premises(got, loggedTraining(t, c.fault), meanTraining, Alpha(1e-6))
		want := "pass"
		if c.fault != "" {
			want = "fail"
		}
		if got.outcome() != want || !strings.Contains(got.text(), c.want) {
			t.Errorf("%q: %s, want %s with %q:\n%s", c.fault, got.outcome(), want, c.want, got.text())
		}
	}
}

// The log of a neighboring run is compared, and must be one of a data set with one record more or less.
func TestNeighboringPremises(t *testing.T) {
	log, got := loggedTraining(t, ""), &fake{name: "TestTraining"}
	neighbor := *log
	neighbor.Records++
	NeighboringPremises(got, log, &neighbor, meanTraining, Alpha(1e-6))
	if got.outcome() != "pass" {
		t.Errorf("equal divisors: %s:\n%s", got.outcome(), got.text())
	}
	got = &fake{name: "TestTraining"}
	NeighboringPremises(got, log, log, meanTraining)
	if got.outcome() != "fatal" || !strings.Contains(got.text(), "differ by one record") {
		t.Errorf("the same log twice: %s:\n%s", got.outcome(), got.text())
	}
}

func TestPremisesErrors(t *testing.T) {
	log := loggedTraining(t, "")
	for _, c := range []struct {
		log      *premises.Log
		training premises.Training
		want     string
	}{
		{nil, meanTraining, "no steps"},
		{premises.NewLog(10, []int{0}), meanTraining, "no steps"},
		{log, premises.Training{Sampling: "random"}, `sampling "random"`},
	} {
		got := &fake{name: "TestTraining"}
		Premises(got, c.log, c.training)
		if got.outcome() != "fatal" || !strings.Contains(got.text(), c.want) {
			t.Errorf("%s, want fatal with %q: %s", got.outcome(), c.want, got.text())
		}
	}
}
