package formula

import (
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// The curves that points record appear in the evidence.
func TestRelationBeside(t *testing.T) {
	r := relation(verify.AtMost, point("x", 1, 2))
	r.Curves = &verify.PlottedCurves{Variable: "n", Quantity: "error"}
	points := r.Points
	r.Points = func(add func(Point)) {
		r.Curves.Recorder.Add("a", 3, 4)
		points(add)
	}
	if e := verifytest.EvidenceOf(t,
		r); len(e.Curves) != 1 || e.Curves[0].Points[0].Mean.X != 4 || e.Curves[0].Variable != "n" {
		t.Errorf("%+v", e.Curves)
	}
	if e := verifytest.EvidenceOf(t, relation(verify.AtMost, point("x", 1, 2))); e.Curves != nil {
		t.Errorf("%+v without a picture", e.Curves)
	}
}
