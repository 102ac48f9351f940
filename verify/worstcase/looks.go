package worstcase

import (
	"context"

	"github.com/dpverify/dpverify/verify"
)

// promise estimates how far each candidate breaks the claim, as Promise of an [inputs.Search] does. The settings report
// the progress, see [verify.Settings.Looks].
type promise[C any] func(ctx context.Context, s verify.Settings, stage string, candidates []C, samples int) ([]float64,
	error)

// progressCounter is a finder that counts the candidates it evaluates and reports the progress.
type progressCounter[C any] struct {
	finder[C]
	settings verify.Settings
	seen     map[string]bool // keys of candidates; repeated candidates do not count
	shrinks  bool            // the search is over and smaller candidates are evaluated
	progress verify.Searched
}

func (l *progressCounter[C]) report() {
	if l.settings.Searching != nil {
		l.settings.Searching(l.progress)
	}
}

// promises returns the promises of the finder, and reports the progress after each candidate.
func (l *progressCounter[C]) promises(ctx context.Context, stage string, candidates []C, samples int) ([]float64,
	error) {
	before := len(l.seen)
	for _, c := range candidates {
		l.seen[l.near.Key(c)] = true
	}
	fresh := len(l.seen) - before
	counted, start := &l.progress.Done, l.progress.Done
	if l.shrinks {
		counted, start = &l.progress.Smaller, l.progress.Smaller
	}
	s := l.settings
	s.Searching = func(done verify.Searched) {
		*counted = start + min(done.Done, fresh)
		l.report()
	}
	return l.promise(ctx, s, stage, candidates, samples)
}
