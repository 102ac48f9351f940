package premises

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

const (
	coarsest = 8    // significant bits of bfloat16, the coarsest number type that a log may use
	decimals = 1e-5 // relative rounding that is always allowed: a log may print six digits
)

// rounding describes the grid on which numbers of a log lie.
type rounding struct {
	bits int     // largest number of significant bits of a number, from coarsest to 53
	grid float64 // all numbers are multiples of it, up to the precision of float64; 0 if all are 0
}

// unit returns the relative error of one rounding to the significant bits.
func (r rounding) unit() float64 { return math.Ldexp(1, -r.bits) }

// relative returns the relative error of a few roundings to the significant bits.
func (r rounding) relative() float64 { return math.Max(decimals, 4*r.unit()) }

// with returns the coarser of two roundings.
func (r rounding) with(other rounding) rounding {
	return rounding{min(r.bits, other.bits), math.Max(r.grid, other.grid)}
}

// digits holds the largest numbers of digits of some numbers that are not 0.
type digits struct {
	width, lowest      int // significant bits, and minus the exponent of the lowest bit
	significant, after int // decimal digits, and those after the point
	seen               bool
}

// add adds a number.
func (d *digits) add(v float64) {
	if v == 0 {
		return
	}
	fraction, exponent := math.Frexp(math.Abs(v))
	own := 53 - bits.TrailingZeros64(uint64(math.Ldexp(fraction, 53)))
	significant, after := decimalDigits(v)
	d.merge(digits{own, own - exponent, significant, after, true})
}

// merge adds the numbers of other digits.
func (d *digits) merge(other digits) {
	if !d.seen || !other.seen {
		if other.seen {
			*d = other
		}
		return
	}
	*d = digits{max(d.width, other.width), max(d.lowest, other.lowest), max(d.significant, other.significant),
		max(d.after, other.after), true}
}

// rounding returns the rounding of the numbers. It is at least as coarse as the number type, or as the decimal numbers
// of a log that prints few digits. A number that is rounded to d significant digits has about 1 + (d−1) log₂ 10 bits.
// Up to three of them are not bits of the number type, if the log prints the shortest decimal form of a number in
// bfloat16, float16 or float32.
func (d digits) rounding() rounding {
	if !d.seen {
		return rounding{bits: 53}
	}
	own := min(d.width, int(float64(d.significant-1)*math.Log2(10))-2)
	return rounding{max(coarsest, own), math.Max(math.Ldexp(1, -d.lowest), math.Pow10(-d.after))}
}

// observedRounding returns the rounding of numbers of all steps.
func observedRounding(steps []Step, numbers func(Step) []float64) rounding {
	var d digits
	for _, s := range steps {
		for _, v := range numbers(s) {
			d.add(v)
		}
	}
	return d.rounding()
}

// contributionRounding returns the rounding of the contributions.
func contributionRounding(steps []Step) rounding {
	var d digits
	for _, s := range steps {
		d.merge(s.digits)
	}
	return d.rounding()
}

// decimalDigits returns the numbers of significant digits and of digits after the point in the shortest decimal form.
func decimalDigits(v float64) (significant, after int) {
	var buffer [32]byte
	text := string(strconv.AppendFloat(buffer[:0], math.Abs(v), 'e', -1, 64))
	mantissa, exponent, _ := strings.Cut(text, "e")
	power, _ := strconv.Atoi(exponent)
	significant = len(strings.Replace(mantissa, ".", "", 1))
	return significant, max(0, significant-1-power)
}

// lattice returns the distance of the multiples on which all the numbers lie, up to a relative error, or 0 if there is
// none. The numbers are absolute values in increasing order. The distance is the smallest one of two numbers that
// differ. A discrete distribution has values at neighboring multiples, or values that are seldom equal.
func lattice(numbers []float64, relative float64) float64 {
	distance, before := math.Inf(1), 0.0
	for _, v := range numbers {
		if gap := v - before; gap > 2*relative*v {
			distance = math.Min(distance, gap)
		}
		before = v
	}
	for _, v := range numbers {
		if !(math.Abs(v-distance*math.Round(v/distance)) <= 0.01*distance+relative*v) {
			return 0
		}
	}
	return distance
}
