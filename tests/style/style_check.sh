#!/usr/bin/env bash
# What a machine can check about the sources: style_check.sh ROOT
#   includes point one way, nn -> autograd -> kernels -> engine, and are written <ordo/room/file.h>
#   kernels use the project's macros instead of raw __shared__ and <<<>>>, and none of what the emulator cannot run
#   the folders of the accumulate engine and its namespace accumulate_detail are used only by the engine and its tests
#   nothing above the kernels reads the number of threads
#   tests stand in namespaces of their own, and other sources of a room name their constants and types differently, because
#   several files are compiled as one
#   ordo.h includes every public header
#   public operations open an OpCall under their own names, those of tables too; docstrings have one form
#   pages get their texts as texts: no script writes markup, and the command prints through tools/ordo/say.h
set -euo pipefail
cd -- "${1:?usage: style_check.sh ROOT}"
failed=0

# complain RULE: prints the offending lines on standard input, if any.
complain() {
  local lines
  lines=$(cat)
  [ -z "$lines" ] && return
  printf '%s:\n%s\n' "$1" "$lines"
  failed=1
}
# search PATTERN PATH...: matching lines of the sources in those rooms.
search() {
  local pattern=$1
  shift
  grep -rnE --include='*.h' --include='*.cuh' --include='*.cpp' --include='*.cu' -- "$pattern" "$@" || true
}

complain 'engine includes a room above it' < <(search '#include [<"]ordo/(kernels|autograd|nn)/' engine)
complain 'kernels include a room above them' < <(search '#include [<"]ordo/(autograd|nn)/' kernels)
complain 'simulators are included above the engine, which includes the emulator in place of the CUDA runtime' < <(
  search '#include <ordo/simulators/' kernels autograd nn)
complain 'autograd includes nn' < <(search '#include [<"]ordo/nn/' autograd)
complain 'includes are written <ordo/room/file.h>' < <(search '#include "' engine kernels autograd nn)
# Or bits would depend on it: kernels divide one computation among threads. The header of a trace says how many there were.
complain 'above the kernels the number of threads is read, which may only divide work' < <(
  search '[^_]num_threads\(\)' autograd nn | grep -v '^nn/audit/header.cpp:.*h\.threads = num_threads()' || true)
complain 'above the kernels only leaf_gradient.cpp is compiled with ORDO_HAS_CUDA' < <(
  search 'ORDO_HAS_CUDA|ORDO_ON_DEVICE' autograd nn | grep -v '^autograd/leaf_gradient\.cpp:' || true)
complain 'files named *_cpu.cpp are compiled without ORDO_HAS_CUDA' < <(
  search 'ORDO_HAS_CUDA|ORDO_ON_DEVICE|ORDO_LOOP_OP' engine kernels | grep '^[^:]*_cpu\.cpp:' || true)
complain 'a test stands in a namespace called as its file: namespace ordo::test::NAME_test' < <(
  search '^namespace ordo::test( |::)' tests simulators/tests | grep '_test\.c[pu]*:' |
    grep -vE '/([a-z0-9_]+)\.(cpp|cu):[0-9]+:namespace ordo::test::\1 \{$' || true)
