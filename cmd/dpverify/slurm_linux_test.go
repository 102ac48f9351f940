package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpverify/dpverify/internal/testutil"
)

// slurm is a cluster of one node on the loopback device, with its own files, ports and key.
type slurm struct {
	dir string   // directory of its files; short, because paths of sockets are limited
	bin string   // directory of the built dpverify
	env []string // environment of its commands and jobs
}

// newSlurm starts a cluster. It skips the test, with the reason, if Slurm is not installed or does not start.
func newSlurm(t *testing.T) *slurm {
	t.Helper()
	path := os.Getenv("PATH") + ":/usr/sbin:/sbin"
	t.Setenv("PATH", path)
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sinfo", "squeue", "scancel"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed: Debian packages munge and slurm-wlm", name)
		}
	}
	dir, err := os.MkdirTemp("/tmp", "dps")
	if err != nil {
		t.Fatal(err)
	}
	s := &slurm{dir: dir, bin: filepath.Join(dir, "bin")}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // runs after the daemons have ended
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", s.bin+"/", "./cmd/dpverify")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// No other variables: those of a scheduler that runs this test would name the wrong job.
	s.env = []string{"PATH=" + s.bin + ":" + path, "HOME=" + dir, "SLURM_CONF=" + s.file("slurm.conf")}
	s.configure(t)
	s.daemon(t, "munged", "--foreground", "--force", "--socket", s.file("munge"), "--key-file", s.file("key"),
		"--pid-file", s.file("munged.pid"), "--log-file", s.file("munged.log"), "--seed-file", s.file("seed"))
	s.starts(t, "munged", func() bool { _, err := os.Stat(s.file("munge")); return err == nil })
	s.daemon(t, "slurmctld", "-D", "-i")
	s.daemon(t, "slurmd", "-D")
	s.starts(t, "slurmd", func() bool {
		out, err := s.run(dir, "sinfo", "-h", "-o", "%T")
		return err == nil && strings.TrimSpace(out) == "idle"
	})
	t.Cleanup(func() { s.cancel(t) })
	return s
}

func (s *slurm) file(name string) string { return filepath.Join(s.dir, name) }

