package pairwise_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/pairwise"
)

// cancer returns the Breast Cancer data, standardized and scaled to a largest norm of 1.
func cancer(t *testing.T) *dataset.Dataset {
	t.Helper()
	dir := os.Getenv("DPVERIFY_DATA")
	if dir == "" {
		t.Skip("needs breast-cancer-wisconsin.csv: set DPVERIFY_DATA to its directory")
	}
	data, _, err := dataset.Open(dir, "cancer")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []dataset.Preparation{{Fill: dataset.FillMedian}, {Standardize: true, Scale: dataset.ScaleMax}} {
		fitted, err := p.Fit(data)
		if err != nil {
			t.Fatal(err)
		}
		if data, err = fitted.Apply(data); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// GIGA with a moderate warm-up learns, over 20 random splits into 500 training rows and a test set. At the paper's
// settings no algorithm takes a step. The seeds are fixed, so there are no false alarms.
func TestCancer(t *testing.T) {
	data := cancer(t)
	set, loss := ball(t, data.Dim()), erm.AUC{Phi: erm.Logistic{}}
	r, mean := stream(1), 0.0
	var train *dataset.Dataset
	for range 20 {
		order := r.Perm(data.Len())
		var test *dataset.Dataset
		var err error
		if train, err = data.Subset(order[:500]); err != nil {
			t.Fatal(err)
		}
		if test, err = data.Subset(order[500:]); err != nil {
			t.Fatal(err)
		}
		giga, err := pairwise.GIGA(context.Background(), r, train, pairwise.Stated(loss, set, 0.1, 1), pairwise.Options{Warmup: pairwise.WarmupContraction})
		if err != nil {
			t.Fatal(err)
		}
		mean += pairwise.AUC(giga.W, test) / 20
	}
	if !(mean >= 0.99) {
		t.Errorf("mean AUC %v, want at least 0.99", mean)
	}
	t.Logf("mean AUC %.4f", mean)
	v := pairwise.Privacy{Epsilon: 2.5, Delta: 1.0 / 500}
	for name, learn := range learners {
		result, err := learn(context.Background(), stream(1), train, loss, set, v, pairwise.Options{Warmup: pairwise.WarmupContraction})
		if err != nil || result.Steps == 0 {
			t.Errorf("%s with α = 4: %+v, %v", name, result, err)
		}
	}
	literal, err := pairwise.OnPairStrC(context.Background(), stream(1), train, pairwise.Stated(loss, set, 1e-3, 1), v, pairwise.Options{})
	if err != nil || literal.Steps != 0 {
		t.Errorf("with λ = 1e-3: %+v, %v; T₁ is 2.6e8", literal, err)
	}
}
