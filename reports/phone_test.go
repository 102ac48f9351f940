package reports_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

const (
	slower   = 6    // approximate ratio of this machine's speed to a phone's
	usableIn = 1000 // limit, in milliseconds of the phone's processor
)

// moments are times in milliseconds since the start of the navigation: the first words were painted, a typed letter
// was painted, and the content of a fold was painted. work is the computing time of the page's thread until the last
// of them.
type moments struct{ Words, Typed, Opened, work float64 }

func never() moments { return moments{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)} }

// keepMin takes the smaller of each time.
func (m *moments) keepMin(other moments) {
	m.Words, m.Typed = min(m.Words, other.Words), min(m.Typed, other.Typed)
	m.Opened, m.work = min(m.Opened, other.Opened), min(m.work, other.work)
}

// watch records the moments from the start of a page. It measures after the next frame, when the change is on the
// screen.
const watch = `
	const moments = window.moments = {};
	const painted = (name) => requestAnimationFrame(() => setTimeout(() => { moments[name] ??= performance.now(); }, 0));
	const look = () => document.querySelector("p") ? painted("words") : requestAnimationFrame(look);
	look();
	addEventListener("input", () => painted("typed"), true);
	addEventListener("toggle", (e) => {
		const seen = () => e.target.querySelector("blockquote, p, table, ul")?.checkVisibility() ? painted("opened") : requestAnimationFrame(seen);
		if (e.target.open) seen();
	}, true);`

// visit loads a page on a processor that is slowed down by the given factor, and acts like a reader by key strokes,
// as early as possible.
func visit(ctx context.Context, times float64, address string, acts ...chromedp.Action) (moments, error) {
	ctx, cancel := chromedp.NewContext(ctx) // a tab
	defer cancel()
	var m moments
	var before float64
	steps := []chromedp.Action{
		performance.Enable().WithTimeDomain(performance.EnableTimeDomainThreadTicks),
		chromedp.EmulateViewport(400, 800), emulation.SetCPUThrottlingRate(times), worked(&before),
		chromedp.ActionFunc(func(ctx context.Context) error {
			if _, err := cdppage.AddScriptToEvaluateOnNewDocument("{" + watch + "}").Do(ctx); err != nil {
				return err
			}
			_, _, _, _, err := cdppage.Navigate(address).Do(ctx) // unlike chromedp's Navigate it does not wait for the page
			return err
		}),
		until("its words", `Boolean(window.moments?.words)`),
	}
	steps = append(append(steps, acts...), worked(&m.work), chromedp.ActionFunc(func(ctx context.Context) error {
		var all string
		if err := chromedp.Evaluate(`JSON.stringify(moments)`, &all).Do(ctx); err != nil {
			return err
		}
		return json.Unmarshal([]byte(all), &m)
	}))
	err := chromedp.Run(ctx, steps...)
	m.work -= before
	return m, err
}

// worked measures the computing time of the page's thread in milliseconds, without the time in which it waits for a
// busy machine.
func worked(ms *float64) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		metrics, err := performance.GetMetrics().Do(ctx)
		for _, m := range metrics {
			if m.Name == "TaskDuration" {
				*ms = 1000 * m.Value
			}
		}
		return err
	})
}

// shareOfProcessor returns the share of wall time in which a computing page has a processor.
func shareOfProcessor(ctx context.Context) (float64, error) {
	ctx, cancel := chromedp.NewContext(ctx)
	defer cancel()
	var before, after, wall float64
	err := chromedp.Run(ctx, performance.Enable().WithTimeDomain(performance.EnableTimeDomainThreadTicks), worked(&before),
		chromedp.Evaluate(`{
			const from = performance.now();
			let passed = 0;
			while (passed < 1000) passed = performance.now() - from;
			passed
		}`, &wall), worked(&after))
	return (after - before) / wall, err
}

// until waits for an expression to be true.
func until(what, expression string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		for range 3000 {
			var is bool
			if err := chromedp.Evaluate(expression, &is).Do(ctx); err != nil || is {
				return err
			}
			time.Sleep(10 * time.Millisecond)
		}
		return fmt.Errorf("%s: did not occur in time", what)
	})
}

