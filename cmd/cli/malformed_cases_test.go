package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// wholeClaim is a valid claims file; each case below replaces one of its parts.
const wholeClaim = `claims:
  - name: x
    exec: [cat]
    pairs: [{a: 1, b: 2}]
    guarantee: {epsilon: 1}
`

// malformedConfigs maps a reason to a claims file.
func malformedConfigs() map[string]string {
	cases := map[string]string{
		"empty": "", "blank": " \n\n", "a comment, whole file": "# nothing\n", "null, whole file": "null\n", "a word": "claims\n", "a number": "3\n", "a list": "- 1\n- 2\n",
		"no list": "claims: 3\n", "a mapping for the list": "claims: {x: 1}\n", "an empty list": "claims: []\n", "null for the list": "claims:\n",
		"a list of numbers": "claims: [1, 2]\n", "a list of words": "claims: [x]\n", "a list of null": "claims: [null]\n", "a list of lists": "claims: [[]]\n", "an empty claim": "claims: [{}]\n",
		"an open list": "claims: [\n", "an open mapping": "claims: [{name: x\n", "an open quote": "claims: [{name: \"x\n", "a closing bracket alone": "claims: ]\n", "tabs": "claims:\n\t- name: x\n",
		"bytes, whole file": "\xff\xfe\x00\x01", "a zero byte": "claims: [\x00]\n", "half a rune": "claims: [{name: \"\xc3\"}]\n", "UTF-16, whole file": "\xff\xfec\x00l\x00",
		"an alias": "claims: &a [*a]\n", "an unknown alias": "claims: *a\n", "an alias in an input": strings.Replace(wholeClaim, "a: 1, b: 2", "a: &x [1], b: [*x]", 1),
		"a merge key": "claims:\n  - &base {name: x}\n  - {<<: *base, exec: [cat]}\n", "a second document": wholeClaim + "---\n" + wholeClaim,
		"a bomb":           "claims:\n  - {a: &a [1,1], b: &b [*a,*a], c: [*b,*b]}\n",
		"deep lists":       "claims: " + strings.Repeat("[", 20_000) + "\n",
		"deep lists, shut": "claims: " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "\n", "deep mappings": "claims: " + strings.Repeat("{a: ", 20_000) + "\n",
		"deep dashes": "claims:\n" + strings.Repeat("- ", 20_000) + "x\n", "a large, whole file": wholeClaim + strings.Repeat("# more\n", 700_000),
		"an unknown top key": "sed: 1\n" + wholeClaim, "a key twice": wholeClaim + "claims: []\n", "JSON cut off": `{"claims": [{"name": "x", "exec": ["cat"`,
		"a file of Python": "import json\nfor line in sys.stdin:\n    print(line)\n", "a program": "#!/bin/sh\nexit 0\n", "HTML": "<html><body>404</body></html>\n",
		"two of a name": wholeClaim + wholeClaim[len("claims:\n"):],
	}
	for reason, seed := range map[string]string{"negative": "-1", "a fraction": "1.5", "a word": "one", "a list": "[1]", "too large": "18446744073709551616", "not a number": ".nan"} {
		cases["seed "+reason] = "seed: " + seed + "\n" + wholeClaim
	}
	for part, wrong := range map[string][]string{
		"name: x": {"name: Ä", "name: ''", "name: a b", "name: ../x", "name: /etc", "name: a/b", "name: [x]", "name: {}", "name: 'x;y'", "name: \"a\\n\"", "nome: x", "# none"},
		"exec: [cat]": {
			"exec: []", "exec: ['']", "exec: [[cat]]", "exec: {cat: 1}", "exec: null", "# none", "exec: cat", "shell: cat",
		},
		"pairs: [{a: 1, b: 2}]": {
			"pairs: []", "pairs: {}", "pairs: 3", "pairs: [1]", "pairs: [[1, 2]]", "pairs: [{}]", "pairs: [{a: 1}]", "pairs: [{b: 1}]", "pairs: [{a: 1, b: 1}]", "pairs: [{a: 1, b: 1.0}]",
			"pairs: [{a: .nan, b: 1}]", "pairs: [{a: .inf, b: 1}]", "pairs: [{a: 1, b: 2, c: 3}]", "pairs: [{a: 1, b: 2}, null]", "pairs: [{a: [1], b: [1]}]", "# none", "pairs: [{a: {1: 2}, a: 3, b: 2}]",
		},
		"guarantee: {epsilon: 1}": {
			"guarantee: {}", "guarantee: 1", "guarantee: [1]", "# none", "guarantee: {epsilon: -1}", "guarantee: {epsilon: .nan}", "guarantee: {epsilon: .inf}", "guarantee: {epsilon: one}", "guarantee: {epsilon: [1]}",
			"guarantee: {epsilon: 1, rho: 1}", "guarantee: {delta: 0.1}", "guarantee: {epsilon: 1, delta: -1}", "guarantee: {epsilon: 1, delta: 1.5}", "guarantee: {epsilon: 1, delta: .nan}", "guarantee: {rho: -1}",
			"guarantee: {mu: -1}", "guarantee: {mu: .nan}", "guarantee: {alpha: 2}", "guarantee: {renyi: 2}", "guarantee: {alpha: 1, renyi: 1}", "guarantee: {alpha: 0.5, renyi: 1}", "guarantee: {alpha: 2, renyi: -1}", "guarantee: {eps: 1}", "guarantee: {epsilon: 1, epsilon: 2}",
		},
	} {
		for i, w := range wrong {
			cases[fmt.Sprintf("%s as %d %s", strings.SplitN(part, ":", 2)[0], i, w)] = strings.Replace(wholeClaim, part, w, 1)
		}
	}
	for i, wrong := range malformedAccounts {
		cases[fmt.Sprintf("account %d %s", i, wrong)] = "claims:\n  - {name: x, " + wrong + "}\n"
	}
	for i, wrong := range malformedStatements {
		cases[fmt.Sprintf("statement %d %s", i, wrong)] = "claims:\n  - {name: x, exec: [cat], " + wrong + "}\n"
	}
	for _, more := range []string{
		"samples: 0", "samples: -1", "samples: 1.5", "samples: many", "samples: 99999999999999999999", "timeout: 0s", "timeout: -1s", "timeout: soon", "timeout: 5", "timeout: [1s]", "timeout: 999999999h",
		"memory: 0MiB", "memory: -1GiB", "memory: 1", "memory: lots", "memory: 99999999GiB", "memory: [1GiB]", "precision: loud", "precision: [off]", "anytime: maybe", "anytime: 3", "output: /etc/passwd", "name: y",
	} {
		cases["more "+more] = wholeClaim + "    " + more + "\n"
	}
	return cases
}

