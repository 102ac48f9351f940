#!/usr/bin/env bash
# Audits, writes the outputs of the action, and fails as fail-on says.
set -euo pipefail

strict=()
case $INPUT_FAIL_ON in
refuted | never) ;;
undecided) strict=(--strict) ;;
*)
  echo "::error::fail-on is \"$INPUT_FAIL_ON\": want refuted, undecided or never"
  exit 2
  ;;
esac

args=()
while IFS= read -r line; do
  line=${line%$'\r'}
  [ -z "$line" ] || args+=("$line")
done <<<"$INPUT_ARGS"

events=${RUNNER_TEMP:?}/dpverify-events.ndjson
rm -f "$events"
code=0
# Bash before 4.4 takes an empty array for an unset variable.
dpverify audit "$INPUT_CLAIMS" --budget "$INPUT_BUDGET" --seed "$INPUT_SEED" --format "$INPUT_FORMAT" \
  -o "$INPUT_REPORT" --events "$events" ${strict[@]+"${strict[@]}"} ${args[@]+"${args[@]}"} || code=$?

# The last line of the events has the counts: {"event":"done","finished":2,…,"verdicts":{"holds":1,…},…}.
done=$(grep '^{"event":"done"' "$events" 2>/dev/null | tail -n 1 || true)
count() {
  local found
  found=$(sed -n "s/.*\"$1\":\([0-9][0-9]*\).*/\1/p" <<<"$done")
  echo "${found:-0}"
}
{
  echo "report=$INPUT_REPORT"
  echo "events=$events"
  echo "exit-code=$code"
  echo "claims=$(count finished)"
  echo "holds=$(count holds)"
  echo "consistent=$(count consistent)"
  echo "refuted=$(($(count refuted) + $(count contradictory)))"
  echo "inconclusive=$(count inconclusive)"
  echo "failed=$(count error)"
} >>"${GITHUB_OUTPUT:?}"

if [ "$INPUT_FAIL_ON" = never ] && { [ "$code" = 1 ] || [ "$code" = 4 ]; }; then
  code=0
fi
exit "$code"
