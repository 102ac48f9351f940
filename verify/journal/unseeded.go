package journal

import (
	"context"
	"errors"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/words"
)

// chosenAnew is the check of a claim in a journal. A mechanism with randomness of its own
// would choose other pairs and events in every process that prepares it: tallies of several
// choices would be merged as if they counted one event.
type chosenAnew struct {
	verify.Check
	place Place
}

func (c chosenAnew) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	trial, err := c.Check.Prepare(ctx, s)
	own, ok := trial.(interface{ OwnRandomness() bool })
	if err != nil || !ok || !own.OwnRandomness() {
		return trial, err
	}
	switch before := c.place.Preparation(); {
	case c.place.journal.head.Of > 1:
		return nil, errors.New("the mechanism does not take all its randomness from the source it is given, so that each " +
			"shard would choose another event: run this claim whole, or let the mechanism draw from the source")
	case before != nil || c.place.journal.file == nil:
		return nil, errors.New("the mechanism does not take all its randomness from the source it is given, so that what " +
			"was sampled before counted another event: delete the file to begin anew, or let the mechanism draw from the source")
	}
	return trial, c.place.Keep(&Preparation{Warnings: []string{words.UnseededMechanism}})
}
