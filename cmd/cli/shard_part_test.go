package cli

import (
	"fmt"
	"strings"
	"testing"
)

func environmentOf(pairs string) func(string) string {
	values := map[string]string{}
	for _, pair := range strings.Fields(pairs) {
		name, value, _ := strings.Cut(pair, "=")
		values[name] = value
	}
	return func(name string) string { return values[name] }
}

func TestPartsOfSchedulers(t *testing.T) {
	for _, c := range []struct{ reason, flag, env, want, fails string }{
		{"as given", "3/8", "SLURM_ARRAY_TASK_ID=1", "3/8", ""},
		{"Slurm from 1", "auto", "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=8 SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_STEP=1", "3/8", ""},
		{"Slurm from 0", "auto/8", "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=8", "1/8", ""},
		{"Slurm by steps", "auto", "SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_STEP=2", "3/4", ""},
		{"Slurm with gaps", "auto", "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_STEP=1", "", "without gaps"},
		{"a single job of a Slurm array", "auto", "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=3 SLURM_ARRAY_TASK_COUNT=1", "", "begins at 0 or 1"},
		{"another number than the flag's", "auto/4", "SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=8 SLURM_ARRAY_TASK_COUNT=8", "", "SLURM_ARRAY_TASK_COUNT"},
		{"PBS has no count", "auto", "PBS_ARRAY_INDEX=2", "", "DPVERIFY_SHARDS=n"},
		{"PBS", "auto/8", "PBS_ARRAY_INDEX=2", "2/8", ""},
		{"PBS with a variable", "auto", "PBS_ARRAY_INDEX=8 DPVERIFY_SHARDS=8", "8/8", ""},
		{"PBS from 0, without the variable", "auto/8", "PBS_ARRAY_INDEX=0", "", "DPVERIFY_SHARD_FIRST=0"},
		{"PBS from 0", "auto/8", "PBS_ARRAY_INDEX=0 DPVERIFY_SHARD_FIRST=0", "1/8", ""},
		{"PBS beyond", "auto/8", "PBS_ARRAY_INDEX=9", "", "job 9 is not in the array of 8 jobs from 1 on"},
		{"Torque", "auto/8", "PBS_ARRAYID=8", "8/8", ""},
		{"LSF", "auto", "LSB_JOBINDEX=8 LSB_JOBINDEX_END=8 LSB_JOBINDEX_STEP=1", "8/8", ""},
		{"LSF, no array", "auto", "LSB_JOBINDEX=0", "", "no scheduler"},
		{"Grid Engine", "auto", "SGE_TASK_ID=2 SGE_TASK_FIRST=1 SGE_TASK_LAST=8 SGE_TASK_STEPSIZE=1", "2/8", ""},
		{"Grid Engine, last number without a task", "auto", "SGE_TASK_ID=9 SGE_TASK_FIRST=1 SGE_TASK_LAST=10 SGE_TASK_STEPSIZE=4", "3/3", ""},
		{"Grid Engine, no array", "auto", "SGE_TASK_ID=undefined", "", "no scheduler"},
		{"AWS Batch", "auto", "AWS_BATCH_JOB_ARRAY_INDEX=0 AWS_BATCH_JOB_ARRAY_SIZE=10", "1/10", ""},
		{"Kubernetes", "auto/8", "JOB_COMPLETION_INDEX=7", "8/8", ""},
		{"Kubernetes beyond", "auto/8", "JOB_COMPLETION_INDEX=8", "", "JOB_COMPLETION_INDEX"},
		{"GitLab", "auto", "CI_NODE_INDEX=1 CI_NODE_TOTAL=4", "1/4", ""},
		{"CircleCI", "auto", "CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=4", "1/4", ""},
		{"Buildkite", "auto", "BUILDKITE_PARALLEL_JOB=3 BUILDKITE_PARALLEL_JOB_COUNT=4", "4/4", ""},
		{"a matrix", "auto", "DPVERIFY_SHARD=2/3", "2/3", ""},
		{"a matrix of another size", "auto/4", "DPVERIFY_SHARD=2/3", "", "DPVERIFY_SHARD=2/3"},
		{"a matrix before a scheduler", "auto", "DPVERIFY_SHARD=2/3 CI_NODE_INDEX=1 CI_NODE_TOTAL=4", "2/3", ""},
		{"two that agree", "auto", "BUILDKITE_PARALLEL_JOB=0 BUILDKITE_PARALLEL_JOB_COUNT=4 CI_NODE_INDEX=1 CI_NODE_TOTAL=4", "1/4", ""},
		{"two that disagree", "auto", "BUILDKITE_PARALLEL_JOB=1 BUILDKITE_PARALLEL_JOB_COUNT=4 CI_NODE_INDEX=1 CI_NODE_TOTAL=4", "", "DPVERIFY_SHARD=i/n"},
		{"a single job of one scheduler is part of another's array", "auto/8", "JOB_COMPLETION_INDEX=0", "1/8", ""},
		{"no number", "auto", "CI_NODE_INDEX=x CI_NODE_TOTAL=4", "", `CI_NODE_INDEX is "x"`},
		{"nothing", "auto", "", "", "none of SLURM_ARRAY_TASK_ID"},
		{"no shards", "auto/0", "CI_NODE_INDEX=1", "", "auto/n"},
		{"shard 0", "0/2", "", "", "i from 1 to n"},
		{"a word", "two", "", "", "i from 1 to n"},
	} {
		p, _, err := parseShard(c.flag, environmentOf(c.env))
		got := ""
		if err == nil {
			got = fmt.Sprintf("%d/%d", p.Shard, p.Of)
		}
		if got != c.want || (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: --shard %s with %s: %s, %v; want %s%s", c.reason, c.flag, c.env, got, err, c.want, c.fails)
		}
	}
}
