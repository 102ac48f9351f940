package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/dpverify/dpverify/internal/testutil"
)

// Some shards of a run are killed at random times and restarted. The merged report equals the report of one process,
// byte for byte. With DPVERIFY_LONG=1, 20 of 64 shards are killed.
func TestKilledShards(t *testing.T) {
	testutil.Skip(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parts, kills := testutil.Size(4, 64), testutil.Size(2, 20)
	args := []string{"verify", "laplace-sgd/alg-1/privacy/sampled", shardedClaim, "--budget", "quick"}
	dir := t.TempDir()
	v := victim{self, dir, args}
	want, _ := v.command().Output() // any verdict
	start := time.Now()
	r := rand.New(rand.NewPCG(33, 1))
	killed := make(map[int]bool)
	for _, i := range r.Perm(parts)[:kills] {
		killed[i+1] = true
	}
	merge := []string{"merge"}
	for i := 1; i <= parts; i++ {
		file := fmt.Sprintf("part-%d.jsonl", i)
		merge = append(merge, file)
		for attempts := 0; ; attempts++ {
			c := v.command("--shard", "auto", "-o", file)
			c.Env = append(os.Environ(), fmt.Sprintf("JOB_COMPLETION_INDEX=%d", i-1), fmt.Sprintf("DPVERIFY_SHARDS=%d", parts))
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if attempts == 0 && killed[i] {
				time.AfterFunc(time.Duration(r.Int64N(int64(200*time.Millisecond))), func() { _ = c.Process.Kill() }) // it may have ended
			}
			if err := c.Wait(); err == nil {
				break
			} else if attempts > 0 || !killed[i] {
				t.Fatalf("part %d: %v", i, err)
			}
		}
	}
	got, err := victim{self, dir, merge}.command().CombinedOutput()
	if !bytes.HasPrefix(got, want) || len(want) == 0 {
		t.Errorf("%d shards, %d of them killed: the merged report differs from one run (%v):\n%s", parts, kills, err, got)
	}
	t.Logf("%d shards, %d of them killed, in %v", parts, kills, time.Since(start))
}

// The manual's Kubernetes manifest is valid, and DPVERIFY_SHARDS in it equals the number of completions.
func TestKubernetesManifest(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "..", "testdata", "cluster", "kubernetes.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	type job struct {
		Kind string
		Spec struct {
			CompletionMode           string `yaml:"completionMode"`
			Completions, Parallelism int
			Template                 struct {
				Spec struct {
					Containers []struct {
						Command []string
						Env     []struct{ Name, Value string }
					}
				}
			}
		}
	}
	var jobs []job
	for d := yaml.NewDecoder(file); ; {
		var j job
		if err := d.Decode(&j); err != nil {
			break
		}
		jobs = append(jobs, j)
	}
	if len(jobs) != 2 || jobs[0].Kind != "Job" || jobs[0].Spec.CompletionMode != "Indexed" {
		t.Fatalf("%+v", jobs)
	}
	part, merge := jobs[0].Spec.Template.Spec.Containers[0], jobs[1].Spec.Template.Spec.Containers[0]
	if part.Env[0].Name != "DPVERIFY_SHARDS" || part.Env[0].Value != fmt.Sprint(jobs[0].Spec.Completions) {
		t.Errorf("%+v for %d completions", part.Env, jobs[0].Spec.Completions)
	}
	// Both commands and their flags exist.
	root := (&app{ledger: stubLedger}).root()
	for _, words := range [][]string{{"audit", "--shard", "auto"}, merge.Command[1:]} {
		c, rest, err := root.Find(words)
		if err == nil {
			err = c.ParseFlags(rest)
		}
		if err != nil {
			t.Errorf("%v: %v", words, err)
		}
	}
}
