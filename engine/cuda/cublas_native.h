// The functions of cuBLAS that Ordo calls, by their names: `using namespace ordo::cuda::libraries`. Internal.
#pragma once

#include <cublas_v2.h>

#include <ordo/engine/cuda/shared_library.h>

namespace ordo::cuda::libraries {

inline constinit SharedLibrary cublas_library{
    "cuBLAS", ORDO_SONAME("libcublas", CUBLAS_VER_MAJOR),
    "Install it, or use the level device_to_device, whose matrix products are Ordo's own"};

ORDO_LIBRARY_FUNCTION(cublas_library, cublasCreate);
ORDO_LIBRARY_FUNCTION(cublas_library, cublasDestroy);
ORDO_LIBRARY_FUNCTION(cublas_library, cublasGemmStridedBatchedEx_64);
ORDO_LIBRARY_FUNCTION(cublas_library, cublasGetProperty);
ORDO_LIBRARY_FUNCTION(cublas_library, cublasGetStatusString);
ORDO_LIBRARY_FUNCTION(cublas_library, cublasSetAtomicsMode);
ORDO_LIBRARY_FUNCTION(cublas_library, cublasSetMathMode);
ORDO_LIBRARY_FUNCTION(cublas_library, cublasSetStream);
ORDO_LIBRARY_FUNCTION(cublas_library, cublasSetWorkspace);

}  // namespace ordo::cuda::libraries
