package event

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dpverify/dpverify/bounds/accountant/matrix"
)

var strategies = []string{"tree", "honaker", "identity", "prefix", "banded"}

// matrix builds the event of the matrix mechanism, a Gaussian mechanism with correlated noise.
func (d Description) matrix() (Event, error) {
	switch {
	case d.Sampling != "" && d.Sampling != "none" && d.Sampling != "poisson":
		return Event{}, DomainError("matrix: sampling %q: its noise is correlated over the steps, so the steps of a "+
			"record cannot be accounted for one by one; want poisson, or none, and participation", d.Sampling)
	case d.SamplingRate != nil:
		return d.amplified()
	case d.Cycle != 0 || d.Sampling == "poisson":
		return Event{}, DomainError("matrix: sampling by cycles needs a sampling-rate")
	}
	var p matrix.Participation
	if d.Participation != nil {
		p = *d.Participation
	}
	name := fmt.Sprintf("%q %d %d %d %v", d.Strategy, d.Steps, d.Bandwidth, d.Restart, p)
	bracket, ok := d.sensitivities[name]
	if !ok {
		s, err := d.strategy()
		if err == nil {
			bracket, err = s.Sensitivity(p)
		}
		if err != nil {
			return Event{}, matrixError(err)
		}
		if d.sensitivities != nil {
			d.sensitivities[name] = bracket
		}
	}
	return Matrix(d.NoiseMultiplier, bracket.Lower, bracket.Upper), nil
}

// matrixError converts an error of package matrix to a DomainError, so that the domain suffix appears once.
func matrixError(err error) error {
	if errors.Is(err, matrix.ErrDomain) {
		err = errors.New(strings.TrimSuffix(err.Error(), ": "+matrix.ErrDomain.Error()))
	}
	return DomainError("matrix: %v", err)
}

// strategy returns the matrix, built by name or read from a file.
func (d Description) strategy() (*matrix.Strategy, error) {
	if d.Strategy == "" {
		return nil, fmt.Errorf("strategy is missing: want %s, or the CSV file of a matrix", strings.Join(strategies, ", "))
	}
	if d.Bandwidth != 0 && d.Strategy != "banded" {
		return nil, errors.New("bandwidth applies only to the strategy banded")
	}
	if d.Restart != 0 && d.Strategy != "tree" && d.Strategy != "honaker" {
		return nil, errors.New("restart applies only to the strategies tree and honaker")
	}
	if d.Steps > matrix.MaxSteps {
		d.Steps = matrix.MaxSteps + 1 // any int can represent this value, and package matrix rejects it
	}
	n := int(d.Steps)
	switch d.Strategy {
	case "tree":
		return matrix.Tree(n, d.Restart)
	case "honaker":
		return matrix.Honaker(n, d.Restart)
	case "identity":
		return matrix.Identity(n)
	case "prefix":
		return matrix.Prefix(n)
	case "banded":
		return matrix.Banded(n, d.Bandwidth)
	}
	if !strings.ContainsAny(d.Strategy, "./\\") {
		return nil, &NameError{"strategy", d.Strategy, strategies}
	}
	path := d.located(d.Strategy)
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	s, err := matrix.Read(bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case d.Steps != 0 && n != s.Steps():
		return nil, DomainError("%s has %d steps, but steps is %d", path, s.Steps(), d.Steps)
	}
	return s, nil
}

// amplified returns a composition of Poisson-sampled steps that brackets the matrix mechanism under cyclic Poisson
// sampling; see matrix.Amplified.
func (d Description) amplified() (Event, error) {
	s, err := d.strategy()
	if err != nil {
		return Event{}, matrixError(err)
	}
	if d.Participation != nil {
		return Event{}, DomainError("matrix: if records are sampled, the cycle determines participation: leave it out")
	}
	cycle := d.Cycle
	if cycle == 0 {
		cycle = s.Bands()
	}
	a, err := s.Amplified(cycle, *d.SamplingRate, d.NoiseMultiplier)
	if err != nil {
		return Event{}, matrixError(err)
	}
	var parts []Event
	below := a.Lower
	for _, above := range a.Upper {
		for left := above.Count; left > 0; {
			n, minNorm := left, 0.0
			if len(below) > 0 {
				n = min(n, below[0].Count)
				minNorm = math.Nextafter(d.NoiseMultiplier/below[0].NoiseMultiplier, 0)
				if below[0].Count -= n; below[0].Count == 0 {
					below = below[1:]
				}
			}
			maxNorm := math.Nextafter(d.NoiseMultiplier/above.NoiseMultiplier, math.Inf(1))
			release := Matrix(d.NoiseMultiplier, math.Min(minNorm, maxNorm), maxNorm)
			parts = append(parts, Repeat(int64(n), Poisson(above.Rate, release)))
			left -= n
		}
	}
	return Compose(parts...), nil
}
