package claimsfile

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/dpverify/dpverify/algorithms/dpsgd"
	"github.com/dpverify/dpverify/empirical"
)

// Serve answers the requests of an audit, one JSON object per line, until the input ends. For each output it trains
// once, with the canary if the input is 1 and without it if the input is 0, and replies with the canary's score. The
// training has the fault that the file names, if any, and is observed by the file's first attack.
func (f *TrainingFile) Serve(ctx context.Context, dir string, in io.Reader, out io.Writer) error {
	s, err := f.Subject(dir)
	if err != nil {
		return err
	}
	fault := dpsgd.Sound
	if f.Named {
		if len(f.Faults) != 1 {
			return f.errorf("fault", "%d faults: want at most one for a process", len(f.Faults))
		}
		fault = f.Faults[0]
	}
	training, err := s.Train(f.Attacks[0], fault)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var request struct {
			Input json.Number `json:"input"`
			N     int         `json:"n"`
			Seed  uint64      `json:"seed"`
		}
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil || request.N < 1 ||
			request.Input != "0" && request.Input != "1" {
			return fmt.Errorf(`request %.80q: want {"input": 1, "n": 1, "seed": 42},
				with input 1 for the canary and 0 without it`,
				lines.Text())
		}
		r := empirical.NewSeed(request.Seed).Derive("training").Rand()
		var reply struct {
			Outputs []float64 `json:"outputs"`
		}
		for range request.N {
			scores, err := training.Scores(ctx, r, []bool{request.Input == "1"})
			if err != nil {
				return err
			}
			reply.Outputs = append(reply.Outputs, scores[0])
		}
		text, err := json.Marshal(reply)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("a request is longer than %d bytes: want one request per line", bufio.MaxScanTokenSize)
	} else if err != nil {
		return fmt.Errorf("reading requests: %w", err)
	}
	return nil
}
