package accountant_test

import (
	"fmt"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// The maximum success of an attacker after 10,000 steps of DP-SGD. The attacker knows everything except one record.
func Example() {
	training := event.Repeat(10000, event.Poisson(0.01, event.Gaussian(1)))
	p, err := accountant.NewProfile(training, event.AddRemove, accountant.ProfileOptions{})
	if err != nil {
		panic(err)
	}
	a, err := p.Attacks(0.5, []float64{0.01})
	if err != nil {
		panic(err)
	}
	g, err := p.Gaussian()
	if err != nil {
		panic(err)
	}
	fmt.Printf("correct membership guess: %.3f to %.3f\n", a.Guess.Lower, a.Guess.Upper)
	fmt.Printf("true-positive rate at false-positive rate 0.01: %.3f to %.3f\n", a.Rates[0].Lower, a.Rates[0].Upper)
	fmt.Printf("μ: %.2f to %.2f\n", g.Mu.Lower, g.Mu.Upper)
	// Output:
	// correct membership guess: 0.740 to 0.740
	// true-positive rate at false-positive rate 0.01: 0.154 to 0.154
	// μ: 1.37 to 1.38
}
