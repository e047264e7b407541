#!/usr/bin/env bash
# The bits of products and convolutions on another processor: products.cpp and the kernels, compiled for this machine and
# for 64-bit ARM with NEON, must print the same hashes. ARM's program runs under qemu. Exit status 77: a tool is missing.
#     run.sh SOURCE_FOLDER WORK_FOLDER
set -euo pipefail
source=$1 work=$2
for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v $tool >/dev/null || { echo "skipped: no $tool (Debian: g++-aarch64-linux-gnu, qemu-user)"; exit 77; }
done

# Headers of the two libraries without the machine's own that lie beside them.
rm -rf "$work"
mkdir -p "$work/include/ordo"
for room in engine kernels; do ln -s "$source/$room" "$work/include/ordo/$room"; done
for library in hwy fmt; do
  for prefix in ${CMAKE_PREFIX_PATH:-} /usr/local /usr; do
    [ ! -d "$prefix/include/$library" ] || { ln -s "$prefix/include/$library" "$work/include/$library"; break; }
  done
done
files=("$source/tests/kernels/vectors/neon/products.cpp" "$source"/kernels/matmul/gemm_cpu.cpp
       "$source"/kernels/{convolution/{direct_cpu,direct_weight_cpu},ordering/add_parts}.cpp "$source"/engine/{run/parallel,calls/check,calls/checked,tensor/device,tensor/dims,tensor/dtype}.cpp)
compile() {  # compile COMPILER OUTPUT FLAGS...
  local compiler=$1 output=$2
  shift 2
  "$compiler" -std=c++20 -O1 -ffp-contract=off -I"$work/include" -I"$source" -DFMT_HEADER_ONLY -DHWY_COMPILE_ONLY_STATIC "$@" \
    "${files[@]}" -o "$work/$output" -pthread
}
# Here without vectors: Highway's static target is plain C++ (kernels/vectors/targets.h).
compile "${CXX:-g++}" here &
compile aarch64-linux-gnu-g++ arm -static &
wait %1
wait %2
"$work/here" > "$work/here.txt"
qemu-aarch64 "$work/arm" > "$work/arm.txt"
cat "$work/arm.txt"
vectors=$(aarch64-linux-gnu-objdump -d "$work/arm" | grep -cE "fmla\s+v[0-9]+\.4s" || true)
[ "$vectors" -gt 0 ] || { echo "no fused multiply-add of NEON vectors"; exit 1; }
diff "$work/here.txt" "$work/arm.txt"
echo "the same hashes"
