package empirical

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"
)

// walk counts coin flips. Its shards fail on request.
type walk struct {
	shards int
	fail   map[int]func(context.Context) error
	enough int64 // Done once this many samples are merged; 0 never
}

func (w walk) Plan() Plan      { return Plan{Shards: w.shards, SamplesPerShard: 100} }
func (w walk) NewTally() Tally { return make(Counts, 2) }
func (w walk) Sample(ctx context.Context, s Shard) (Tally, error) {
	if f := w.fail[s.Index]; f != nil {
		if err := f(ctx); err != nil {
			return nil, err
		}
	}
	r, c := s.Seed.Rand(), make(Counts, 2)
	for range s.Samples {
		c[r.IntN(2)]++
	}
	return c, nil
}

type stopping struct{ walk }

func (s stopping) Done(t Tally) bool { return t.(Counts)[0]+t.(Counts)[1] >= s.enough }

func TestRunIsTheSameAtAnyNumberOfWorkers(t *testing.T) {
	for _, e := range []Experiment{walk{shards: 40}, walk{shards: 1}, walk{}, stopping{walk{shards: 40, enough: 700}}} {
		var want string
		for _, workers := range []int{1, 2, 7} {
			got, err := Run(context.Background(), e, Options{Seed: NewSeed(1), Pool: NewPool(workers)})
			if err != nil {
				t.Fatalf("%T on %d workers: %v", e, workers, err)
			}
			text, _ := json.Marshal(got)
			if want == "" {
				want = string(text)
			}
			if string(text) != want {
				t.Errorf("%T: %s on %d workers, %s on one", e, text, workers, want)
			}
		}
	}
}

func TestRunStopsWhenItHasEnough(t *testing.T) {
	got, err := Run(context.Background(), stopping{walk{shards: 1000, enough: 700}}, Options{Pool: NewPool(3)})
	if err != nil {
		t.Fatal(err)
	}
	if c := got.(Counts); c[0]+c[1] != 700 {
		t.Errorf("merged %d samples, want exactly the 700 at which it had enough", c[0]+c[1])
	}
}

func TestRunReportsTheFirstFailingShard(t *testing.T) {
	boom := errors.New("boom")
	fails := map[int]func(context.Context) error{
		3: func(context.Context) error { time.Sleep(20 * time.Millisecond); return boom },
		4: func(context.Context) error { return errors.New("later") },
		9: func(context.Context) error { panic("never seen") },
	}
	for _, workers := range []int{1, 2, 7} {
		_, err := Run(context.Background(), walk{shards: 20, fail: fails}, Options{Pool: NewPool(workers)})
		if !errors.Is(err, boom) || err.Error() != "shard 4 of 20: boom" {
			t.Errorf("%d workers: %v, want the failure of shard 4", workers, err)
		}
	}
}

func TestRunCatchesPanics(t *testing.T) {
	fails := map[int]func(context.Context) error{2: func(context.Context) error { panic("index out of range") }}
	_, err := Run(context.Background(), walk{shards: 5, fail: fails}, Options{Pool: NewPool(2)})
	var p *PanicError
	if !errors.As(err, &p) || err.Error() != "shard 3 of 5: panic: index out of range" || len(p.Stack) == 0 {
		t.Errorf("got %v, want the panic as an error with its stack kept apart", err)
	}
}

func TestRunEndsWhenAShardHangs(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	fails := map[int]func(context.Context) error{1: func(context.Context) error { <-hang; return nil }}
	pool := NewPool(2)
	cause := errors.New("timeout of 50ms reached")
	ctx, cancel := context.WithTimeoutCause(context.Background(), 50*time.Millisecond, cause)
	defer cancel()
	if _, err := Run(ctx, walk{shards: 50, fail: fails}, Options{Pool: pool}); !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause of the cancellation", err)
	}
	if _, err := Run(context.Background(), walk{shards: 50}, Options{Pool: pool}); err != nil {
		t.Errorf("the pool is not usable after a hanging shard: %v", err)
	}
}

func TestSeedsAreApart(t *testing.T) {
	root := NewSeed(1)
	seen := map[Seed]string{root: "root"}
	add := func(s Seed, name string) {
		if other, ok := seen[s]; ok {
			t.Errorf("%s and %s share a seed", name, other)
		}
		seen[s] = name
	}
	add(NewSeed(2), "root 2")
	add(root.Derive("ab", "c"), "ab/c")
	add(root.Derive("a", "bc"), "a/bc")
	add(root.Derive("abc"), "abc")
	add(root.Derive(), "no label")
	for i := range 100 {
		add(root.Shard(i), fmt.Sprint("shard ", i))
	}
	if a, b := root.Rand().Uint64(), root.Rand().Uint64(); a != b {
		t.Error("a seed gives two different streams")
	}
}

func TestParseSeed(t *testing.T) {
	for _, bad := range []string{"", "-1", "1.5", "x", "18446744073709551616"} {
		if _, err := ParseSeed(bad); err == nil {
			t.Errorf("ParseSeed(%q) succeeded", bad)
		}
	}
	if n, err := ParseSeed("7"); n != 7 || err != nil {
		t.Errorf("ParseSeed(7) = %d, %v", n, err)
	}
	if n, err := ParseSeed("0"); n == 0 || err != nil {
		t.Errorf("ParseSeed(0) = %d, %v: want a drawn number", n, err)
	}
}

func TestTalliesSurviveJSON(t *testing.T) {
	in := Tallies{Counts{1, 2}, Tallies{Counts{3}}}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	out := Tallies{make(Counts, 2), Tallies{make(Counts, 1)}}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(out); string(again) != string(text) {
		t.Errorf("%s became %s", text, again)
	}
	for _, bad := range []string{`[[1,2]]`, `[[1],[[3]]]`, `[[1,-2],[[3]]]`, `{}`} {
		if err := json.Unmarshal([]byte(bad), &out); err == nil {
			t.Errorf("%s was read as a tally of another shape", bad)
		}
	}
	if err := in.Merge(Tallies{Counts{1}, Counts{2}}); err == nil {
		t.Error("tallies of different shapes were merged")
	}
}

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		if _, err := Run(context.Background(), walk{shards: 64}, Options{Pool: NewPool(2)}); err != nil {
			b.Fatal(err)
		}
	}
}
