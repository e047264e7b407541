# The check of the compiler, when a program is configured with flags under which GCC 12.2 copies numbers wrongly, finds
# options that help; without such flags it asks for none.
file(WRITE ${FOLDER}/CMakeLists.txt "
cmake_minimum_required(VERSION 3.25)
project(compiler_check LANGUAGES CXX)
include(${SOURCES}/cmake/OrdoCompiler.cmake)
ordo_check_compiler(options)
message(STATUS \"needs: [\${options}], \${CMAKE_CXX_COMPILER_ID} \${CMAKE_CXX_COMPILER_VERSION}\")
")
function(configure name flags)
  file(REMOVE_RECURSE ${FOLDER}/${name})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${FOLDER} -B ${FOLDER}/${name} -DCMAKE_CXX_COMPILER=${COMPILER}
                          -DCMAKE_CXX_FLAGS=${flags} -DCMAKE_BUILD_TYPE=Release
                  RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${name}: ${status}\n${text}")
  endif()
  string(REGEX MATCH "needs: [^\n]*" line "${text}")
  message(STATUS "${name}: ${line}")
  set(line "${line}" PARENT_SCOPE)
endfunction()

configure(plain -march=x86-64-v3)
if(NOT line MATCHES "needs: \\[\\]")
  message(SEND_ERROR "plain flags need ${line}")
endif()
configure(tuned "-march=x86-64-v3 -mtune=skylake-avx512")
if(line MATCHES "GNU 12\\.[0-2]\\." AND line MATCHES "needs: \\[\\]")
  message(SEND_ERROR "the fault of GCC 12.2 is not found")
endif()
