package claimsfile

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

// recordedFields names the files of outputs at two neighboring inputs.
type recordedFields struct {
	A string `yaml:"a"`
	B string `yaml:"b"`
}

// RecordedPair reads the outputs at two neighboring inputs.
func RecordedPair(fileA, fileB string) (*privacy.RecordedAudit, error) {
	a, err := os.Open(fileA)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	b, err := os.Open(fileB)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	recorded := &privacy.RecordedAudit{}
	recorded.A, recorded.B, err = outputs.ReadFewRecordings(fileA, a, fileB, b, training.AllNumbers)
	return recorded, err
}

// recorded reads a claim with recorded outputs: a guarantee at two inputs, or a mean or a distribution at one; at is
// the path of the claim. An unreadable file breaks only this claim.
func (p configParser) recorded(at string, c claimFields, s *Subject) error {
	if c.Exec != nil || c.Canaries != "" {
		return p.errorf(at+".recorded", "claim %q: recorded outputs replace exec or canaries: want only one of "+
			"them", s.Name)
	}
	if err := p.readCanaries(at, c, s); err != nil {
		return err
	}
	for _, key := range c.keysOfMechanisms() {
		if key != "precision" && key != "mass" && key != "anytime" {
			return p.errorf(at+"."+key, "claim %q: %s does not apply to recorded outputs", s.Name, key)
		}
	}
	s.Anytime = c.Anytime
	if s.guaranteed = p.guarantees(at, c); c.Account != nil {
		if s.Account, s.Broken = p.account(at, c); s.Broken != nil {
			return nil
		}
	} else if s.guaranteed {
		if err := p.guarantee(at, c, s); err != nil {
			return err
		}
	} else if extra := c.keysOfGuarantees(); len(extra) > 0 {
		return p.errorf(at+"."+extra[0], "claim %q: %s belongs to a claim with a guarantee", s.Name, extra[0])
	}
	if err := p.numbers(at, c, s); err != nil {
		return err
	}
	if s.Broken = p.recordings(at+".recorded", c, s); s.Broken == nil {
		s.Broken = p.statements(at, c, s)
	}
	return nil
}

// recordings reads the files of recorded outputs.
func (p configParser) recordings(at string, c claimFields, s *Subject) (err error) {
	switch {
	case s.guaranteed && c.hasStatements():
		return p.errorf(at, "claim %q: a guarantee needs outputs recorded at two inputs, %s outputs at one: want a "+
			"claim for each", s.Name, c.statedKeys()[0])
	case c.Sensitivity != nil:
		return p.errorf(at, "claim %q: a sensitivity compares a map without noise at pairs of inputs: want exec, "+
			"not recorded outputs", s.Name)
	case c.Rate != nil:
		return p.errorf(at, "claim %q: a rate needs outputs at each input of its grid: want exec, not recorded outputs",
			s.Name)
	case s.guaranteed:
		return p.recordedPair(at, s)
	}
	var name string
	if node := p.node(at); p.decode(node, &name) != nil {
		return p.errorf(at, "claim %q: got %s, want the file of the outputs at one input, as in outputs.jsonl",
			s.Name, describe(node))
	}
	name = p.resolve(name)
	file, err := os.Open(name)
	if err != nil {
		return p.errorf(at, "claim %q: %w", s.Name, err)
	}
	defer file.Close()
	out, err := outputs.ReadRecording(name, file)
	if err != nil {
		return p.errorf(at, "claim %q: %w", s.Name, err)
	}
	s.Outputs = &out
	return nil
}

// recordedPair reads the files of outputs at two inputs.
func (p configParser) recordedPair(at string, s *Subject) error {
	var f recordedFields
	if _, err := p.fields(at, s, &f); err != nil {
		return err
	}
	a, b := p.resolve(f.A), p.resolve(f.B)
	switch {
	case f.A == "" || f.B == "":
		return p.errorf(at, "claim %q: want the files of outputs at two neighboring inputs, as in {a: with.jsonl, b: "+
			"without.jsonl}", s.Name)
	case a == b || SameFile(a, b):
		return p.errorf(at+".b", "claim %q: %s and %s are the same file: want outputs at two inputs", s.Name, f.A, f.B)
	}
	recorded, err := RecordedPair(a, b)
	if err != nil {
		return p.errorf(at, "claim %q: %w", s.Name, err)
	}
	s.Recorded, recorded.Mass = recorded, s.Mass
	return nil
}

// resolve resolves a path relative to the directory of the claims file.
func (p configParser) resolve(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(p.path), filepath.FromSlash(name))
}

// recordedMechanism is a mechanism that replays recorded outputs.
type recordedMechanism func(out []any) error

func (t recordedMechanism) ReleaseN(_ *rand.Rand, _ json.RawMessage, out []any) error { return t(out) }

// onRecorded checks a statement on the recorded outputs.
func (m *statedFields) onRecorded(s *Subject) verify.Check {
	return outputs.RecordedCheck{Recording: *s.Outputs, Check: func(next func([]any) error, samples int64) verify.Check {
		return m.check(recordedMechanism(next), samples, s)
	}}
}

// recordedName names the mechanism of recorded outputs in a statement.
func (s *Subject) recordedName() string {
	if s.Outputs == nil {
		return "the recorded mechanism"
	}
	return fmt.Sprintf("the mechanism whose outputs %s holds", s.Outputs.Name)
}
