package matrix

// toeplitz is C[i,j] = c_{i−j} with c_0 ≥ c_1 ≥ … ≥ 0, and 0 from len(c) on.
type toeplitz struct {
	c     []float64
	steps int
	// integers is set if the coefficients are small integers and exact. Otherwise they have an error of one rounding.
	integers bool
	// squares[m] is the sum of squares of the first m coefficients.
	squares []double
}

func newToeplitz(c []float64, steps int, integers bool) *toeplitz {
	for len(c) > 1 && c[len(c)-1] == 0 {
		c = c[:len(c)-1]
	}
	t := &toeplitz{c: c, steps: steps, integers: integers, squares: make([]double, len(c)+1)}
	for m, x := range c {
		t.squares[m+1] = t.squares[m].plus(float64(x * x))
	}
	return t
}

func (t *toeplitz) bands() int { return len(t.c) }

func (t *toeplitz) norm(column int) (lower, upper float64) {
	return root(t.ends(t.squares[min(len(t.c), t.steps-column)]))
}

// ends brackets a sum of squares; see square for its error.
func (t *toeplitz) ends(sum double) (low, high float64) {
	s := sum.value()
	if t.integers && s < 1<<53 {
		return s, s
	}
	return s * (1 - 16*unit), s * (1 + 16*unit)
}

func (t *toeplitz) separated(times, distance int) Sensitivity {
	low, high := t.square(times, distance)
	theorem := "Toeplitz with falling coefficients: earliest steps (Kalinin & Lampert 2024, Theorem 2)"
	return bracket(low, high, true, evenly(0, times, distance, t.steps), theorem)
}

func (t *toeplitz) fixedOrder(times, distance int) Sensitivity {
	s := t.separated(times, distance)
	s.Theorem = "Toeplitz: the earliest of the shifted patterns"
	return s
}

// square brackets the squared norm of the sum of the columns 0, distance, 2·distance, …, which is Σ_t v_t² with v_t =
// Σ_{m < times} c_{t − m·distance}.
//
// Along a residue class modulo distance, v_t is a difference of running sums of type double, which has twice the digits
// of a float64. The errors of these sums, of order n·unit², are negligible compared with rounding v_t to a float64. A
// coefficient has an error of one unit, v_t of four, its square of nine, and the sum of squares of eleven.
func (t *toeplitz) square(times, distance int) (low, high float64) {
	running := make([]double, t.steps)
	var sum double
	for i := range running {
		if i >= distance {
			running[i] = running[i-distance]
		}
		if i < len(t.c) {
			running[i] = running[i].plus(t.c[i])
		}
		v := running[i].value()
		if i >= times*distance {
			v = running[i].minus(running[i-times*distance])
		}
		sum = sum.plus(float64(v * v))
	}
	return t.ends(sum)
}
