#!/bin/sh
# Submits the shards of the audit, and the job that merges them into report.md when all are done:
#
#     sh submit.sh
#
# dpverify must be on the PATH of the nodes: copy its single binary there.
set -eu
cd "$(dirname "$0")"
parts=$(sbatch --parsable audit.sh)
sbatch --job-name=dpverify-merge --dependency=afterok:"${parts%%;*}" --wrap 'dpverify merge part-*.jsonl -o report.md'
