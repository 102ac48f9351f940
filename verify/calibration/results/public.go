package results

// PublicFigure is the ε that a public tool certifies at the same confidence.
type PublicFigure struct {
	Tool         string
	At1e5, At1e6 string // "–" if it was not run or does not support the mechanism
}

// Public returns the ε that public tools reach on a mechanism, run unmodified on two cores at 95 % confidence. Their
// n is per input and phase. DP-Sniper draws 1.2 to 8.2 million samples at n = 1e5. StatDP's figure is the largest ε
// that it rejects, which is not a confidence bound. Source: the measured comparison of StatDP (Ding et al. 2018),
// DP-Sniper (Bichsel et al. 2021) and DP-Auditorium (Kong et al. 2023), from which this package takes its mechanisms.
// The tools were not run on other mechanisms.
func Public(mechanism string) []PublicFigure {
	if figures, ok := public[mechanism]; ok {
		return figures
	}
	return tools("–", "–", "–", "–", "–", "–")
}

func tools(sniper5, sniper6, stat5, stat6, auditorium5, auditorium6 string) []PublicFigure {
	return []PublicFigure{
		{"DP-Sniper", sniper5, sniper6},
		{"StatDP", stat5, stat6},
		{"DP-Auditorium", auditorium5, auditorium6},
	}
}

var public = map[string][]PublicFigure{
	"laplace_0.1":    tools("−.029", ".057", ".084", ".094", "0", ".050"),
	"laplace_1":      tools(".864", ".989", ".961", ".984", ".639", ".876"),
	"rr_0.1":         tools("−.018", ".060", ".091", ".094", "0", ".050"),
	"rr_1":           tools(".897", ".967", ".961", ".984", ".805", ".924"),
	"trunc_geom":     tools(".001", ".078", ".094", ".109", "0", ".060"),
	"noisy_hist1":    tools("−.066", ".062", ".081", ".097", "–", "–"),
	"noisy_hist2":    tools("4.60", "4.60", "6.78", "6.78", "3.06", "4.20"),
	"rnm1":           tools("−.042", ".057", ".075", ".088", "–", "–"),
	"rnm2":           tools("−.026", ".057", ".072", "–", "–", "–"),
	"rnm3":           tools(".050", ".216", ".188", ".181", "0", "0"),
	"rnm4":           tools(".203", ".297", ".156", "–", "–", "–"),
	"svt1":           tools("−.148", ".059", ".016", "–", "–", "–"),
	"svt2":           tools("−.149", ".045", ".016", "–", "–", "–"),
	"svt3":           tools(".022", ".087", ".125", "–", "–", "–"),
	"svt4":           tools("−.041", ".113", ".088", "–", "–", "–"),
	"svt5":           tools("1.66", "1.73", "3.83", "–", "–", "–"),
	"svt6":           tools(".013", ".235", ".129", "–", "–", "–"),
	"rappor":         tools(".048", ".259", "–", "–", "–", "–"),
	"onetime_rappor": tools(".293", ".580", "–", "–", "–", "–"),
	"prefix_sum":     tools(".260", ".465", "–", "–", "–", "–"),
	"gauss_1":        tools("–", "–", "–", "–", ".781", "1.304"),
}
