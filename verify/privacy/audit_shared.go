package privacy

import (
	"context"
	"fmt"
	"strconv"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// Pairs with a common input share its releases. All releases drawn for these pairs serve each of them, so one of
// the two frequencies of an event is known more precisely.
//
// The releases of an input are first divided by fold, in the same way for all pairs: the rows in which one fold
// chooses pairs and events, the rows of the other fold, and the shards. A view counts in no row of the fold that
// chose it, whichever pair the row was drawn for. Within a view, every release counts once, for one pair and on one
// side. Its two counts are therefore independent and binomial.

const (
	// maxPooled limits the search rows of a shared input to a multiple of one pair's rows; maxPooledRepeats
	// is the limit if outputs repeat, because more rows then contain few new values. Additional rows help
	// little, since the other input has the rows of one pair. Rows that are not searched certify.
	maxPooled        = 2
	maxPooledRepeats = 8
	// maxPooledValues limits the number of values in the search rows stored for several pairs.
	maxPooledValues = 1 << 27
)

// share finds the common inputs of the pairs. It does nothing if the likelihood ratio is known, because rows are
// then specific to their pair. A search sees at most pooled times the rows of a pair, each with width values.
func (t *auditTrial[D, O]) share(pooled, rows, width int64) {
	if t.LogLikelihood == nil && len(t.Pairs) > 1 {
		t.sharing = shareInputs(t.Pairs, pooled, maxPooledValues/(2*max(1, rows)*width))
	}
}

// drawn returns the numbers of samples drawn of an input.
func (t *auditTrial[D, O]) drawn() drawnSamples {
	return drawnSamples{inputSharing: t.sharing, Searched: t.searched, Shard: t.perShard, Shards: auditShards,
		Certifying: t.certifying, All: t.total - probeRows}
}

// n returns the number of samples on either side of a view.
func (t *auditTrial[D, O]) n(v view) [2]int64 {
	shard := t.sharing.Sides(testOf(v.chosen), t.drawn().ShardOf)
	return [2]int64{v.heldOutN[0] + shard[0]*auditShards, v.heldOutN[1] + shard[1]*auditShards}
}

// foldRows returns the search rows of a fold at a place, shared or newly drawn.
func (t *auditTrial[D, O]) foldRows(ctx context.Context, shared searchRows, at inputPlace,
	fold, rows int) (*distinguisher.Rows, error) {
	if pool := shared.Of(t.sharing.Input(at), fold); pool != nil {
		return pool, nil
	}
	return t.searchRows(ctx, at, fold, rows)
}

// searchRows draws the search rows of a fold at a place.
func (t *auditTrial[D, O]) searchRows(ctx context.Context, at inputPlace, fold, rows int) (*distinguisher.Rows, error) {
	r := t.settings.Stream("search", strconv.Itoa(at.Pair), strconv.Itoa(fold), at.Label())
	var kept []*diagnosis.Examples
	if fold == 0 && t.shown.Pairs != nil {
		kept = append(kept, &t.shown.Pairs[at.Pair].Examples[at.Side()])
	}
	return t.sampleRows(ctx, r, at, rows, kept...)
}

// sharedRows draws the search rows of both folds for the shared inputs.
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
