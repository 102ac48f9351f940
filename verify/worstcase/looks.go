package worstcase

import (
	"context"

	"github.com/dpverify/dpverify/verify"
)

// promise is Promise of a search with the settings of a look, which count its candidates by [verify.Settings.Looks].
type promise[C any] func(ctx context.Context, s verify.Settings, stage string, of []C, samples int) ([]float64, error)

// looks counts the candidates that a finder looks at.
type looks[C any] struct {
	finder[C]
	settings verify.Settings
	seen     map[string]bool // keys of candidates; one that is looked at again does not count
	shrinks  bool            // candidates are smaller ones of the best
	progress verify.Searched
}

func (l *looks[C]) tell() {
	if l.settings.Searching != nil {
		l.settings.Searching(l.progress)
	}
}

// promises are those of the finder. After each candidate the settings are told how far the search is.
func (l *looks[C]) promises(ctx context.Context, stage string, of []C, samples int) ([]float64, error) {
	before := len(l.seen)
	for _, c := range of {
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
		l.tell()
	}
	return l.promise(ctx, s, stage, of, samples)
}
