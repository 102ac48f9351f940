package matrix_test

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/bounds/accountant/matrix"
)

// Tree aggregation over 1024 steps with four participations at least 256 steps apart. The noise standard deviation is
// five clipping norms.
func ExampleStrategy_Sensitivity() {
	tree, err := matrix.Tree(1024, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := tree.Sensitivity(matrix.Participation{Times: 4, Separation: 256})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, mu, err := s.Mu(5)
	fmt.Printf("sens = %.4f, μ = %.4f, at steps %v\n%s %v\n", s.Upper, mu, s.Pattern, s.Theorem, err)
	// Output:
	// sens = 7.7460, μ = 1.5492, at steps [1 257 513 769]
	// tree: every level filled by full nodes <nil>
}

// The square root of 2000 prefix sums, truncated to 8 bands. Every record is in every eighth batch with probability
// 0.08.
func ExampleStrategy_Amplified() {
	banded, err := matrix.Banded(2000, 8)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := banded.Amplified(8, 0.08, 3)
	for _, g := range a.Upper {
		fmt.Printf("%d steps at rate %v, noise multiplier %.4f %v\n", g.Count, g.Rate, g.NoiseMultiplier, err)
	}
	// Output:
	// 250 steps at rate 0.08, noise multiplier 2.2886 <nil>
}

// Read rejects a matrix that is not lower-triangular. The error contains the line.
func ExampleRead() {
	_, err := matrix.Read(strings.NewReader("1,0,0\n0.5,1,0.5\n0.25,0.5,1\n"))
	fmt.Println(err)
	// Output:
	// line 2, column 3: 0.5 is above the diagonal: want a lower-triangular matrix, since a step releases nothing of later ones: outside the domain
}