// malformedStatements holds claims without their names and commands.
var malformedStatements = []string{
	"unbiased: ", "unbiased: 3", "unbiased: []", "unbiased: {}", "unbiased: {of: [1]}", "unbiased: {input: 1}", "unbiased: {input: 1, of: 2}", "unbiased: {input: 1, of: []}", "unbiased: {input: 1, of: [a]}", "unbiased: {input: 1, of: [.nan]}",
	"unbiased: {input: 1, of: [1e999]}", "unbiased: {input: .inf, of: [1]}", "unbiased: {input: 1, of: [1], range: [1, 0]}", "unbiased: {input: 1, of: [1], range: [1, 1]}", "unbiased: {input: 1, of: [1], range: [0]}", "unbiased: {input: 1, of: [1], range: []}",
	"unbiased: {input: 1, of: [1], range: }", "unbiased: {input: 1, of: [1], range: 3}", "unbiased: {input: 1, of: [1], variance: -1}", "unbiased: {input: 1, of: [1], variance: 0}", "unbiased: {input: 1, of: [1], target: [1]}",
	"law: ", "law: laplace", "law: []", "law: {}", "law: {input: 1}", "law: {laplace: {scale: 1}}", "law: {input: 1, laplas: {scale: 1}}", "law: {input: 1, laplace: 2}", "law: {input: 1, laplace: {}}", "law: {input: 1, laplace: }", "law: {input: 1, laplace: {scale: -1}}",
	"law: {input: 1, laplace: {scale: '2'}}", "law: {input: 1, laplace: {scale: .inf}}", "law: {input: 1, laplace: {scale: 1, sigma: 1}}", "law: {input: 1, laplace: {scale: 1}, normal: {sigma: 1}}", "law: {input: 1, uniform: {lower: 1, upper: 0}}",
	"law: {input: 1, moments: {mean: 0, variance: 1}}", "law: {input: 1, moments: {mean: 0, variance: 1, lower: 1, upper: 0}}", "law: {input: 1, discrete-laplace: {scale: 1, location: 0.5}}", "law: {input: 1, bernoulli: {p: 2}}",
	"sensitivity: ", "sensitivity: 1", "sensitivity: {norm: l1, bound: 1}", "sensitivity: {norm: l1, bound: 1}, pairs: []", "sensitivity: {norm: l9, bound: 1}, pairs: [{a: 1, b: 2}]", "sensitivity: {norm: 1, bound: 1}, pairs: [{a: 1, b: 2}]",
	"sensitivity: {norm: l1}, pairs: [{a: 1, b: 2}]", "sensitivity: {bound: 1}, pairs: [{a: 1, b: 2}]", "sensitivity: {norm: l1, bound: -1}, pairs: [{a: 1, b: 2}]", "sensitivity: {norm: l1, bound: 1}, pairs: [{a: 1, b: 1}]", "sensitivity: {norm: l1, bound: 1, pairs: [{a: 1, b: 2}]}",
	"rate: ", "rate: {}", "rate: {grid: [1, 2, 4, 8], exponent: 1}", "rate: {grid: [1, 2, 4, 8, 8], exponent: 1}", "rate: {grid: [1, 2, 1, 8, 16], exponent: 1}", "rate: {grid: [-1, 2, 4, 8, 16], exponent: 1}", "rate: {grid: [1, 2, 4, 8, 16]}", "rate: {grid: [1, 2, 4, 8, 16], exponent: 1, range: [2, 1]}",
	"law: {input: 1, laplace: {scale: 1}}, pairs: [{a: 1, b: 2}]", "law: {input: 1, laplace: {scale: 1}}, anytime: true", "law: {input: 1, laplace: {scale: 1}}, seeded: maybe", "law: {input: 1, laplace: {scale: 1}}, seeded: ", "law: {input: 1, laplace: {scale: 1}}, guarantee: {}", "law: {input: 1, laplace: {scale: 1}}, samples: 0",
}

