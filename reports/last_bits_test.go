package reports

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Machines compute the same figures up to their last bits. No form for people may depend on these bits, charts
// included: here every figure of a run is changed by a few units in the last place.
func TestLastBitsAreNotPrinted(t *testing.T) {
	forms := map[string]func(*bytes.Buffer, Document) error{
		"markdown": func(b *bytes.Buffer, d Document) error { return Markdown(b, d) },
		"html":     func(b *bytes.Buffer, d Document) error { return HTML(b, d) },
		"junit":    func(b *bytes.Buffer, d Document) error { return JUnit(b, d) },
		"sarif":    func(b *bytes.Buffer, d Document) error { return SARIF(b, d) },
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(21, 2))
			render := func(d Document) string {
				var b bytes.Buffer
				if err := form(&b, d); err != nil {
					t.Fatal(err)
				}
				return b.String()
			}
			want := render(example())
			for range 20 {
				d := example() // a separate copy
				nudge(r, reflect.ValueOf(&d.Run.Results).Elem(), 1e-15)
				if diff := cmp.Diff(want, render(d)); diff != "" {
					t.Fatalf("the last bits of the figures show (-want +got):\n%s", diff)
				}
			}
			// A larger change is visible.
			d := example()
			nudge(r, reflect.ValueOf(&d.Run.Results).Elem(), 1e-2)
			if render(d) == want {
				t.Error("the figures are not printed at all")
			}
		})
	}
}

// nudge changes every figure within v by at most the given relative amount.
func nudge(r *rand.Rand, v reflect.Value, relative float64) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			nudge(r, v.Index(i), relative)
		}
	case reflect.Struct:
		if n, ok := v.Interface().(verify.Number); ok {
			if n.Set && format.Finite(n.X) {
				n.X += n.X * relative * (2*r.Float64() - 1)
				v.Set(reflect.ValueOf(n))
			}
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				nudge(r, v.Field(i), relative)
			}
		}
	}
}

// A figure that ends in a half is rounded the same way, from whichever side a machine computes it.
func TestHalvesGoOneWay(t *testing.T) {
	above := func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
	below := func(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }
	for _, x := range []float64{2.000005, 1.00015, 0.001, 1e6, 123455, 0.0099999499999999995, 1} {
		for name, text := range map[string]func(float64) string{
			"alone": func(x float64) string { return format.Figure(num(x)) },
			"an interval that ends there": func(x float64) string {
				return format.Measurement{Value: num(0.9 * x), Lower: num(0.8 * x), Upper: num(x)}.Text()
			},
			"an interval of that width": func(x float64) string {
				return format.Measurement{Value: num(3), Lower: num(3), Upper: num(3 + x)}.Text()
			},
			"an interval of none": func(x float64) string {
				return format.Compared(num(1), num(x), num(below(x)), num(below(x)), num(x), format.SameRefuted).Measured
			},
			"probability": format.Probability,
		} {
			want := text(x)
			if low, high := text(below(x)), text(above(x)); low != want || high != want {
				t.Errorf("%v, %s: %s, %s and %s", x, name, low, want, high)
			}
		}
	}
}
