// What this build and this machine are: for `ordo info` and for bug reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ordo/engine/tensor/device.h>

namespace ordo {

/// Ordo's version: three numbers with dots between them.
std::string_view version();
/// The version of docs/ordering.md: at the deterministic levels, equal versions add in the same order.
int ordering_contract();

/// A library that Ordo uses.
struct LibraryVersion {
  std::string name, version;
};
/// The libraries that this build uses, its compiler first; CUDA's are those found at run time.
std::vector<LibraryVersion> libraries();
/// "NAME=VALUE" of every setting that makes products or CUDA's libraries compute other bits at run_to_run, in the order of
/// names. In a build with CUDA, environment variables: NVIDIA_TF32_OVERRIDE, CUBLAS_EMULATE_*, CUDNN_* and others. In all,
/// ORDO_MATMUL=exact where products are exact now, whether by the variable or by set_matmul_algorithm().
std::vector<std::string> library_settings();

/// A device of this machine.
struct DeviceDescription {
  Device device;
  std::string name;         ///< as the device calls itself
  size_t memory_bytes = 0;  ///< 0 where unknown
};
/// Every usable device; the CPU first.
std::vector<DeviceDescription> devices();

/// Why there is no CUDA device, in the words of the CUDA runtime where it was asked; empty where there is one.
std::string why_no_cuda_device();

}  // namespace ordo
