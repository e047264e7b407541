#include <ordo/kernels/vectors/vector_targets.h>

#include <ordo/kernels/vectors/targets.h>  // before Highway's headers

#include <hwy/highway.h>

namespace ordo::kernels::cpu {
namespace {

// A bit for each; lower bits are better.
int64_t supported() { return hwy::SupportedTargets() & HWY_TARGETS; }

}  // namespace

std::vector<std::string> vector_targets() {
  std::vector<std::string> names;
  for (int64_t left = supported(); left != 0; left &= left - 1) names.emplace_back(hwy::TargetName(left & -left));
  return names;
}

void use_vector_target(const std::string& name) {
  hwy::SetSupportedTargetsForTest(0);
  for (int64_t left = supported(); left != 0; left &= left - 1)
    if (name == hwy::TargetName(left & -left)) hwy::SetSupportedTargetsForTest(left & -left);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace ordo::kernels::cpu
