package replay

import "fmt"

// withstands tests a finding of the account with many more redraws. It returns why the finding does not hold, or "" if
// it does. The output has to determine each known unit in every redraw. If δ > 0, the claim concerns all outputs: every
// redraw has to make the same calls, with values at least as far apart. A composition with larger distances is no
// more private, however later calls depend on earlier releases.
func (d *decoder[D]) withstands(charged comparison) (reason string, err error) {
	tapes := max(choiceTapes, min(maxTapes, allTapes/max(1, len(d.order))))
	if d.s.withstood { // by a pair that this one may be a shrunk form of
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
			return fmt.Sprintf("%s: with other releases of the other calls, the output does not show its released value, "+
				"or it is given something else", named(u.call, d.c.a.Calls[u.call])), d.s.ctx.Err()
		}
	}
	d.s.withstood = true
	return "", nil
}

// steady names the first call that is missing, or whose values are closer together, after other releases; "" if there
// is none.
func (d *decoder[D]) steady(charged comparison) string {
	for _, tape := range d.tapes {
		a, _, first := d.replay(d.pair.A, tape)
		b, _, second := d.replay(d.pair.B, d.c.by.apply(tape))
		if d.s.exhausted() {
			return tooMany + "; record a smaller one"
		}
		if !first || !second {
			return "other releases make other calls, so that the distances of one run do not show the cost"
		}
		now := d.only(comparison{a: a, b: b, moves: charged.moves})
		for i, m := range charged.moves {
			if now.moves[i].distance+now.moves[i].slack < m.distance-m.slack {
				return fmt.Sprintf("%s: after other releases, its values differ by %.6g, not by %.6g, so that the distances "+
					"of one run do not show the cost", named(i, charged.a.Calls[i]), now.moves[i].distance, m.distance)
			}
		}
	}
	return ""
}
