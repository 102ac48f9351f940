package accountant

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// sequences calls visit with every sequence of n numbers below k.
func sequences(k, n int, visit func(s []int)) {
	s := make([]int, n)
	for {
		visit(s)
		i := 0
		for ; i < n; i++ {
			if s[i]++; s[i] < k {
				break
			}
			s[i] = 0
		}
		if i == n {
			return
		}
	}
}

// redrawnInstance adds Gaussian noise to the sum over every sequence of draws.
func redrawnInstance(r *rand.Rand) instance {
	records, draws, sigma := 1+r.IntN(4), 1+r.IntN(4), math.Exp(2*r.Float64()-0.7)
	var data [2][]float64
	for i := range records {
		x := []float64{1, -1, -1, 2*r.Float64() - 1}[r.IntN(4)]
		data[0], data[1] = append(data[0], x), append(data[1], x)
		if i == 0 {
			data[1][0] = []float64{-1, -x, 0}[r.IntN(3)]
		}
	}
	var sums [2][]float64
	var weights []float64
	sequences(records, draws, func(s []int) {
		weights = append(weights, math.Pow(float64(records), -float64(draws)))
		for c := range data {
			sum := 0.0
			for _, i := range s {
				sum += data[c][i]
			}
			sums[c] = append(sums[c], sum)
		}
	})
	span := 12*sigma + 6
	e := event.WithReplacement(int64(draws), int64(records), event.Gaussian(sigma))
	cdf := func(x float64) float64 { return normalCDF(x / sigma) }
	return instance{fmt.Sprint(data, draws), e, event.ReplaceOne,
		noiseCells(cdf, sums[0], sums[1], weights, weights, -span, span, sigma/64), false}
}

// shuffledReports returns the histograms of the reports. Each row of local contains the probabilities of the reports of
// one value. The first user has the value 0 or the value 1.
func shuffledReports(local [][]float64, others []int) (o outcomes) {
	histograms := map[string][2]float64{}
	sequences(len(local[0]), len(others)+1, func(reports []int) {
		p := 1.0
		for i, x := range others {
			p *= local[x][reports[i+1]]
		}
		counts := make([]int, len(local[0]))
		for _, y := range reports {
			counts[y]++
		}
		row := histograms[fmt.Sprint(counts)]
		histograms[fmt.Sprint(counts)] = [2]float64{row[0] + p*local[0][reports[0]], row[1] + p*local[1][reports[0]]}
	})
	for _, counts := range slices.Sorted(maps.Keys(histograms)) {
		o = append(o, histograms[counts])
	}
	return o
}

func randomizedResponse(epsilon0 float64, k int) (local [][]float64) {
	for x := range k {
		local = append(local, make([]float64, k))
		for y := range k {
			local[x][y] = 1 / (math.Exp(epsilon0) + float64(k) - 1)
		}
		local[x][x] *= math.Exp(epsilon0)
	}
	return local
}

// shuffledInstance shuffles the reports of randomized response, or of a drawn randomizer.
func shuffledInstance(r *rand.Rand) instance {
	others := make([]int, r.IntN(5))
	k, epsilon0 := 2+r.IntN(3), 3*r.Float64()
	for i := range others {
		others[i] = r.IntN(k)
		if r.IntN(2) == 0 {
			others[i] = k - 1
		}
	}
	local, of := randomizedResponse(epsilon0, k), event.RandomizedResponse(epsilon0, k)
	if r.IntN(2) == 0 {
		for x := range local {
			sum := 0.0
			for y := range local[x] {
				local[x][y] = math.Exp(epsilon0 * float64(r.IntN(3)) / 3)
				sum += local[x][y]
			}
			for y := range local[x] {
				local[x][y] /= sum
			}
		}
		of = event.Pure(largestRatio(local))
	}
	return instance{fmt.Sprint(local, others), event.ShuffledReports(int64(len(others)+1), of), event.ReplaceOne,
		shuffledReports(local, others), false}
}

// largestRatio returns the ε₀ of a randomizer.
func largestRatio(local [][]float64) (epsilon float64) {
	for _, p := range local {
		for _, q := range local {
			for y := range p {
				epsilon = math.Max(epsilon, math.Log(p[y]/q[y]))
			}
		}
	}
	return epsilon
}