// malformedAccounts holds claims without their names.
var malformedAccounts = []string{
	"account: , guarantee: {mu: 1}", "account: 3, guarantee: {mu: 1}", "account: sgm, guarantee: {mu: 1}", "account: [], guarantee: {mu: 1}", "account: {}, guarantee: {mu: 1}", "account: [3], guarantee: {mu: 1}", "account: {events: []}, guarantee: {mu: 1}",
	"account: {mechanism: gauss, sigma: 1}, guarantee: {mu: 1}", "account: {mechanism: gaussian, sgima: 1}, guarantee: {mu: 1}", "account: {mechanism: gaussian}, guarantee: {mu: 1}", "account: {mechanism: gaussian, sigma: '1'}, guarantee: {mu: 1}",
	"account: {mechanism: gaussian, sigma: .nan}, guarantee: {mu: 1}", "account: {mechanism: gaussian, sigma: 0}, guarantee: {mu: 1}", "account: {mechanism: gaussian, sigma: 1e-300}, guarantee: {mu: 1}", "account: {mechanism: gaussian, sigma: 1, count: 0}, guarantee: {mu: 1}",
	"account: {mechanism: gaussian, sigma: 1, count: 1e16}, guarantee: {mu: 1}", "account: {mechanism: sgm, sampling-rate: 1.5, noise-multiplier: 1}, guarantee: {mu: 1}", "account: {mechanism: sgm, sampling-rate: -0.1, noise-multiplier: 1}, guarantee: {mu: 1}",
	"account: {mechanism: gaussian, sigma: 1, adjacency: near}, guarantee: {mu: 1}", "account: {file: none.yaml}, guarantee: {mu: 1}", "account: {file: .}, guarantee: {mu: 1}", "account: {file: ''}, guarantee: {mu: 1}", "account: {file: 3}, guarantee: {mu: 1}",
	"account: {file: bad.yaml}, guarantee: {mu: 1}", "account: {file: bad.yaml, sigma: 1}, guarantee: {mu: 1}", "account: {gaussian: {sigma: 1}}", "account: {gaussian: {sigma: 1}}, guarantee: {delta: 0.1}", "account: {gaussian: {sigma: 1}}, guarantee: {epsilon: 1}",
	"account: {gaussian: {sigma: 1}}, guarantee: {epsilon: -1, delta: 0.1}", "account: {gaussian: {sigma: 1}}, guarantee: {epsilon: 1, delta: 1}", "account: {gaussian: {sigma: 1}}, guarantee: {alpha: 1, renyi: 1}", "account: {gaussian: {sigma: 1}}, guarantee: {mu: 1, rho: 1}",
	"account: {gaussian: {sigma: 1}}, guarantee: {mu: .nan}", "account: {gaussian: {sigma: 1}}, states: {}", "account: {gaussian: {sigma: 1}}, states: 1", "account: {gaussian: {sigma: 1}}, states: {epsilon: 1}", "account: {gaussian: {sigma: 1}}, states: {epsilon: -1, delta: 0.1}",
	"account: {gaussian: {sigma: 1}}, states: {epsilon: 1.32, delta: 0.1, digits: 1}", "account: {gaussian: {sigma: 1}}, states: {epsilon: 1.32, delta: 0.1, digits: 1.5}", "account: {gaussian: {sigma: 1}}, states: {epsilon: 1.32, delta: 0.1, digits: -1}",
	"account: {gaussian: {sigma: 1}}, states: {epsilon: 1.32, delta: 0.1, digits: 99}", "account: {gaussian: {sigma: 1}}, states: {epsilon: 1.32, delta: 1}", "account: {gaussian: {sigma: 1}}, states: {epsilon: 1.32, delta: 0.1, rounding: even}", "account: {gaussian: {sigma: 1}}, states: {epsilon: '1.32', delta: 0.1}",
	"account: {gaussian: {sigma: 1}}, states: {epsilon: 1.32, delta: 0.1, of: rdp}", "account: {gaussian: {sigma: 1}}, guarantee: {mu: 1}, samples: 300", "account: {gaussian: {sigma: 1}}, guarantee: {mu: 1}, pairs: [{a: 1, b: 2}]", "account: {gaussian: {sigma: 1}}, guarantee: {mu: 1}, exec: []",
	"account: &a {gaussian: {sigma: 1}}, guarantee: {mu: 1}", "account: {gaussian: {sigma: 1}, gaussian: {sigma: 2}}, guarantee: {mu: 1}", "states: {mu: 1}", "exec: [cat], pairs: [{a: 1, b: 2}], guarantee: {mu: 1}, states: {mu: 1}", "exec: [cat], pairs: [{a: 1, b: 2}], account: {sgm: {sampling-rate: 0.1, noise-multiplier: 1}}",
	"exec: [cat], pairs: [{a: 1, b: 2}], account: {sgm: {sampling-rate: 0.1, noise-multiplier: 1}}, guarantee: {epsilon: 1}", "exec: [cat], account: {gaussian: {sigma: 1}}", "exec: [cat], pairs: [{a: 1, b: 2}], account: {gaussian: {sigma: 1}}, guarantee: {delta: 1.5}",
	"account: {sampling-rate: 0.5, poisson: {}}, guarantee: {mu: 1}", "account: {mechanism: compose, sampling-rate: 0.5, events: [{laplace: {scale: 1}}, {gaussian: {sigma: 1}}]}, guarantee: {epsilon: 1, delta: 0.1}",
}

