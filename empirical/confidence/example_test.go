package confidence_test

import (
	"fmt"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// An event occurs in 900 of 1000 outputs for one input and in 100 of 1000 outputs for its neighbor.
func ExampleEpsilonLower() {
	fmt.Printf("ε ≥ %.2f with confidence 95 %%\n", confidence.EpsilonLower(900, 1000, 100, 1000, 0, 0.05))
	// Output: ε ≥ 2.04 with confidence 95 %
}

func ExampleClopperPearson() {
	lower, upper, err := confidence.ClopperPearson(3, 10, 0.05)
	fmt.Printf("%.3f %.3f %v\n", lower, upper, err)
	// Output: 0.067 0.652 <nil>
}

// One training run included each of 1000 canaries with probability 0.5. An attacker guessed 100 of them.
func ExampleGuesses_EpsilonLower() {
	guesses := confidence.Guesses{Canaries: 1000, Guessed: 100, Right: 95}
	epsilon, err := guesses.EpsilonLower(1e-5, 0.05)
	fmt.Printf("%.2f %v\n", epsilon, err)
	// Output: 2.17 <nil>
}

// The wealth of a test of p ≤ e^0.5·q grows until it rejects the claim at alpha = 0.05.
func ExampleEProcess() {
	test, err := confidence.NewEProcess(confidence.NotAbove, 0.5, 0, confidence.Pilot{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for block := 1; !test.Rejected(0.05); block++ {
		if err := test.Observe(8, 10, 3, 10); err != nil {
			fmt.Println(err)
			return
		}
		if test.Rejected(0.05) {
			fmt.Println("rejected after block", block)
		}
	}
	// Output: rejected after block 7
}
