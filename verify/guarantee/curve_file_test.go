package guarantee

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		file, want, reason string
	}{
		{"epsilon,delta\n0,0.3\n1,0.1\n2,0.02\n", "DP along the curve (0, 0.3) … (2, 0.02) of 3 points", "a privacy curve"},
		{"# of a paper\r\n Epsilon , Delta\r\n\r\n1,1e-5\r\n", "(1, 1e-05)-DP", "comments, blanks, and one point"},
		{"\ufeffepsilon,delta\n1,0\n", "1-DP", "byte order mark"},
		{"epsilon,delta\n0,0.3\n1,0.25\n2,0.02\n", "DP along the curve (0, 0.3) … (2, 0.02) of 2 points", "a point implied by others"},
		{"alpha,beta\n0,1\n0.25,0.25\n1,0\n", "1.0986122886681096-DP", "randomized response with odds of 3"},
		{"alpha,beta\n0,1\n1,0\n", "0-DP", "no difference"},
		{"alpha,beta\n0,0.9\n0.9,0\n", "(0, 0.09999999999999998)-DP", "total variation"},
	} {
		g, err := ReadCurve("c.csv", strings.NewReader(c.file))
		if err != nil || g.String() != c.want {
			t.Errorf("%s: %v, %v; want %s", c.reason, g, err, c.want)
		}
	}
}

// TestTradeOffOfAGaussian checks that the trade-off function of a Gaussian gives nearly its privacy curve.
func TestTradeOffOfAGaussian(t *testing.T) {
	var b strings.Builder
	b.WriteString("alpha,beta\n")
	for i := range 401 {
		a := float64(i) / 400
		beta := 1 - a
		if a > 0 && a < 1 {
			beta = cdf(quantile(1-a) - 1)
		}
		fmt.Fprintf(&b, "%v,%v\n", a, beta)
	}
	g, err := ReadCurve("f.csv", strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for _, epsilon := range []float64{0, 0.5, 1, 2} {
		if d, want := g.HockeyStick(epsilon), GaussianDP(1).HockeyStick(epsilon); math.Abs(d-want) > 4e-4 {
			t.Errorf("δ(%v) = %v, want %v", epsilon, d, want)
		}
	}
}

func cdf(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func quantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }

func TestReadRejects(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"", "c.csv: no curve: want a header epsilon,delta"},
		{"epsilon,delta\n", "c.csv: no curve"},
		{"1,0.1\n", `c.csv:1: "1,0.1" is not a header`},
		{"epsilon,delta\n0,0.1\n1,0.2\n", "c.csv:3: δ = 0.2 at ε = 1, after 0.1 at 0: a privacy curve does not increase"},
		{"epsilon,delta\n1,0.1\n1,0.05\n", "c.csv:3: ε = 1 after 1: want increasing ε"},
		{"epsilon,delta\n# here\nnan,0.1\n", `c.csv:3: "nan" is not a number: want a finite`},
		{"epsilon,delta\n0,nan\n", `c.csv:2: "nan" is not`},
		{"epsilon,delta\n0,inf\n", `c.csv:2: "inf" is not`},
		{"epsilon,delta\n-1,0.1\n", "c.csv:2: ε = -1"},
		{"epsilon,delta\n1e9,0.1\n", "c.csv:2: ε = 1e+09"},
		{"epsilon,delta\n1,x\n", `c.csv:2: "x" is not a number`},
		{"epsilon,delta\n010,0\n", `c.csv:2: "010" is not a number: write 10`},
		{"epsilon,delta\n1\n", "c.csv:2: 1 values: want 2 per row"},
		{"epsilon,delta\n1,\"2\n", "c.csv:2:"},
		{"epsilon,delta\n0,1\n", "c.csv: a curve with only δ = 1 implies nothing"},
		{"alpha,beta\n0.1,0.5\n1,0\n", "c.csv:2: the first row has alpha = 0.1"},
		{"alpha,beta\n0,1\n0.5,0.6\n1,0\n", "c.csv:3: beta = 0.6 at alpha = 0.5: a trade-off function is at most"},
		{"alpha,beta\n0,1\n0.5,0.2\n", "c.csv:3: the last row has beta = 0.2"},
		{"alpha,beta\n0,0.5\n0.2,0.6\n1,0\n", "c.csv:3: beta = 0.6 at alpha = 0.2, after 0.5"},
		{"alpha,beta\n0,0\n", "c.csv: the trade-off function implies nothing"},
		{"epsilon,delta\n" + strings.Repeat("1,1\n", maxRows+1), "c.csv: more than 1000 rows"},
	} {
		if g, err := ReadCurve("c.csv", strings.NewReader(c.file)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, %v; want %s", c.file, g, err, c.want)
		}
	}
}