type malformedText struct{ reason, ext, text string }

// malformedSamples returns files of recorded outputs; the valid ones hold the number 1.5.
func malformedSamples() []malformedText {
	fine := strings.Repeat("1.5\n", 250)
	var out []malformedText
	for reason, line := range map[string]string{
		"a word": "oops", "a list": "[1.5]", "an object": `{"x": 1}`, "an object in a list": `[{"x": 1}]`, "an open list": "[1.5", "an open string": `"x`, "true": "true", "a string": `"1.5"`, "a bare NaN": "NaN", "a bare infinity": "Infinity",
		"minus": "-", "plus": "+1.5", "no zero": ".5", "a zero first": "01.5", "hexadecimal": "0x1p-2", "two values": "1.5 1.5", "a comma": "1.5,", "a comment": "# 1.5", "a large exponent": "1e999", "bytes": "\xff\xfe", "a zero byte": "1\x00", "half a rune": "\"\xc3\"",
		"single quotes": "'1.5'", "an empty list": "[]", "None": "None", "a tab within": "1\t5", "a byte order mark": "\uFEFF1.5", "nesting": strings.Repeat("[", 20_000), "a full-width digit": "１",
	} {
		out = append(out, malformedText{reason, ".jsonl", fine + line + "\n" + fine})
	}
	for reason, line := range map[string]string{
		"a word in a CSV": "oops", "two columns": "1.5,1.5", "an open quote": `"1.5`, "a quote within": `1"5`, "an empty field and another": ",", "a decimal comma": "1,5", "a unit": "1.5 m", "bytes in a CSV": "\xff\xfe", "two points": "1.5.2", "none": "NA", "a semicolon": "1.5;2",
		"a quote too many": `"1.5"x`, "null in a CSV": "null", "half a rune in a CSV": "\xc3", "a zero byte in a CSV": "1.5\x00",
	} {
		out = append(out, malformedText{reason, ".csv", fine + line + "\n" + fine})
	}
	for reason, text := range map[string]string{
		"empty": "", "blank": "\n\n\n", "cut off": fine + "[1", "carriage returns alone": strings.Repeat("1.5\r", 300), "one line": strings.Repeat("1.5 ", 300),
		"a JSON list of all": "[" + strings.Repeat("1.5,", 300) + "1.5]", "a long line": "\"" + strings.Repeat("x", 17<<20) + "\"", "zeros": strings.Repeat("\x00", 4096), "HTML": "<html>\n<body>404</body>\n</html>\n",
	} {
		out = append(out, malformedText{"as a whole " + reason, ".jsonl", text})
	}
	for reason, text := range map[string]string{"empty": "", "a header alone": "noise\n", "bytes": strings.Repeat("\xff\n", 300), "UTF-16": "\xff\xfe1\x00\n\x00", "an open quote to the end": "\"" + fine} {
		out = append(out, malformedText{"as a whole CSV " + reason, ".csv", text})
	}
	slices.SortFunc(out, func(a, b malformedText) int { return cmp.Compare(a.reason, b.reason) })
	return out
}

