package claimsfile

import (
	"encoding/json"
	"fmt"

	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/process"
	"github.com/dpverify/dpverify/verify/replay"
)

const replaySuffix = "/replay/"

// replayed returns the record-and-replay check of a process. It compares the cost of its noise with a guarantee, but
// not with an account, which describes the release and allows nothing.
func (s *Subject) replayed(p *process.Process) replay.Replay[json.RawMessage] {
	r := replay.Replay[json.RawMessage]{Subject: process.Replayer{Process: p}, Given: s.Neighbours(), Claim: s.Guarantee}
	if s.Account != nil {
		r.Claim = privacy.Guarantee{}
	}
	if s.Found != nil {
		r.Space, r.Pairs = s.space(), int64(s.Found.Search)
	}
	return r
}

// replayClaims returns the record-and-replay claims, each with its own process.
func (s *Subject) replayClaims() (parts []Part) {
	if !s.Replay {
		return nil
	}
	for _, part := range s.replayed(nil).Parts() {
		mechanism := s.process()
		s.Processes = append(s.Processes, mechanism)
		r := s.replayed(mechanism)
		parts = append(parts, s.part(Replays, replaySuffix+string(part),
			fmt.Sprintf("%s: %s", s.subjectText(), r.Statement(part)),
			process.Check{Process: mechanism, Check: r.PartCheck(part)}))
	}
	return parts
}

// replayIDs returns the ids of the record-and-replay claims.
func (s *Subject) replayIDs() (ids []string) {
	for _, part := range replay.Parts {
		ids = append(ids, s.ID()+replaySuffix+string(part))
	}
	return ids
}
