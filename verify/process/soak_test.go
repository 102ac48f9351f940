//go:build unix

package process

import (
	"context"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

var soakSpan = flag.Duration("soak", 20*time.Second, "how long each part of TestSoak takes")

// Sampling needs constant memory: the live heap at the end exceeds the heap after a tenth of the time by at most 5 % and
// 250 kB. A run of one hour:
//
//	DPVERIFY_LONG=1 go test -run TestSoak -timeout 150m ./verify/process -soak 1h
func TestSoak(t *testing.T) {
	if !testutil.Asked() {
		t.Skip("samples for at least 20 seconds per part: set " + testutil.Variable)
	}
	span := *soakSpan
	pairs := []inputs.Pair[json.RawMessage]{{Name: "0 and 1", A: json.RawMessage("0"), B: json.RawMessage("1")}}
	for _, c := range []struct {
		name  string
		check func(t *testing.T) verify.Check
	}{
		{"mechanism", func(*testing.T) verify.Check {
			return privacy.Audit[json.RawMessage, any]{Mechanism: soakLaplace{}, Guarantee: privacy.ApproximateDP(1, 0), Samples: 1e11, Pairs: pairs}
		}},
		{"process", func(t *testing.T) verify.Check {
			p := containedProcess(t, "good")
			return Check{Process: p, Check: privacy.Audit[json.RawMessage, any]{Mechanism: p, Guarantee: privacy.ApproximateDP(2, 1e-3), Samples: 1e11, Pairs: pairs}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			done := make(chan error, 1)
			check := c.check(t)
			go func() {
				s := verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}
				_, err := verify.Judge(ctx, check, s, empirical.NewPool(2), nil)
				done <- err
			}()
			heap := func(at time.Duration) float64 {
				select {
				case err := <-done:
					t.Fatalf("sampling ended early: %v", err)
				case <-time.After(at):
				}
				smallest := math.Inf(1) // of several measurements, since garbage and buffers vary
				for range 20 {
					runtime.GC()
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					smallest = min(smallest, float64(m.HeapAlloc))
				}
				return smallest
			}
			before := heap(span / 10)
			after := heap(span - span/10)
			t.Logf("%.2f MB after %v, %.2f MB after %v; the mechanism in Go gave %.3g samples", before/1e6, span/10, after/1e6, span, float64(soaked.Load()))
			if !(after <= 1.05*before+250e3) {
				t.Errorf("the heap grew from %.0f to %.0f bytes", before, after)
			}
			cancel()
			<-done
		})
	}
}

// soakLaplace adds Laplace noise of scale 1 to a number in JSON.
type soakLaplace struct{}

// soaked is the number of samples from soakLaplace.
var soaked atomic.Int64

func (soakLaplace) Release(r *rand.Rand, input json.RawMessage) (any, error) {
	soaked.Add(1)
	var x float64
	err := json.Unmarshal(input, &x)
	return x + math.Copysign(r.ExpFloat64(), r.Float64()-0.5), err
}
