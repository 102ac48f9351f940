package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A run with a checkpoint survives kill -9 at any moment: started again and again, it ends in
// the report of an undisturbed run.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command and kills it for seconds; run without -short")
	}
	kills := 4
	if os.Getenv("DPVERIFY_LONG") != "" {
		kills = 200
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "dpverify")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	args := []string{"verify", "prestige/thm-1/true-labels", "prestige/prop-1/sampled", "--budget", "quick"}
	refuted := func(err error) bool {
		var exit *exec.ExitError
		return errors.As(err, &exit) && exit.ExitCode() == 1
	}
	start := time.Now()
	want, err := exec.Command(binary, args...).Output()
	if !refuted(err) {
		t.Fatal(err)
	}
	whole := time.Since(start)
	r := rand.New(rand.NewPCG(1, 1))
	killed, finished := 0, 0
	for round := 0; killed < kills; round++ {
		checkpoint := filepath.Join(dir, "checkpoint")
		if err := os.RemoveAll(checkpoint); err != nil {
			t.Fatal(err)
		}
		for {
			cmd := exec.Command(binary, append(args, "--checkpoint", checkpoint)...)
			var out bytes.Buffer
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(time.Duration(r.Int64N(int64(whole))), func() { _ = cmd.Process.Kill() }) // it may be over
			err := cmd.Wait()
			if !timer.Stop() && !refuted(err) {
				killed++
				continue
			}
			if !refuted(err) || !bytes.Equal(out.Bytes(), want) {
				t.Fatalf("round %d, %d kills so far: %v, and not the report of an undisturbed run:\n%s", round, killed, err, out.Bytes())
			}
			finished++
			break
		}
	}
	t.Logf("%d kills, %d runs finished after them", killed, finished)
}
