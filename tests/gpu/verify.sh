#!/usr/bin/env bash
# What only a GPU can show, in one table: verify.sh ORDO_TESTS
#   all tests, with a hundred repeats where results are compared; then the operations' tests under each tool of
#   compute-sanitizer, where that is installed. Logs go beside the program's build.
# A machine whose device cannot be used fails, and says why.
# ORDO_GPU_TOOL_SECONDS limits each tool (90). Exit status 1 when anything failed or did not end.
set -euo pipefail
program=${1:?usage: verify.sh ORDO_TESTS}
logs=$(dirname -- "$(dirname -- "$program")")/gpu-logs
limit=${ORDO_GPU_TOOL_SECONDS:-90}
mkdir -p "$logs"
PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer

export ORDO_TEST_NEEDS_CUDA=1
"$program" --gtest_filter=CudaBuildTest.says_what_it_is > "$logs/device.log" 2>&1 || { cat "$logs/device.log" >&2; exit 1; }

rows=()
failures=0
# row CHECK STATUS LOG SECONDS: counts the tests in a log of one or more runs.
row() {
  local check=$1 status=$2 log=$3 seconds=$4 passed failed skipped result=passed
  passed=$(awk '/^\[  PASSED  \]/ {n += $4} END {print n + 0}' "$log")
  failed=$(awk '/^\[  FAILED  \] [0-9]+ tests?, listed/ {n += $4} END {print n + 0}' "$log")
  skipped=$(awk '/^\[  SKIPPED \] [0-9]+ tests?, listed/ {n += $4} END {print n + 0}' "$log")
  if [ "$status" -eq 124 ]; then
    result="no end after $limit s"
  elif [ "$status" -ne 0 ] || [ "$passed" -eq 0 ]; then
    result=FAILED
  fi
  [ "$result" = passed ] || failures=$((failures + 1))
  rows+=("$(printf '%-28s %7s %7s %8s %8s  %s' "$check" "$passed" "$failed" "$skipped" "$seconds" "$result")")
}

started=$SECONDS
shards=$(($(nproc) < 8 ? $(nproc) : 8))
pids=()
for ((i = 0; i < shards; ++i)); do
  GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$i ORDO_TEST_REPEATS=100 \
    "$program" > "$logs/tests-$i.log" 2>&1 &
  pids+=($!)
done
status=0
for pid in "${pids[@]}"; do wait "$pid" || status=1; done
cat "$logs"/tests-*.log > "$logs/tests.log"
row "all tests, 100 repeats" "$status" "$logs/tests.log" $((SECONDS - started))

sanitizer=$(command -v compute-sanitizer || true)
for tool in memcheck racecheck synccheck initcheck; do
  if [ -z "$sanitizer" ]; then
    rows+=("$(printf '%-28s %42s  %s' "$tool" "" "not run: compute-sanitizer is not installed")")
    continue
  fi
  started=$SECONDS
  status=0
  ORDO_NO_MEMORY_CACHING=1 ORDO_TEST_REPEATS=2 timeout "$limit" "$sanitizer" --tool "$tool" --error-exitcode 99 "$program" \
    --gtest_filter='*RegistryLayouts.samples*:*AccumulateCuda*' > "$logs/$tool.log" 2>&1 || status=$?
  row "$tool" "$status" "$logs/$tool.log" $((SECONDS - started))
done

printf '\n%s\n' "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo 'no nvidia-smi')"
printf '%-28s %7s %7s %8s %8s\n' check passed failed skipped seconds
printf '%s\n' "${rows[@]}"
printf 'logs: %s\n' "$logs"
if [ "$failures" -gt 0 ]; then
  grep -hE '^\[  FAILED  \] [A-Za-z]+[/.]|ERROR SUMMARY|========= (Invalid|Uninit|Error: Race|Barrier)' "$logs"/*.log | sort | uniq -c | head -40
  exit 1
fi
