#include <ordo/engine/run/about.h>

#include <Eigen/src/Core/util/Macros.h>
#include <fmt/format.h>
// Only Highway's version is needed; what it chooses by itself does not compile on every processor
// (kernels/vectors/targets.h).
#define HWY_COMPILE_ONLY_SCALAR
#include <hwy/highway.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>

#include <ordo/engine/run/matmul_algorithm.h>
#if ORDO_HAS_CUDA
#include <ordo/engine/cuda/backend.h>
#include <ordo/engine/cuda/library_versions.h>
#endif

namespace ordo {
namespace {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "CPU";
}

size_t cpu_memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page_size > 0 ? size_t(pages) * size_t(page_size) : 0;
}

}  // namespace

std::string_view version() { return ORDO_VERSION; }
int ordering_contract() { return 6; }

std::vector<LibraryVersion> libraries() {
  std::vector<LibraryVersion> list{
      {"compiler", __VERSION__},
      {"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"Highway", fmt::format("{}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH)},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"zlib", zlibVersion()},
  };
#if ORDO_HAS_CUDA
  for (LibraryVersion& library : cuda::library_versions()) list.push_back(std::move(library));
#endif
  return list;
}

std::vector<std::string> library_settings() {
  std::vector<std::string> found;
#if ORDO_HAS_CUDA
  const auto changes_bits = [](std::string_view variable) {
    for (const std::string_view one :
         {"NVIDIA_TF32_OVERRIDE", "CUBLAS_WORKSPACE_CONFIG", "CUBLASLT_WORKSPACE_SIZE", "NCCL_ALGO", "NCCL_PROTO"})
      if (variable == one) return true;
    return variable.starts_with("CUBLAS_EMULAT") || variable.starts_with("CUBLAS_FIXEDPOINT_EMULATION") ||
           (variable.starts_with("CUDNN_") && !variable.starts_with("CUDNN_LOG"));
  };
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    if (changes_bits(text.substr(0, text.find('=')))) found.emplace_back(text);
  }
#endif
  if (matmul_algorithm() == Algorithm::exact) found.emplace_back("ORDO_MATMUL=exact");
  std::sort(found.begin(), found.end());
  return found;
}

std::string why_no_cuda_device() {
#if ORDO_HAS_CUDA
  return std::string(cuda::backend::why_no_device());
#else
  return "this build of Ordo has no CUDA";
#endif
}

std::vector<DeviceDescription> devices() {
  std::vector<DeviceDescription> list{{cpu, cpu_name(), cpu_memory_bytes()}};
#if ORDO_HAS_CUDA
  for (int i = 0; i < cuda::device_count(); ++i) {
    const auto properties = cuda::backend::device_properties(i);
    list.push_back({Device(Device::Type::cuda, i), properties.name, properties.total_bytes});
  }
#endif
  return list;
}

}  // namespace ordo
