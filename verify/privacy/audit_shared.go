package privacy

import (
	"context"
	"fmt"
	"strconv"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// Pairs that have an input in common share its releases: what is drawn of it for all of them
// serves each, so that one of the two frequencies of an event is known better.
//
// The releases of an input are divided by fold first, for all pairs alike: the rows in which a fold
// chooses pairs and events, those of the other fold, and the shards. No view counts in any row of the
// fold that chose it, whichever pair the row was drawn for. Within a view every release counts once,
// for one pair and on one side: its two counts are independent, and each is binomial.

const (
	// maxPooled is how many times the rows of a pair a search sees at most of an input that is shared,
	// and maxPooledRepeats where outputs repeat, so that more rows are no more different ones. The last
	// add little, as the other input has one. What is not searched certifies.
	maxPooled        = 2
	maxPooledRepeats = 8
	// maxPooledValues bounds the values of the searched rows that are kept for several pairs.
	maxPooledValues = 1 << 27
)

// share finds what the pairs have in common, where it is of use: rows of a known likelihood ratio are
// those of their pair alone. A search sees so many times the rows of a pair, each of so many values.
func (t *auditTrial[D, O]) share(pooled, rows, width int64) {
	if t.LogLikelihood == nil && len(t.Pairs) > 1 {
		t.sharing = shareInputs(t.Pairs, pooled, maxPooledValues/(2*max(1, rows)*width))
	}
}

// drawn is what is drawn of an input.
func (t *auditTrial[D, O]) drawn() drawnSamples {
	return drawnSamples{inputSharing: t.sharing, Searched: t.searched, Shard: t.perShard, Shards: auditShards,
		Certifying: t.certifying, All: t.total - probeRows}
}

// n is the number of samples of either side of a view.
func (t *auditTrial[D, O]) n(v view) [2]int64 {
	shard := t.sharing.Sides(testOf(v.chosen), t.drawn().ShardOf)
	return [2]int64{v.heldOutN[0] + shard[0]*auditShards, v.heldOutN[1] + shard[1]*auditShards}
}

// foldRows are the rows of a fold's search at a place.
func (t *auditTrial[D, O]) foldRows(ctx context.Context, shared searchRows, at inputPlace,
	fold, rows int) (*distinguisher.Rows, error) {
	if pool := shared.Of(t.sharing.Input(at), fold); pool != nil {
		return pool, nil
	}
	return t.searchRows(ctx, at, fold, rows)
}

// searchRows draws rows of a fold's search at a place.
func (t *auditTrial[D, O]) searchRows(ctx context.Context, at inputPlace, fold, rows int) (*distinguisher.Rows, error) {
	r := t.settings.Stream("search", strconv.Itoa(at.Pair), strconv.Itoa(fold), at.Label())
	var kept []*diagnosis.Examples
	if fold == 0 && t.shown.Pairs != nil {
		kept = append(kept, &t.shown.Pairs[at.Pair].Examples[at.Side()])
	}
	return t.sampleRows(ctx, r, at, rows, kept...)
}

// sharedRows draws the rows of both folds of the inputs that pairs share.
func (t *auditTrial[D, O]) sharedRows(ctx context.Context, rows int) (searchRows, error) {
	return t.sharing.Draw(ctx, t.settings.Pool, func(ctx context.Context, p inputPlace, fold int) (*distinguisher.Rows,
		error) {
		out, err := t.searchRows(ctx, p, fold, rows)
		if err != nil {
			err = fmt.Errorf("pair %s: %w", t.Pairs[p.Pair].Name, err)
		}
		return out, err
	})
}
