package claimsfile

import (
	"encoding/json"
	"fmt"

	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/process"
	"github.com/dpverify/dpverify/verify/replay"
)

const replaySuffix = "/replay/"

// replayed is the check of a process by record and replay. What its calls cost is held against a guarantee; an
// account says what is released, not what is allowed.
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

// replayClaims are those that record and replay decides, each on a process of its own.
func (s *Subject) replayClaims() (parts []Part) {
	if !s.Replay {
		return nil
	}
	for _, part := range s.replayed(nil).Parts() {
		mechanism := s.process()
		s.Processes = append(s.Processes, mechanism)
		r := s.replayed(mechanism)
		parts = append(parts, s.part(Replays, replaySuffix+string(part),
			fmt.Sprintf("of %s: %s", s.what(), r.Statement(part)),
			process.Check{Process: mechanism, Check: r.PartCheck(part)}))
	}
	return parts
}

// replayIDs are those of the claims.
func (s *Subject) replayIDs() (ids []string) {
	for _, part := range replay.Parts {
		ids = append(ids, s.ID()+replaySuffix+string(part))
	}
	return ids
}
