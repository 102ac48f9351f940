package replay

import "fmt"

// withstands says why a finding of the account is none, after many more redraws than a pair is tested with; "" if it
// withstands all. Each known unit has to be determined by the output again. If δ > 0, which all outputs decide,
// every run has to make the same calls, too, and to give them values that are at least as far apart: a composition
// with larger distances is no more private, whatever earlier releases decide.
func (d *decoder[D]) withstands(charged comparison) (reason string, err error) {
	tapes := max(choiceTapes, min(mostTapes, allTapes/max(1, len(d.order))))
	if d.s.withstood { // by a pair that this one may be a smaller form of
		tapes = choiceTapes
	}
	if err := d.redraw(len(d.tapes), tapes); err != nil {
		return "", err
	}
	known, order := d.known, d.order
	if !d.s.accounts.pure() {
		if reason := d.steady(charged); reason != "" {
			return reason, d.s.ctx.Err()
		}
	}
	d.known, d.order = map[unit]response{}, nil
	for _, u := range order {
		if !d.determined(u, known[u]) {
			if d.s.exhausted() {
				return tooMany + "; record a smaller one", nil
			}
			return fmt.Sprintf("%s: with other releases of the other calls, the output does not show what it released, "+
				"or it is given something else", named(u.call, d.c.a.Calls[u.call])), d.s.ctx.Err()
		}
	}
	d.s.withstood = true
	return "", nil
}

// steady says which call is given values that are nearer to each other, or is not made, after other releases; "" if
// none is.
func (d *decoder[D]) steady(charged comparison) string {
	for _, tape := range d.tapes {
		a, _, first := d.replay(d.pair.A, tape)
		b, _, second := d.replay(d.pair.B, d.c.by.of(tape))
		if d.s.exhausted() {
			return tooMany + "; record a smaller one"
		}
		if !first || !second {
			return "other releases make other calls, so that the distances of one run do not show the cost"
		}
		now := d.only(comparison{a: a, b: b, moves: charged.moves})
		for i, m := range charged.moves {
			if now.moves[i].distance+now.moves[i].slack < m.distance-m.slack {
				return fmt.Sprintf("%s: after other releases, what it is given differs by %.6g, not by %.6g, so that the "+
					"distances of one run do not show the cost", named(i, charged.a.Calls[i]), now.moves[i].distance, m.distance)
			}
		}
	}
	return ""
}
