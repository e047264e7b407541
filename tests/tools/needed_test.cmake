# The library for a GPU loads where CUDA's libraries are not installed: they are opened when they are first called.
#   cmake -DLIBRARY=libordo.so -P needed_test.cmake
execute_process(COMMAND readelf -d ${LIBRARY} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
if(NOT dynamic MATCHES "NEEDED.*libstdc")
  message(FATAL_ERROR "readelf does not say what ${LIBRARY} needs:\n${dynamic}")
endif()
string(REGEX MATCHALL "lib(cu[a-z]+|nv[a-zA-Z]+)\\.so[.0-9]*" found "${dynamic}")
if(found)
  message(FATAL_ERROR "${LIBRARY} needs ${found}")
endif()
