package claimsfile

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify/accounting"
)

// AccountFile names a file that describes a release. Sampling and Adjacency are used if the file leaves them open:
// see [event.OpenFile].
type AccountFile struct{ Path, Sampling, Adjacency string }

// Claimed returns the claim of the flags about a mechanism, which is audited against the account if its path is
// given.
func (g *GuaranteeFlags) Claimed(account AccountFile, flags *pflag.FlagSet) (s Subject, err error) {
	if account.Path != "" {
		return g.Described(account, flags, true)
	}
	s.Guarantee, err = g.Value(flags)
	return s, err
}

// Described returns the claim of the flags about the account of a file, or about a mechanism that is audited against
// it.
func (g *GuaranteeFlags) Described(account AccountFile, flags *pflag.FlagSet, mechanism bool) (s Subject, err error) {
	path := account.Path
	s.Name, s.Source, s.At = "account", path, reports.Place{File: FromRoot(path)}
	file, err := event.OpenFile(path, account.Sampling)
	if err != nil {
		return s, HintEvents(err)
	}
	if flags.Changed("adjacency") {
		adjacency, err := event.ParseAdjacency(account.Adjacency)
		if err != nil {
			return s, fmt.Errorf("--adjacency %q: want %s or %s", account.Adjacency, event.AddRemove, event.ReplaceOne)
		}
		file.Adjacency = &adjacency
	}
	s.Account = newAccount(file)
	if err := s.Account.release.Check(); err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	if fields := g.fields(flags); fields != (guaranteeFields{}) {
		if err := s.Account.claimed(fields, mechanism); err != nil {
			return s, err
		}
	}
	return s, s.Account.complete(file, mechanism)
}

// needsDelta rejects an ε without a δ if the account's ε at δ = 0 is infinite, because the user probably forgot δ. An
// explicit delta: 0 is judged.
func (a *Account) needsDelta(f guaranteeFields) error {
	if f.Epsilon == nil || f.Delta != nil {
		return nil
	}
	b, err := a.release.Bracket(accounting.EpsilonAt(0), accountant.Precision{})
	if err == nil && math.IsInf(b.Lower, 1) {
		err = errors.New("at δ = 0 the account has no finite ε: say at which δ, as in {epsilon: 3, delta: 1e-5}")
	}
	return err
}

// IsFile reports whether an argument names a file: it exists, or has a dot or a slash.
func IsFile(arg string) bool {
	_, err := os.Stat(arg)
	return err == nil || strings.ContainsAny(arg, "./")
}