// malformedData returns data sets for training.
func malformedData() (out []malformedText) {
	for i, text := range []string{
		"", "\n\n", "hello\n", "1,2\n3\n", "1,2,1\nx,2,-1\n", "1,2,1\n1,nan,-1\n", "1,2,1\n1,inf,-1\n", "1,2,1\n1,1e999,-1\n", "1,2,1\n1,\"2,-1\n", "1,2,1\n1,,-1\n", "1,2,1\n3,4,1\n", "1,2,1\n3,4,2\n5,6,3\n", "1\n-1\n",
		"a,b,c\n", "\xff\xfe1\x00", "1,2,1\n1\x00,2,-1\n", "1;2;1\n3;4;-1\n", "<html></html>\n",
	} {
		out = append(out, malformedText{fmt.Sprintf("CSV %d %q", i, text), ".csv", text})
	}
	for i, text := range []string{
		"", "+1\n-1\n", "+1 1:2\n-1 x\n", "+1 1:2\n-1 1:\n", "+1 1:2\n-1 :1\n", "+1 1:2\n-1 0:1\n", "+1 1:2\n-1 2:1 1:1\n", "+1 1:2\n-1 1:1 1:2\n", "+1 1:2\n-1 1:nan\n", "+1 1:2\n-1 1:1e999\n", "+1 1:2\n-1 99999999999999999999:1\n", "+1 1:2\n-1 -1:1\n",
		"+1 1:2\nx 1:1\n", "+1 1:2\n+1 1:1\n", "+1 1:2\n-1 1:1:1\n", "+1 1:2\n-1 1.5:1\n", "\x00\n", "+1 2000000000:1\n-1 1:1\n",
	} {
		out = append(out, malformedText{fmt.Sprintf("LIBSVM %d %q", i, text), ".libsvm", text})
	}
	return out
}

