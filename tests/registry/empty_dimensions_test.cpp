// Tensors without elements: in every sample each dimension becomes 0 in turn, alone and together with dimensions of the
// same size in the other inputs. Forward and backward give an error of ours, or a result, the same on all devices.
// AddressSanitizer sees what is written outside of such tensors.
#include <fmt/format.h>

#include <set>

#include <ordo/ordo.h>
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test {
namespace {

ORDO_REGISTRY_TEST(RegistryEmptyDimensions);

constexpr int kNone = -1;
/// For each input, which of its dimensions becomes 0.
using EmptyDims = std::vector<int>;

/// Dimension `dim` of input `k`, and in each other input none or one of those of that size.
void add_choices(const TensorList& inputs, size_t k, int dim, std::set<EmptyDims>& all) {
  std::vector<EmptyDims> choices{EmptyDims(inputs.size(), kNone)};
  choices[0][k] = dim;
  for (size_t other = 0; other < inputs.size(); ++other) {
    if (other == k || !inputs[other].defined()) continue;
    const size_t before = choices.size();
    for (int d = 0; d < inputs[other].dim(); ++d) {
      if (inputs[other].sizes()[d] != inputs[k].sizes()[dim]) continue;
      for (size_t i = 0; i < before; ++i) {
        choices.push_back(choices[i]);
        choices.back()[other] = d;
      }
    }
  }
  all.insert(choices.begin(), choices.end());
}

std::set<EmptyDims> empty_dims_of(const TensorList& inputs) {
  std::set<EmptyDims> all;
  for (size_t k = 0; k < inputs.size(); ++k)
    for (int d = 0; inputs[k].defined() && d < inputs[k].dim(); ++d)
      if (inputs[k].sizes()[d] != 0) add_choices(inputs, k, d, all);
  return all;
}

TensorList without(const TensorList& inputs, const EmptyDims& dims) {
  TensorList out = inputs;
  for (size_t k = 0; k < inputs.size(); ++k)
    if (dims[k] != kNone) out[k] = inputs[k].narrow(dims[k], 0, 0);
  return out;
}

/// Nothing where it is refused.
std::optional<Bytes> outcome(const OpInfo& op, const Sample& sample, const TensorList& inputs, Device device) {
  try {
    const Bytes bytes = all_bytes(op, sample, inputs);
    if (device.is_cuda()) cuda::synchronize();  // raises what a device found in indices
    return bytes;
  } catch (const Error&) {
    return std::nullopt;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not an ordo::Error: " << error.what();
    return std::nullopt;
  }
}

TEST_P(RegistryEmptyDimensions, give_an_error_or_a_result) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (const Sample& sample : samples_) {
    const DType dtype = floating_dtypes(*op_, sample)[0];
    for (const EmptyDims& dims : empty_dims_of(sample.inputs)) {
      std::string which;
      for (size_t k = 0; k < dims.size(); ++k)
        if (dims[k] != kNone) which += fmt::format(" dimension {} of input {}", dims[k], k);
      std::optional<Bytes> on_cpu;
      for (Device device : devices()) {
        SCOPED_TRACE(trace(sample, dtype, device) + ", empty:" + which);
        const auto bytes = outcome(*op_, sample, without(convert(sample.inputs, dtype, device), dims), device);
        if (device.is_cpu()) on_cpu = bytes;
        ASSERT_EQ(bytes.has_value(), on_cpu.has_value()) << "one device refuses it, the other does not";
        if (bytes) {
          EXPECT_EQ(difference(*bytes, *on_cpu), "") << "differs from the CPU";
        }
      }
    }
  }
}

}  // namespace
}  // namespace ordo::test
