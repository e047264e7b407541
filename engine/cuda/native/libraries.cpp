#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <ordo/engine/cuda/backend.h>
#if ORDO_HAS_CUDNN
#include <cudnn.h>
#endif

namespace ordo::cuda::backend {

namespace {
std::string dotted(int major, int minor) { return std::to_string(major) + "." + std::to_string(minor); }
}  // namespace

std::vector<LibraryVersion> library_versions() {
  std::vector<LibraryVersion> versions;
  int n = 0;
  if (cudaDriverGetVersion(&n) == cudaSuccess && n)
    versions.push_back({"CUDA driver", dotted(n / 1000, n % 1000 / 10)});
  if (cudaRuntimeGetVersion(&n) == cudaSuccess) versions.push_back({"CUDA runtime", dotted(n / 1000, n % 1000 / 10)});
  int major = 0, minor = 0;
  if (cublasGetProperty(MAJOR_VERSION, &major) == CUBLAS_STATUS_SUCCESS &&
      cublasGetProperty(MINOR_VERSION, &minor) == CUBLAS_STATUS_SUCCESS)
    versions.push_back({"cuBLAS", dotted(major, minor)});
#if ORDO_HAS_CUDNN
  const size_t cudnn = cudnnGetVersion();  // 9.1.0 is 90100
  versions.push_back({"cuDNN", dotted(int(cudnn / 10000), int(cudnn % 10000 / 100))});
#endif
  return versions;
}

}  // namespace ordo::cuda::backend