// malformedEvents maps a reason to a description of events.
func malformedEvents() map[string]string {
	cases := map[string]string{
		"empty": "", "null": "null", "a word": "gaussian", "a number": "3", "an empty list": "[]", "a list of null": "[null]", "a list of numbers": "[1]", "an open list": "[{gaussian: {sigma: 1}}", "a list of lists": "[[]]",
		"an alias": "- &a {gaussian: {sigma: 1}}\n- *a\n", "a loop": "&a [*a]", "a second document": "- {gaussian: {sigma: 1}}\n---\n- {gaussian: {sigma: 1}}\n", "bytes": "\xff\xfe\x00", "deep": strings.Repeat("[", 20_000), "deep dashes": strings.Repeat("- ", 20_000) + "x",
		"an unknown adjacency": "adjacency: near\nevents: [{gaussian: {sigma: 1}}]", "an unknown key": "events: [{gaussian: {sigma: 1}}]\nmore: 1", "large": strings.Repeat("- {gaussian: {sigma: 1}}\n", 200_000), "HTML": "<html></html>",
	}
	for i, e := range []string{
		"{}", "{gaussian: {}}", "{gaussian: {sigma: 0}}", "{gaussian: {sigma: -1}}", "{gaussian: {sigma: .nan}}", "{gaussian: {sigma: .inf}}", "{gaussian: {sigma: one}}", "{gaussian: {sigma: [1]}}", "{gaussian: {scale: 1}}", "{gauss: {sigma: 1}}",
		"{gaussian: {sigma: 1, count: -1}}", "{gaussian: {sigma: 1, count: 1.5}}", "{gaussian: {sigma: 1, sensitivity: -1}}", "{gaussian: 1}", "{gaussian: {sigma: 1}, laplace: {scale: 1}}", "{laplace: {scale: -1}}", "{rr: {epsilon0: 1, categories: 1}}",
		"{rr: {epsilon0: -1}}", "{sgm: {noise-multiplier: 1, sampling-rate: 2}}", "{gaussian: {sigma: 1, sampling: often}}", "{gaussian: {sigma: 1, sampling: poisson}}", "{zcdp: {rho: -1}}", "{compose: {events: []}}", "{compose: {events: 3}}", "{schedule: {noise-multipliers: []}}",
	} {
		cases[fmt.Sprintf("event %d %s", i, e)] = "- " + e + "\n"
	}
	return cases
}

// malformedReplies returns the outputs of a process before it ends.
func malformedReplies() (out []malformedText) {
	for i, text := range []string{
		"", "\n", " \n", "\n\n\n", "hello\n", "null\n", "true\n", "3\n", "\"x\"\n", "[]\n", "[1, 2]\n", "{}\n", `{"outputs"` + "\n", `{"outputs":` + "\n", `{"outputs": [` + "\n", `{"outputs": [1,` + "\n", `{"outputs": [1` + "\n", `{"outputs": [1]` + "\n",
		`{"outputs": null}` + "\n", `{"outputs": 1}` + "\n", `{"outputs": "x"}` + "\n", `{"outputs": {}}` + "\n", `{"outputs": []}` + "\n", `{"outputs": [NaN]}` + "\n", `{"outputs": [Infinity]}` + "\n", `{"outputs": [1e999]}` + "\n", `{"outputs": [01]}` + "\n", `{"outputs": ['x']}` + "\n",
		`{'outputs': [1]}` + "\n", `{"Outputs": [1]}` + "\n", `{"output": [1]}` + "\n", `{"outputs": [1]} x` + "\n", `{"outputs": [1]}{"outputs": [1]}` + "\n", `{"outputs": [1]} }` + "\n", `{"outputs": [1], "outputs": [2]}` + "\n", `{"outputs": [{}]}` + "\n", `{"outputs": [[[{"a": 1}]]]}` + "\n", `{"outputs": [1,]}` + "\n",
		`{"outputs": [,1]}` + "\n", `{"outputs": [1 2]}` + "\n", `{outputs: [1]}` + "\n", `{"error": "no"}` + "\n", "\xff\xfe\n", "{\"outputs\": [\"\xff\"]}\n", "\x00\n", "\ufeff{\"outputs\": [1]}\n", `{"outputs": ["\x"]}` + "\n", `{"outputs": ["\ud"]}` + "\n", "Traceback (most recent call last):\n", "{\"outputs\": [1\n]}\n",
		`{"outputs": [` + strings.Repeat("[", 20_000) + "\n", `{"outputs": ` + strings.Repeat("1,", 2000) + "\n", strings.Repeat("{", 20_000) + "\n", `{"outputs": [1]}`, `{"outputs": [` + strings.TrimSuffix(strings.Repeat("1,", 2000), ",") + "]}\n", strings.Repeat("x", 1<<20) + "\n",
	} {
		out = append(out, malformedText{reason: fmt.Sprintf("%d: %.30q", i, text), text: text})
	}
	return out
}

