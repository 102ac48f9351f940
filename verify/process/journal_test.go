//go:build unix

package process

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/checkpoint"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
	"github.com/dpverify/dpverify/verify/privacy"
)

// auditOf returns an audit of the helper process: Gaussian noise of standard deviation 4, inputs at distance 1.
func auditOf(t *testing.T, mode string, g privacy.Guarantee, anytime bool) verify.Check {
	p := helperProcess(t, mode)
	return Check{Process: p, Check: privacy.Audit[json.RawMessage, any]{
		Mechanism: p, Guarantee: g, Samples: 60_000, Anytime: anytime,
		Pairs: []inputs.Pair[json.RawMessage]{{Name: "0 and 1", A: json.RawMessage("0"), B: json.RawMessage("1")}},
	}}
}

var (
	trueClaim  = privacy.ApproximateDP(2, 1e-3)
	falseClaim = privacy.ApproximateDP(0.02, 1e-5) // an event of probability 1/2 refutes it
)

// Merged shards of an audit of a seeded process have the evidence of the whole run, and their files hold no outputs.
func TestProcessShards(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reason        string
		g             privacy.Guarantee
		anytime, long bool // long: only if long tests are requested
	}{
		{"true", trueClaim, false, false}, {"false", falseClaim, false, true}, {"true, by betting", trueClaim, true, true}, {"false, by betting", falseClaim, true, false},
	} {
		if c.long && !testutil.Asked() {
			continue
		}
		t.Run(c.reason, func(t *testing.T) {
			want := verifytest.WholeRun(t, auditOf(t, "good", c.g, c.anytime))
			if (want.Verdict == verify.Refuted) != (c.g == falseClaim) {
				t.Errorf("the whole run is %s", want.Verdict)
			}
			dir := t.TempDir()
			var files []string
			for shard := range 3 {
				path := filepath.Join(dir, fmt.Sprint(shard))
				files = append(files, path)
				verifytest.MustRun(t, verifytest.Journalled{Path: path, Shard: shard + 1, Of: 3}, auditOf(t, "good", c.g, c.anytime))
				if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), `"replies"`) || !strings.Contains(string(text), `"digest"`) {
					t.Errorf("error %v, or the file holds outputs of a seeded process, or no digest of them", err)
				}
			}
			got, err := verifytest.MergeRun(t, auditOf(t, "good", c.g, c.anytime), files...)
			if err != nil {
				t.Fatal(err)
			}
			verifytest.SameEvidence(t, got, want)
		})
	}
}

// Shards of a process without a seed choose the event from the outputs that shard 1 stored. Merging does not start the
// process.
func TestUnseededShards(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	for _, g := range []privacy.Guarantee{trueClaim, falseClaim} {
		for _, path := range []string{one, two} {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
		verifytest.MustRun(t, verifytest.Journalled{Path: one, Shard: 1, Of: 2}, auditOf(t, "draws its own", g, false))
		alone := verifytest.MustRun(t, verifytest.Journalled{Path: two, Shard: 2, Of: 2}, auditOf(t, "draws its own", g, false))
		if len(alone.Results) != 1 || alone.Results[0].Verdict != verify.Error || !strings.Contains(alone.Results[0].Warnings[0], "--prepared") {
			t.Errorf("without --prepared: %+v", alone.Results)
		}
		if run := verifytest.MustRun(t, verifytest.Journalled{Path: two, Shard: 2, Of: 2, Prepared: one}, auditOf(t, "draws its own", g, false)); len(run.Results) != 0 {
			t.Errorf("with --prepared: %+v", run.Results)
		}
		got, err := verifytest.MergeRun(t, auditOf(t, "dies at start", g, false), one, two)
		if err != nil {
			t.Fatal(err)
		}
		if (got.Verdict == verify.Refuted) != (g == falseClaim) || got.Verdict == verify.Error || !slices.Contains(got.Warnings, verify.UnseededProcess) {
			t.Errorf("merged: %s, warnings %q", got.Verdict, got.Warnings)
		}
	}
	// A shard that was prepared on other outputs is rejected.
	verifytest.MustRun(t, verifytest.Journalled{Path: filepath.Join(dir, "three"), Shard: 1, Of: 2}, auditOf(t, "draws its own", falseClaim, false))
	if _, err := verifytest.MergeRun(t, auditOf(t, "good", falseClaim, false), filepath.Join(dir, "three"), two); err == nil || !strings.HasPrefix(err.Error(), two+":") || !strings.Contains(err.Error(), "other outputs") {
		t.Errorf("two preparations: error %v", err)
	}
}

// An interrupted audit continues with its chosen event, and rejects a changed mechanism.
func TestProcessResumes(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"good", "draws its own"} {
		t.Run(mode, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			run := verifytest.MustRun(t, verifytest.Journalled{Path: path, Shard: 1, Of: 1, Stop: 9}, auditOf(t, mode, trueClaim, false))
			if !run.Interrupted {
				t.Fatal("it was not interrupted")
			}
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if changed := verifytest.MustRun(t, verifytest.Journalled{Path: path, Shard: 1, Of: 1}, auditOf(t, "noisier", trueClaim, false)); mode == "good" {
				if r := changed.Results[0]; r.Verdict != verify.Error || !strings.Contains(r.Warnings[0], path) || !strings.Contains(r.Warnings[0], "other outputs") {
					t.Errorf("with another mechanism: %s %q", r.Verdict, r.Warnings)
				}
			}
			if err := os.WriteFile(path, before, 0o666); err != nil {
				t.Fatal(err)
			}
			got := verifytest.MustRun(t, verifytest.Journalled{Path: path, Shard: 1, Of: 1}, auditOf(t, mode, trueClaim, false)).Results[0].Evidence
			after, err := os.ReadFile(path)
			if err != nil || !strings.HasPrefix(string(after), string(before)) || strings.Count(string(after), `"prepared":{`) != 1 {
				t.Errorf("error %v, or the file was not continued", err)
			}
			if mode == "good" {
				verifytest.SameEvidence(t, got, verifytest.WholeRun(t, auditOf(t, mode, trueClaim, false)))
			} else if got.Verdict == verify.Error || got.Verdict == verify.Refuted || !slices.Contains(got.Warnings, verify.UnseededProcess) {
				t.Errorf("%s, warnings %q", got.Verdict, got.Warnings)
			}
		})
	}
}