// configure writes the key and slurm.conf.
func (s *slurm) configure(t *testing.T) {
	t.Helper()
	key := make([]byte, 128)
	if _, err := rand.Read(key); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file("key"), key, 0o400); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"state", "spool"} {
		if err := os.Mkdir(s.file(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	host, err := os.Hostname()
	if err != nil {
		t.Skipf("this machine has no name: %v", err)
	}
	host, _, _ = strings.Cut(host, ".")
	who, err := user.Current()
	if err != nil {
		t.Skipf("this user has no name: %v", err)
	}
	ports := freePorts(t, 2)
	write(t, s.file("slurm.conf"), fmt.Sprintf(`ClusterName=dpverify
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[2]d
SlurmdPort=%[3]d
SlurmUser=%[4]s
SlurmdUser=%[4]s
AuthType=auth/munge
AuthInfo=socket=%[5]s/munge
StateSaveLocation=%[5]s/state
SlurmdSpoolDir=%[5]s/spool
SlurmctldPidFile=%[5]s/slurmctld.pid
SlurmdPidFile=%[5]s/slurmd.pid
SlurmctldLogFile=%[5]s/slurmctld.log
SlurmdLogFile=%[5]s/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MaxArraySize=128
JobRequeue=1
KillWait=5
SchedulerParameters=batch_sched_delay=0,sched_interval=5
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=%[6]d State=UNKNOWN
PartitionName=all Nodes=%[1]s Default=YES MaxTime=10 State=UP
`, host, ports[0], ports[1], who.Username, s.dir, runtime.NumCPU()))
}

// freePorts returns n free ports of the loopback device. If another process takes one first, the cluster does not start.
func freePorts(t *testing.T, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Skip(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// daemon starts a program in the foreground, and ends it after the test.
func (s *slurm) daemon(t *testing.T, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Env, c.Dir = s.env, s.dir
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log, err := os.Create(s.file(name + ".out"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		t.Skipf("%s does not start: %v", name, err)
	}
	t.Cleanup(func() {
		group := -c.Process.Pid
		_ = syscall.Kill(group, syscall.SIGTERM) // it may have ended
		late := time.AfterFunc(10*time.Second, func() { _ = syscall.Kill(group, syscall.SIGKILL) })
		defer late.Stop()
		_ = c.Wait()
	})
}

// starts waits for a daemon. If it does not start in time, the test is skipped with the logs.
func (s *slurm) starts(t *testing.T, name string, up func() bool) {
	t.Helper()
	if !eventually(30*time.Second, up) {
		t.Skipf("Slurm does not start: %s\n%s", name, s.logs())
	}
}

// eventually reports whether the condition becomes true in time.
func eventually(within time.Duration, condition func() bool) bool {
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if condition() {
			return true
		}
	}
	return false
}

// logs returns the logs of all daemons.
func (s *slurm) logs() string {
	var all strings.Builder
	for _, name := range []string{"munged.out", "munged.log", "slurmctld.out", "slurmctld.log", "slurmd.out", "slurmd.log"} {
		b, _ := os.ReadFile(s.file(name)) // may be missing
		fmt.Fprintf(&all, "== %s\n%s", name, b)
	}
	return all.String()
}

// run runs a command in a directory with the cluster's environment, and returns its output.
func (s *slurm) run(dir, name string, args ...string) (string, error) {
	if name == "dpverify" {
		name = filepath.Join(s.bin, name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Env, c.Dir = s.env, dir
	out, err := c.Output()
	return string(out), err
}

// cancel ends the jobs that remain after a failed test. Their processes are not children of a daemon.
func (s *slurm) cancel(t *testing.T) {
	jobs := func() string { out, _ := s.run(s.dir, "squeue", "-h", "-o", "%A"); return out }
	for id := range strings.Lines(jobs()) {
		_, _ = s.run(s.dir, "scancel", strings.TrimSpace(id)) // it may have ended
	}
	if !eventually(20*time.Second, func() bool { return jobs() == "" }) {
		t.Errorf("jobs do not end: %s", jobs())
	}
}

// submit submits a job and returns its id.
func (s *slurm) submit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	id, err := s.run(dir, "sbatch", append([]string{"--parsable"}, args...)...)
	if err != nil {
		t.Fatalf("sbatch %q: %v\n%s", args, err, s.logs())
	}
	id, _, _ = strings.Cut(strings.TrimSpace(id), ";")
	return id
}

var fields = regexp.MustCompile(`\b(JobState|ExitCode|Restarts|ArrayTaskId)=(\S+)`)

// jobs returns the fields of the jobs with an id, by index in the array.
func (s *slurm) jobs(t *testing.T, id string) map[string]map[string]string {
	t.Helper()
	out, err := s.run(s.dir, "scontrol", "show", "job", "-o", id)
	if err != nil {
		t.Fatalf("scontrol show job %s: %v", id, err)
	}
	all := make(map[string]map[string]string)
	for line := range strings.Lines(out) {
		job := make(map[string]string)
		for _, field := range fields.FindAllStringSubmatch(line, -1) {
			job[field[1]] = field[2]
		}
		all[job["ArrayTaskId"]] = job
	}
	return all
}

// requeue requeues a shard after the file left exists, and starts it at once; Slurm would wait for two minutes.
func (s *slurm) requeue(t *testing.T, id, left string) {
	t.Helper()
	if !eventually(time.Minute, func() bool { _, err := os.Stat(left); return err == nil }) {
		t.Fatalf("%s is not interrupted\n%s", id, s.logs())
	}
	if _, err := s.run(s.dir, "scontrol", "requeue", id); err != nil {
		t.Fatalf("scontrol requeue %s: %v", id, err)
	}
	if !eventually(time.Minute, func() bool {
		for _, job := range s.jobs(t, id) {
			if job["JobState"] != "PENDING" || job["Restarts"] != "1" {
				return false
			}
		}
		_, err := s.run(s.dir, "scontrol", "update", "JobId="+id, "StartTime=now")
		return err == nil
	}) {
		t.Fatalf("%s is not requeued: %v\n%s", id, s.jobs(t, id), s.logs())
	}
}

// ends waits for the end of a job, and returns its state and exit code.
func (s *slurm) ends(t *testing.T, id string) (state, code string) {
	t.Helper()
	if !eventually(time.Minute, func() bool {
		job := s.jobs(t, id)[""]
		state, code = job["JobState"], job["ExitCode"]
		return state == "COMPLETED" || state == "FAILED" || state == "CANCELLED"
	}) {
		queue, _ := s.run(s.dir, "squeue") // for the message
		t.Fatalf("job %s is %s\n%s%s", id, state, queue, s.logs())
	}
	return state, code
}

// part is the job script. In their first run, shard 3 is killed and shard 5 is stopped after some of their samples, and
// the script keeps a copy of their files. The test requeues both before their jobs fail, because afterok treats a failure
// as final, even if Slurm requeues the job itself.
const part = `#!/bin/sh
#SBATCH --array=1-8
#SBATCH --requeue
file=part-$SLURM_ARRAY_TASK_ID.jsonl
sample="dpverify verify laplace-sgd/alg-1/privacy/sampled laplace-sgd/preprocessing/with-replacement prestige/prop-1/sampled --budget thorough --shard auto"
case "$SLURM_ARRAY_TASK_ID/${SLURM_RESTART_COUNT:-0}" in
3/0) signal=KILL ;;
5/0) signal=STOP ;;
*) exec $sample -o "$file" ;;
esac
$sample -o "$file" &
until [ "$(wc -l <"$file")" -ge 5 ]; do sleep 0.01; done 2>/dev/null
kill -$signal $!
cp "$file" "$file.cut"
echo >"$file.cut.done"
sleep 60
`

// On a real Slurm cluster, the merged report of shards, two of which were interrupted and requeued, equals the report of
// one process, byte for byte.
func TestSlurm(t *testing.T) {
	if !testutil.Asked() {
		t.Skipf("starts a cluster: set %s", testutil.Variable)
	}
	s := newSlurm(t)
	start := time.Now()
	dir := s.file("work")
	write(t, filepath.Join(dir, "audit.sh"), part)
	parts := s.submit(t, dir, "audit.sh")
	merge := s.submit(t, dir, "--dependency=afterok:"+parts, "--wrap", "dpverify merge part-*.jsonl -o merged.md")
	for _, i := range []string{"3", "5"} {
		s.requeue(t, parts+"_"+i, filepath.Join(dir, "part-"+i+".jsonl.cut.done"))
	}
	// One claim is refuted. Only merge reports it.
	state, code := s.ends(t, merge)
	if state != "FAILED" || code != "1:0" {
		t.Errorf("merge is %s with %s, want FAILED with 1:0", state, code)
	}
	for i, job := range s.jobs(t, parts) {
		if want := map[string]string{"3": "1", "5": "1"}[i]; job["JobState"] != "COMPLETED" || max(want, "0") != job["Restarts"] {
			t.Errorf("part %s: %v", i, job)
		}
	}
	for _, name := range []string{"part-3.jsonl", "part-5.jsonl"} {
		goesOn(t, filepath.Join(dir, name))
	}
	t.Logf("8 shards, two of them requeued, and their merge took %v", time.Since(start).Round(time.Millisecond))
	if _, err := s.run(dir, "dpverify", "verify", "laplace-sgd/alg-1/privacy/sampled",
		"laplace-sgd/preprocessing/with-replacement", "prestige/prop-1/sampled",
		"--budget", "thorough", "-o", "whole.md"); err == nil {
		t.Error("the run of one process refutes no claim")
	}
	want, err1 := os.ReadFile(filepath.Join(dir, "whole.md"))
	got, err2 := os.ReadFile(filepath.Join(dir, "merged.md"))
	if err1 != nil || err2 != nil || len(want) == 0 || !bytes.Equal(got, want) {
		t.Errorf("the merged report differs from the report of one run (%v, %v):\n%s", err1, err2, got)
	}
}

// goesOn checks that an interrupted shard continued from its incomplete file.
func goesOn(t *testing.T, name string) {
	t.Helper()
	all, err1 := os.ReadFile(name)
	cut, err2 := os.ReadFile(name + ".cut")
	whole := cut[:bytes.LastIndexByte(cut, '\n')+1] // the last line may be incomplete
	if err1 != nil || err2 != nil || bytes.Count(whole, []byte("\n")) < 5 || !bytes.HasPrefix(all, whole) || len(whole) == len(all) {
		t.Errorf("%s of %d bytes does not continue the first %d bytes (%v, %v)", name, len(all), len(whole), err1, err2)
	}
}
