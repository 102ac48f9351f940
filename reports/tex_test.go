package reports

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestFormulas(t *testing.T) {
	for _, c := range []struct{ tex, plain, mathML string }{
		{`\frac{e^{\varepsilon}+1}{2}`, "(e^ε + 1)/2", `<mfrac><mrow><msup><mi>e</mi><mrow><mi>ε</mi></mrow></msup><mo>+</mo><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>`},
		{`\mathbb{E}[Z\mid X] = X`, "𝔼[Z∣X] = X", `<mi>𝔼</mi><mo>[</mo><mi>Z</mi><mo>∣</mo><mi>X</mi><mo>]</mo><mo>=</mo><mi>X</mi>`},
		{`\Pr(Q=1)\le \tfrac12`, "Pr (Q = 1) ≤ 1/2", ""},
		{`\left(\frac{a}{b}\right)^2`, "(a/b)^2", ""},
		{`\|w_t - w^*\|^2`, "‖w_t − w^*‖^2", ""},
		{`\sum_{t=1}^{T} \eta_t`, "∑_(t = 1)^Tη_t", `<munderover><mo>∑</mo><mrow><mi>t</mi><mo>=</mo><mn>1</mn></mrow><mrow><mi>T</mi></mrow></munderover>`},
		{`\sqrt[3]{x} < \hat{w}, \text{for } d \ge 2`, "x^(1/3) < w\u0302,for d ≥ 2", `<mo>&lt;</mo>`},
		{`c(\varepsilon_s,\lambda)\,k(d)/\sqrt{T}`, "c(ε_s,λ) k(d)/√T", ""},
	} {
		f, err := parseFormula(c.tex)
		if err != nil {
			t.Errorf("%s: %v", c.tex, err)
			continue
		}
		if got := f.Plain(); got != c.plain {
			t.Errorf("%s: plain %q, want %q", c.tex, got, c.plain)
		}
		if got := f.MathML(); !strings.Contains(got, c.mathML) {
			t.Errorf("%s: %s lacks %s", c.tex, got, c.mathML)
		}
		wellFormed(t, f.MathML())
	}
}

func wellFormed(t *testing.T, s string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(s))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func TestWhatIsNotUnderstoodIsAnError(t *testing.T) {
	for _, c := range []struct{ tex, why string }{
		{`\begin{align}`, `\begin`},
		{`{a`, "want }"},
		{`a}`, "does not stand here"},
		{`a^`, "too early"},
		{`a^b^c`, "two scripts"},
		{`\frac{a}`, "too early"},
		{`\mathbb{Q}`, `\mathbb{Q}`},
		{`\left( a`, `\right`},
		{`\text x`, "braces"},
		{`\`, "not known"},
		{`$a$`, "does not stand here"},
	} {
		if _, err := parseFormula(c.tex); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q in it", c.tex, err, c.why)
		}
	}
}

func FuzzFormula(f *testing.F) {
	f.Add(`\frac{e^{\varepsilon}+1}{2}`)
	f.Add(`\left(\sqrt[3]{x}\right)_a^b`)
	f.Fuzz(func(t *testing.T, s string) {
		formula, err := parseFormula(s)
		if err != nil {
			return
		}
		formula.Plain()
		formula.MathML()
	})
}
