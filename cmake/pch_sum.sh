#!/bin/bash
# Runs a compiler, with ccache before it or not:  pch_sum.sh [ccache] COMPILER ARGUMENTS...
# Beside a precompiled header that it makes it leaves FILE.sum, a checksum of the header's text and lines. GCC's precompiled
# headers differ each time. With CCACHE_PCH_EXTSUM, ccache takes the checksum for the header, and what was compiled with one
# of the same text serves. The header itself comes from no cache: GCC compares `#pragma once` files with those of the header
# byte by byte, comments included. Compilers are given it by a path that does not depend on where in a build the library is,
# pch/TARGET.dir.hxx: the cache compares the path, too.
compiler=("$@")
[ "${compiler[0]##*/}" != ccache ] || compiler=("${compiler[@]:1}")
for i in "${!compiler[@]}"; do
  if [ "${compiler[i]}" = -o ] && [[ ${compiler[i + 1]} == *.gch ]]; then
    made=${compiler[i + 1]}
    rm -f "$made"  # the preprocessor would take it
    preprocess=("${compiler[@]}")
    unset "preprocess[i]" "preprocess[i + 1]"
    "${preprocess[@]}" -E -o - | sed -E 's#^(\# [0-9]+) ".*/#\1 "#' | sha256sum > "$made.sum"
    exec "${compiler[@]}"
  fi
done
arguments=("$@")
for i in "${!arguments[@]}"; do
  if [ "${arguments[i]}" = -include ] && [[ ${arguments[i + 1]} == */cmake_pch.hxx ]]; then
    header=${arguments[i + 1]} target=${arguments[i + 1]%/*}
    link=pch/${target##*/}.hxx
    if [ ! -e "$link.gch.sum" ]; then  # another process may be doing the same
      mkdir -p pch
      for suffix in "" .gch .gch.sum; do ln -s "$header$suffix" "$link$suffix" 2>/dev/null || true; done
    fi
    arguments[i + 1]=$link
  fi
done
exec "${arguments[@]}"
