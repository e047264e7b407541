# cmake -DORDO_SOURCE=... -P fetched_project.cmake: builds and runs project/, which has Ordo as a part of itself.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status})")
  endif()
endfunction()

# Beside the build, so that paths relative to it are those of the build: compiler caches then know the sources.
set(binary ${ORDO_BUILD}-outside-fetched)
# Without kernels, which take longest and would all be compiled again: caches of nvcc's results know an object's path.
set(options -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
            "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_PREFIX_PATH=${PREFIX_PATH}"
            -DORDO_SOURCE=${ORDO_SOURCE} -DORDO_CUDA=OFF -DORDO_WERROR=${WERROR})
if(LAUNCHER)
  list(APPEND options -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
endif()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${binary} ${options})
run(${CMAKE_COMMAND} --build ${binary})
run(${binary}/outside)