// The bracket contains the enumerated maximum over all data sets, and the enumeration of more private reports is below
// it.
func TestShuffledReportsEnumerated(t *testing.T) {
	for _, c := range []struct {
		epsilon0, epsilon float64
		k, users          int
	}{{1, 0.3, 2, 6}, {1, 0.3, 3, 5}, {2, 1, 3, 6}, {0.5, 0.2, 4, 4}, {3, 1, 2, 1}, {3, 1, 4, 1}} {
		most := func(epsilon0 float64) (delta float64) {
			local := randomizedResponse(epsilon0, c.k)
			sequences(c.k, c.users-1, func(others []int) {
				delta = math.Max(delta, shuffledReports(local, others).delta(c.epsilon))
			})
			return delta
		}
		e := event.ShuffledReports(int64(c.users), event.RandomizedResponse(c.epsilon0, c.k))
		rs, err := Deltas(e, event.ReplaceOne, c.epsilon, Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, want := rs[0].Bracket, most(c.epsilon0)
		if !(b.Lower <= want*(1+1e-9) && want <= b.Upper*(1+1e-9)) {
			t.Errorf("%s at ε = %v: %v, enumerated %v", e, c.epsilon, b, want)
		}
		if more := most(4 * c.epsilon0); !(more > b.Upper) {
			t.Errorf("%s at ε = %v: %v contains %v of four times ε₀", e, c.epsilon, b, more)
		}
		if less := most(0.4 * c.epsilon0); !(less < b.Lower) {
			t.Errorf("%s at ε = %v: %v contains %v of 0.4 ε₀", e, c.epsilon, b, less)
		}
	}
}

// With three or more categories and many users, both ends are the pair in which all others have a third value. The sum
// over its outputs is independent: it multiplies probabilities of n−1 users.
func TestShuffledResponsesOfManyUsers(t *testing.T) {
	const users, k, epsilon0, epsilon = 300, 3, 1.0, 0.3
	exact := func(epsilon0 float64) (delta float64) {
		e, n := math.Exp(epsilon0), users-1
		w := 1 / (e + k - 1)
		log := func(x int) float64 { l, _ := math.Lgamma(float64(x) + 1); return l }
		others := func(i, j int) float64 {
			if i < 0 || j < 0 || i+j > n {
				return 0
			}
			return math.Exp(log(n) - log(i) - log(j) - log(n-i-j) + float64(i+j)*math.Log(w) + float64(n-i-j)*math.Log1p(-2*w))
		}
		for i := range users + 1 {
			for j := range users + 1 - i {
				p := w * (e*others(i-1, j) + others(i, j-1) + (k-2)*others(i, j))
				q := w * (others(i-1, j) + e*others(i, j-1) + (k-2)*others(i, j))
				delta += math.Max(0, p-math.Exp(epsilon)*q)
			}
		}
		return delta
	}
	few := event.ShuffledReports(users, event.RandomizedResponse(epsilon0, k))
	b, err := LossDelta(few, event.ReplaceOne, epsilon, Precision{})
	want := exact(epsilon0)
	if err != nil || !(b.Lower <= want && want <= b.Upper) || !(b.Lower > 0.98*want) {
		t.Errorf("%v, want %v (%v)", b, want, err)
	}
	for _, wrong := range []float64{0.95, 1.1} {
		if d := exact(wrong * epsilon0); b.Lower <= d && d <= b.Upper {
			t.Errorf("%v contains %v of %v ε₀", b, d, wrong)
		}
	}
	for _, c := range []struct {
		users int64
		event event.Event
		width float64 // relative
	}{
		{10000, event.RandomizedResponse(1, 3), 2e-3}, {10000, event.RandomizedResponse(4, 10), 2e-3},
		{100000, event.RandomizedResponse(2, 5), 2e-3},
		{10000, event.RandomizedResponse(1, 2), 0.2}, {10000, event.Pure(1), 0.4},
	} {
		b, err := LossEpsilon(event.Repeat(3, event.ShuffledReports(c.users, c.event)), event.ReplaceOne, 1e-6, Precision{})
		if err != nil || !(b.Width() < c.width*b.Upper) {
			t.Errorf("%d users of %s: %v is wide (%v)", c.users, c.event, b, err)
		}
	}
}

// One batch with replacement, in which all other records are opposite, by summation over the outputs.
func TestOneBatchWithReplacement(t *testing.T) {
	for _, c := range []struct {
		draws, records int64
		sigma, epsilon float64
		width          float64 // relative; other data sets may be worse if a record is often drawn twice
	}{{100, 10000, 1, 1, 0.01}, {50, 100, 4, 0.5, 0.02}, {20, 10, 8, 1, 0.5}} {
		exact := func(sigma float64) (delta float64) {
			const h = 1e-3
			n, weights := float64(c.records), []float64{math.Pow(1-1/float64(c.records), float64(c.draws))}
			for k := 1.0; k < 30; k++ {
				weights = append(weights, weights[int(k)-1]*(float64(c.draws)-k+1)/k/(n-1))
			}
			for y := -12.0; y < 40; y += h {
				p, q := 0.0, math.Exp(-y*y/2)
				for k, w := range weights {
					p += w * math.Exp(-(y-2*float64(k)/sigma)*(y-2*float64(k)/sigma)/2)
				}
				delta += h / math.Sqrt(2*math.Pi) * math.Max(0, p-math.Exp(c.epsilon)*q)
			}
			return delta
		}
		e := event.WithReplacement(c.draws, c.records, event.Gaussian(c.sigma))
		b, err := LossDelta(e, event.ReplaceOne, c.epsilon, Precision{MaxPoints: few})
		want := exact(c.sigma)
		if err != nil || !(b.Lower <= want*(1+1e-6) && want*(1-1e-6) <= b.Upper) || !(b.Width() < c.width*want) {
			t.Errorf("%s at ε = %v: %v, want %v (%v)", e, c.epsilon, b, want, err)
		}
		for _, wrong := range []float64{1 - c.width, 1 + c.width} {
			if d := exact(wrong * c.sigma); b.Lower <= d && d <= b.Upper {
				t.Errorf("%s at ε = %v: %v contains %v of %v σ", e, c.epsilon, b, d, wrong)
			}
		}
	}
}

// A record that is drawn every time is a Gaussian of a larger sensitivity.
func TestWithReplacementOfOneRecord(t *testing.T) {
	b, err := LossEpsilon(event.WithReplacement(3, 1, event.Gaussian(5)), event.ReplaceOne, 1e-5, Precision{})
	want, _ := LossEpsilon(event.Gaussian(5).WithSensitivity(6), event.AddRemove, 1e-5, Precision{})
	if err != nil || !(b.Lower <= want.Upper && want.Lower <= b.Upper) {
		t.Errorf("%v, want %v (%v)", b, want, err)
	}
}

func TestReplaceOneEventsRejected(t *testing.T) {
	batch, reports := event.WithReplacement(10, 100, event.Gaussian(1)), event.ShuffledReports(10, event.Pure(1))
	for _, c := range []struct {
		event     event.Event
		adjacency event.Adjacency
		want      string
	}{
		{batch, event.AddRemove, "want the adjacency replace-one"},
		{reports, event.AddRemove, "want the adjacency replace-one"},
		{event.Poisson(0.1, batch), event.ReplaceOne, "random for a Poisson sample"},
		{event.WithReplacement(10, 100, event.Laplace(1)), event.ReplaceOne, "want a mechanism with Gaussian noise"},
		{event.WithReplacement(10001, 1000, event.Gaussian(1)), event.ReplaceOne, "between 1 and 10000"},
		{event.WithReplacement(10, 100, event.Gaussian(1e-4)), event.ReplaceOne, "standard deviations"},
		{event.ShuffledReports(10, event.Gaussian(1)), event.ReplaceOne, "want the local randomizer"},
		{event.ShuffledReports(0, event.Pure(1)), event.ReplaceOne, "it must be 1 to 1e8"},
		{event.ShuffledReports(10, event.Pure(51)), event.ReplaceOne, "at most 50"},
		{event.ShuffledReports(10, event.Pure(math.NaN())), event.ReplaceOne, "at most 50"},
	} {
		_, err := LossEpsilon(c.event, c.adjacency, 1e-5, Precision{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.event, err, c.want)
		}
	}
}
