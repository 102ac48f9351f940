package accountant_test

import (
	"fmt"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// The ε of DP-SGD (Abadi et al. 2016) with 1000 steps. Each step uses a Poisson sample with rate 0.01 and noise whose
// standard deviation equals the clipping norm. "best" is the intersection of the brackets of all methods. Rényi
// accounting gives only an upper bound.
func ExampleEpsilons() {
	training := event.Repeat(1000, event.Poisson(0.01, event.Gaussian(1)))
	results, err := accountant.Epsilons(training, event.AddRemove, 1e-5, accountant.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results {
		if r.Method == "best" || r.Method == "rdp" {
			fmt.Printf("%-4s  %.2f ≤ ε ≤ %.2f\n", r.Method, r.Lower, r.Upper)
		}
	}
	// Output:
	// best  1.83 ≤ ε ≤ 1.83
	// rdp   0.00 ≤ ε ≤ 2.10
}

// The noise at which the same training is (1, 1e-5)-DP. The guarantee is certain at the upper end of the bracket.
func ExampleCalibrate() {
	training := func(noise float64) event.Event {
		return event.Repeat(1000, event.Poisson(0.01, event.Gaussian(noise)))
	}
	noise, err := accountant.Calibrate(training, event.AddRemove, 1, 1e-5, "rdp")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("σ = %.2f\n", noise.Upper)
	// Output:
	// σ = 1.51
}
