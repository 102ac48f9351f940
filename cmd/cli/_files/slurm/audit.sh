#!/bin/sh
# One part of the audit of claims.yaml, a task of a job array; submit.sh submits it. A part that is requeued goes on
# where it was. The directory is shared by all nodes, and so is what runs the mechanism.
#SBATCH --job-name=dpverify
#SBATCH --array=1-8
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
#SBATCH --requeue
# CHANGE: the number of parts, up to 32, and the time above; here what the nodes need, as in “module load python”.
set -eu
dpverify audit claims.yaml --workers "${SLURM_CPUS_PER_TASK:-1}" \
  --shard auto -o "part-$SLURM_ARRAY_TASK_ID.jsonl"