// Stored outputs that were changed are rejected, even if the checksum of their line fits.
func TestChangedOutputs(t *testing.T) {
	dir := t.TempDir()
	path, forged := filepath.Join(dir, "f"), filepath.Join(dir, "forged")
	verifytest.MustRun(t, verifytest.Journalled{Path: path, Shard: 1, Of: 1}, auditOf(t, "draws its own", trueClaim, false))
	for _, c := range []struct {
		reason, want string
		change       func(*checkpoint.Preparation)
	}{
		{"unchanged", "", func(*checkpoint.Preparation) {}},
		{"one output fewer", "holds", func(p *checkpoint.Preparation) { p.Replies[0].Outputs = json.RawMessage("[1]") }},
		{"an object", "two kinds, number and object", func(p *checkpoint.Preparation) { p.Replies[0].Outputs = objects(p.Replies[0].Outputs) }},
		{"another order", "other outputs", func(p *checkpoint.Preparation) {
			r := p.Replies
			r[0].Outputs, r[1].Outputs = r[1].Outputs, r[0].Outputs
		}},
		{"another seed", "none to this request", func(p *checkpoint.Preparation) { p.Replies[0].Seed++ }},
	} {
		var head json.RawMessage
		var entries []json.RawMessage
		_, err := empirical.ReadJournal(path, empirical.JournalReader{
			Accept: func(h json.RawMessage) error { head = slices.Clone(h); return nil },
			Take:   func(e json.RawMessage) error { entries = append(entries, slices.Clone(e)); return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(forged); err != nil {
			t.Fatal(err)
		}
		file, err := empirical.OpenJournal(forged, head, empirical.JournalReader{})
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range entries {
			entry := any(raw)
			var e struct {
				Claim    string                  `json:"claim"`
				Prepared *checkpoint.Preparation `json:"prepared"`
				Shard    int                     `json:"shard"`
			}
			if err := json.Unmarshal(raw, &e); err != nil {
				t.Fatal(err)
			}
			if e.Prepared != nil {
				// The longest replies first: the first two have equal lengths and belong to the same input.
				r := e.Prepared.Replies
				slices.SortStableFunc(r, func(a, b checkpoint.Reply) int {
					return strings.Count(string(b.Outputs), ",") - strings.Count(string(a.Outputs), ",")
				})
				c.change(e.Prepared)
				entry = e
			}
			if err := file.Add(entry); err != nil {
				t.Fatal(err)
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := verifytest.MergeRun(t, auditOf(t, "dies at start", trueClaim, false), forged)
		if err != nil {
			t.Fatal(err)
		}
		if c.want == "" && got.Verdict == verify.Error || c.want != "" && (got.Verdict != verify.Error || !strings.Contains(got.Warnings[0], c.want)) {
			t.Errorf("%s: %s %q, want %q", c.reason, got.Verdict, got.Warnings, c.want)
		}
	}
}

func objects(outputs json.RawMessage) json.RawMessage {
	n := strings.Count(string(outputs), ",")
	return json.RawMessage("[{}" + strings.Repeat(",1", n) + "]")
}
