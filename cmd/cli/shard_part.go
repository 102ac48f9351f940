package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/verify/checkpoint"
)

// Environment variables of dpverify.
const (
	shardVariable      = "DPVERIFY_SHARD"       // i/n; overrides all schedulers
	shardsVariable     = "DPVERIFY_SHARDS"      // n, if the scheduler does not set it
	firstShardVariable = "DPVERIFY_SHARD_FIRST" // number of the first shard, 0 or 1, if the scheduler does not set it
)

// maxShards is the maximum number of shards.
const maxShards = checkpoint.MaxParts

// shardPart is one shard of a run, numbered from 1.
type shardPart struct{ Shard, Of int }

// scheduler holds the environment variables by which a scheduler numbers the jobs of an array.
type scheduler struct {
	name, index string
	// Number of jobs, numbers of the first and last job, and the step; "" if the scheduler does not set them.
	count, first, last, step string
	base                     int    // number of the first job if no variable sets it
	open                     bool   // the user chooses the number of the first job
	none                     string // index of a job outside an array
}

// schedulers lists the schedulers in the order in which messages name them.
var schedulers = []scheduler{
	{name: "Slurm", index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT", first: "SLURM_ARRAY_TASK_MIN",
		last: "SLURM_ARRAY_TASK_MAX", step: "SLURM_ARRAY_TASK_STEP"},
	{name: "PBS", index: "PBS_ARRAY_INDEX", base: 1, open: true},
	{name: "Torque", index: "PBS_ARRAYID", base: 1, open: true},
	{name: "LSF", index: "LSB_JOBINDEX", last: "LSB_JOBINDEX_END", step: "LSB_JOBINDEX_STEP", base: 1, none: "0"},
	{name: "Grid Engine", index: "SGE_TASK_ID", first: "SGE_TASK_FIRST", last: "SGE_TASK_LAST", step: "SGE_TASK_STEPSIZE",
		none: "undefined"},
	{name: "AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE"},
	{name: "Kubernetes", index: "JOB_COMPLETION_INDEX"},
	{name: "GitLab", index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", base: 1},
	{name: "CircleCI", index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL"},
	{name: "Buildkite", index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT"},
}

// parseShard parses i/n, auto or auto/n; whence names the variables that auto was read from.
func parseShard(flag string, getenv func(string) string) (p shardPart, whence string, err error) {
	word, n, cut := strings.Cut(flag, "/")
	if word != "auto" {
		p, err = explicitPart(flag)
		return p, "", err
	}
	wanted := 0
	if cut {
		if wanted, err = decimal.Count(n); err != nil || wanted < 1 || wanted > maxShards {
			return p, "", fmt.Errorf("want auto/n, n a whole number from 1 to %d", maxShards)
		}
	}
	if text := getenv(shardVariable); text != "" {
		if p, err = explicitPart(text); err == nil && wanted > 0 && p.Of != wanted {
			err = fmt.Errorf("it sets %d shards, but --shard auto/%d wants %d", p.Of, wanted, wanted)
		}
		if err != nil {
			return p, "", fmt.Errorf("%s=%s: %w", shardVariable, text, err)
		}
		return p, shardVariable, nil
	}
	return fromSchedulers(wanted, getenv)
}

func explicitPart(text string) (p shardPart, err error) {
	i, n, cut := strings.Cut(text, "/")
	shard, err1 := decimal.Count(i)
	of, err2 := decimal.Count(n)
	if !cut || err1 != nil || err2 != nil || !(1 <= shard && shard <= of && of <= maxShards) {
		return p, errors.New("want i/n, two whole numbers with i from 1 to n, or auto, to read them from the scheduler")
	}
	return shardPart{shard, of}, nil
}

// schedulerPart is the shard that a scheduler's variables give.
type schedulerPart struct {
	shardPart
	by string
}

func fromSchedulers(wanted int, getenv func(string) string) (shardPart, string, error) {
	var all []schedulerPart
	for _, s := range schedulers {
		if text := getenv(s.index); text == "" || text == s.none {
			continue
		}
		p, by, err := s.read(wanted, getenv)
		if err != nil {
			return shardPart{}, "", fmt.Errorf("%s: %w", s.name, err)
		}
		all = append(all, schedulerPart{p, by})
	}
	// A single job of one scheduler may be part of another scheduler's array.
	if whole := func(f schedulerPart) bool { return f.Of == 1 }; !allParts(all, whole) {
		all = slices.DeleteFunc(all, whole)
	}
	if len(all) == 0 {
		var names []string
		for _, s := range schedulers {
			names = append(names, s.index)
		}
		return shardPart{}, "", fmt.Errorf("no scheduler numbers this shard: none of %s is set; give --shard i/n, "+
			"or set %s=i/n",
			strings.Join(names, ", "), shardVariable)
	}
	for _, f := range all[1:] {
		if f.shardPart != all[0].shardPart {
			return shardPart{}, "", fmt.Errorf("%s give shard %d of %d, but %s shard %d of %d: set %s=i/n, which overrides both",
				all[0].by, all[0].Shard, all[0].Of, f.by, f.Shard, f.Of, shardVariable)
		}
	}
	return all[0].shardPart, all[0].by, nil
}

func allParts(all []schedulerPart, is func(schedulerPart) bool) bool {
	return !slices.ContainsFunc(all, func(f schedulerPart) bool { return !is(f) })
}

// read returns the shard that the variables of a scheduler give.
func (s scheduler) read(wanted int, getenv func(string) string) (p shardPart, by string, err error) {
	var names []string
	number := func(name string, otherwise int) (int, error) {
		text := getenv(name)
		if name == "" || text == "" {
			return otherwise, nil
		}
		names = append(names, name)
		x, err := decimal.Count(text)
		if err != nil || x < 0 || x > math.MaxInt32 {
			return 0, fmt.Errorf("%s is %q: want a whole number", name, text)
		}
		return x, nil
	}
	const unknown = -1
	values := make([]int, 0, 5)
	base := s.base
	if s.open {
		if base, err = number(firstShardVariable, s.base); err != nil {
			return p, "", err
		}
	}
	for _, v := range []struct {
		name      string
		otherwise int
	}{{s.index, unknown}, {s.count, unknown}, {s.first, base}, {s.last, unknown}, {s.step, 1}} {
		x, err := number(v.name, v.otherwise)
		if err != nil {
			return p, "", err
		}
		values = append(values, x)
	}
	index, count, first, last, step := values[0], values[1], values[2], values[3], values[4]
	named := strings.Join(names, ", ")
	if first > 1 || step < 1 {
		return p, "", fmt.Errorf("%s: the array begins at %d with step %d: want one that begins at 0 or 1; for a single "+
			"shard give --shard i/n", named, first, step)
	}
	if last != unknown {
		regular := (last-first)/step + 1
		if (last-first)%step != 0 && s.name == "Slurm" || count != unknown && count != regular {
			return p, "", fmt.Errorf("%s: %d jobs from %d to %d by steps of %d: want an array without gaps; for a single "+
				"shard give --shard i/n", named, count, first, last, step)
		}
		count = regular
	}
	if count == unknown {
		if count, err = number(shardsVariable, wanted); err != nil {
			return p, "", err
		}
	}
	switch {
	case count == 0:
		return p, "", fmt.Errorf("%s gives the number of this shard, but not the number of shards: give --shard auto/n, "+
			"or set %s=n",
			s.index, shardsVariable)
	case wanted > 0 && count != wanted:
		return p, "", fmt.Errorf("%s: %d shards, but --shard auto/%d wants %d; for a single shard give --shard "+
			"i/%d", named, count, wanted, wanted, wanted)
	case (index-first)%step != 0 || index < first || (index-first)/step >= count || count > maxShards:
		return p, "", fmt.Errorf("%s: job %d is not in the array of %[4]d jobs from %[3]d on by steps of %[5]d: want one of "+
			"them%[6]s", named, index, first, count, step, s.hint())
	}
	return shardPart{(index-first)/step + 1, count}, named, nil
}

// hint mentions DPVERIFY_SHARD_FIRST if the user chooses the first number of an array.
func (s scheduler) hint() string {
	if !s.open {
		return ""
	}
	return fmt.Sprintf("; set %s=0 if the array begins at 0", firstShardVariable)
}
