package bounds_test

import (
	"errors"
	"math"
	"testing"

	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
)

func close(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*math.Abs(b) }

func TestHalfSphereMeanByTwoRoutes(t *testing.T) {
	for _, d := range []int{1, 2, 3, 4, 7, 10, 49, 50, 51, 123, 784, 1000, 1001, 1e4, 1e5, 1e6} {
		beta, err1 := bounds.HalfSphereMean(d)
		surface, err2 := bounds.HalfSphereMeanByQuadrature(d)
		if err1 != nil || err2 != nil || !close(beta, surface, 1e-11) {
			t.Errorf("d=%d: %.15g by beta functions, %.15g by quadrature (%v, %v)", d, beta, surface, err1, err2)
		}
	}
	for d, want := range map[int]float64{1: 1, 2: 2 / math.Pi, 3: 0.5, 5: 0.375} {
		if got, _ := bounds.HalfSphereMean(d); !close(got, want, 1e-14) {
			t.Errorf("HalfSphereMean(%d) = %v, want %v", d, got, want)
		}
	}
}

func TestPrivateSamplingBoundIsUnbiased(t *testing.T) {
	for _, d := range []int{1, 2, 3, 10, 123, 784, 1e6} {
		for _, eps := range []float64{1e-12, 0.01, 1, 30, 800} {
			b, err := bounds.PrivateSamplingBound(d, eps, 2.5)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := bounds.MeanCoefficient(d, eps, b, 1); !close(got, 2.5, 1e-11) {
				t.Errorf("d=%d eps=%v: the mean has length %v, want L = 2.5", d, eps, got)
			}
		}
	}
}

func TestBestDesignMatrixIsAVertex(t *testing.T) {
	for _, eps := range []float64{0.01, 0.1, 1, 5, 30} {
		best, unique, err := bounds.BestDesignMatrix(eps)
		printed, _ := paper.RandomizedResponse(eps)
		if err != nil || !unique {
			t.Fatalf("eps=%v: unique %v, %v", eps, unique, err)
		}
		for i := range best {
			for j := range best[i] {
				if math.Abs(best[i][j]-printed[i][j]) > 1e-12 {
					t.Errorf("eps=%v: entry %d,%d is %v by the vertices, %v as printed", eps, i, j, best[i][j], printed[i][j])
				}
			}
		}
	}
}

func TestDomains(t *testing.T) {
	for name, err := range map[string]error{
		"d = 0":        second(bounds.PrivateSamplingBound(0, 1, 1)),
		"d < 0":        second(bounds.HalfSphereMean(-3)),
		"eps = 0":      second(paper.PrivateSamplingBound(2, 0, 1)),
		"eps NaN":      second(bounds.PrivateSamplingBound(2, math.NaN(), 1)),
		"eps infinite": second(paper.PrivateSamplingBoundEstimate(2, math.Inf(1), 1)),
		"L < 0":        second(bounds.PrivateSamplingBound(2, 1, -1)),
		"rr eps":       second(paper.RandomizedResponse(-1)),
		"vertex eps":   third(bounds.BestDesignMatrix(701)),
		"composition":  second(bounds.SequentialComposition(1, math.NaN())),
		"walk of one":  third(bounds.GapLowerBoundUnprojected(1, 1, 1, 1)),
		"walk λ = 0":   third(bounds.GapLowerBoundUnprojected(1, 1, 0, 10)),
	} {
		if !errors.Is(err, bounds.ErrDomain) {
			t.Errorf("%s: got %v, want ErrDomain", name, err)
		}
	}
}

func second[T any](_ T, err error) error        { return err }
func third[T, U any](_ T, _ U, err error) error { return err }

// The bound is attained after one step: F(w) = |w − 1| on [−1, 1] has the gap 1 = LR/√1 at the center w_1 = 0.
func TestSubgradientGapIsAttained(t *testing.T) {
	for _, c := range []struct{ lipschitz, radius, updates, want float64 }{{1, 1, 1, 1}, {2, 3, 1, 6}, {2, 3, 4, 3}} {
		if got := bounds.SubgradientGap(c.lipschitz, c.radius, c.updates); got != c.want {
			t.Errorf("L=%g, R=%g, T=%g: %g, want %g", c.lipschitz, c.radius, c.updates, got, c.want)
		}
	}
}
