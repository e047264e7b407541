# GCC 12.2 miscompiles four numbers that are copied by value when it tunes for Intel's processors with AVX-512
# (-mtune=skylake-avx512 and its successors, or -march=native there): {1, 1, 0, 0} arrives as {1, 1, 1, 1}.
# ordo_check_compiler(RESULT FLAGS...) sets RESULT to the options under which this compiler, with this project's flags
# and FLAGS, gets it right: mostly none. It stops where there are none. Installed, because programs are compiled with
# flags of their own.
include(CheckCXXSourceRuns)

function(ordo_check_compiler result)
  set(${result} "" PARENT_SCOPE)
  if(CMAKE_CROSSCOMPILING OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  list(JOIN ARGN " " flags)
  set(flags "${CMAKE_CXX_FLAGS_RELEASE} ${flags} -O2")
  string(MD5 key "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_FLAGS} ${flags}")
  foreach(option IN ITEMS "" "-mtune-ctrl=^avx256_move_by_pieces,^avx256_store_by_pieces" "-fno-tree-slp-vectorize")
    string(MAKE_C_IDENTIFIER "ORDO_COPIES_${key}_${option}" copies_numbers)
    set(CMAKE_REQUIRED_FLAGS "${flags} ${option}")
    set(CMAKE_REQUIRED_QUIET ON)
    check_cxx_source_runs("
      struct Numbers { long long v[4]; };
      [[gnu::noinline]] bool right(Numbers n) { return n.v[0] == 1 && n.v[1] == 1 && n.v[2] == 0 && n.v[3] == 0; }
      int main() { return right({{1, 1, 0, 0}}) ? 0 : 1; }" ${copies_numbers})
    if(${copies_numbers})
      if(option)
        message(STATUS "Ordo: this compiler, with these flags, copies {1, 1, 0, 0} wrongly without ${option}")
      endif()
      set(${result} "${option}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_FLAGS} ${flags} copies {1, 1, 0, 0} wrongly. Leave out -mtune "
                      "and -march=native, or take another compiler")
endfunction()
