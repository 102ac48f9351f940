package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/verify"
)

// progressMeter shows the progress of work: a bar with the remaining time on a terminal, otherwise a line from time
// to time. It uses no color and so respects NO_COLOR.
type progressMeter struct {
	// Each prints a line for every claim as soon as it is judged. Otherwise a terminal shows a line for refuted,
	// contradictory and failed claims, above the bar.
	Each bool
	// IsWarning reports whether a refutation of a claim is only a warning; nil if none is.
	IsWarning func(id string) bool

	mu     sync.Mutex
	w      io.Writer
	state  string       // text
	done   float64      // in [0, 1]
	bar    *progressBar // nil without a terminal
	ticker *time.Ticker
	quit   chan struct{}
	ended  sync.WaitGroup
}

// newProgressMeter starts to show progress on w with a label. Without a terminal it prints a line at each interval.
func newProgressMeter(w io.Writer, every time.Duration, label string) *progressMeter {
	m := &progressMeter{w: w, state: visible.Line(label), quit: make(chan struct{})}
	if f, ok := terminalOf(w); ok && os.Getenv("TERM") != "dumb" { // a dumb terminal cannot redraw a line
		m.bar = &progressBar{w: w, width: terminalWidth(f), began: time.Now()}
		m.bar.draw(m.bar.began, 0, m.state)
		return m
	}
	m.ticker = time.NewTicker(every)
	m.ended.Go(func() {
		for {
			select {
			case <-m.ticker.C:
				m.mu.Lock()
				fmt.Fprintf(w, "dpverify: %s (%.0f %%)\n", m.state, 100*m.done)
				m.mu.Unlock()
			case <-m.quit:
				return
			}
		}
	})
	return m
}

// Set updates the progress, from 0 to 1, and its text.
func (m *progressMeter) Set(done float64, state string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done, m.state = done, visible.Line(state)
	if m.bar != nil {
		m.bar.draw(time.Now(), done, m.state)
	}
}

// Close clears the bar and ends the goroutine.
func (m *progressMeter) Close() {
	close(m.quit)
	m.ended.Wait()
	if m.ticker != nil {
		m.ticker.Stop()
	}
	if m.bar != nil {
		m.bar.clear()
	}
}

// searchShare is the search's share of the progress of a claim that searches for its inputs.
const searchShare = 0.5

// Claims returns the progress callback of a run over claims.
func (m *progressMeter) Claims() func(verify.Progress) {
	running := make(map[string]float64) // progress of the unfinished claims
	searched := make(map[string]float64)
	return func(p verify.Progress) {
		state := p.Claim
		switch {
		case p.Finished:
			delete(running, p.Claim)
			m.printVerdict(p)
		case p.Searched.Total > 0:
			searched[p.Claim] = searchShare
			running[p.Claim] = searchShare * float64(p.Searched.Done) / float64(p.Searched.Total)
			state += ": " + searchCounts(p.Searched)
		case p.Sampling.Total > 0:
			before := searched[p.Claim]
			running[p.Claim] = before + (1-before)*float64(p.Sampling.Shards)/float64(p.Sampling.Total)
		}
		done := float64(p.Done)
		for _, claim := range slices.Sorted(maps.Keys(running)) {
			done += running[claim]
		}
		m.Set(done/float64(p.Total), fmt.Sprintf("%d of %d claims, %s", p.Done, p.Total, state))
	}
}

// searchCounts describes the progress of a search.
func searchCounts(s verify.Searched) string {
	text := fmt.Sprintf("searched %d of %d %s", s.Done, s.Total, s.Noun)
	if s.Smaller > 0 {
		text += fmt.Sprintf(", then %d smaller", s.Smaller)
	}
	return text
}

// printVerdict prints a line for a judged claim.
func (m *progressMeter) printVerdict(p verify.Progress) {
	passes := p.Verdict != verify.Refuted && p.Verdict != verify.Contradictory && p.Verdict != verify.Error
	if !m.Each && (m.bar == nil || passes) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bar != nil {
		m.bar.clear() // the bar is drawn again below the line
	}
	symbol, word := p.Verdict.Symbol(), p.Verdict
	if p.Verdict == verify.Refuted && m.IsWarning != nil && m.IsWarning(p.Claim) {
		symbol, word = "!", "warning" // as in the report
	}
	fmt.Fprintf(m.w, "%s %-13s  %s (%d of %d)\n", symbol, word, visible.Line(p.Claim), p.Done, p.Total)
}
