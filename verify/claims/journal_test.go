package claims

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/checkpoint"
	"github.com/dpverify/dpverify/verify/mean"
)

// journalled lists one claim for each kind of tally: counts, means, moments, and no samples.
var journalled = []string{"prestige/prop-1/sampled", lemma2Corrected, "prestige/thm-1/corrected", "prestige/eq-30"}

// lemma2Corrected is the id of a claim with many cells; journalClaims replaces its check by two small cells.
const lemma2Corrected = "prestige/lemma-2/corrected"

func twoCells(t *testing.T) verify.Check {
	t.Helper()
	u := mean.Unbiased{Claimed: 1, Effect: 0.25}
	for _, d := range []int{2, 3} {
		const bound = 2
		m, err := mechanism.NewPrivateSampling(d, 1, 1, bound)
		if err != nil {
			t.Fatal(err)
		}
		target := make([]float64, d)
		target[0] = 1
		u.Cells = append(u.Cells, mean.UnbiasedCell{Place: fmt.Sprintf("d=%d", d), Target: target, Bound: bound, Samples: 400_000,
			Sample: func(r *rand.Rand, dst []float64) error { return m.Sample(r, target, dst) }})
	}
	return u
}

// small limits a trial to an eighth of its samples.
type small struct{ verify.Trial }

func (f small) Plan() empirical.Plan {
	p := f.Trial.Plan()
	p.SamplesPerShard = max(1, p.SamplesPerShard/8)
	return p
}

// journalClaims returns the claims that match the patterns, each with an eighth of its samples.
func journalClaims(t *testing.T, patterns []string) (*verify.Ledger, []verify.Claim) {
	t.Helper()
	l := ledger(t)
	chosen, err := l.Select(patterns...)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range chosen {
		check := c.Check
		if c.ID == lemma2Corrected {
			check = twoCells(t)
		}
		chosen[i].Check = verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
			trial, err := check.Prepare(ctx, s)
			if err != nil || trial == nil {
				return nil, err
			}
			return small{trial}, nil
		})
	}
	return l, chosen
}

// sample runs the journalled claims with a checkpoint file at path, or without one if path is empty.
func sample(t *testing.T, ctx context.Context, path string, seed uint64, shard, of int, progress func(verify.Progress)) (verify.Run, error) {
	t.Helper()
	l, chosen := journalClaims(t, journalled)
	o := options(seed, 2)
	o.Progress = progress
	if path != "" {
		head := checkpoint.NewHead("v0", journalled, chosen, o)
		head.Shard, head.Total = shard, of
		j, err := checkpoint.Open(path, head)
		if err != nil {
			return verify.Run{}, err
		}
		o.Checkpoint = j
	}
	run, err := l.Run(ctx, chosen, o)
	if o.Checkpoint != nil {
		err = errors.Join(err, o.Checkpoint.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return run, nil
}

func sameResults(t *testing.T, got, want verify.Run) {
	t.Helper()
	if len(got.Results) != len(want.Results) {
		t.Fatalf("%d results, want %d", len(got.Results), len(want.Results))
	}
	for i, r := range got.Results {
		if w := want.Results[i]; r.Verdict != w.Verdict || !sameFigures(r.Evidence, w.Evidence) {
			t.Errorf("%s: %s %+v, want %s %+v", r.Claim.ID, r.Verdict, r.Measured, w.Verdict, w.Measured)
		}
	}
}

func TestJournal(t *testing.T) {
	whole, err := sample(t, context.Background(), "", 1, 1, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()

	t.Run("resumed", func(t *testing.T) {
		path := filepath.Join(dir, "checkpoint")
		ctx, kill := context.WithCancel(context.Background())
		pieces := 0
		run, err := sample(t, ctx, path, 1, 1, 1, func(p verify.Progress) {
			if pieces++; pieces == 20 {
				kill()
			}
		})
		if err != nil || !run.Interrupted {
			t.Fatalf("interrupted %v, error %v", run.Interrupted, err)
		}
		// Cut off the last line, as if the process had died while writing it.
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data[:len(data)-7], 0o666); err != nil {
			t.Fatal(err)
		}
		run, err = sample(t, context.Background(), path, 1, 1, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		sameResults(t, run, whole)
		if _, err := sample(t, context.Background(), path, 2, 1, 1, nil); err == nil || !strings.Contains(err.Error(), "seed") {
			t.Errorf("different seed: error %v, want one about the seed", err)
		}
	})

	var files []string
	for shard := 1; shard <= 3; shard++ {
		path := filepath.Join(dir, fmt.Sprint("shard", shard))
		if _, err := sample(t, context.Background(), path, 1, shard, 3, nil); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	t.Run("merged", func(t *testing.T) {
		j, head, err := checkpoint.Merge([]string{files[2], files[0], files[1]})
		if err != nil {
			t.Fatal(err)
		}
		l, chosen := journalClaims(t, head.Command)
		o := options(head.Seed, 2)
		o.Checkpoint = j
		run, err := l.Run(context.Background(), chosen, o)
		if err != nil {
			t.Fatal(err)
		}
		sameResults(t, run, whole)
	})

	t.Run("refused", func(t *testing.T) {
		read := func(path string) string {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		write := func(name, text string) string {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			return path
		}
		third := read(files[2])
		lines := strings.SplitAfter(third, "\n")
		for _, c := range []struct {
			reason, want string
			paths        []string
		}{
			{"no files", "no files", nil},
			{"the first file gone", "shard 1 of 3", files[1:]},
			{"a gap", "shard 2 of 3", []string{files[0], files[2]}},
			{"the last file gone", "shard 3 of 3", files[:2]},
			{"a shard twice", "and so is", []string{files[0], files[1], files[0]}},
			{"a file cut off", "cut off", []string{files[0], files[1], write("cut", third[:len(third)-3])}},
			{"a missing piece", "missing", []string{files[0], files[1], write("short", strings.Join(lines[:len(lines)-2], ""))}},
			{"a changed figure", "sum", []string{files[0], files[1], write("changed", strings.Replace(third, `"shard":2,"tally":[`, `"shard":5,"tally":[`, 1))}},
			{"not a journal", "no journal", []string{write("foreign", "hello\n")}},
			{"another version", "version", []string{files[0], write("version", strings.Replace(read(files[1]), `"v0"`, `"v1"`, 1))}},
		} {
			t.Run(c.reason, func(t *testing.T) {
				_, _, err := checkpoint.Merge(c.paths)
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want one about %q", err, c.want)
				}
			})
		}
		// Merge uses a repeated piece once and reports it.
		j, _, err := checkpoint.Merge([]string{files[0], files[1], write("twice", third+lines[len(lines)-2])})
		if err != nil || len(j.Flaws()) != 1 || !strings.Contains(j.Flaws()[0].Error(), "twice") {
			t.Errorf("repeated piece: error %v and flaws %v, want one flaw that contains \"twice\"", err, j.Flaws())
		}
	})
}
