package training

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/dpverify/dpverify/algorithms/canaries"
	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounted"
)

func TestTry(t *testing.T) {
	f := func(name string, d float64) float64 {
		if x, err := strconv.ParseFloat(os.Getenv(name), 64); err == nil {
			return x
		}
		return d
	}
	data, err := dataset.Load("../../../testdata/data/wdbc.csv", dataset.Options{Header: dataset.HeaderFirst})
	if err != nil {
		t.Fatal(err)
	}
	prep, err := dataset.Preparation{Standardize: true}.Fit(data)
	if err != nil {
		t.Fatal(err)
	}
	data, err = prep.Apply(data)
	if err != nil {
		t.Fatal(err)
	}
	samples := curricula.Samples{K: 2}
	for i := range data.Len() {
		x := make([]float64, data.Dim())
		data.Row(i).AddTo(x, 1)
		samples.X = append(samples.X, x)
		y := 0
		if data.Label(i) > 0 {
			y = 1
		}
		samples.Y = append(samples.Y, y)
	}
	q, sigma, steps := f("Q", 0.2), f("S", 2), f("T", 16)
	s := Subject{Told: accounted.Release{Event: event.Repeat(int64(steps), event.Poisson(q, event.Gaussian(sigma)))}, Delta: f("D", 1e-5)}
	claim, err := s.Claim()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("eps", claim.Epsilon)
	for _, attack := range []canaries.Attack{canaries.WhiteBox, canaries.BlackBox} {
		for _, fault := range append([]canaries.Fault{canaries.Sound}, canaries.Faults()...) {
			d := &canaries.DPSGD{Model: func() curricula.Model { m, _ := curricula.NewSoftmax(data.Dim(), 2); return m }, Data: samples,
				SamplingRate: q, Steps: int(steps), Clip: 1, NoiseMultiplier: sigma, LearningRate: f("L", 0.5), Length: f("K", 10), Attack: attack, Fault: fault}
			for seed := range int(f("SEEDS", 2)) {
				set := verify.Settings{Budget: verify.Standard, Alpha: f("A", 1e-3), Seed: empirical.NewSeed(uint64(seed))}
				start := time.Now()
				at, found, err := oneRun(context.Background(), d, claim, int(f("M", 1600)), set)
				if err != nil {
					t.Fatal(err)
				}
				t1 := time.Since(start)
				start = time.Now()
				at2, found2, err := manyRuns(context.Background(), d, claim, int(f("N", 400)), set)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Printf("%s %-12s one %d %v %v   many %d %v %v\n", attack, fault, at, found, t1, at2, found2, time.Since(start))
			}
		}
	}
}
