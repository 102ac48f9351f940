package experiment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
)

// A checkpoint of another run is rejected and not changed. Damaged parts are reported and repeated, with the
// results of an undisturbed run; undamaged parts are used.
func TestForeignAndDamagedCheckpoints(t *testing.T) {
	e := experiment(panel("one", noise("a", 1), noise("a", 2)))
	made := filepath.Join(t.TempDir(), "made")
	undisturbed, err := e.Run(context.Background(), Options{Checkpoint: made})
	if err != nil {
		t.Fatal(err)
	}
	good := read(t, made)
	second := filepath.Join(t.TempDir(), "second")
	if _, err := e.Run(context.Background(), Options{Checkpoint: second, Seed: empirical.NewSeed(2)}); err != nil {
		t.Fatal(err)
	}
	_, foreign, _ := strings.Cut(read(t, second), "\n")
	lines := strings.SplitAfter(good, "\n")
	other := e
	other.Name = "example/other"
	cases := []struct {
		reason, says string
		damaged      bool
		text         string
		e            Experiment
		o            Options
	}{
		{reason: "some other file", says: "no journal", text: "dear diary,\n"},
		{reason: "some other file without an end", says: "no journal", text: "dear diary"},
		{reason: "another JSON", says: "no checkpoint", text: "{}\n"},
		{reason: "another experiment", says: "belongs to example/all", text: good, e: other},
		{reason: "another seed", says: "--seed", text: good, o: Options{Seed: empirical.NewSeed(2)}},
		{reason: "another budget", says: "other options", text: good, o: Options{Budget: empirical.Quick}},
		{reason: "another program", says: "another build", text: good, o: Options{Build: "9"}},
		{reason: "other points", says: "other points", text: good, e: experiment(panel("one", noise("a", 1), noise("a", 3)))},
		{reason: "another number of values", says: "other points", text: good, e: experiment(panel("one", noise("a", 1, 4), noise("a", 2)))},
		{reason: "cut in the middle of a line", says: "line 4: is damaged", damaged: true, text: strings.Join(lines[:3], "") + lines[3][:20] + "\n" + strings.Join(lines[4:], "")},
		{reason: "without its head", says: "no checkpoint", text: strings.Join(lines[1:], "")},
		{reason: "a part without its panel", says: "line 2 (one, a at 1, repeat 1): a part of one stands before its plan", damaged: true, text: lines[0] + strings.Join(lines[2:], "")},
		{reason: "a digit changed", says: "line 3 (one, a at 1, repeat 1): is damaged", damaged: true, text: strings.Join(lines[:2], "") + strings.Replace(lines[2], `"values":"0.`, `"values":"1.`, 1) + strings.Join(lines[3:], "")},
		{reason: "parts of a run with another seed", says: "none of its", text: lines[0] + foreign},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			c.o.Checkpoint = filepath.Join(t.TempDir(), "kept")
			if err := os.WriteFile(c.o.Checkpoint, []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
			if c.e.Panels == nil {
				c.e = e
			}
			var flaws []error
			c.o.Flaw = func(flaw error) { flaws = append(flaws, flaw) }
			got, err := c.e.Run(context.Background(), c.o)
			if after := read(t, c.o.Checkpoint); c.damaged {
				said := errors.Join(flaws...)
				if err != nil || said == nil || !strings.Contains(said.Error(), c.says) {
					t.Errorf("error %v, flaws %v, want one that says %q", err, said, c.says)
				}
				if !strings.HasPrefix(after, c.text) || !reflect.DeepEqual(got, undisturbed) {
					t.Errorf("the results are %+v, want %+v", got, undisturbed)
				}
				return
			}
			var input *InputError
			if !errors.As(err, &input) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
			if after := read(t, c.o.Checkpoint); after != c.text {
				t.Errorf("the file was changed to %q", after)
			}
		})
	}
}

// A run with more repeats continues a run with fewer.
func TestCheckpointGrows(t *testing.T) {
	runs := 0
	e := experiment(panel("one", odd(&runs)))
	file := filepath.Join(t.TempDir(), "kept")
	for _, repeats := range []int{2, 6, 3} {
		if _, err := e.Run(context.Background(), Options{Checkpoint: file, Repeats: repeats}); err != nil {
			t.Fatal(err)
		}
	}
	if runs != 6 {
		t.Errorf("%d runs, want 6", runs)
	}
}

func TestCheckpointThatCannotBeMade(t *testing.T) {
	e := experiment(panel("one", noise("a", 1)))
	_, err := e.Run(context.Background(), Options{Checkpoint: filepath.Join(t.TempDir(), "nowhere", "kept")})
	var input *InputError
	if !errors.As(err, &input) {
		t.Errorf("error %v", err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
