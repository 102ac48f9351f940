package external

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify/process"
)

// helperMode is the environment variable that makes the test binary an accountant. Its value is the fault.
const helperMode = "DPVERIFY_TEST_ACCOUNTANT"

func TestMain(m *testing.M) {
	if fault := os.Getenv(helperMode); fault != "" {
		serve(fault, os.Stdin, os.Stdout)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func serve(fault string, in io.Reader, out io.Writer) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var r Request
		err := json.Unmarshal(lines.Bytes(), &r)
		if err != nil {
			panic(err)
		}
		q, err := r.Question()
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(out, faulty(fault, q))
	}
}

// faulty answers a question with the certified upper end, except for one fault.
func faulty(fault string, q Question) string {
	asked, bound := q.Ask, BoundUpper
	sampled := strings.Contains(q.Tree.String(), classPoisson)
	switch fault {
	case "noise multiplier 1 % too large":
		q.Tree = altered(q.Tree, func(t *Tree) { t.Noise *= 1.01 })
	case "one repetition too few":
		q.Tree = altered(q.Tree, func(t *Tree) { t.Count = max(0, t.Count-1) })
	case "adjacency ignored":
		q.Adjacency = event.AddRemove
	case "delta ignored":
		if q.Ask == AskEpsilon {
			q.At = 1e-5
		}
	case "sampling ignored":
		q.Tree = altered(q.Tree, func(t *Tree) {
			if t.Class == classPoisson {
				*t = *t.Event
			}
		})
	case "NaN":
		return fmt.Sprintf(`{"%s": NaN, "bound": "upper"}`, asked)
	case "negative":
		return fmt.Sprintf(`{"%s": -1, "bound": "upper"}`, asked)
	case "hangs if sampled":
		if sampled {
			time.Sleep(time.Hour)
		}
		return `{"unsupported": "too slow"}`
	case "crashes if sampled":
		if sampled {
			panic("no such event")
		}
	case "error if sampled":
		if sampled {
			return `{"error": "no such event"}`
		}
	case "unsupported if sampled":
		if sampled {
			return `{"unsupported": "no sampling"}`
		}
	case "estimate", "low estimate":
		bound = BoundEstimate
	}
	c, err := certify(q)
	if err != nil && !errors.Is(err, errUnsuitable) {
		return `{"error": "` + err.Error() + `"}`
	}
	x := c.Bracket.Upper
	if fault == "low estimate" {
		x = c.Bracket.Lower * 0.999
	}
	return fmt.Sprintf(`{"%s": %v, "bound": "%s"}`, asked, x, bound)
}

// altered returns a copy of the tree in which each event is changed.
func altered(t Tree, change func(*Tree)) Tree {
	for i, part := range t.parts() {
		t = t.with(i, altered(part, change))
	}
	change(&t)
	return t
}

// trialOf runs a trial of the test binary with a fault.
func trialOf(t *testing.T, fault string, trees int, timeout time.Duration) Result {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(helperMode, fault)
	p := &process.Process{Command: []string{self}, Timeout: timeout}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	res, err := Run(t.Context(), p, Options{Seed: 1, Trees: trees, Factor: DefaultFactor})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// A trial finds each fault, and shrinks it to a tree of at most 3 events. Accountants without a fault pass.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault   string
		trees   int
		timeout time.Duration
		want    Verdict // the only verdict except within and unsupported
		nodes   int     // of the smallest tree
		shows   string  // in the smallest question or in its reason
		reason  string
	}{
		{"none", 25, time.Minute, Within, 0, "", "upper ends of certified brackets are upper bounds"},
		{"estimate", 10, time.Minute, Within, 0, "", "an estimate within the bracket passes"},
		{"unsupported if sampled", 10, time.Minute, Unsupported, 0, "", "an uncovered event is not a fault"},
		{"noise multiplier 1 % too large", 10, time.Minute, NotUpper, 1, "noise_multiplier", "one mechanism shows it"},
		{"one repetition too few", 10, time.Minute, NotUpper, 2, `"count":2`, "two repetitions show it"},
		{"adjacency ignored", 10, time.Minute, NotUpper, 1, "replace-one", "add-or-remove-one is not affected"},
		{"delta ignored", 10, time.Minute, NotUpper, 1, "epsilon 1e-0", "a δ below 1e-5 shows it"},
		{"sampling ignored", 25, time.Minute, Loose, 2, classPoisson, "the bound holds but is loose"},
		{"low estimate", 5, time.Minute, Low, 1, "", "an estimate may be below, and is reported"},
		{"NaN", 5, time.Minute, Failed, 1, "it is not JSON", "NaN is not JSON"},
		{"negative", 5, time.Minute, Failed, 1, "outside its domain", "ε and δ are at least 0"},
		{"crashes if sampled", 5, time.Minute, Failed, 2, "no such event", "the error has the standard error"},
		{"error if sampled", 5, time.Minute, Failed, 2, "no such event", "the error has the accountant's text"},
		{"hangs if sampled", 4, time.Second, Failed, 2, "gave no reply within 1s", "the trial goes on after a hang"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			res := trialOf(t, c.fault, c.trees, c.timeout)
			if len(res.Rows) != c.trees && c.nodes > 1 {
				t.Errorf("%d rows for %d trees", len(res.Rows), c.trees)
			}
			for _, r := range res.Rows {
				if !slices.Contains([]Verdict{Within, Unsupported, c.want}, r.Verdict) {
					t.Errorf("%s: %s %s: %v in %v", r.Verdict, r.Tree, r.Reason, r.Reply.Value, r.Bracket)
				}
			}
			if res.Count(c.want) == 0 {
				t.Fatalf("no question is %s, although %s", c.want, c.reason)
			}
			if c.nodes == 0 {
				return
			}
			if len(res.Smallest) != 1 {
				t.Fatalf("%d smallest questions", len(res.Smallest))
			}
			s := res.Smallest[0]
			text := fmt.Sprint(s.Tree, " ", s.Adjacency, " ", s.Ask, " ", s.At, " ", s.Reason)
			if s.Verdict != c.want || s.Tree.Nodes() > c.nodes || !strings.Contains(text, c.shows) {
				t.Errorf("smallest: %s, %s, ratio %v; want at most %d events and %q", s.Verdict, text, s.Ratio(), c.nodes, c.shows)
			}
			t.Logf("%d of %d %s; smallest %s, ratio %.4g", res.Count(c.want), len(res.Rows), c.want, text, s.Ratio())
		})
	}
}

