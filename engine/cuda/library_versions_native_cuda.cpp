#include <cublas_v2.h>
#include <fmt/format.h>

#include <ordo/engine/cuda/backend.h>
#include <ordo/engine/cuda/library_versions.h>
#if ORDO_HAS_CUDNN
#include <cudnn.h>
#endif

namespace ordo::cuda {
namespace {

std::string cublas_version() {
  int parts[3] = {};
  const libraryPropertyType properties[] = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
  for (int i = 0; i < 3; ++i) cublasGetProperty(properties[i], &parts[i]);
  return fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
}

}  // namespace

std::vector<LibraryVersion> library_versions() {
  const auto or_none = [](std::string text) { return text.empty() ? "none" : text; };
  std::vector<LibraryVersion> list;
  list.push_back({"CUDA driver", or_none(backend::driver_version())});
  list.push_back({"CUDA runtime", or_none(backend::runtime_version())});
  list.push_back({"cuBLAS", cublas_version()});
#if ORDO_HAS_CUDNN
  const size_t v = cudnnGetVersion();
  list.push_back({"cuDNN", fmt::format("{}.{}.{}", v / 10000, v / 100 % 100, v % 100)});
#else
  list.push_back({"cuDNN", "not in this build"});
#endif
  return list;
}

}  // namespace ordo::cuda