// shardedClaim takes samples and some milliseconds: it is judged a hundred times.
const shardedClaim = "nonconvex/thm-6/utility/probability"

// shardFiles returns two shards of a run, and the checkpoint of the whole run.
func shardFiles(t *testing.T) (texts [3]string) {
	t.Helper()
	sampleShards.Do(func() {
		for i, flags := range [][]string{{"--shard", "1/2"}, {"--shard", "2/2"}, {"--shard", "1/1"}} {
			path := filepath.Join(t.TempDir(), "shard")
			if code, _, stderr := attempt(t, append([]string{"verify", shardedClaim, "--budget", "quick", "-o", path}, flags...)...); code != codeFine {
				t.Fatalf("a shard cannot be made: %d, %s", code, stderr)
			}
			shardTexts[i] = noted.ReplaceAllString(read(t, path), "")
		}
	})
	return shardTexts
}

var (
	sampleShards sync.Once
	shardTexts   [3]string
)

// noted matches the progress lines of a journal, which no report depends on.
var noted = regexp.MustCompile(`(?m)^.*"progress":.*\n`)

// entry returns a line of a journal with a valid checksum.
func entry(head, text string) string {
	return fmt.Sprintf("{\"entry\":%s,\"sum\":\"%08x\"}\n", text, crc32.ChecksumIEEE([]byte(head+text)))
}

// rehead changes the head; edited entries keep their checksums.
func rehead(change func(map[string]any)) func(string) string {
	return func(good string) string {
		head, rest, _ := strings.Cut(good, "\n")
		var fields map[string]any
		if err := json.Unmarshal([]byte(head), &fields); err != nil {
			panic(err)
		}
		change(fields)
		text, err := json.Marshal(fields)
		if err != nil {
			panic(err)
		}
		return string(text) + "\n" + rest
	}
}

func set(key string, value any) func(string) string {
	return rehead(func(m map[string]any) { m[key] = value })
}

// added appends lines with valid checksums.
func added(texts ...string) func(string) string {
	return func(good string) string {
		head, _, _ := strings.Cut(good, "\n")
		for _, text := range texts {
			good += entry(head, text)
		}
		return good
	}
}

// unread names the damage after which a file is useless or belongs to another run: it is rejected and left unchanged.
// A checkpoint recovers from all other damage.
var unread = map[string]bool{
	"blank": true, "another text": true, "bytes": true, "null": true, "a list": true, "an empty head": true, "a deep head": true,
	"a report": true, "without its head": true, "another schema": true, "another version": true, "another seed": true,
	"no seed": true, "another budget": true, "another alpha": true, "other claims": true, "another command": true, "shard 0": true,
	"shard 9": true, "of 0": true, "of very many": true, "of a word": true, "another plan": true, "prepared on two": true,
}

// unsaid names the damage that a kill can also cause before anything was stored.
var unsaid = map[string]bool{"empty": true, "cut in its head": true, "without the last line": true, "CRLF": true}

