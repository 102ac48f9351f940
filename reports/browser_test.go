package reports_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

// start opens a browser. It skips the test if none is installed.
func start(t *testing.T) context.Context {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
			chromedp.WSURLReadTimeout(time.Minute))
		ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
		t.Cleanup(cancel)
		ctx, cancel = chromedp.NewContext(ctx)
		t.Cleanup(cancel)
		ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
		t.Cleanup(cancel)
		return ctx
	}
	t.Skip("no Chromium is installed: the page is not driven")
	return nil
}

// sheetPage writes a report on some claims into a file, and returns its address.
func sheetPage(t *testing.T) string {
	t.Helper()
	d := reports.Document{Title: "a report", Papers: []reports.Paper{{ID: "p", Title: "A Paper"}, {ID: "q", Title: "Another"}}}
	for i, verdict := range []verify.Verdict{verify.Refuted, verify.Holds, verify.Contradictory, verify.Consistent, verify.Vacuous,
		verify.Untestable, verify.Refuted, verify.Holds, verify.Holds, verify.Holds} {
		c := verify.Claim{ID: fmt.Sprintf("p/lemma-%d", i), Paper: "p", Source: fmt.Sprintf("Lemma %d", i), Kind: verify.Privacy,
			Statement: fmt.Sprintf("statement number %d is private", i)}
		if i == 9 {
			c.ID, c.Paper, c.Kind, c.Statement = "q/zebra", "q", verify.Rate, "zebras converge"
		}
		d.Run.Results = append(d.Run.Results, verify.Result{Claim: c, Evidence: verify.Evidence{Verdict: verdict, Exact: true,
			Claimed: verify.Num(1), Measured: verify.Num(2), Sense: verify.AtMost}})
	}
	d.Remarks = []verify.ReviewerNote{{ID: "p/lemma-0", Impact: verify.ImpactTheorem, Title: "Not private", Reason: "it is the identity",
		Formula: `e^{\varepsilon} \le \frac{p}{q}`}}
	return pageOf(t, d)
}

// pageOf writes a document as a page into a file, and returns its address.
func pageOf(t *testing.T, d reports.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := reports.HTML(&b, d); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + filepath.ToSlash(file)
}

const (
	shown = `[...document.querySelectorAll("details.claim")].filter(c => c.checkVisibility()).map(c => c.querySelector("div[id]").id).join(" ")`
	said  = `document.querySelector("#search output").value`
	field = `#search input`

	verdicts = `select[name="verdict"]`
	kinds    = `select[name="kind"]`
)

// A reader can find a claim by words, filter the claims, and open one by a link or by the keyboard. The console stays
// free of errors.
func TestPageInABrowser(t *testing.T) {
	ctx := start(t)
	var complaints []string
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			complaints = append(complaints, e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError {
				complaints = append(complaints, e.Entry.Text)
			}
		}
	})
	everything := "p/lemma-0 p/lemma-1 p/lemma-2 p/lemma-3 p/lemma-4 p/lemma-5 p/lemma-6 p/lemma-7 p/lemma-8 q/zebra"
	err := chromedp.Run(ctx, log.Enable(), chromedp.EmulateViewport(1400, 900), chromedp.Navigate(sheetPage(t)),
		chromedp.WaitVisible(field, chromedp.ByQuery),
		becomes("at first", shown, everything),
		chromedp.KeyEvent("/"),
		becomes("a slash", `document.activeElement.name`, "words"),
		set(field, ""), // a key event of the driver writes its character even if the page prevents it
		chromedp.KeyEvent("ZEBRAS conv"),
		becomes("by words", shown, "q/zebra"),
		becomes("said of it", said, "1 of 10 claims"),
		chromedp.KeyEvent(kb.Escape),
		becomes("after Escape", shown, everything),
		chromedp.Evaluate(`document.getElementById("p/lemma-1").closest("details").querySelector("summary").focus()`, nil),
		chromedp.KeyEvent(kb.Enter),
		becomes("opened by the keyboard",
			`String(document.getElementById("p/lemma-1").querySelector("blockquote")?.checkVisibility())`, "true"),
		set(verdicts, "refuted"),
		becomes("refuted ones", shown, "p/lemma-0 p/lemma-6"),
		set(verdicts, ""), set(kinds, "rate"),
		becomes("of a kind", shown, "q/zebra"),
		chromedp.Evaluate(`location.hash = "#p/lemma-3"`, nil),
		becomes("unfolded", `String(document.getElementById("p/lemma-3").querySelector("blockquote")?.checkVisibility())`, "true"),
		becomes("a link to a claim that is filtered away", `String(document.getElementById("p/lemma-3").checkVisibility())`, "true"))
	if err != nil {
		t.Error(err)
	}
	if len(complaints) > 0 {
		t.Errorf("the console says: %q", complaints)
	}
}

