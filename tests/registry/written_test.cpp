// Tensors without elements: in every sample each dimension becomes 0 in turn, alone and together with dimensions of the
// same size in the other inputs. Forward and backward give an error of ours, or a result: the same on all devices, and
// written completely. AddressSanitizer sees what is written outside of such tensors.
#include <fmt/format.h>

#include <set>

#include <ordo/engine/memory/poison.h>
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::written_test {
namespace {

class RegistryPoisonTest : public RegistryTest {
 protected:
  void SetUp() override {
    RegistryTest::SetUp();
    set_fill_uninitialized_memory(false);
  }
  void TearDown() override {
    detail::set_poison(before_);
    set_fill_uninitialized_memory(true);
    RegistryTest::TearDown();
  }

 private:
  const detail::Poison before_ = detail::poison();
};

ORDO_REGISTRY_TEST_ON(RegistryEmptyDimensions, RegistryPoisonTest);

/// For each input, a bit for each of its dimensions that becomes 0.
using EmptyDims = std::vector<unsigned>;

/// The dimensions of that size, a bit for each.
unsigned dims_of_size(const Tensor& t, int64_t size) {
  unsigned dims = 0;
  for (int d = 0; t.defined() && d < t.dim(); ++d) dims |= unsigned(t.sizes()[d] == size) << d;
  return dims;
}

/// Dimension `dim` of input `k`, and of each other input none or one of that size; or all that have it.
void add_choices(const TensorList& inputs, size_t k, int dim, std::set<EmptyDims>& all) {
  constexpr size_t kMost = 64;  // of recurrent networks with many weights not all
  std::vector<EmptyDims> choices{EmptyDims(inputs.size(), 0)};
  choices[0][k] = 1u << dim;
  EmptyDims every = choices[0];
  for (size_t other = 0; other < inputs.size(); ++other) {
    every[other] = dims_of_size(inputs[other], inputs[k].sizes()[dim]);
    const size_t before = choices.size();
    for (unsigned d = 0; d < kMaxDims && other != k; ++d)
      for (size_t i = 0; i < before && choices.size() < kMost && (every[other] >> d & 1u); ++i) {
        choices.push_back(choices[i]);
        choices.back()[other] = 1u << d;
      }
  }
  all.insert(choices.begin(), choices.end());
  all.insert(every);
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
    for (int d = 0; inputs[k].defined() && d < inputs[k].dim(); ++d)
      if (dims[k] >> d & 1u) out[k] = out[k].narrow(d, 0, 0);
  return out;
}

struct Outcome {
  std::optional<Bytes> bytes;  ///< nothing where it is refused
  bool bad_index = false;      ///< which is why
};
Outcome outcome(const OpInfo& op, const Sample& sample, const TensorList& inputs, detail::Poison poison) {
  detail::set_poison(poison);
  try {
    const Bytes bytes = all_bytes(op, sample, inputs);
    if (cuda::is_available()) cuda::synchronize();  // raises what a device found in indices
    return {bytes};
  } catch (const IndexError&) {
    return {.bytes = {}, .bad_index = true};
  } catch (const Error&) {
    return {};
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not an ordo::Error: " << error.what();
    return {};
  }
}

TEST_P(RegistryEmptyDimensions, give_an_error_or_a_result) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (const Sample& sample : samples_) {
    const DType dtype = floating_dtypes(*op_, sample)[0];
    for (const EmptyDims& dims : empty_dims_of(sample.inputs)) {
      std::string which;
      for (size_t k = 0; k < dims.size(); ++k)
        if (dims[k]) which += fmt::format(" dimensions {:b} of input {}", dims[k], k);
      Outcome on_cpu;
      for (Device device : devices()) {
        SCOPED_TRACE(trace(sample, dtype, device) + ", empty:" + which);
        const TensorList inputs = without(convert(sample.inputs, dtype, device), dims);
        const Outcome here = outcome(*op_, sample, inputs, detail::Poison::pattern);
        const auto &bytes = here.bytes, over_zeros = outcome(*op_, sample, inputs, detail::Poison::zeros).bytes;
        if (device.is_cpu()) on_cpu = here;
        if (on_cpu.bad_index) break;  // a device looks at indices only where it has work for them
        ASSERT_EQ(bytes.has_value(), on_cpu.bytes.has_value()) << "one device refuses it, the other does not";
        if (!bytes || !over_zeros) continue;
        EXPECT_EQ(difference(*bytes, *over_zeros), "") << "what memory held before shows in the result";
        EXPECT_EQ(difference(*bytes, *on_cpu.bytes), "") << "differs from the CPU";
      }
    }
  }
}

// Every element of a result and of a gradient is written: memory that held a pattern before and memory that held zeros
// give the same bytes. Few sizes in every dtype of the row, the samples in one dtype each, these in turn.
ORDO_REGISTRY_TEST_ON(RegistryPoison, RegistryPoisonTest);

void expect_written(const OpInfo& op, const Sample& sample, DType dtype, const std::vector<Device>& devices) {
  for (Device device : devices) {
    const auto run = [&](detail::Poison poison) {
      detail::set_poison(poison);
      return bytes_unless_refused(op, sample, convert(sample.inputs, dtype, device));
    };
    const auto with_pattern = run(detail::Poison::pattern), with_zeros = run(detail::Poison::zeros);
    if (with_pattern && with_zeros) {
      EXPECT_EQ(difference(*with_pattern, *with_zeros), "")
          << trace(sample, dtype, device) << ": what memory held before shows in the result";
    }
  }
}

TEST_P(RegistryPoison, every_element_is_written) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (int64_t n : few_sizes())
    for (const Sample& sample : sized(n))
      for (DType dtype : tested_dtypes(*op_, sample)) expect_written(*op_, sample, dtype, devices());
  size_t turn = 0;
  for (const Sample& sample : samples_) {
    const auto dtypes = tested_dtypes(*op_, sample);
    expect_written(*op_, sample, dtypes[turn++ % dtypes.size()], devices());
  }
}

}  // namespace
}  // namespace ordo::test::written_test
