package claimsfile

import "github.com/dpverify/dpverify/verify/guarantee"

// guarantee reads the claimed guarantee of a mechanism.
func (p configParser) guarantee(at string, c claimFields, s *Subject) (err error) {
	ok := true
	switch f := c.Guarantee; {
	case f.Account != nil:
		return p.accountCurve(at, c, s)
	case f.Curve != "" && f == (guaranteeFields{Curve: f.Curve}):
		if s.Guarantee, err = guarantee.OpenCurve(p.resolve(f.Curve)); err != nil {
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

// accountCurve reads an account whose whole privacy curve is the guarantee.
func (p configParser) accountCurve(at string, c claimFields, s *Subject) (err error) {
	at += ".guarantee"
	if fields, _ := mappingOf(p.node(at)); len(fields) != 1 {
		return p.errorf(at, "claim %q: an account is a complete guarantee: leave the other keys out", c.Name)
	}
	if c.Canaries != "" {
		return p.errorf(at+".account", "claim %q: canaries are audited against an account under the claim's own key "+
			"account, not under guarantee", c.Name)
	}
	s.Account, _, err = p.described(at+".account", c.Name)
	if err != nil {
		return err
	}
	if err := s.Account.release.Check(); err != nil {
		return p.errorf(at+".account", "claim %q: %w", c.Name, err)
	}
	s.Account.wholeCurve = true
	return nil
}