// whole names the damage that leaves a shard complete.
var whole = map[string]bool{
	"a line twice": true, "an empty line": true, "a line of text": true, "a line of bytes": true, "null for a line": true,
	"a line without sum": true, "CRLF": true, "a number entry": true, "a list entry": true, "an unknown claim": true,
	"a negative piece": true, "a piece too many": true, "enough of too many": true, "enough of less than 0": true,
	"enough of no claim": true, "a failure of none": true, "a failure of a piece": true, "prepared on a word": true,
	"a word for a piece": true,
}

var shardDamage = map[string]func(string) string{
	"empty":                 func(string) string { return "" },
	"blank":                 func(string) string { return "\n" },
	"another text":          func(string) string { return "dear diary\n" },
	"bytes":                 func(string) string { return "\xff\x00\n" },
	"null":                  func(string) string { return "null\n" },
	"a list":                func(string) string { return "[]\n" },
	"an empty head":         func(string) string { return "{}\n" },
	"a deep head":           func(string) string { return strings.Repeat("[", 20_000) + "\n" },
	"a report":              func(string) string { return `{"schema": "dpverify/report/v1"}` + "\n" },
	"cut in its last line":  func(s string) string { return s[:len(s)-5] },
	"cut in its head":       func(s string) string { return s[:20] },
	"without its head":      func(s string) string { _, rest, _ := strings.Cut(s, "\n"); return rest },
	"without the last line": func(s string) string { return s[:strings.LastIndex(strings.TrimSuffix(s, "\n"), "\n")+1] },
	"a digit changed":       func(s string) string { return strings.Replace(s, `"shard":0,"tally"`, `"shard":2,"tally"`, 1) },
	"a line twice":          func(s string) string { return s + s[strings.LastIndex(strings.TrimSuffix(s, "\n"), "\n")+1:] },
	"an empty line":         func(s string) string { return s + "\n" },
	"a line of text":        func(s string) string { return s + "oops\n" },
	"a line of bytes":       func(s string) string { return s + "\x00\xff\n" },
	"null for a line":       func(s string) string { return s + "null\n" },
	"a line without sum":    func(s string) string { return s + `{"entry": {}}` + "\n" },
	"CRLF":                  func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	"another schema":        set("schema", "dpverify/tallies/v9"),
	"another version":       set("version", "v9"),
	"another seed":          set("seed", "7"),
	"no seed":               set("seed", nil),
	"another budget":        set("budget", "standard"),
	"another alpha":         set("alpha", 0.5),
	"other claims":          set("claims", "00"),
	"another command":       set("command", []string{"report"}),
	"shard 0":               set("shard", 0),
	"shard 9":               set("shard", 9),
	"of 0":                  set("of", 0),
	"of very many":          set("of", int64(1<<40)),
	"of a word":             set("of", "two"),
	"a number entry":        added("3"),
	"a list entry":          added("[]"),
	"an unknown claim":      added(`{"claim":"no/such","shard":0,"tally":[]}`),
	"a negative piece":      added(`{"claim":"` + shardedClaim + `","shard":-1,"tally":[]}`),
	"a piece too many":      added(`{"claim":"` + shardedClaim + `","shard":1000000,"tally":[]}`),
	"another plan":          added(`{"claim":"` + shardedClaim + `","plan":{"shards":3,"samples":4}}`),
	"enough of too many":    added(`{"claim":"` + shardedClaim + `","enough":1000000}`),
	"enough of less than 0": added(`{"claim":"` + shardedClaim + `","enough":-1}`),
	"enough of no claim":    added(`{"claim":"no/such","enough":1}`),
	"a failure of none":     added(`{"claim":"` + shardedClaim + `","shard":1000000,"failure":"x"}`),
	"a failure of a piece":  added(`{"claim":"` + shardedClaim + `","shard":0,"failure":"x"}`),
	"prepared on a word":    added(`{"claim":"` + shardedClaim + `","prepared":"x"}`),
	"prepared on two":       added(`{"claim":"x/y","prepared":{"digest":"1"}}`, `{"claim":"x/y","prepared":{"digest":"2"}}`),
	"a word for a piece":    added(`{"claim":"` + shardedClaim + `","shard":"x"}`),
}
