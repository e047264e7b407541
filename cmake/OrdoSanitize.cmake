# ORDO_SANITIZE: what the library and the tests are checked with while they run.
#   address  AddressSanitizer and UndefinedBehaviorSanitizer, for everything
#   thread   ThreadSanitizer, for the CPU code (without CUDA)
#   race     the emulator's own checker, for kernels: the compiler reports every access of the .cu files to it
if(NOT ORDO_SANITIZE MATCHES "^(OFF|address|thread|race)$")
  message(FATAL_ERROR "ORDO_SANITIZE is '${ORDO_SANITIZE}'; it must be OFF, address, thread or race")
endif()
if(ORDO_SANITIZE STREQUAL "thread" AND NOT ORDO_CUDA_MODE STREQUAL "OFF")
  message(FATAL_ERROR "ORDO_SANITIZE=thread needs ORDO_CUDA=OFF: ThreadSanitizer does not know the emulator's fibers")
endif()
if(ORDO_SANITIZE STREQUAL "address" AND ORDO_CUDA_MODE STREQUAL "ON")
  message(FATAL_ERROR "ORDO_SANITIZE=address needs ORDO_CUDA=OFF or EMULATED: it would watch a GPU's addresses")
endif()
if(ORDO_SANITIZE STREQUAL "race" AND NOT ORDO_CUDA_MODE STREQUAL "EMULATED")
  message(FATAL_ERROR "ORDO_SANITIZE=race needs ORDO_CUDA=EMULATED: it checks the emulator's threads")
endif()
if(ORDO_SANITIZE STREQUAL "race" AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "ORDO_SANITIZE=race needs GCC: Clang drops the read of x += v")
endif()

# How .cu files are compiled for the emulator, and what their tests need beside it.
set(ORDO_EMULATED_OPTIONS -xc++ -O1)  # the emulator takes the time, and compiling is a third faster
# The two checks left out see nothing that AddressSanitizer does not, and compiling takes a third of the time without them.
set(ORDO_ADDRESS_OPTIONS -fsanitize=address,undefined -fno-sanitize=null,pointer-overflow -fno-sanitize-recover=all
                         -fno-omit-frame-pointer -g1)
if(ORDO_SANITIZE STREQUAL "address")
  list(APPEND ORDO_EMULATED_OPTIONS ${ORDO_ADDRESS_OPTIONS})
elseif(ORDO_SANITIZE STREQUAL "race")  # the hooks are the emulator's, so nothing is linked with -fsanitize=thread
  list(APPEND ORDO_EMULATED_OPTIONS -fsanitize=thread --param=tsan-distinguish-volatile=1 -g1)
endif()

# ordo_sanitize(LIBRARY): flags of the two sanitizers that check all of its code. Programs are linked with them; of their
# own files only kernels are checked, so that compiler caches serve all builds with the others.
function(ordo_sanitize library)
  set(flags)
  if(ORDO_SANITIZE STREQUAL "address")
    set(flags -fsanitize=address,undefined)
    target_compile_options(${library} PRIVATE ${ORDO_ADDRESS_OPTIONS})
  elseif(ORDO_SANITIZE STREQUAL "thread")
    set(flags -fsanitize=thread)
    target_compile_options(${library} PRIVATE ${flags} -g1)
  endif()
  if(NOT ORDO_SANITIZE STREQUAL "OFF")
    target_link_options(${library} PUBLIC $<BUILD_INTERFACE:${flags}>)
  endif()
endfunction()
