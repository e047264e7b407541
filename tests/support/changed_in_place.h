// Gradients of a sample one of whose tensors is changed in place before they are computed.
#pragma once

#include <optional>

#include "tests/support/registry_test_base.h"

namespace ordo::test {

/// Before which gradient: by the fused kernels, by the formulas in operations, or the gradient of the gradients.
enum class Change : unsigned char { before_gradient, before_recorded_gradient, before_second_gradient };
inline constexpr Change kChanges[] = {Change::before_gradient, Change::before_recorded_gradient,
                                      Change::before_second_gradient};
const char* name_of(Change when);

struct ChangedRun {
  size_t tensors = 0;  ///< that the program could change: inputs, results of every operation that it called, gradients
  std::optional<Bytes> bytes;  ///< of the gradients; nothing where the backward pass refused
};

/// Runs the sample on copies of `inputs`. Tensor `which` of those that the program has in its hands is changed past the
/// tape, as through detach(); none where there is no such tensor.
ChangedRun run_with_change(const OpInfo& op, const Sample& sample, const TensorList& inputs, Change when, size_t which);
inline constexpr size_t kNoTensor = SIZE_MAX;

}  // namespace ordo::test
