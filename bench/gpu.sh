#!/usr/bin/env bash
# Everything there is to do with a GPU, in the order of what is worth most: docs/gpu-hour.md says what each step answers.
# It needs no package registry; PyTorch is measured beside Ordo where it is installed.
#   bench/gpu.sh [--deps DIR] [--out DIR] [--quick] [--minutes N] [STEP...]
#     --deps DIR   build dependencies, carried along: Debian's libeigen3-dev libfmt-dev libfmt9 libhwy-dev libhwy1 libdlpack-dev
#                  libcli11-dev nlohmann-json3-dev zlib1g-dev libgtest-dev libgmock-dev googletest libbenchmark-dev libbenchmark1debian,
#                  each unpacked into DIR with dpkg -x (.gpu-deps, where it is there)
#     --out DIR    copies of the results so far, also when there is more to do (build/gpu/results)
#     --minutes N  stop in time and be called again (8.5): every call goes on where the last one stopped
#     --quick      small shapes
#     STEP         build, first, bits, models, nccl, bench, ncu, tests, table (all)
#   until bench/gpu.sh; do [ $? = 10 ] || break; done
# Exit status: 0 all done, 10 call it again, 1 something failed. Its memory is build/gpu; remove that to start afresh.
# ORDO_GPU_PRESET and ORDO_GPU_DEVICE (cuda, cuda) try it elsewhere: cpu and cpu, or emulated and cuda.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
deps=.gpu-deps out=build/gpu/results minutes=8.5 quick=() steps=()
preset=${ORDO_GPU_PRESET:-cuda} device=${ORDO_GPU_DEVICE:-cuda}
die() { printf 'gpu.sh: %s\n' "$1" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --deps | --out | --minutes)
      [ $# -ge 2 ] || die "$1 needs a value"
      declare "${1#--}=$2"
      shift ;;
    --quick) quick=(--quick) ;;
    build | first | bits | models | nccl | bench | ncu | tests | table) steps+=("$1") ;;
    *) die "unknown argument '$1'" ;;
  esac
  shift
