package trial

import (
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// Shrink returns the audit of the smallest description that still fails with the seed of a failed one: with
// fewer parts, repetitions and samplings, and rounder parameters.
func Shrink(account Account, failed Result, alpha float64) Result {
	for range 100 {
		smaller, found := Result{}, false
		for _, e := range reductions(failed.Description.Event) {
			d := failed.Description
			d.Event = e
			if e.Validate() != nil {
				continue
			}
			if smaller = Audit(account, d, alpha); smaller.Outcome == failed.Outcome {
				found = true
				break
			}
		}
		if !found {
			break
		}
		failed = smaller
	}
	return failed
}

// reductions lists smaller events, the smallest first.
func reductions(e event.Event) (all []event.Event) {
	all = append(all, e.Parts...) // without the sampling, the repetition or the other parts
	if e.Kind == event.KindThreshold {
		all = nil
	}
	if e.Kind == event.KindCompose && len(e.Parts) > 1 {
		for i := range e.Parts {
			all = append(all, event.Compose(slices.Delete(slices.Clone(e.Parts), i, i+1)...))
		}
	}
	if e.Kind == event.KindRepeat && e.Count > 2 {
		all = append(all, event.Repeat(e.Count-1, e.Parts[0]))
	}
	for i, part := range e.Parts {
		for _, smaller := range reductions(part) {
			one := e
			one.Parts = slices.Clone(e.Parts)
			one.Parts[i] = smaller
			all = append(all, one)
		}
	}
	if e.Sensitivity != 1 && e.Sensitivity != 0 {
		one := e
		one.Sensitivity = 1
		all = append(all, one)
	}
	for _, digits := range []int{1, 2} {
		if x := rounded(e.A, digits); x != e.A {
			one := e
			one.A = x
			all = append(all, one)
		}
	}
	return all
}
