#!/bin/bash
# Runs a compiler, with ccache before it or not:  pch_sum.sh [ccache] COMPILER ARGUMENTS...
# Beside a precompiled header that it makes it leaves FILE.sum, a checksum of the header's text and lines. GCC's precompiled
# headers differ each time. With CCACHE_PCH_EXTSUM, ccache takes the checksum for the header, and what was compiled with one
# of the same text serves. The header itself comes from no cache: GCC compares `#pragma once` files with those of the header
# byte by byte, comments included. ccache compares paths, too: compilers are given the header as pch/TARGET.dir.hxx and a
# generated source as ROOM/FILE, by links, wherever in a build the library is.
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
  argument=${arguments[i]}
  if [ "$argument" = -include ] && [[ ${arguments[i + 1]} == */cmake_pch.hxx ]]; then
    header=${arguments[i + 1]} target=${arguments[i + 1]%/*}
    link=pch/${target##*/}.hxx
    if [ ! -e "$link.gch.sum" ]; then  # another process may be doing the same
      mkdir -p pch
      for suffix in "" .gch .gch.sum; do ln -s "$header$suffix" "$link$suffix" 2>/dev/null || true; done
    fi
    arguments[i + 1]=$link
  elif [ "$argument" = -o ] && [[ ${arguments[i + 1]} =~ ^(.+/)CMakeFiles/ordo(_upper)?\.dir/ ]]; then
    part=${BASH_REMATCH[1]}  # where Ordo is a part of another build
  elif [ "$argument" = -c ] && [[ -n ${part:-} && ${arguments[i + 1]} == "$PWD/$part"* ]]; then
    source=${arguments[i + 1]#"$PWD/$part"}
    [ -e "${source%%/*}" ] || ln -s "$part${source%%/*}" "${source%%/*}" 2>/dev/null || true
    [ ! "$source" -ef "${arguments[i + 1]}" ] || arguments[i + 1]=$source
  fi
done
exec "${arguments[@]}"
