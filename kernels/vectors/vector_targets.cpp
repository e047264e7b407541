#include <ordo/kernels/vectors/vector_targets.h>

#include <ordo/kernels/vectors/targets.h>  // before Highway's headers

#include <hwy/highway.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace ordo::kernels::cpu {
namespace {

// A bit for each; lower bits are better.
int64_t supported() { return hwy::SupportedTargets() & HWY_TARGETS; }

bool supports_avx512() {
#if HWY_ARCH_X86
  return supported() & HWY_AVX3;
#else
  return false;
#endif
}

/// supports_avx512() asks the processor, which takes microseconds on a virtual machine. Loops read this copy.
std::atomic<bool>& avx512() {
  static std::atomic<bool> in_use = supports_avx512();
  return in_use;
}

}  // namespace

std::vector<std::string> vector_targets() {
  std::vector<std::string> names;
  for (int64_t left = supported(); left != 0; left &= left - 1) names.emplace_back(hwy::TargetName(left & -left));
  return names;
}

bool has_avx512() { return avx512().load(std::memory_order_relaxed); }

void use_vector_target(const std::string& name) {
  hwy::SetSupportedTargetsForTest(0);
  for (int64_t left = supported(); left != 0; left &= left - 1)
    if (name == hwy::TargetName(left & -left)) hwy::SetSupportedTargetsForTest(left & -left);
  hwy::GetChosenTarget().DeInit();
  avx512() = supports_avx512();
}

namespace {

/// ORDO_VECTORS, before the first kernel runs.
[[maybe_unused]] const bool environment_is_read = [] {
  const char* const name = std::getenv("ORDO_VECTORS");
  if (!name || !*name) return false;
  const std::vector<std::string> names = vector_targets();
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    use_vector_target(name);
    return true;
  }
  std::string all;
  for (const std::string& each : names) all += (all.empty() ? "" : ", ") + each;
  std::fprintf(stderr, "ordo: ORDO_VECTORS=%s is ignored: this processor has %s\n", name, all.c_str());
  return false;
}();

}  // namespace

}  // namespace ordo::kernels::cpu
