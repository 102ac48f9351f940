package claimsfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is wrong is named with its line and column, and with what is wanted.
func TestMessages(t *testing.T) {
	account := func(text string) string { return "claims:\n- {name: x, guarantee: {mu: 1}, account: {" + text + "}}\n" }
	for _, c := range []struct{ reason, text, want string }{
		{"a key that no file of an account has", account("file: release.yaml, sigma: 2"),
			`2:63: unknown key "sigma"; there are file, adjacency, sampling`},
		{"a misspelt key of an account", account("file: release.yaml, adjacncy: any"), `2:63: unknown key "adjacncy"; did you mean adjacency?`},
		{"a number for a file", account("file: 3"), `2:49: the number 3 stands where the file of an account, as in release.yaml, is wanted`},
		{"no file", account("file: ''"), `2:49: the word "" stands where the file of an account`},
		{"a number for a sampling", account("file: release.yaml, sampling: 1"), `2:73: the number 1 stands where fixed or poisson is wanted`},
		{"a number of no account", "claims:\n- {name: x, recorded: {a: a, b: b}, guarantee: {mu: 1}, states: {mu: 1}}\n",
			`2:65: claim "x" states a number of no account: describe what is released under account`},
	} {
		_, _, err := ParseClaims("claims.yaml", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), "claims.yaml:"+c.want) {
			t.Errorf("%s: %v, want claims.yaml:%s", c.reason, err, c.want)
		}
	}
}

// So is what is wrong with the description of a training; of a key that is missing, the file.
func TestTrainingMessages(t *testing.T) {
	const head = "algorithm: localsgd\nepsilon-per-pass: 1\nepochs: 1\ndata: a.csv\n"
	for _, c := range []struct{ reason, text, want string }{
		{"a δ of 1", head + "guarantee: {epsilon: 1, delta: 1}\n", "5:32: delta 1: want one from 0, and below 1"},
		{"an ε below 0", head + "guarantee: {epsilon: -1, delta: 0}\n", "5:22: epsilon -1: want one from 0"},
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
