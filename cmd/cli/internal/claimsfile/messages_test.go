package claimsfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Errors name line and column and the wanted value.
func TestMessages(t *testing.T) {
	account := func(text string) string { return "claims:\n- {name: x, guarantee: {mu: 1}, account: {" + text + "}}\n" }
	for _, c := range []struct{ reason, text, want string }{
		{"an unknown key of an account's file", account("file: release.yaml, sigma: 2"),
			`2:63: unknown key "sigma"; there are file, adjacency, sampling`},
		{"a misspelt key of an account", account("file: release.yaml, adjacncy: any"), `2:63: unknown key "adjacncy"; did you mean adjacency?`},
		{"a number for a file", account("file: 3"), `2:49: got the number 3, want the file of an account, as in release.yaml`},
		{"no file", account("file: ''"), `2:49: got the word "", want the file of an account`},
		{"a number for a sampling", account("file: release.yaml, sampling: 1"), `2:73: got the number 1, want fixed or poisson`},
		{"a reported value without an account", "claims:\n- {name: x, recorded: {a: a, b: b}, guarantee: {mu: 1}, states: {mu: 1}}\n",
			`2:65: claim "x" states a number but has no account: describe the release under account`},
		{"a command line for a list", "claims:\n- {name: x, exec: python3 mechanism.py 1}\n",
			`2:19: got the word "python3 mechanism.py 1", want a list, as in [python3, mechanism.py, 1]`},
	} {
		_, _, err := ParseClaims("claims.yaml", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), "claims.yaml:"+c.want) {
			t.Errorf("%s: %v, want claims.yaml:%s", c.reason, err, c.want)
		}
	}
}

// Errors in a training file name line and column, or only the file if a key is missing.
func TestTrainingMessages(t *testing.T) {
	const head = "algorithm: localsgd\nepsilon-per-pass: 1\nepochs: 1\ndata: a.csv\n"
	for _, c := range []struct{ reason, text, want string }{
		{"a δ of 1", head + "guarantee: {epsilon: 1, delta: 1}\n", "5:32: delta 1: want a number of at least 0 and below 1"},
		{"an ε below 0", head + "guarantee: {epsilon: -1, delta: 0}\n", "5:22: epsilon -1: want a number of at least 0"},
		{"a key of another algorithm", head + "batch: 3\n", "5:8: localsgd has no batch: it has epsilon-per-pass, epochs"},
		{"a missing key", "algorithm: localsgd\nepochs: 1\n", " localsgd needs epsilon-per-pass: it has epsilon-per-pass, epochs"},
	} {
		path := filepath.Join(t.TempDir(), "train.yaml")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := ReadTraining(path)
		if err == nil {
			_, err = f.Subject("")
		}
		if err == nil || !strings.HasPrefix(err.Error(), path+":"+c.want) {
			t.Errorf("%s: %v, want %s:%s", c.reason, err, path, c.want)
		}
	}
}
