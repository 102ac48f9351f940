package inputs

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"testing"
)

// hugeSpaces have inputs of 200 × 200 numbers and more.
var hugeSpaces = map[string]Space{
	"lists":   {List(List(Int(0, 100), 200, 200), 200, 200), ReplaceOne()},
	"vectors": {Vector(Vector(Int(0, 100), 200), 200), Change(L1, 1)},
	"records": {Object(map[string]Type{"rows": List(Vector(Int(0, 100), 200), 0, 200), "k": Int(1, 9)}), AddOrRemoveOne()},
}

// TestHugeSpaceIsBounded counts the numbers of all pairs that are proposed.
func TestHugeSpaceIsBounded(t *testing.T) {
	for name, s := range hugeSpaces {
		numbers, pairs, first := 0, 0, Pair[any]{}
		for p := range s.All() {
			if pairs++; pairs == 1 || size(p.A) > size(first.A) {
				first = p
			}
			numbers += sizeOf(p)
		}
		if pairs < 2 || numbers > mostNumbers {
			t.Errorf("%s: %d pairs of %d numbers: want at least 2 pairs of at most %d numbers", name, pairs, numbers, mostNumbers)
		}
		numbers = 0
		smaller := s.Smaller(first)
		for _, p := range smaller {
			numbers += sizeOf(p)
		}
		if numbers > mostSmaller {
			t.Errorf("%s: %d smaller pairs of %d numbers: want at most %d numbers", name, len(smaller), numbers, mostSmaller)
		}
	}
}

// counted counts the values of a type that are moved.
type counted struct {
	Type
	moved *int
}

func (c counted) replaced(v any, by func(number) any) any { *c.moved++; return c.Type.replaced(v, by) }

// TestEnumerationIsLazy counts the values that are moved to have one pair.
func TestEnumerationIsLazy(t *testing.T) {
	moved := 0
	c := vectors{counted{hugeSpaces["vectors"].Values, &moved}, L1, 1}
	for range c.edges(&work{left: mostNumbers}) {
		break
	}
	if moved > 2 { // the numbers are counted, and moved
		t.Errorf("the first pair takes %d walks over a value: want 2", moved)
	}
}

// TestCheckStopsAtTheFirstPair counts the walks over a value.
func TestCheckStopsAtTheFirstPair(t *testing.T) {
	moved := 0
	s := Space{counted{hugeSpaces["vectors"].Values, &moved}, Change(L1, 1)}
	if err := s.Check(); err != nil || moved > 2 {
		t.Errorf("Check walks %d times over a value, error %v: want 2 walks", moved, err)
	}
}

// TestEdgesEndWithTheContext cancels at the second pair.
func TestEdgesEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := MustPairSpace[json.RawMessage](Space{List(Int(0, 9), 0, 9), ReplaceOne()})
	generated := 0
	var pairs iter.Seq[Pair[json.RawMessage]] = func(yield func(Pair[json.RawMessage]) bool) {
		for p := range Edges(s) {
			if generated++; generated == 2 {
				cancel()
			}
			if !yield(p) {
				return
			}
		}
	}
	if _, err := CollectPairs(ctx, pairs); !errors.Is(err, context.Canceled) || generated != 2 {
		t.Errorf("%d pairs were generated, error %v: want 2, and context.Canceled", generated, err)
	}
}

// TestNoRoom says at once that no number of a huge value can move by the radius.
func TestNoRoom(t *testing.T) {
	s := Space{Vector(Vector(Int(0, 100), 200), 200), Change(L1, 0.5)}
	if err := s.Check(); err == nil || movable(s.Values, 0.5) || !movable(s.Values, 1) {
		t.Errorf("error %v of whole numbers that move by 0.5: want one", err)
	}
}
