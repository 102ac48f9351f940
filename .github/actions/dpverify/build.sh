#!/usr/bin/env bash
# Builds dpverify into a directory of the runner that goes to the front of the PATH of later steps.
set -euo pipefail
bin=${RUNNER_TEMP:?}/dpverify-bin
mkdir -p "$bin"
if [ -n "${INPUT_VERSION:-}" ]; then
  GOBIN=$bin go install "github.com/dpverify/dpverify/cmd/dpverify@$INPUT_VERSION"
else
  go build -C "${GITHUB_ACTION_PATH:?}/../../.." -trimpath -o "$bin/" ./cmd/dpverify
fi
echo "$bin" >>"${GITHUB_PATH:?}"
