#!/bin/sh
# One shard of the audit of claims.yaml, a task of a job array; submit.sh submits it. A requeued shard continues where it
# stopped. All nodes share the directory and the programs that run the mechanism. Undecided claims are in the report.
#SBATCH --job-name=dpverify
#SBATCH --array=1-8
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
#SBATCH --requeue
# CHANGE: the number of shards, up to 32, and the time above; below, commands that the nodes need (“module load python”).
set -eu
dpverify audit claims.yaml --workers "${SLURM_CPUS_PER_TASK:-1}" \
  --shard auto -o "part-$SLURM_ARRAY_TASK_ID.jsonl"
