package claimsfile

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/dpverify/dpverify/verify/eprocess"
	"github.com/dpverify/dpverify/verify/outputs"
)

// EvidenceFile names the file that adds up the evidence of all runs of a claims file.
type EvidenceFile struct {
	Path  string // "" for none
	Start int    // number of the start; 0 if it is not stated
}

type evidenceFields struct {
	File  string `yaml:"file" want:"the file of the evidence, as in evidence.jsonl"`
	Start *int64 `yaml:"start"`
}

// evidence reads the evidence key of a claims file. The path is relative to the claims file.
func (p configParser) evidence(f *evidenceFields) (EvidenceFile, error) {
	switch {
	case f == nil:
		return EvidenceFile{}, nil
	case f.File == "":
		return EvidenceFile{}, p.errorf("$.evidence", "evidence without a file: want {file: evidence.jsonl, start: 1}")
	case f.Start == nil:
		return EvidenceFile{}, p.errorf("$.evidence", "evidence without a start: want start: 1, and a larger number "+
			"after each "+
			"loss of the file")
	case *f.Start < 1:
		return EvidenceFile{}, p.errorf("$.evidence.start", "start %d: want a whole number from 1", *f.Start)
	}
	path := f.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(p.path), path)
	}
	return EvidenceFile{Path: path, Start: int(*f.Start)}, nil
}

// Version returns a digest of the claim and of its program: the command and the contents of the files that it names. It
// does not depend on the number of samples or on recorded data, which differ from run to run.
func (s *Subject) Version() (string, error) {
	claim := *s
	claim.Samples, claim.Recorded, claim.Outputs, claim.canaries, claim.training = 0, nil, nil, nil, nil
	h := sha256.New()
	fmt.Fprintln(h, Digest([]Subject{claim}))
	if c := s.canaries; c != nil {
		fmt.Fprintf(h, "canaries %v %v\n", c.Event, c.Chance)
	}
	if l := s.training; l != nil {
		fmt.Fprintf(h, "training %v\n", l.Claimed)
	}
	words := make([]any, len(s.Command))
	for i, w := range s.Command {
		words[i] = w
	}
	files := filesAmong(documentWords(words, nil), s.dir, "")
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("%s: the version of claim %q: %w", s.Source, s.Name, err)
		}
		fmt.Fprintf(h, "%s %x\n", filepath.Base(file), sha256.Sum256(content))
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12]), nil
}

// RecordedData returns the hashes of the outputs in each recording that the claim judges.
func (s *Subject) RecordedData() (data [][]uint64) {
	if r := s.Recorded; r != nil {
		data = append(data, outputs.Fingerprints(r.A.Outputs), outputs.Fingerprints(r.B.Outputs))
	}
	if r := s.Outputs; r != nil {
		data = append(data, outputs.Fingerprints(r.Outputs))
	}
	if c := s.canaries; c != nil {
		data = append(data, outputs.Fingerprints([]any{c.Scores.Digest()}))
	}
	if l := s.training; l != nil {
		data = append(data, outputs.Fingerprints([]any{fmt.Sprintf("%x", l.digest)}))
	}
	return data
}

// Remember lets the audit of given pairs learn from earlier runs and add its factors to theirs.
func (s *Subject) Remember() {
	if s.Sampled() && len(s.Command) > 0 && s.Found == nil && !s.isMultiRun() {
		s.Bets = &eprocess.Bets{}
	}
}
