# ordo_precompile(TARGET HEADER...): for programs whose files mostly read the same large headers. A compiler cache serves all
# the same: Clang's precompiled header is the same bytes each time, and GCC's has a checksum beside it (pch_sum.sh).
function(ordo_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  else()
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
                          "bash;${PROJECT_SOURCE_DIR}/cmake/pch_sum.sh;${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
endfunction()

# ordo_compile_quickly(TARGET): for programs in which compile time matters, and not speed.
function(ordo_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
endfunction()
