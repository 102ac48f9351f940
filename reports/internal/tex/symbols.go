package tex

// symbols that stand for one character.
var symbols = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ",
	"eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
	"sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ",
	"Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "ell": "ℓ",
	"nabla": "∇", "partial": "∂", "infty": "∞", "emptyset": "∅",
}

// operators stand between or before what they act on.
var operators = map[string]string{
	"le": "≤", "ge": "≥", "ne": "≠", "approx": "≈", "sim": "∼", "equiv": "≡", "cdot": "·", "times": "×",
	"pm": "±", "in": "∈", "notin": "∉", "subset": "⊂", "cup": "∪", "cap": "∩", "to": "→", "mapsto": "↦",
	"mid": "∣", "ldots": "…", "cdots": "⋯", "sum": "∑", "prod": "∏", "int": "∫", "langle": "⟨", "rangle": "⟩",
	"|": "‖", "{": "{", "}": "}", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "setminus": "∖",
	"ll": "≪", "gg": "≫", "propto": "∝", "Rightarrow": "⇒", "forall": "∀", "exists": "∃", "not": "¬", "%": "%",
}

// functions have names that stand upright.
var functions = map[string]string{
	"log": "log", "ln": "ln", "exp": "exp", "min": "min", "max": "max", "sup": "sup", "inf": "inf", "lim": "lim",
	"Pr": "Pr", "sin": "sin", "cos": "cos", "arg": "arg", "dim": "dim",
}

// spaces of some widths, in em.
var spaces = map[string]string{",": "0.17em", ":": "0.22em", ";": "0.28em", " ": "0.28em", "quad": "1em",
	"qquad": "2em"}

// accents are drawn over a letter.
var accents = map[string]string{"hat": "^", "bar": "¯", "tilde": "~"}

// combining are the same accents in plain text, after the letter.
var combining = map[string]string{"hat": "̂", "bar": "̄", "tilde": "̃"}

// alphabets of letters; \mathrm is upright.
var alphabets = map[string]map[string]string{
	"mathbb": {"E": "𝔼", "P": "ℙ", "R": "ℝ", "N": "ℕ", "Z": "ℤ", "1": "𝟙"},
	"mathcal": {"C": "𝒞", "D": "𝒟", "O": "𝒪", "N": "𝒩", "M": "ℳ", "F": "ℱ", "L": "ℒ", "W": "𝒲", "A": "𝒜", "X": "𝒳",
		"Y": "𝒴", "S": "𝒮"},
}
