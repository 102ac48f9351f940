package claimsfile

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
)

// String describes the account and the claims about it in a form that [Digest] depends on.
func (a *Account) String() string {
	if a == nil {
		return ""
	}
	text := a.release.String()
	if a.bound != nil {
		text += " " + a.bound.String()
	}
	if a.stated != nil {
		text += fmt.Sprintf(" states %s %q %v", a.stated.quantity, a.stated.printed.Text, a.stated.printed.Rounding)
	}
	return text + " against " + a.comparedQuantity()
}

// comparedQuantity names the quantity of the account that a mechanism is compared with.
func (a *Account) comparedQuantity() string {
	if a.wholeCurve {
		return "whole privacy curve"
	}
	return a.against.String()
}

// Suffixes of the ids of the claims about an account.
const (
	accountSuffix = "/account"
	statesSuffix  = "/states"
)

// accountClaims returns the claims about the account, if there is one.
func (s *Subject) accountClaims() (parts []Part) {
	a := s.Account
	if a == nil {
		return nil
	}
	add := func(suffix, statement string, check verify.Check) {
		if len(a.notes) > 0 {
			statement += "; read from " + strings.Join(a.notes, "; ")
		}
		parts = append(parts, s.part(Computed, suffix, statement, check))
	}
	if a.bound != nil {
		add(accountSuffix, fmt.Sprintf("%s %s", a.release, a.bound), s.withObserved(a.bound.check(a.release)))
	}
	if a.stated != nil {
		q, printed := a.stated.quantity, a.stated.printed
		add(statesSuffix, fmt.Sprintf("the %s of %s is printed as %s", q, a.release, printed.Text),
			a.release.Equals(q, printed))
	}
	return parts
}

// privacyCheck returns the privacy check of a mechanism against the claimed guarantee, or against the account if there
// is one.
func (s *Subject) privacyCheck(check func(privacy.Guarantee) verify.Check) verify.Check {
	if s.Account == nil {
		return check(s.Guarantee)
	}
	if s.Account.wholeCurve {
		return s.Account.release.AuditedAlong(check)
	}
	return s.Account.release.Audited(s.Account.against, check)
}

// allowance names the guarantee or the account that a mechanism is audited against.
func (s *Subject) allowance() string {
	if s.Account == nil {
		return s.Guarantee.String()
	}
	return fmt.Sprintf("the account of %s, by its %s,", s.Account.release, s.Account.comparedQuantity())
}

// privacyPredicate returns the predicate of the privacy claim about a mechanism.
func (s *Subject) privacyPredicate() string {
	if s.Account == nil {
		return "is " + s.allowance()
	}
	return fmt.Sprintf("leaks no more than %s allows", s.allowance())
}

// IDs returns the ids of all claims that a subject can have.
func (s *Subject) IDs() []string {
	ids := []string{s.ID()}
	for _, suffix := range []string{PrecisionSuffix, canariesSuffix, accountSuffix, statesSuffix} {
		ids = append(ids, s.ID()+suffix)
	}
	for _, made := range s.Stated {
		ids = append(ids, s.ID()+"/"+made.key)
	}
	for _, p := range s.premiseClaims() {
		ids = append(ids, p.Claim.ID)
	}
	return append(ids, s.replayIDs()...)
}

// Accounts returns the ids of the claims about the account, whose checks run no mechanism.
func (s *Subject) Accounts() (ids []string) {
	for _, p := range s.Parts() {
		if p.Work == Computed {
			ids = append(ids, p.Claim.ID)
		}
	}
	return ids
}

// Guarantees returns the guarantees that mechanisms are audited against, by claim id. It omits mechanisms that are
// audited against an account.
func Guarantees(subjects []Subject) map[string]privacy.Guarantee {
	all := make(map[string]privacy.Guarantee)
	for i := range subjects {
		s := &subjects[i]
		if s.Account != nil || !s.Sampled() && s.canaries == nil {
			continue
		}
		for _, id := range []string{s.ID(), s.ID() + PrecisionSuffix, s.ID() + canariesSuffix} {
			all[id] = s.Guarantee
		}
	}
	return all
}
