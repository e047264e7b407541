# The library: every source file of the four rooms. A new operation needs no line here.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(hwy 1.0 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_path(ORDO_DLPACK_INCLUDE dlpack/dlpack.h REQUIRED)
mark_as_advanced(ORDO_DLPACK_INCLUDE)
find_package(PNG QUIET)   # without these, libzip, PCRE2 and utf8proc, reading such files is an error that says so
find_package(JPEG QUIET)
find_path(ORDO_ZIP_INCLUDE zip.h)  # not find_package: Debian's configuration also wants programs of another package
find_library(ORDO_ZIP_LIBRARY zip)
find_path(ORDO_PCRE2_INCLUDE pcre2.h)
find_library(ORDO_PCRE2_LIBRARY pcre2-8)
find_path(ORDO_UTF8PROC_INCLUDE utf8proc.h)
find_library(ORDO_UTF8PROC_LIBRARY utf8proc)
mark_as_advanced(ORDO_ZIP_INCLUDE ORDO_ZIP_LIBRARY ORDO_PCRE2_INCLUDE ORDO_PCRE2_LIBRARY ORDO_UTF8PROC_INCLUDE
                 ORDO_UTF8PROC_LIBRARY)

set(rooms engine kernels autograd nn)
foreach(room IN LISTS rooms)
  file(GLOB_RECURSE found RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${room}/*.cpp)
  list(APPEND cpp_sources ${found})
  file(GLOB_RECURSE found RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${room}/*.cu)
  list(APPEND cu_sources ${found})
endforeach()
# X.loops.h is written once and compiled for both devices, each of which has functions of the same names for it in the
# loops_cpu.h and loops_cuda.cuh beside it, or in those of kernels/reduce: as X_cpu.cpp and X.cu of the build folder.
file(GLOB_RECURSE loops RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/*.loops.h)
foreach(source IN LISTS loops)
  string(REPLACE ".loops.h" "" stem ${source})
  get_filename_component(folder ${source} DIRECTORY)
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${folder}/loops_cpu.h)
    set(folder kernels/reduce)
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${stem}_cpu.cpp
       CONTENT "#include <ordo/${folder}/loops_cpu.h>\n#include <ordo/${source}>\n")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${stem}.cu
       CONTENT "#include <ordo/${folder}/loops_cuda.cuh>\n#include <ordo/${source}>\n")
  list(APPEND cpp_sources ${PROJECT_BINARY_DIR}/${stem}_cpu.cpp)
  list(APPEND cu_sources ${PROJECT_BINARY_DIR}/${stem}.cu)
endforeach()
ordo_join_sources(cu_sources 5
                  "/(elementwise|reduce|norm)/|/(keyed|runs|sort|gemm_ordered|resampling|pool|losses)\\.cu$")
# engine/cuda/: host code that speaks to a device. simulators/emulator/ stands in for the CUDA runtime.
list(FILTER cpp_sources EXCLUDE REGEX "^engine/distributed/mpi/")  # libraries of their own (cmake/OrdoMpi.cmake)
set(cuda_cpp_sources ${cpp_sources})
list(FILTER cuda_cpp_sources INCLUDE REGEX "/cuda/|_cuda\\.cpp$")
list(FILTER cpp_sources EXCLUDE REGEX "/cuda/|_cuda\\.cpp$")
if(ORDO_CUDA_MODE STREQUAL "ON")
  list(FILTER cuda_cpp_sources EXCLUDE REGEX "_emulated_cuda\\.cpp$")
elseif(ORDO_CUDA_MODE STREQUAL "EMULATED")
  list(FILTER cuda_cpp_sources EXCLUDE REGEX "_native_cuda\\.cpp$")
  file(GLOB found RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/simulators/emulator/*.cpp)
  list(APPEND cuda_cpp_sources ${found})
  list(APPEND cu_sources simulators/emulator/index_record.cu)
  set_source_files_properties(${cu_sources} PROPERTIES LANGUAGE CXX)
  foreach(source IN LISTS cu_sources)
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${ORDO_EMULATED_OPTIONS}")
  endforeach()
else()
  set(cuda_cpp_sources)
  set(cu_sources)
endif()

# .cu files come first: where an inline function is in several objects the linker keeps the first, and only those are
# compiled for ORDO_SANITIZE=race.
#
# autograd and nn check arguments, record and call kernels; what several processes do waits for them. They are compiled for
# size: a third fewer bytes in a quarter less time.
set(upper "^(autograd|nn|engine/distributed)/|^kernels/(linalg/linalg|distributed/collectives)\\.cpp$")
set(upper_sources ${cpp_sources})
list(FILTER upper_sources INCLUDE REGEX "${upper}")
# Some have options of their own.
ordo_join_sources(upper_sources 8 "/leaf_gradient\\.cpp$|/(tokenizer|word_piece)\\.cpp$|^nn/(data|state)/|^(engine|kernels)/")
list(FILTER cpp_sources EXCLUDE REGEX "${upper}")
add_library(ordo_upper OBJECT ${upper_sources})
add_library(ordo SHARED ${cu_sources} ${cuda_cpp_sources} ${cpp_sources} $<TARGET_OBJECTS:ordo_upper>)
add_library(ordo::ordo ALIAS ordo)
set(parts ordo ordo_upper)
if(ORDO_TESTS)  # `./run times` reports and checks what each object cost
  set_property(TARGET ${parts} PROPERTY RULE_LAUNCH_COMPILE
               "bash \"${PROJECT_SOURCE_DIR}/tests/budgets/record_compile.sh\"")
endif()

# Headers are included as <ordo/engine/tensor/tensor.h> everywhere; in the build tree links to the rooms make that path.
set(include_root ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${include_root}/ordo)
foreach(entry IN LISTS rooms ITEMS simulators ordo.h extend.h)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${entry} ${include_root}/ordo/${entry} SYMBOLIC)
endforeach()
set_target_properties(ordo PROPERTIES VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set_target_properties(ordo_upper PROPERTIES POSITION_INDEPENDENT_CODE ON)
set(libraries Eigen3::Eigen Threads::Threads ZLIB::ZLIB fmt::fmt hwy::hwy ${CMAKE_DL_LIBS}
    $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
if(PNG_FOUND)
  set_property(SOURCE nn/data/image_png.cpp APPEND PROPERTY COMPILE_DEFINITIONS ORDO_HAS_PNG=1)
  list(APPEND libraries PNG::PNG)
endif()
if(JPEG_FOUND)
  set_property(SOURCE nn/data/image_jpeg.cpp APPEND PROPERTY COMPILE_DEFINITIONS ORDO_HAS_JPEG=1)
  list(APPEND libraries JPEG::JPEG)
endif()
set(ordo_zip_sources nn/state/archive.cpp nn/state/npz_read.cpp nn/state/torch_file.cpp)
set(ordo_pcre2_sources nn/models/tokenizer.cpp)
set(ordo_utf8proc_sources nn/models/tokenizer.cpp nn/models/word_piece.cpp)
foreach(name IN ITEMS ZIP PCRE2 UTF8PROC)
  string(TOLOWER ${name} lower)
  if(ORDO_${name}_INCLUDE AND ORDO_${name}_LIBRARY)
    set_property(SOURCE ${ordo_${lower}_sources} APPEND PROPERTY COMPILE_DEFINITIONS ORDO_HAS_${name}=1)
    add_library(ordo_${name} UNKNOWN IMPORTED)
    set_target_properties(ordo_${name} PROPERTIES IMPORTED_LOCATION ${ORDO_${name}_LIBRARY}
                          INTERFACE_INCLUDE_DIRECTORIES ${ORDO_${name}_INCLUDE})
    list(APPEND libraries ordo_${name})
  endif()
endforeach()

# CMake 3.25.1 does not know that nvcc has C++20, hence -std.
# No contraction to fused multiply-adds and no reassociation: the same source gives the same bits everywhere.
add_library(ordo_build_options INTERFACE)
target_compile_options(ordo_build_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-ffp-contract=off;-fno-math-errno;-fno-trapping-math>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;-fmad=false;--expt-relaxed-constexpr;--extended-lambda;-Xcompiler=-Wall;-Xcompiler=-ffp-contract=off>")
# Device code is most of the library, and a third of its size when compressed; it is unpacked as kernels are loaded.
if(ORDO_CUDA_MODE STREQUAL "ON" AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(ordo_build_options INTERFACE
    "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<NOT:$<CONFIG:Debug>>>:--compress-mode=size>")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports overlaps in std::string's own code (GCC bug 105651).
  target_compile_options(ordo_build_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>")
endif()
if(ORDO_WERROR)
  target_compile_options(ordo_build_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Werror>"
                         "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror;-Werror=all-warnings>")
endif()
target_compile_options(ordo_build_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${ORDO_PROCESSOR_OPTIONS}>")
if(ORDO_PROCESSOR_OPTIONS)  # the loader refuses another processor, and says so
  include(CheckLinkerFlag)
  check_linker_flag(CXX -Wl,-z,x86-64-v3 ORDO_LINKER_KNOWS_PROCESSORS)
  if(ORDO_LINKER_KNOWS_PROCESSORS)
    target_link_options(ordo PRIVATE -Wl,-z,x86-64-v3)
  endif()
endif()
foreach(part IN LISTS parts)
  target_include_directories(${part} PUBLIC $<BUILD_INTERFACE:${include_root}>)
  target_compile_features(${part} PUBLIC cxx_std_20)
  set_target_properties(${part} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${part} PRIVATE ${libraries} $<BUILD_INTERFACE:ordo_build_options>)
  target_compile_options(${part} PUBLIC "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:${ORDO_COMPILER_OPTIONS}>>")
  target_compile_options(${part} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-semantic-interposition>")
  target_compile_definitions(${part} PRIVATE EIGEN_DONT_PARALLELIZE)
  ordo_sanitize(${part})
  ordo_precompile(${part} <algorithm> <array> <atomic> <bit> <cmath> <cstdint> <cstring> <functional>
                  <initializer_list> <limits> <map> <memory> <mutex> <optional> <span> <string> <string_view> <tuple>
                  <unordered_map> <utility> <vector> <fmt/format.h>)
endforeach()
# GCC 12 reports a vector's own deletion as wrong here, too.
target_compile_options(ordo_upper PRIVATE
  "$<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<CONFIG:Release>>:-Os;-Wno-free-nonheap-object>")
set_property(SOURCE ${cu_sources} PROPERTY SKIP_PRECOMPILE_HEADERS ON)  # of other options
# The library calls its own functions directly, and inlines them, where a program could put others in their place: small
# operations gain a tenth. Under sanitizers, programs hold unchecked copies of the inline functions they use.
target_link_options(ordo PRIVATE -Wl,-Bsymbolic-functions -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/ordo.map)
set_target_properties(ordo PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/ordo.map)
set_property(SOURCE engine/run/about.cpp APPEND PROPERTY COMPILE_DEFINITIONS ORDO_VERSION="${PROJECT_VERSION}")
if(ORDO_POISON_RESULTS)  # for the one file that asks, so that compiler caches serve all builds
  set_property(SOURCE engine/tensor/create.cpp APPEND PROPERTY COMPILE_DEFINITIONS ORDO_POISON_RESULTS=1)
endif()
# The rooms above the kernels do not ask, nor do kernels for the CPU alone: they compile to the same objects.
if(NOT ORDO_CUDA_MODE STREQUAL "OFF")
  set(asking_sources ${upper_sources})
  list(FILTER asking_sources INCLUDE REGEX "^(engine|kernels)/")
  list(APPEND asking_sources ${cpp_sources})
  list(FILTER asking_sources EXCLUDE REGEX "_cpu\\.cpp$")
  list(APPEND asking_sources ${cuda_cpp_sources} ${cu_sources})
  set_property(SOURCE ${asking_sources} autograd/leaf_gradient.cpp APPEND PROPERTY COMPILE_DEFINITIONS ORDO_HAS_CUDA=1)
endif()
set(device_sources ${cuda_cpp_sources} ${cu_sources})
if(ORDO_CUDA_MODE STREQUAL "EMULATED")
  # index_check.cpp is called by kernels too.
  set_property(SOURCE ${device_sources} engine/run/emulation.cpp engine/calls/index_check.cpp
               APPEND PROPERTY COMPILE_DEFINITIONS ORDO_EMULATED=1)
  if(ORDO_SANITIZE STREQUAL "race")
    set_property(SOURCE ${device_sources} engine/memory/memory.cpp APPEND PROPERTY COMPILE_DEFINITIONS ORDO_RACE_CHECKER=1)
  endif()
elseif(ORDO_CUDA_MODE STREQUAL "ON")
  # cuBLAS and cuDNN are opened when they are first called (engine/cuda/shared_library.h), from where the toolkit is in
  # this build and from where the loader looks in an installed one. -z defs: a function called past that is an error here.
  set(cudart $<IF:$<STREQUAL:${ORDO_CUDART},SHARED>,CUDA::cudart,CUDA::cudart_static>)
  target_link_libraries(ordo PRIVATE $<LINK_ONLY:${cudart}> ${CMAKE_DL_LIBS})
  target_link_options(ordo PRIVATE -Wl,-z,defs)
  set_property(TARGET ordo APPEND PROPERTY BUILD_RPATH ${CUDAToolkit_LIBRARY_DIR})
  # CUDA's headers are only for the files that need them, so that compiler caches serve all builds with the others.
  foreach(directory IN LISTS CUDAToolkit_INCLUDE_DIRS)
    set_property(SOURCE ${cuda_cpp_sources} APPEND PROPERTY COMPILE_OPTIONS -isystem${directory})
  endforeach()
  if(ORDO_CUDNN)
    set_property(SOURCE ${device_sources} APPEND PROPERTY COMPILE_DEFINITIONS ORDO_HAS_CUDNN=1)
    set_property(SOURCE ${cuda_cpp_sources} APPEND PROPERTY COMPILE_OPTIONS -isystem${ORDO_CUDNN_INCLUDE})
  endif()
endif()

include(OrdoInstall)
