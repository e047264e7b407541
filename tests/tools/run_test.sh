#!/usr/bin/env bash
# Which build ./run uses, and which packages, with stand-ins for nvcc, nvidia-smi, CMake and Ninja, which build nothing: run_test.sh SOURCE WORK
set -euo pipefail
source=$1
work=$2
[ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ] || { echo "skipped: a GPU is here"; exit 77; }
rm -rf "$work"
mkdir -p "$work"/checkout/build/.run "$work"/{tools,nvcc,gpu}
work=$(cd "$work" && pwd -P)
cp "$source/run" "$work/checkout/"

stand_in() {  # stand_in FILE: with the program from standard input
  { echo '#!/bin/bash'; cat; } > "$work/$1"
  chmod +x "$work/$1"
}
# Configuring makes a program that says which build it belongs to.
stand_in tools/cmake <<'TEXT'
while [ "$1" != --preset ]; do shift; done
echo "$2" >> configured
mkdir -p "build/$2/bin"
touch "build/$2/build.ninja"
printf '#!/bin/bash\necho "build %s: $*"\n' "$2" > "build/$2/bin/ordo"
chmod +x "build/$2/bin/ordo"
cp "build/$2/bin/ordo" "build/$2/bin/ordo_demo"
TEXT
stand_in tools/ninja < /dev/null
stand_in tools/python3 <<< '[ "$1" = -c ] || echo "python3 $*"'
stand_in tools/chromium < /dev/null
# Nothing may be installed by a test.
stand_in tools/apt-get <<< 'echo "a test called apt-get $*"; exit 1'
stand_in tools/sudo <<< 'echo "a test called sudo $*"; exit 1'
stand_in nvcc/nvcc < /dev/null
stand_in gpu/nvidia-smi <<< 'echo "GPU 0: a stand-in"'

failed=0
# expect TEXT PATHS ARGUMENTS: what ./run prints with these folders on PATH.
expect() {
  local text=$1 path=$work/tools:/usr/bin:/bin folder
  for folder in $2; do path=$work/$folder:$path; done
  shift 2
  echo "$path  g++" > "$work/checkout/build/.run/packages"
  local got
  got=$(cd "$work" && env -u CMAKE_PREFIX_PATH CXX=g++ PATH="$path" bash checkout/run "$@" 2> said) || got="status $?"
  if [ "$got" != "$text" ]; then
    printf 'run %s\n  printed  %s\n  expected %s\n' "$*" "$got" "$text"
    sed 's/^/  /' "$work/said"
    failed=1
  fi
}
says() {
  if [ "$(grep -c "$1" "$work/said")" != "$2" ]; then
    printf 'expected "%s" %s times in\n' "$1" "$2"
    cat "$work/said"
    failed=1
  fi
}

expect "build cpu: demo --quick" nvcc demo --quick
says "No GPU here" 1
says "Configuring" 1
expect "build cpu: info" nvcc ordo info
says "No GPU here" 1
says "Configuring" 0
expect "build cpu: bench --quick" nvcc bench --quick
expect "build cpu: report a.json" nvcc report a.json
expect "python3 -B $work/checkout/tests/tools/report_test.py $work/checkout/build/cpu/bin/ordo a.json $work/checkout/build/cpu/report" \
  nvcc report --check a.json
expect "build emulated: demo" nvcc demo --emulated
says "No GPU here" 0
expect "build default: demo" "nvcc gpu" demo
says "No GPU here" 0
# The option chooses, and is a reason to configure again.
ORDO_CMAKE_ARGS=-DORDO_CUDA=ON expect "build default: demo" nvcc demo
says "Configuring" 1
# Who asks what tests there are does not wait for them.
PATH=$work/tools:/usr/bin:/bin timeout 20 bash "$work/checkout/run" test --help | grep -q '^usage: ./run COMMAND' || { echo "./run test --help builds"; failed=1; }
# The page lists the packages that ./run installs.
page=$(sed -n '/<!-- output of: .\/run packages -->/,/<!-- end of output -->/p' "$source/docs/getting-started.md" | grep -v '<!--\|```')
for package in $(bash "$source/run" packages | sed 's/.*: *//; s/, or .*//'); do
  grep -qw -- "$package" "$source/bench/gpu.Dockerfile" || { echo "bench/gpu.Dockerfile lacks $package"; failed=1; }
done
[ "$(bash "$source/run" packages)" = "$page" ] || { echo "docs/getting-started.md does not list what ./run packages prints"; failed=1; }
exit "$failed"
