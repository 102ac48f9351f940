package reports

import (
	"fmt"
	"testing"
)

// Figures and flags are not broken at the end of a line.
func TestWholeFigures(t *testing.T) {
	got := fmt.Sprint(unbrokenFigures("0.83 [0.54, 0.98] at 5.1e-9 <b> [a, b]"))
	want := `0.83 <span class="w">[0.54, 0.98]</span> at <span class="w">5.1e-9</span> &lt;b&gt; [a, b]`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	got = fmt.Sprint(shellWords(command("dpverify verify a-b --seed 1 -o 'x -- <y>'")))
	want = `dpverify verify a-b <span class="w">--seed</span> 1 <span class="w">-o</span> &#39;x -- &lt;y&gt;&#39;`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
