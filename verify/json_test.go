package verify

import (
	"encoding/json"
	"testing"
)

// TestKeysOfReports checks the keys and their order, which the schema dpverify/report/v1 fixes.
func TestKeysOfReports(t *testing.T) {
	const cell = `"at":"","claimed":null,"measured":null,"lower":null,"upper":null,"exact_value":null,"delta_lower":null,"samples":0`
	for want, value := range map[string]any{
		`{"near":0,"near_delta":0,"near_mass":0,"near_seen":false,"gross":0,"gross_delta":0,"gross_mass":null,"wanted_mass":0,"probability":0}`: Sizes{},
		`{"effect":0,"relative":false,"probability":0,"mass":null}`:                                                                             Detects{},
		`{"cases":0,"case":"","from":"","to":"","nearest":{` + cell + `},"margin":null}`:                                                        Tried{},
		`{` + cell + `,"choice":""}`: Counterexample{},
		`{"name":"","along":"","quantity":"","points":[{"at":"","x":null,"mean":null,"lower":null,"upper":null,"runs":0}]}`: Curve{Points: []CurvePoint{{}}},
		`{"rank":0,"bears":"","shown":"","title":"","why":"","formula":"","instead":""}`:                                    ReviewerNote{},
	} {
		if got, err := json.Marshal(value); err != nil || string(got) != want {
			t.Errorf("%T: %s, %v, want %s", value, got, err, want)
		}
	}
}
