# One instruction set for all machines, so that no result, size or speed depends on the processor that built the library.
# On x86-64 it is x86-64-v3: AVX2 and fused multiply-adds, which Intel's processors have since Haswell (2013) and AMD's
# since Excavator (2015); ordering rules 3 and 4 are made of the latter. What gains from more chooses it when it runs
# (kernels/vectors). Tuning is the compiler's generic one.
set(ORDO_PROCESSOR_OPTIONS)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(ORDO_PROCESSOR_OPTIONS -march=x86-64-v3)
endif()
ordo_check_compiler(ORDO_COMPILER_OPTIONS ${ORDO_PROCESSOR_OPTIONS})
