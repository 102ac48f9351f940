package experiment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

// panel returns a panel with the given units.
func panel(name string, units ...Unit) Panel {
	return Panel{Name: name, Title: name, Start: func(context.Context, Options) (Task, error) {
		return Task{XLabel: "x", YLabel: "y", Repeats: 5, Units: units}, nil
	}}
}

func experiment(panels ...Panel) Experiment {
	return Experiment{About: result.About{Name: "example/all"}, Panels: func(Options) ([]Panel, error) { return panels, nil }}
}

// noise returns, at each x, one number from the unit's stream and one from the shared stream.
func noise(series string, x ...float64) Unit {
	return Unit{Series: series, X: x, Aside: 1, Run: func(_ context.Context, d Draw) ([]float64, error) {
		var values []float64
		for range x {
			values = append(values, d.Rand.Float64())
		}
		return append(values, d.Shared.Float64()), nil
	}}
}

func fails(ctx context.Context, d Draw) ([]float64, error) {
	if d.Repeat == 2 {
		return nil, errors.New("broken")
	}
	return []float64{1}, nil
}

func TestStreams(t *testing.T) {
	var outcomes []Outcome
	p := Panel{Name: "example/all", Start: func(context.Context, Options) (Task, error) {
		return Task{XLabel: "x", YLabel: "y", Repeats: 3, Units: []Unit{noise("a", 1), noise("a", 2), noise("b", 1)},
			Finish: func(_ *result.Result, o []Outcome) error { outcomes = o; return nil }}, nil
	}}
	if _, err := experiment(p).Run(context.Background(), Options{}); err != nil {
		t.Fatal(err)
	}
	seen := make(map[float64]bool)
	for _, o := range outcomes {
		for _, x := range o.Over(0) {
			if seen[x] {
				t.Errorf("%s draws %v, which was drawn before", o.Unit.key(), x)
			}
			seen[x] = true
		}
		if diff := cmp.Diff(outcomes[0].Over(1), o.Over(1)); diff != "" {
			t.Errorf("%s has another shared stream: %s", o.Unit.key(), diff)
		}
	}
}

// One panel lacks its data, one fails, and one panics at its start. Each reports its problem, and the others run.
func TestPanelsStandAlone(t *testing.T) {
	start := func(f func() (Task, error)) func(context.Context, Options) (Task, error) {
		return func(context.Context, Options) (Task, error) { return f() }
	}
	e := experiment(
		Panel{Name: "absent", Start: start(func() (Task, error) { return Task{}, fmt.Errorf("no file a7a.gz: %w", fs.ErrNotExist) })},
		panel("broken", Unit{Series: "s", X: []float64{1}, Run: fails}),
		panel("panics", Unit{Series: "s", X: []float64{1}, Run: func(context.Context, Draw) ([]float64, error) { panic("at a part") }}),
		Panel{Name: "start panics", Start: start(func() (Task, error) { panic("at the start") })},
		panel("wrong number", Unit{Series: "s", X: []float64{1, 2}, Run: fails}),
		panel("twice", noise("s", 1), noise("s", 1)),
		panel("fine", noise("s", 1, 2), noise("s", 3)),
	)
	for _, workers := range []int{1, 3} {
		results, err := e.Run(context.Background(), Options{Pool: empirical.NewPool(workers)})
		want := []struct {
			state  result.State
			reason string
		}{
			{result.NotRun, "a7a.gz"}, {result.Failed, "s at 1, repeat 3: broken"}, {result.Failed, "at a part"}, {result.Failed, "at the start"},
			{result.Failed, "values, want 2"}, {result.Failed, "two units"}, {result.Finished, ""},
		}
		for i, w := range want {
			if r := results[i]; r.State != w.state || !strings.Contains(r.Reason, w.reason) {
				t.Errorf("%s: %s, %q, want %s, %q", r.Name, r.State, r.Reason, w.state, w.reason)
			}
		}
		if err == nil || !strings.Contains(err.Error(), "broken: s at 1") || strings.Contains(err.Error(), "a7a") {
			t.Errorf("error %v, want one that names what failed", err)
		}
		if s := results[len(results)-1].Series; len(s) != 1 || len(s[0].X) != 3 {
			t.Errorf("series %+v, want one of three points", s)
		}
	}
}

func TestProgressAndInterruption(t *testing.T) {
	e := experiment(panel("one", noise("s", 1), noise("s", 2)), panel("two", noise("s", 1)))
	last := 0.0
	o := Options{Pool: empirical.NewPool(2), Progress: func(p Progress) {
		if p.Share() < last {
			t.Errorf("progress went from %v to %v", last, p.Share())
		}
		last = p.Share()
	}}
	if _, err := e.Run(context.Background(), o); err != nil || last != 1 {
		t.Errorf("ends at %v: %v", last, err)
	}

	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("interrupted")
	o.Pool = empirical.NewPool(1)
	o.Progress = func(p Progress) {
		if p.Done == 4 {
			cancel(stop)
		}
	}
	results, err := e.Run(ctx, o)
	if !errors.Is(err, stop) || results[0].State != result.Partial || results[1].State != result.NotRun {
		t.Fatalf("%v, %+v", err, results)
	}
	// The first repeats of all units run before the second repeats.
	for i, n := range results[0].Series[0].N {
		if n != 2 {
			t.Errorf("x = %v has %d repeats after 4 parts of two units", results[0].Series[0].X[i], n)
		}
	}
}

func TestUnheededOptionsAreRefused(t *testing.T) {
	_, err := experiment(panel("p", noise("s", 1))).Run(context.Background(), Options{Lambda: 1})
	var input *InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "takes no --lambda") {
		t.Errorf("error %v", err)
	}
}

// odd returns a number with many digits and a number that JSON cannot represent, and counts its calls.
func odd(n *int) Unit {
	return Unit{Series: "odd", X: []float64{0, 1}, Run: func(_ context.Context, d Draw) ([]float64, error) {
		*n++
		return []float64{1 / float64(1+d.Repeat) / 3, 1 / (float64(d.Repeat) * 0)}, nil
	}}
}

// A run that is interrupted repeatedly, with any number of workers, gives the results of an uninterrupted run and
// does no part twice.
func TestResumeEqualsUninterrupted(t *testing.T) {
	runs := 0
	e := experiment(panel("one", noise("a", 1), noise("a", 2), odd(&runs)), panel("two", noise("b", 1, 2, 3)))
	want, err := e.Run(context.Background(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	runs = 0
	file := filepath.Join(t.TempDir(), "kept")
	for attempt := range 100 {
		ctx, cancel := context.WithCancel(context.Background())
		parts := 0
		o := Options{Checkpoint: file, Pool: empirical.NewPool(1), Progress: func(Progress) {
			if parts++; parts == 3 {
				cancel()
			}
		}}
		got, err := e.Run(ctx, o)
		cancel()
		if err != nil {
			// A killed process can leave an incomplete last line.
			tear(t, file, attempt)
			continue
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Error(diff)
		}
		if attempt < 3 || runs < 5 || runs > 5+attempt {
			t.Errorf("%d attempts, %d runs of a unit with 5 repeats", attempt, runs)
		}
		return
	}
	t.Error("never finished")
}

// tear removes or adds bytes at the end of a file, like an interrupted write.
func tear(t *testing.T, file string, attempt int) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if attempt%2 == 0 {
		data = append(data, `{"panel":"one","un`...)
	} else {
		data = data[:len(data)-7]
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
