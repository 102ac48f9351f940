package reports

// texSymbols that stand for one character.
var texSymbols = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ",
	"eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
	"sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ",
	"Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "ell": "ℓ",
	"nabla": "∇", "partial": "∂", "infty": "∞", "emptyset": "∅",
}

// texOperators stand between or before what they act on.
var texOperators = map[string]string{
	"le": "≤", "ge": "≥", "ne": "≠", "approx": "≈", "sim": "∼", "equiv": "≡", "cdot": "·", "times": "×",
	"pm": "±", "in": "∈", "notin": "∉", "subset": "⊂", "cup": "∪", "cap": "∩", "to": "→", "mapsto": "↦",
	"mid": "∣", "ldots": "…", "cdots": "⋯", "sum": "∑", "prod": "∏", "int": "∫", "langle": "⟨", "rangle": "⟩",
	"|": "‖", "{": "{", "}": "}", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "setminus": "∖",
	"ll": "≪", "gg": "≫", "propto": "∝", "Rightarrow": "⇒", "forall": "∀", "exists": "∃", "not": "¬", "%": "%",
}

// texFunctions have names that stand upright.
var texFunctions = map[string]string{
	"log": "log", "ln": "ln", "exp": "exp", "min": "min", "max": "max", "sup": "sup", "inf": "inf", "lim": "lim",
	"Pr": "Pr", "sin": "sin", "cos": "cos", "arg": "arg", "dim": "dim",
}

// texSpaces of some widths, in em.
var texSpaces = map[string]string{",": "0.17em", ":": "0.22em", ";": "0.28em", " ": "0.28em", "quad": "1em",
	"qquad": "2em"}

// texAccents are drawn over a letter.
var texAccents = map[string]string{"hat": "^", "bar": "¯", "tilde": "~"}

// combiningAccents are the same accents in plain text, after the letter.
var combiningAccents = map[string]string{"hat": "̂", "bar": "̄", "tilde": "̃"}

// texAlphabets of letters; \mathrm is upright.
var texAlphabets = map[string]map[string]string{
	"mathbb": {"E": "𝔼", "P": "ℙ", "R": "ℝ", "N": "ℕ", "Z": "ℤ", "1": "𝟙"},
	"mathcal": {"C": "𝒞", "D": "𝒟", "O": "𝒪", "N": "𝒩", "M": "ℳ", "F": "ℱ", "L": "ℒ", "W": "𝒲", "A": "𝒜", "X": "𝒳",
		"Y": "𝒴", "S": "𝒮"},
}
