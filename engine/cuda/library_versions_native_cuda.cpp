#include <fmt/format.h>

#include <ordo/engine/calls/error.h>
#include <ordo/engine/cuda/backend.h>
#include <ordo/engine/cuda/cublas_native.h>
#include <ordo/engine/cuda/library_versions.h>
#if ORDO_HAS_CUDNN
#include <ordo/engine/cuda/cudnn_native.h>
#endif

namespace ordo::cuda {
namespace {

using namespace libraries;

std::string cublas_version() {
  int parts[3] = {};
  const libraryPropertyType properties[] = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
  for (int i = 0; i < 3; ++i) cublasGetProperty(properties[i], &parts[i]);
  return fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
}

#if ORDO_HAS_CUDNN
std::string cudnn_version() {
  const size_t v = cudnnGetVersion();
  return fmt::format("{}.{}.{}", v / 10000, v / 100 % 100, v % 100);
}
#endif

// A library that is not installed is a version of its own: programs that do not need it run.
std::string or_missing(std::string (*version)()) {
  try {
    return version();
  } catch (const CudaError&) {
    return "not found";
  }
}

}  // namespace

std::vector<LibraryVersion> library_versions() {
  const auto or_none = [](std::string text) { return text.empty() ? "none" : text; };
  std::vector<LibraryVersion> list;
  list.push_back({"CUDA driver", or_none(backend::driver_version())});
  list.push_back({"CUDA runtime", or_none(backend::runtime_version())});
  list.push_back({"cuBLAS", or_missing(cublas_version)});
#if ORDO_HAS_CUDNN
  list.push_back({"cuDNN", or_missing(cudnn_version)});
#else
  list.push_back({"cuDNN", "not in this build"});
#endif
  return list;
}

}  // namespace ordo::cuda