# Of any two files of these lists, that is: a new file changes which are compiled together (cmake/OrdoPrecompile.cmake).
complain 'constants and types of two files that may be compiled as one have one name' < <(
  for files in 'autograd|nn' 'engine|kernels' bench tools/demo; do
    IFS='|' read -r -a rooms <<< "$files"
    find "${rooms[@]}" -name "*.c$([ "${rooms[0]}" = engine ] && echo u || echo pp)" ! -path 'nn/data/*' ! -path 'nn/state/*' |
      sort | xargs awk '
        {name = ""}
        FNR == 1 {inside = 0}
        /^namespace (detail )?\{/ {inside = 1}
        /^\}  \/\/ namespace( detail)?$/ {inside = 0}
        inside || /^(static|const[a-z]*) / {
          if (match($0, /^(static |inline |template <.*> )*(struct|class|enum class|enum) [A-Za-z_]+/)) name = substr($0, 1, RLENGTH)
          else if (match($0, /^(static |inline )*const[a-z]* [^(]*[ *]k[A-Z][A-Za-z_0-9]*(\[| =|\{|;)/)) name = substr($0, 1, RLENGTH)
          sub(/( =|[[{;])$/, "", name)
          sub(/.*[ *]/, "", name)
        }
        name != "" {if (name in first && first[name] != FILENAME) print first[name] " and " FILENAME ": " name; first[name] = FILENAME}'
  done)
complain 'autograd asks whether a tensor is on the CPU: what differs between devices stands in kernels' < <(
  search 'is_cpu\(\)' autograd)
complain 'public and kernel headers start with #pragma once (but for those that Highway includes again)' < <(
  find ordo.h engine kernels autograd nn ! -name '*-inl.h' \( -name '*.h' -o -name '*.cuh' \) -exec grep -L '^#pragma once' {} +)
complain 'public headers stay light' < <(
  grep -nE '#include <(fmt/|Eigen/|cub/|iostream|nlohmann/|regex)' ordo.h autograd/ops/*/*.h $(
    grep -L 'Internal to nn' nn/*.h nn/*/*.h) /dev/null || true)

# The words of a rule may be explained in comments and defined in the macros.
code() { grep -vE '^[^:]*:[0-9]+: *(//|\*)|# *define'; }
complain 'raw __shared__ or <<< (use ORDO_SHARED and cuda::launch)' < <(
  search '__shared__|<<<' engine kernels | grep -v '^engine/cuda/' | code || true)
complain 'what the kernel rules forbid (docs/architecture.md)' < <(
  search '__activemask|cub::(Block|Warp)|cooperative_groups|cudaMemcpyToSymbol|ReduceByKey|[mM]ultiProcessorCount' \
    engine kernels | grep -v '^engine/cuda/' | code || true)

# What others may use stands beside the folders, or in kernels/ordering. The tests of the ordering rules look inside, and
# bench/forms, which compares the engine's forms.
complain 'details of the accumulate engine are used outside of kernels/accumulate' < <(
  search 'ordo/kernels/accumulate/[a-z_]+/|accumulate_detail' \
    ordo.h extend.h engine kernels autograd nn tools samples bench tests |
    grep -vE '^(tests/)?kernels/accumulate/|^tests/kernels/ordering/|^bench/forms/' || true)

complain 'engine/run/about.cpp says another version than docs/ordering.md' < <(
  contract=$(sed -n '1s/^# The ordering contract, version \([0-9]*\)$/\1/p' docs/ordering.md)
  grep -q "^int ordering_contract() { return ${contract:-none}; }$" engine/run/about.cpp || echo "${contract:-no version}")

# A header that says "Internal" in its first lines is not public.
complain 'ordo.h does not include' < <(
  for header in autograd/autograd.h autograd/ops/*/*.h nn/*.h nn/*/*.h; do
    [ -e "$header" ] || continue
    head -n 8 "$header" | grep -q Internal || grep -qF "#include <ordo/$header>" ordo.h nn/nn.h || echo "$header"
  done)

# Names of operations of one to three dimensions stand in tables, kMaxPool{"max_pool1d", ...}, that their OpCall reads.
# These only call another operation of the same result.
forwarding='rand_like randn_like chunk'
complain 'operations that do not open an OpCall("name", ...)' < <(
  for header in autograd/ops/*/*.h; do
    head -n 8 "$header" | grep -q Internal && continue
    sed '\#^// -- rows of #,\#^// --$#d' "$header" |
      grep -ohE '^(Tensor(List)?&?|Max(Pool)?Result|std::pair<.*>) [a-z_0-9]+\(' || true  # there may be none
  done | sed -E 's/.* ([a-z_0-9]+)\(/\1/' | sort -u | while read -r name; do
    [[ " $forwarding " == *" $name "* ]] ||
      grep -qE "OpCall [a-z]+\(\"$name\"|ORDO_AUTOCAST_CALL\([a-z]+, $name,|k[A-Za-z]+ = \"$name\"" autograd/ops/*/*.cpp ||
      grep -hE -A 4 "^inline constexpr [A-Za-z]+Names k" kernels/*/*.h | grep -q "\"$name\"" || echo "$name"
  done)

# Functions that a row of a table makes: a source of operations defines the macro of its rows as functions, each of which opens
# OpCall call(#name, ...). Declarations in public headers are written from the table. (Gradients, of T, open none.)
complain 'macros for rows of tables whose functions do not open an OpCall(#name, ...)' < <(
  for source in autograd/ops/*/*.cpp; do
    awk -v source="$source" '
      /^#define ORDO_[A-Z_0-9]+\(name,/ {split($2, parts, "("); functions = calls = 0; inside = 1}
      inside {functions += gsub(/Tensor name\((const Tensor&|Scalar) /, "&"); calls += gsub(/const OpCall call\(#name,/, "&")}
      inside && !/\\$/ {if (functions != calls) print source ": " parts[1]; inside = 0}' "$source"
  done)
complain 'declarations of rows of tables' < <(python3 -B docs/table_declarations.py --check)
complain 'macros in headers of operations, which people, editors and pages cannot read' < <(
  grep -nE '^ *# *define|\.def>' autograd/ops/*/*.h || true)

mapfile -t public < <(for header in autograd/ops/*/*.h; do head -n 8 "$header" | grep -q Internal || echo "$header"; done)
complain 'docstrings (CONTRIBUTING.md has their form)' < <(python3 -B tests/style/docstrings.py "${public[@]}")
complain 'errors that docstrings leave out' < <(python3 -B tests/style/docstring_errors.py tests/bits/refusals.txt "${public[@]}")

# No page needs these: a text that a script puts into one is a text (textContent, setAttribute, append).
complain 'scripts write markup' < <(
  grep -rnE '(inner|outer)HTML|insertAdjacentHTML|createContextualFragment|parseFromString|document *\. *write' \
    --include='*.'{cpp,h,js,html,py,md} tools bench docs samples tests README.md || true)
complain 'the command prints texts of files as they are (use say and say_lines of tools/ordo/say.h)' < <(
  search 'fmt::print\(|std::(cout|cerr)|\b(printf|puts|fputs) *\(' tools/ordo bench/command.cpp | grep -v '^tools/ordo/say\.h:' | code || true)

complain 'files of more than 600 lines' < <(
  find engine kernels autograd nn simulators tools samples bench tests \( -name '*.h' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.cu' \) \
    -exec wc -l {} + 2>/dev/null | awk '$1 > 600 && $2 != "total" {print $2 ": " $1}')

[ "$failed" -eq 0 ] && echo 'Style: includes, kernel rules and ordo.h are as they should be.'
exit "$failed"