// A page with as many claims as the claim set is usable within a second on a processor with a sixth of this one's
// speed, about a phone's: the first words are painted, the search field takes a letter, and a fold opens. The wall
// time depends on the load of the machine and is only logged, next to an empty page's. The limit applies to the
// computing time of the page's thread, measured at full speed, because throttling adds the load of the machine. The
// test is skipped on a busy machine, whose caches are shared.
func TestPageOnAPhone(t *testing.T) {
	if !testutil.Asked() {
		t.Skip(testutil.Variable + " is not set: how long the page takes is not measured")
	}
	address := "file://" + os.Getenv("DPVERIFY_PAGE") // another page to measure
	if address == "file://" {
		address = pageOf(t, largeDocument())
	}
	file := filepath.Join(t.TempDir(), "empty.html")
	if err := os.WriteFile(file, []byte("<!DOCTYPE html><html><body><p>empty</p></body></html>"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx := start(t)
	if err := chromedp.Run(ctx); err != nil { // the browser; each page is a tab
		t.Fatal(err)
	}
	typing := []chromedp.Action{
		until("the search field", `Boolean(document.querySelector("#search input")?.checkVisibility())`),
		chromedp.Evaluate(`document.querySelector("#search input").focus()`, nil), chromedp.KeyEvent("p"),
		until("a letter in the search field", `Boolean(moments.typed)`),
	}
	opening := []chromedp.Action{
		until("a fold", `Boolean(document.querySelector("details ~ details"))`),
		chromedp.Evaluate(`document.querySelector("summary").focus()`, nil), chromedp.KeyEvent(kb.Enter),
		until("an open fold", `Boolean(moments.opened)`),
	}
	least := func(times float64, address string, acts ...chromedp.Action) moments {
		all := never()
		for range 5 {
			m, err := visit(ctx, times, address, acts...)
			if err != nil {
				t.Fatal(err)
			}
			all.keepMin(m)
		}
		return all
	}
	empty, typed, opened := least(slower, "file://"+filepath.ToSlash(file)), least(slower, address, typing...), least(slower, address, opening...)
	t.Logf("with a processor %d times slower, the least of five: the first words are painted after %.0f ms (those of an empty page after "+
		"%.0f), a letter in the search field after %.0f ms, what a fold hides after %.0f ms",
		slower, min(typed.Words, opened.Words), empty.Words, typed.Typed, opened.Opened)
	typed, opened = least(1, address, typing...), least(1, address, opening...)
	share, err := shareOfProcessor(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d times what the page's thread computes: %.0f ms until the letter, %.0f ms until the fold is open",
		slower, slower*typed.work, slower*opened.work)
	if share < 0.8 {
		t.Skipf("a page gets %.0f %% of a processor: the machine is busy, and what it computes takes longer for that; nothing is judged", 100*share)
	}
	if most := slower * max(typed.work, opened.work); !(most <= usableIn) {
		t.Errorf("usable after %.0f ms of computing, want at most %d", most, usableIn)
	}
}

// largeDocument has as many claims as the claim set, each with points that are drawn.
func largeDocument() reports.Document {
	d := reports.Document{Title: "a large report", Full: true}
	for i := range 724 {
		c := verify.Claim{ID: fmt.Sprintf("p%d/lemma-%d", i%5, i), Paper: fmt.Sprintf("p%d", i%5), Source: "Lemma", Kind: verify.Privacy,
			Statement: strings.Repeat("a statement in some words, ", 8) + "is private"}
		e := verify.Evidence{Verdict: verify.Refuted, Exact: true, Claimed: verify.Num(1), Measured: verify.Num(2), Sense: verify.AtMost,
			Method: strings.Repeat("how it was computed, ", 12), Quantity: "privacy loss"}
		for k := range 12 {
			e.Cells = append(e.Cells, verify.Cell{Label: fmt.Sprintf("d=%d, of many", k), Claimed: verify.Num(1), Measured: verify.Num(2 + float64(k))})
		}
		if i%4 > 0 {
			e.Verdict, e.Cells = verify.Holds, nil
		}
		d.Run.Results = append(d.Run.Results, verify.Result{Claim: c, Evidence: e})
	}
	return d
}
