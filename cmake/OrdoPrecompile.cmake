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

# ordo_join_sources(LIST COUNT EXCEPT): in place of LIST's files, but those whose path matches EXCEPT, files of the build
# folder that include COUNT of them each. A compiler reads headers and writes the same templates for seconds before it comes
# to what is a file's own.
function(ordo_join_sources list count except)
  set(sources ${${list}})
  list(SORT sources)
  set(joined ${sources})
  list(FILTER joined INCLUDE REGEX "${except}")
  list(FILTER sources EXCLUDE REGEX "${except}")
  while(sources)
    list(SUBLIST sources 0 ${count} members)
    list(REMOVE_ITEM sources ${members})
    # The texts name no folder of the build, so that compiler caches serve all builds.
    set(text)
    foreach(member IN LISTS members)
      cmake_path(ABSOLUTE_PATH member BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
      cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${member} generated)
      if(generated)
        cmake_path(RELATIVE_PATH member BASE_DIRECTORY ${PROJECT_BINARY_DIR})
      else()
        cmake_path(RELATIVE_PATH member BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      endif()
      if(NOT text)
        string(REGEX REPLACE "\\.([a-z]+)$" ".joined.\\1" file ${PROJECT_BINARY_DIR}/${member})
        cmake_path(GET member PARENT_PATH up)
        string(REGEX REPLACE "[^/]+" ".." up "${up}")  # the way from there to PROJECT_BINARY_DIR
      endif()
      if(generated)
        string(APPEND text "#include \"${up}/${member}\"\n")
      elseif(member MATCHES "^(engine|kernels|autograd|nn)/")
        string(APPEND text "#include <ordo/${member}>\n")
      else()
        string(APPEND text "#include \"${member}\"\n")
      endif()
    endforeach()
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}")
    list(APPEND joined ${file})
  endwhile()
  set(${list} ${joined} PARENT_SCOPE)
endfunction()