// becomes waits until an expression has the wanted value, since the page waits for a pause in typing.
func becomes(what, expression, want string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		var got string
		for range 100 {
			if err := chromedp.Evaluate(expression, &got).Do(ctx); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
			if got == want {
				return nil
			}
			time.Sleep(100 * time.Millisecond)
		}
		return fmt.Errorf("%s: %q, want %q", what, got, want)
	})
}

// set gives a field a value and dispatches the event that a reader's input causes.
func set(selector, value string) chromedp.Action {
	return chromedp.Evaluate(fmt.Sprintf(`{const field = document.querySelector(%q); field.value = %q;
		field.dispatchEvent(new Event("input", {bubbles: true}))}`, selector, value), nil)
}

// Without scripts, the page is complete, and a link opens its claim.
func TestPageWithoutScripts(t *testing.T) {
	ctx := start(t)
	var there string
	var statements []*cdp.Node
	err := chromedp.Run(ctx, emulation.SetScriptExecutionDisabled(true), chromedp.Navigate(sheetPage(t)),
		chromedp.TextContent("main", &there, chromedp.ByQuery),
		chromedp.Nodes("details.claim blockquote", &statements, chromedp.ByQueryAll)) // elements without their text nodes
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(there, "q/zebra") || len(statements) != 10 {
		t.Errorf("the page is incomplete without scripts: %d of 10 claims unfold\n%s", len(statements), there)
	}
}

// A link in the contents leads to its heading, although the sections above it get their real height only near the
// screen.
func TestContentsLeadToTheirHeadings(t *testing.T) {
	ctx := start(t)
	var links []string
	err := chromedp.Run(ctx, chromedp.EmulateViewport(800, 900), chromedp.Navigate(pageOf(t, largeDocument())),
		chromedp.Evaluate(`[...document.querySelectorAll("#contents a")].map((a) => a.hash.slice(1))`, &links))
	if err != nil {
		t.Fatal(err)
	}
	if len(links) < 20 {
		t.Errorf("%d links, the report has more sections", len(links))
	}
	for i := 0; i < len(links); i += 3 {
		err := chromedp.Run(ctx, chromedp.Evaluate(fmt.Sprintf(`document.querySelector('#contents a[href="#%s"]').click()`, links[i]), nil),
			becomes(links[i], fmt.Sprintf(`{
				const top = document.getElementById(%q).getBoundingClientRect().top, root = document.documentElement;
				const end = scrollY + innerHeight > root.scrollHeight - 2 && top < innerHeight;
				String(end || document.querySelector("#search").offsetHeight <= top + 1 && top < innerHeight / 4) }`, links[i]), "true"))
		if err != nil {
			t.Error(err)
		}
	}
}

// A reader can search and unfold while the page is still loading. Claims that arrive later follow the search.
func TestPageThatComesSlowly(t *testing.T) {
	whole, err := os.ReadFile(strings.TrimPrefix(sheetPage(t), "file://"))
	if err != nil {
		t.Fatal(err)
	}
	cut := bytes.Index(whole, []byte("number 1 is private")) // within the folded section of lemma-1
	if cut < 0 {
		t.Fatal("the page lacks a statement")
	}
	rest := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/page.html" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(whole[:cut])
		w.(http.Flusher).Flush()
		select {
		case <-rest:
			w.Write(whole[cut:])
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	ctx := start(t) // closed before the server, which waits for it
	err = chromedp.Run(ctx,
		chromedp.ActionFunc(func(ctx context.Context) error {
			_, _, _, _, err := cdppage.Navigate(server.URL + "/page.html").Do(ctx) // chromedp's Navigate waits for the whole page
			return err
		}),
		becomes("the beginning", `document.getElementById("p/lemma-1") ? document.readyState : ""`, "loading"),
		chromedp.Evaluate(`document.getElementById("p/lemma-0").closest("details").open = true`, nil),
		becomes("a fold that is there", `String(document.getElementById("p/lemma-0").querySelector("blockquote")?.checkVisibility())`, "true"),
		chromedp.Evaluate(`document.getElementById("p/lemma-1").closest("details").open = true`, nil),
		set(field, "private"),
		becomes("what is there is searched", shown, "p/lemma-0"),
		chromedp.ActionFunc(func(context.Context) error { close(rest); return nil }),
		becomes("then all is", said, "9 of 10 claims"),
		becomes("a fold that was not there yet",
			`document.getElementById("p/lemma-1").querySelector("blockquote")?.textContent ?? ""`, "Statement number 1 is private."))
	if err != nil {
		t.Error(err)
	}
}