done
[[ $minutes =~ ^[0-9]+(\.[0-9]+)?$ ]] || die "--minutes takes a number, not '$minutes'"
[ ${#steps[@]} -gt 0 ] || steps=(build first bits models nccl bench ncu tests table)

state=build/gpu
mkdir -p "$state" "$out"
limit=$(awk "BEGIN {print int($minutes * 60)}")
left() { echo $((limit - SECONDS)); }
PATH=$PATH:/usr/local/cuda/bin
if [ -d "$deps/usr" ]; then
  export CMAKE_PREFIX_PATH=$PWD/$deps/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
  libraries=$(find "$PWD/$deps/usr/lib" -name 'lib*.so*' -printf '%h\n' | sort -u | paste -sd:)
  export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi

# The results so far go out however the script ends.
give() { cp -f "$state"/*.json "$state"/*.txt "$state"/*.html "$out"/ 2>/dev/null || true; }
trap give EXIT
again() { printf 'gpu.sh: %s: call it again\n' "$1" >&2; exit 10; }
# within COMMAND...: runs it in the time that is left; when that is over, asks to be called again.
within() {
  local status=0
  timeout "$(($(left) > 1 ? $(left) : 1))" "$@" || status=$?
  [ "$status" -ne 124 ] || again "${1##*/} needs more time"
  return "$status"
}

# once NAME COMMAND...: writes NAME.txt, which is there when the command has ended; the step fails when the command did.
once() {
  local file=$state/$1.txt
  if [ ! -f "$file" ]; then
    within "${@:2}" > "$file.part" 2>&1 || { mv "$file.part" "$file.failed"; tail -n 20 "$file.failed" >&2; return 1; }
    mv "$file.part" "$file"
  fi
  tail -n 5 "$file"
}

step_build() {
  if [ ! -f "build/$preset/build.ninja" ]; then
    within cmake --preset "$preset" > "$state/configure.txt" 2>&1 || { cat "$state/configure.txt" >&2; return 1; }
  fi
  local targets=(ordo_tests ordo_command train)
  [ "$preset" != cuda ] || targets+=(ordo_forms ordo_gpu_micro)
  within ninja -C "build/$preset" --quiet "${targets[@]}"
}

clocks() { nvidia-smi -q -d CLOCK,POWER,TEMPERATURE,ECC 2>/dev/null || echo "no nvidia-smi"; }

# What is there, and the assumption that most rests on: that the GPU's additions of doubles round to nearest.
step_first() {
  [ -f "$state/clocks.txt" ] || clocks > "$state/clocks.txt"
  once info "build/$preset/bin/ordo" info || return 1
  once sums "build/$preset/bin/ordo_tests" fuzz sums --device "$device" --seconds "$([ ${#quick[@]} -gt 0 ] && echo 5 || echo 30)"
}

step_bits() { once bits "build/$preset/bin/ordo_tests" bits --device "$device" ${quick[@]:+--few}; }

# The weights of small trainings: those of the CPU.
step_models() {
  local model on models=(resnet18 transformer char_transformer lstm_tagger ctc unet graph spatial detector video vae)
  [ ${#quick[@]} -eq 0 ] || models=(transformer unet)
  for model in "${models[@]}"; do
    grep -q "^$model " "$state/models.txt" 2>/dev/null && continue
    local hashes=()
    for on in cpu "$device"; do
      hashes+=("$(within "build/$preset/bin/train" "$model" --steps 3 --rows 24 --test-rows 8 --batch 8 --width 0.125 --quiet \
        --level device_to_device --device "$on" | awk '/weights/ {print $NF}')")
    done
    [ -n "${hashes[0]}" ] || { echo "$model: no weights"; return 1; }
    echo "$model ${hashes[*]} $([ "${hashes[0]}" = "${hashes[1]}" ] && echo equal || echo DIFFERENT)" >> "$state/models.txt"
  done
  cat "$state/models.txt"
  ! grep -q DIFFERENT "$state/models.txt"
}

# Collectives of two GPUs, beside those of the CPU.
step_nccl() {
  local devices
  devices=$("build/$preset/bin/ordo" info | grep -c 'cuda:')
  if [ "$devices" -lt 2 ] || ! command -v mpirun > /dev/null || [ "$preset" != cuda ]; then
    echo "not run: it takes two GPUs and mpirun"
    return 0
  fi
  within ninja -C "build/$preset" --quiet ordo_devices_job || return 1
  once nccl mpirun -n 2 --oversubscribe --allow-run-as-root "build/$preset/bin/ordo_devices_job" nccl
}

# What limits a kernel of each family, where NVIDIA's profiler is installed.
step_ncu() {
  local row
  command -v ncu > /dev/null || { echo "not run: ncu is not installed"; return 0; }
  for row in '^index_add/sorted' '^matmul/' '^conv2d/' '^softmax/' '^add/'; do
    grep -qF -- "$row" "$state/ncu.txt" 2>/dev/null && continue
    { echo "== $row"; within ncu --set basic --launch-count 3 "build/$preset/bin/ordo" bench --device "$device" --no-peers \
      --repeats 1 --filter "$row"; } >> "$state/ncu.txt" 2>&1 || echo "ncu failed for $row"
  done
}

# May take as long as a call: begun only by one that has all its time, and not again when that was too little.
step_tests() {
  if [ ! -f "$state/tests.done" ]; then
    [ "$SECONDS" -lt 60 ] || again "the tests come next"
    local status=0
    timeout "$(left)" env ORDO_GPU_TOOL_SECONDS=45 bash tests/gpu/verify.sh "build/$preset/bin/ordo_tests" \
      > "$state/tests.txt" 2>&1 || status=$?
    [ "$status" -ne 124 ] || echo "the tests did not end in $minutes minutes" >> "$state/tests.txt"
    echo "$status" > "$state/tests.done"
  fi
  tail -n 20 "$state/tests.txt"
  return "$(cat "$state/tests.done")"
}

# What the model counts and the short grid first: an hour may end before the whole grid does.
step_bench() {
  if [ "$preset" = cuda ]; then
    within "build/$preset/bin/ordo_gpu_micro" > "$state/micro.txt" || return 1
    within "build/$preset/bin/ordo" bench --device "$device" --grid bench/gpu_grid.json --repeats 20 --seconds 0.1 --rounds 2 \
      --resume --json "$state/short.json" >> "$state/short.txt" || return 1
  fi
  within "build/$preset/bin/ordo" bench --device "$device" "${quick[@]}" --seconds 1 --resume --json "$state/bench.json" \
    >> "$state/bench.txt" || return 1
  [ "$preset" != cuda ] || within "build/$preset/bin/ordo_forms" "${quick[@]}" > "$state/forms.txt"
}

step_table() {
  clocks > "$state/clocks-after.txt"
  python3 -B bench/performance_table.py operations "$state/bench.json" | tee "$state/table.txt"
  "build/$preset/bin/ordo" report "$state/bench.json" -o "$state/report.html" || echo "no page: it can be made of bench.json elsewhere"
}

failed=0
for step in "${steps[@]}"; do
  printf '== %s  [%d s]\n' "$step" "$SECONDS"
  "step_$step" || { echo "gpu.sh: $step failed"; failed=1; [ "$step" != build ] || break; }
done
exit "$failed"