// Answers counts replies with a value. The ratios are 4, 1 and 2, or 4 and 1. Their medians were computed by hand.
func TestAnswers(t *testing.T) {
	b := accountant.Bracket{Lower: 1, Estimate: 2, Upper: 2}
	row := func(x float64, bound string) Row {
		return Row{Case: Case{Bracket: b}, Reply: Reply{Value: x, Bound: bound}}
	}
	none := row(0, "")
	r := Result{Rows: []Row{none, row(8, BoundUpper), row(2, BoundEstimate), none, row(4, BoundUpper)}}
	if n, median := r.Answers(); n != 3 || median != 2 {
		t.Errorf("%d answers, median %v, want 3 and 2", n, median)
	}
	r.Rows = r.Rows[:3]
	if n, median := r.Answers(); n != 2 || median != 2.5 {
		t.Errorf("%d answers, median %v, want 2 and 2.5", n, median)
	}
	if n, median := (Result{Rows: []Row{none}}).Answers(); n != 0 || !math.IsNaN(median) {
		t.Errorf("%d answers, median %v, want 0 and NaN", n, median)
	}
}

// An answer that is below the lower end only once is an error and not the verdict “not an upper bound”, because it may
// be a late line about another question. An accountant that repeats it is the control.
func TestLowAnswerIsAskedAgain(t *testing.T) {
	for _, c := range []struct {
		repeats bool
		want    Verdict
	}{{false, Failed}, {true, NotUpper}} {
		asked := make(map[string]int)
		ask := replies(func(line []byte) ([]byte, error) {
			var r Request
			if err := json.Unmarshal(line, &r); err != nil {
				return nil, err
			}
			q, err := r.Question()
			if err != nil {
				return nil, err
			}
			if asked[string(line)]++; c.repeats || asked[string(line)] == 1 {
				return []byte(`{"` + r.Ask + `": 0, "bound": "upper"}`), nil
			}
			return []byte(faulty("none", q)), nil
		})
		res, err := Run(t.Context(), ask, Options{Seed: 3, Trees: 2, Factor: DefaultFactor})
		if err != nil || res.Count(c.want) != 2 {
			t.Errorf("repeats %v: %+v (%v), want %s", c.repeats, res.Rows, err, c.want)
		}
		for _, r := range res.Rows {
			if c.want == Failed && !strings.Contains(r.Reason, "answers 0, and ") {
				t.Errorf("reason %q", r.Reason)
			}
		}
	}
}

// replies is an accountant without a process.
type replies func(line []byte) ([]byte, error)

func (f replies) Exchange(line []byte) ([]byte, error) { return f(line) }
func (replies) Restart()                               {}

// lateReplies is an accountant whose process replies to each question with the right answer to an earlier one.
type lateReplies struct {
	late, restarts int
	matched        bool // replies have the id of the request
	lines          []string
}

func (l *lateReplies) Exchange(line []byte) ([]byte, error) {
	var r Request
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	q, err := r.Question()
	if err != nil {
		return nil, err
	}
	l.lines = append(l.lines, faulty("none", q))
	reply := l.lines[max(0, len(l.lines)-1-l.late)]
	if l.matched {
		reply = fmt.Sprintf(`{"id": %d, %s`, r.ID, reply[1:])
	}
	return []byte(reply), nil
}

func (l *lateReplies) Restart() { l.lines, l.restarts = nil, l.restarts+1 }

// A reply that is late by several lines is never the verdict “not an upper bound”. The controls are an accountant that
// states the id of each request, and so claims the late answers as its own, and one with the right answers.
func TestLateRepliesAreNoFault(t *testing.T) {
	for _, c := range []struct {
		late    int
		matched bool
		faulty  bool
	}{{0, false, false}, {3, false, false}, {3, true, true}} {
		l := &lateReplies{late: c.late, matched: c.matched}
		res, err := Run(t.Context(), l, Options{Seed: 3, Trees: 8, Factor: DefaultFactor})
		if err != nil {
			t.Fatal(err)
		}
		if n := res.Count(NotUpper); (n > 0) != c.faulty || (l.restarts > 0) != (c.late > 0 && !c.matched) {
			t.Errorf("late by %d lines, with ids %v: %d answers are not upper bounds after %d restarts", c.late, c.matched, n,
				l.restarts)
		}
	}
}
