package cli

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/dpverify/dpverify/internal/testutil"
)

// A run with a checkpoint survives kill -9 at any moment: restarted after each kill, it writes the report of an
// undisturbed run. The long form kills each command 200 times.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("kills the command for seconds; run without -short")
	}
	t.Parallel()
	kills := testutil.Size(2, 200)
	// TestMain runs the command where the binary of the tests is called by its name.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	audited := t.TempDir()
	for name, text := range map[string]string{
		"noisy_count.py": halved(t, read(t, "..", "..", "testdata", "audit", "noisy_count.py"), "expovariate(1.0)", "expovariate(1.5)"),
		"claims.yaml":    read(t, "..", "..", "testdata", "audit", "claims.yaml"),
	} {
		put(t, filepath.Join(audited, name), text)
	}
	for _, c := range []struct {
		name, dir string
		args      []string
	}{
		{"verify", "", []string{"verify", "laplace-sgd/alg-1/privacy/sampled", "laplace-sgd/preprocessing/with-replacement",
			shardedClaim, "--budget", "quick"}},
		{"audit", audited, []string{"audit", "claims.yaml", "--samples", "4000"}},
		{"audit by betting", audited, []string{"audit", "claims.yaml", "--samples", "4000", "--anytime"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.dir != "" {
				needPython(t)
			}
			killed, finished := 0, 0
			v := victim{self, c.dir, c.args}
			want, whole := v.undisturbed(t)
			r := rand.New(rand.NewPCG(1, 1))
			for killed < kills {
				killed += v.round(t, r, want, whole)
				finished++
			}
			t.Logf("%d kills, %d runs finished after them", killed, finished)
		})
	}
}

// victim is a command whose claims are refuted.
type victim struct {
	binary, dir string
	args        []string
}

func (v victim) command(more ...string) *exec.Cmd {
	c := exec.Command(v.binary, append(v.args[:len(v.args):len(v.args)], more...)...)
	c.Args[0] = "dpverify"
	c.Dir = v.dir
	return c
}

func refuted(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == codeRefuted
}

// undisturbed returns the report of a run without kills, and its duration.
func (v victim) undisturbed(t *testing.T) ([]byte, time.Duration) {
	t.Helper()
	start := time.Now()
	want, err := v.command().Output()
	if !refuted(err) {
		t.Fatal(err)
	}
	return want, time.Since(start)
}

// round kills the command at random moments until it ends before the kill, and returns the number of kills.
func (v victim) round(t *testing.T, r *rand.Rand, want []byte, whole time.Duration) (kills int) {
	t.Helper()
	checkpoint := filepath.Join(t.TempDir(), "checkpoint")
	for waits := 0; ; {
		cmd := v.command("--checkpoint", checkpoint)
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(r.Int64N(int64(whole))), func() { _ = cmd.Process.Kill() }) // it may be over
		err := cmd.Wait()
		if !timer.Stop() && !refuted(err) {
			kills++
			whole += whole / 8 // on a machine that others slow down it would never end
			continue
		}
		if bytes.Contains(said.Bytes(), []byte("is in use by another run")) && waits < 100 {
			waits++ // a child that the killed run had just forked holds the lock until it executes its program
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if !refuted(err) || !bytes.Equal(out.Bytes(), want) {
			t.Fatalf("after %d kills: %v, and not the report of an undisturbed run:\n%s%s", kills, err, said.Bytes(), out.Bytes())
		}
		return kills
	}
}
