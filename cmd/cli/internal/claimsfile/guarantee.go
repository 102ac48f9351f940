package claimsfile

import "github.com/dpverify/dpverify/verify/guarantee"

// guarantee reads what is claimed of a mechanism.
func (p configParser) guarantee(at string, c claimFields, s *Subject) (err error) {
	ok := true
	switch f := c.Guarantee; {
	case f.Account != nil:
		return p.alongAccount(at, c, s)
	case f.Curve != "" && f == (guaranteeFields{Curve: f.Curve}):
		if s.Guarantee, err = guarantee.OpenCurve(p.beside(f.Curve)); err != nil {
			return p.errorf(at+".guarantee.curve", "claim %q: %w", c.Name, err)
		}
	default:
		s.Guarantee, ok = f.guarantee()
	}
	if !ok {
		return p.errorf(at+".guarantee", "claim %q: a guarantee is epsilon (with delta), rho, mu (or gaussian-mu), alpha "+
			"with renyi, a curve, or an account", c.Name)
	}
	if err := s.Guarantee.Check(); err != nil {
		return p.errorf(at+".guarantee", "claim %q: %w", c.Name, err)
	}
	return nil
}

// alongAccount reads a description whose whole privacy curve is the claim.
func (p configParser) alongAccount(at string, c claimFields, s *Subject) (err error) {
	at += ".guarantee"
	if fields, _ := mappingOf(p.node(at)); len(fields) != 1 {
		return p.errorf(at, "claim %q: an account is a guarantee by itself: leave the other keys out", c.Name)
	}
	if c.Canaries != "" {
		return p.errorf(at+".account", "claim %q: canaries are audited against an account where it stands in the claim "+
			"itself, beside the guarantee", c.Name)
	}
	s.Account, _, err = p.described(at+".account", c.Name)
	if err != nil {
		return err
	}
	if err := s.Account.release.Check(); err != nil {
		return p.errorf(at+".account", "claim %q: %w", c.Name, err)
	}
	s.Account.along = true
	return nil
}
