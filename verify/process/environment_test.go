//go:build unix

package process

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
)

// A process inherits the named variables with their values, and the variable by which dpverify finds it.
func TestEnvironment(t *testing.T) {
	t.Setenv("DPVERIFY_TEST_SECRET", "a=b")
	t.Setenv("DPVERIFY_TEST_EMPTY", "")
	dir := t.TempDir()
	for _, c := range []struct {
		names []string
		want  []string
	}{
		{[]string{}, nil},
		{[]string{"DPVERIFY_TEST_SECRET"}, []string{"DPVERIFY_TEST_SECRET=a=b"}},
		{[]string{"DPVERIFY_TEST_EMPTY", "DPVERIFY_TEST_UNSET"}, []string{"DPVERIFY_TEST_EMPTY="}},
		{[]string{"DPVERIFY_TEST", "PWD"}, []string{"PWD=" + dir}},
	} {
		p := helperProcess(t, "tells its environment")
		p.Dir, p.Env = dir, c.names
		got := inherited(t, p)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: inherited %d variables, want %q", c.names, len(got), c.want)
		}
	}
	all := inherited(t, helperProcess(t, "tells its environment"))
	for _, want := range []string{"DPVERIFY_TEST_SECRET=a=b", "DPVERIFY_TEST_EMPTY="} {
		if !slices.Contains(all, want) {
			t.Errorf("by default %d variables are inherited, without %q", len(all), want)
		}
	}
}

// inherited returns the environment of a process without the variables that every helper process has.
func inherited(t *testing.T, p *Process) []string {
	t.Helper()
	out, err := p.Release(empirical.NewSeed(1).Rand(), json.RawMessage("0"))
	if err != nil {
		t.Fatal(err)
	}
	variables := strings.Split(out.(string), "\n")
	marked := func(v string) bool { return strings.HasPrefix(v, markVariable+"=") }
	if !slices.ContainsFunc(variables, marked) {
		t.Errorf("the process cannot be found by its environment: none of its %d variables marks it", len(variables))
	}
	return slices.DeleteFunc(variables, func(v string) bool {
		return marked(v) || strings.HasPrefix(v, helperMode+"=")
	})
}

func TestNamesOfVariables(t *testing.T) {
	for _, names := range [][]string{nil, {}, {"PATH"}, {"PATH", "path", "A B"}} {
		if err := CheckNames(names); err != nil {
			t.Errorf("%q: %v", names, err)
		}
	}
	for want, names := range map[string][]string{
		"name 2 is empty: want the names of variables, as in [PATH, HOME]":              {"PATH", ""},
		`"A=b=c" holds a =: want only the name "A"; the command gets the current value`: {"A=b=c"},
		`"A\x00" holds a zero byte: want the names of variables, as in [PATH, HOME]`:    {"A\x00"},
		`"PATH" is given twice`: {"PATH", "HOME", "PATH"},
	} {
		p := Process{Command: []string{"cat"}, Env: names}
		if err := p.Check(); err == nil || err.Error() != "environment: "+want {
			t.Errorf("%q: %v, want the error %q", names, err, want)
		}
	}
}
