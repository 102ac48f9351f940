package process

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/replay"
)

// The manual's modules of primitives for other languages give the same verdicts as the Python module. One program per
// language has all releases. The first number of the input selects the release.
func TestReplayOfOtherLanguages(t *testing.T) {
	const all = replay.Part("")
	releases := []struct {
		name   string
		js, r  string // expressions in noise and d
		a, b   string
		broken replay.Part // all if no part is refuted
	}{
		{"clipped sum", "noise.laplace(sum(d.map(clip)), 4, 1)", "noise$laplace(sum(clip(d)), 4, 1)", "[5]", "[]", all},
		{"forgotten clipping", "noise.laplace(sum(d), 4, 1)", "noise$laplace(sum(d), 4, 1)", "[5, 0.25]", "[0.25]", replay.Sensitivity},
		{"count as if public", "noise.laplace(sum(d.map(clip)), 4, 1) / d.length", "noise$laplace(sum(clip(d)), 4, 1) / length(d)",
			"[1, 1]", "[1]", replay.Release},
		{"early return", "d.length ? noise.laplace(d.length, 4, 1) : 0", "if (length(d)) noise$laplace(length(d), 4, 1) else 0",
			"[1]", "[]", replay.Flow},
		{"second query", "[noise.laplace(d.length, 2, 1), noise.laplace(d.length, 2, 1)]",
			"c(noise$laplace(length(d), 2, 1), noise$laplace(length(d), 2, 1))", "[1]", "[]", replay.Account},
		{"a vector", "noise.gaussian(new Float64Array([d.length, 1]), 20, 1)", "noise$gaussian(c(length(d), 1), 20, 1)", "[1]", "[]", all},
		{"a sample", "noise.gaussian(sum(noise.poisson(d.length, 0.5).map((i) => clip(d[i]))), 20, 1)",
			"noise$gaussian(sum(clip(d[noise$poisson(length(d), 0.5)])), 20, 1)", "[1, 5, 1]", "[1, 1]", all},
		{"a sample, unclipped", "noise.gaussian(sum(noise.poisson(d.length, 0.999).map((i) => d[i])), 20, 1)",
			"noise$gaussian(sum(d[noise$poisson(length(d), 0.999)]), 20, 1)", "[1, 5, 1]", "[1, 1]", replay.Sensitivity},
		{"an order", "noise.permutation(d.length).map((i) => noise.laplace(clip(d[i]), 20, 2))",
			"vapply(noise$permutation(length(d)), function(i) noise$laplace(clip(d[i]), 20, 2), 0)", "[1, 0.5]", "[1, -1]", all},
		{"all the others", "[noise.exponential([d.length, 1], 0.05, 1), noise.noisyMax([d.length, 1], 99, 1), " +
			"noise.randomizedResponse(d.length % 2, 2, 0.05), noise.discreteLaplace(d.length, 20, 1), " +
			"noise.discreteLaplace([d.length, 1], 20, 1), noise.public(2, (raw) => [raw(), raw()]), " +
			"noise.pure(d.length, 0.05, 1, 'l1', (raw) => d.length + (raw() < 0.5 ? 40 : -40))]",
			"list(noise$exponential(c(length(d), 1), 0.05, 1), noise$noisy_max(c(length(d), 1), 99, 1), " +
				"noise$randomized_response(length(d) %% 2, 2, 0.05), noise$discrete_laplace(length(d), 20, 1), " +
				"noise$discrete_laplace(c(length(d), 1), 20, 1), noise$public(2, function() runif(2)), " +
				"noise$pure(length(d), 0.05, 1, 'l1', function() length(d) + 40 * sample(c(-1, 1), 1)))", "[1, 2]", "[1]", all},
		{"raw coins", "(noise.uniform() < 0.6) === (d.length > 0)", "(noise$uniform() < 0.6) == (length(d) > 0)", "[1]", "[]", all},
		{"not finite", "[noise.laplace(d.length, 4, 1), NaN, -Infinity, -0, 'ü\"']", "list(noise$laplace(length(d), 4, 1), NaN, -Inf, -0, 'ü\"')",
			"[1]", "[]", all},
	}
	js := "const { serve } = require('./dp_primitives.js');\nconst clip = (v) => Math.min(1, Math.max(-1, v));\n" +
		"const sum = (d) => d.reduce((a, b) => a + b, 0);\nconst releases = [];\n"
	r := "source('dp_primitives.R')\nclip <- function(v) pmin(1, pmax(-1, v))\nreleases <- list()\n"
	for i, c := range releases {
		js += fmt.Sprintf("releases[%d] = (noise, d) => %s;\n", i, c.js)
		r += fmt.Sprintf("releases[[%d]] <- function(noise, d) %s\n", i+1, c.r)
	}
	js += "serve((noise, [k, d]) => releases[k](noise, d));\n"
	r += "serve(function(noise, q) releases[[q[[1]] + 1]](noise, q[[2]]))\n"
	for _, language := range []struct{ name, page, program, text string }{
		{"node", "dp_primitives.js", "program.js", js}, {"Rscript", "dp_primitives.R", "program.R", r},
	} {
		t.Run(language.name, func(t *testing.T) {
			path, err := exec.LookPath(language.name)
			if err != nil {
				t.Skip("needs " + language.name + " on the path")
			}
			p := programWithPage(t, language.page, language.program, language.text, path)
			for i, c := range releases {
				input := func(records string) json.RawMessage { return json.RawMessage(fmt.Sprintf("[%d, %s]", i, records)) }
				check := replay.Replay[json.RawMessage]{Subject: p, Claim: privacy.ApproximateDP(0.5, 1e-5),
					Given: []inputs.Pair[json.RawMessage]{{A: input(c.a), B: input(c.b)}}}
				for _, part := range check.Parts() {
					f, err := check.Find(context.Background(), verify.Settings{Budget: verify.Quick, Seed: empirical.NewSeed(1)}, part)
					if err != nil {
						t.Fatalf("%s: %v", c.name, err)
					}
					if (f.Verdict == verify.Refuted) != (part == c.broken) {
						t.Errorf("%s: %s: %s: %s%s", c.name, part, f.Verdict, f.How, f.Needed)
					}
				}
			}
		})
	}
}
