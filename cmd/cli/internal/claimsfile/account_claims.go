package claimsfile

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
)

// String is what decides what is found.
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
	return text + " against " + a.how()
}

// how is what of the account a mechanism is audited against, in words.
func (a *Account) how() string {
	if a.along {
		return "whole privacy curve"
	}
	return a.against.String()
}

// What the parts of a claim are called where there are several.
const (
	accountSuffix = "/account"
	statesSuffix  = "/states"
)

// accountClaims are those about the description, if there is one.
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
		add(accountSuffix, fmt.Sprintf("%s %s", a.release, a.bound), a.bound.check(a.release))
	}
	if a.stated != nil {
		q, printed := a.stated.quantity, a.stated.printed
		add(statesSuffix, fmt.Sprintf("the %s of %s is printed as %s", q, a.release, printed.Text),
			a.release.Equals(q, printed))
	}
	return parts
}

// of makes the check of a mechanism: of a typed guarantee, or of what the account says.
func (s *Subject) of(check func(privacy.Guarantee) verify.Check) verify.Check {
	if s.Account == nil {
		return check(s.Guarantee)
	}
	if s.Account.along {
		return s.Account.release.AuditedAlong(check)
	}
	return s.Account.release.Audited(s.Account.against, check)
}

// allowance is what a mechanism is audited against, in words.
func (s *Subject) allowance() string {
	if s.Account == nil {
		return s.Guarantee.String()
	}
	return fmt.Sprintf("the account of %s, by its %s,", s.Account.release, s.Account.how())
}

// keeps is what is claimed of a mechanism.
func (s *Subject) keeps() string {
	if s.Account == nil {
		return "is " + s.allowance()
	}
	return fmt.Sprintf("gives away no more than %s allows", s.allowance())
}

// IDs of the claims that a subject has, or could have.
func (s *Subject) IDs() []string {
	ids := []string{s.ID()}
	for _, suffix := range []string{PrecisionSuffix, canariesSuffix, accountSuffix, statesSuffix} {
		ids = append(ids, s.ID()+suffix)
	}
	for _, made := range s.Stated {
		ids = append(ids, s.ID()+"/"+made.key)
	}
	return append(ids, s.replayIDs()...)
}

// Accounts are the ids of the claims about the description, which runs no mechanism.
func (s *Subject) Accounts() (ids []string) {
	for _, p := range s.Parts() {
		if p.Work == Computed {
			ids = append(ids, p.Claim.ID)
		}
	}
	return ids
}

// Guarantees are those that mechanisms are audited against, by the ids of the claims; without those of accounts.
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
