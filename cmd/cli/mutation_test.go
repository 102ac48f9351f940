package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify/checkpoint"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/process"
)

// mutated is a kind of input with random damage.
type mutated struct {
	name, place string // every message contains place
	good        []string
	read        func(text string) error
	fails       bool // also without damage
}

// Inputs with random damage either parse or give a message that names the place. Nothing panics or hangs. There are 500
// cases, in the long form 10,000, and each depends only on its number.
func TestRandomDamage(t *testing.T) {
	times := testutil.Size(500, 10_000)
	kinds := damagedKinds(t)
	for _, k := range kinds {
		for _, text := range k.good {
			if err := k.read(text); (err != nil) != k.fails {
				t.Fatalf("%s without damage: %v", k.name, err)
			}
		}
	}
	refusals := make(map[string]int)
	for i := range times {
		k := kinds[i%len(kinds)]
		r := rand.New(rand.NewPCG(13, uint64(i)))
		text := damage(r, k.good[r.IntN(len(k.good))])
		done := make(chan error, 1)
		go func() {
			defer func() {
				if p := recover(); p != nil {
					done <- fmt.Errorf("panic: %v", p)
				}
			}()
			done <- k.read(text)
		}()
		select {
		case err := <-done:
			if err == nil {
				continue
			}
			refusals[k.name]++
			if said := err.Error(); !regexp.MustCompile(k.place).MatchString(said) || strings.HasPrefix(said, "panic") || len(said) > 4000 {
				t.Errorf("%s, damage %d: %s\nof\n%.2000q", k.name, i, said, text)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s, damage %d: hangs on\n%.2000q", k.name, i, text)
		}
	}
	t.Logf("%d times; refused: %v", times, refusals)
}

func damagedKinds(t *testing.T) []mutated {
	good := malformedEventsBase
	shards := shardFiles(t)
	two := written(t, "two.jsonl", shards[1])
	one := filepath.Join(t.TempDir(), "f")
	whole := mergedReport(t, written(t, "one.jsonl", shards[0]), two)
	recording := func(name string) func(string) error {
		return func(text string) error {
			_, err := outputs.ReadRecording(name, strings.NewReader(text))
			return err
		}
	}
	return []mutated{
		{"configuration", `^f:\d+|^f: .`, []string{wholeClaim, "seed: 3\n" + wholeClaim + "    samples: 300\n    timeout: 3s\n    memory: 1GiB\n    precision: off\n    anytime: true\n", `{"claims": [{"name": "x", "exec": ["cat", "a"], "pairs": [{"a": [1, [2]], "b": null}], "guarantee": {"alpha": 2, "renyi": 0.5}}]}`}, func(text string) error {
			_, subjects, err := claimsfile.ParseClaims("f", []byte(text))
			for i := range subjects {
				subjects[i].Precision, subjects[i].Samples = claimsfile.PrecisionWarn, 300
				if wrong := subjects[i].Check(); err == nil && wrong != nil {
					return fmt.Errorf("f: %w", wrong)
				}
			}
			return err
		}, false},
		{"JSON lines", `^f:`, []string{strings.Repeat("1.5\n", 250), strings.Repeat("[1, \"x\", null]\n", 220), strings.Repeat("\"nan\"\n2\n", 120)}, recording("f"), false},
		{"CSV", `^f\.csv:`, []string{"noise\n" + strings.Repeat("1.5\n", 250), strings.Repeat("\"a\",1,-inf\n", 220)}, recording("f.csv"), false},
		{"events", `^\d+(:\d+)?: |^ lists`, good, func(text string) error {
			_, _, err := event.ParseEvents([]byte(text))
			return err
		}, false},
		{"shard file", `f: `, shards[:1], func(text string) error {
			put(t, one, text)
			journal, _, err := checkpoint.Merge([]string{one, two})
			if err == nil && mergedReport(t, one, two) != whole {
				return fmt.Errorf("another report came of %v", journal)
			}
			return err
		}, false},
		{"data set", `^f\b`, []string{"a,b,label\n1,2,0\n3,4,1\n5,6,1\n", "1,2,-1\n3,4,1\n"}, func(text string) error {
			_, err := dataset.ReadCSV(strings.NewReader(text), "f", dataset.Options{Header: dataset.HeaderDetect, MaxDim: 1000, MaxBytes: 1 << 20})
			return err
		}, false},
		{"sparse data set", `^f\b`, []string{"+1 1:2 3:4\n-1 2:5\n", "0 1:1 # c\n1 2:0.5\n"}, func(text string) error {
			_, err := dataset.ReadLIBSVM(strings.NewReader(text), "f", dataset.Options{MaxDim: 1000, MaxBytes: 1 << 20})
			return err
		}, false},
		// The process answers once and ends, so that it fails in any case.
		{"reply", `^process`, []string{"{\"outputs\": [1.5, [2, \"nan\"], null, true]}\n"}, func(text string) error {
			put(t, one, text)
			p := &process.Process{Command: []string{"cat", one}}
			defer p.Close()
			return p.ReleaseN(rand.New(rand.NewPCG(1, 1)), json.RawMessage("0"), make([]any, 4))
		}, true},
		{"votes", `f:(\d+| no votes)`, []string{"cat,dog\n3,1\n0,4\n", "12,3,5\n9,8,7\n"}, func(text string) error {
			put(t, one, text)
			_, err := event.ReadVotes(one)
			return err
		}, false},
	}
}

var malformedEventsBase = []string{
	"- {mechanism: gaussian, sigma: 2, count: 3}\n- {laplace: {scale: 1.5, sensitivity: 2}}\n", "adjacency: replace\nevents:\n  - sgm: {noise-multiplier: 1.1, sampling-rate: 0.01, count: 100}\n  - rr: {epsilon0: 1, categories: 4}\n",
	`[{"mechanism": "compose", "count": 2, "events": [{"mechanism": "pure", "epsilon0": 1}]}]`,
}

func mergedReport(t *testing.T, paths ...string) string {
	code, stdout, stderr := attempt(t, append([]string{"merge"}, paths...)...)
	return fmt.Sprint(code, stdout, stderr)
}

// damage changes a text in one to four places.
func damage(r *rand.Rand, text string) string {
	b := []byte(text)
	for range 1 + r.IntN(4) {
		i := r.IntN(len(b) + 1)
		j := min(len(b), i+r.IntN(12))
		switch r.IntN(8) {
		case 0: // flip a bit
			if i < len(b) {
				b[i] ^= 1 << r.IntN(8)
			}
		case 1: // remove a part
			b = append(b[:i:i], b[j:]...)
		case 2: // repeat a part
			b = append(b[:j:j], b[i:]...)
		case 3: // truncate
			if r.IntN(4) == 0 {
				b = b[:i]
			}
		case 4: // insert a byte
			b = append(b[:i:i], append([]byte{byte(r.Uint32())}, b[i:]...)...)
		default:
			words := []string{"\n", "\x00", "\xff", "\"", "'", "[", "]", "{", "}", ":", ",", "- ", "#", "&a ", "*a", "!!int ", "|", ">", "---\n", "null", "NaN", ".nan", "1e999", "-1", "99999999999999999999", "true", "\t", "\r", "\uFEFF", "<<: ", "? ", "%", strings.Repeat("[", 2000), strings.Repeat("- ", 500)}
			w := words[r.IntN(len(words))]
			b = append(b[:i:i], append([]byte(w), b[i:]...)...)
		}
	}
	return string(b)
}
