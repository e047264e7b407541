// Tests that every registered operation gets, on every device and for every dtype it claims, from its samples:
// agreement with a double-precision reference, strided inputs, gradients of first and second order, and the same bytes
// over repeats, thread counts and schedules at the deterministic levels.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <ordo/autograd/autograd.h>
#include <ordo/engine/determinism.h>
#include <ordo/engine/parallel.h>
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

double epsilon(DType t) {
  switch (t) {
    case DType::float16:
      return 0x1p-10;
    case DType::bfloat16:
      return 0x1p-7;
    case DType::float32:
      return 0x1p-23;
    default:
      return 0x1p-52;
  }
}

Tensor convert(const Tensor& t, DType dtype, Device device) {
  if (!t.defined()) return t;
  return (is_floating(t.dtype()) ? t.to(dtype) : t).to(device);
}

TensorList convert(const TensorList& inputs, DType dtype, Device device) {
  TensorList out;
  for (const Tensor& t : inputs) out.push_back(convert(t, dtype, device));
  return out;
}

/// The same values, laid out with gaps and transposed.
Tensor strided_copy(const Tensor& t) {
  if (!t.defined() || t.dim() == 0) return t;
  Dims reversed;
  for (int i = t.dim() - 1; i >= 0; --i) reversed.push_back(i);
  const Tensor backwards = t.permute(reversed);
  Tensor storage = empty(
      [&] {
        Dims sizes = backwards.sizes();
        sizes.push_back(2);
        return sizes;
      }(),
      t.options());
  Tensor place = storage.select(-1, 1);
  place.copy_(backwards);
  return place.permute(reversed);
}

bool any_floating(const TensorList& inputs) {
  for (const Tensor& t : inputs)
    if (t.defined() && is_floating(t.dtype())) return true;
  return false;
}

std::vector<DType> floating_dtypes(const OpInfo& op, const Sample& sample) {
  if (!any_floating(sample.inputs)) return {float64};  // nothing to convert
  std::vector<DType> out;
  for (DType t : {float32, float64, float16, bfloat16})
    if (op.dtypes.has(t)) out.push_back(t);
  return out;
}

void expect_close(const Tensor& got, const std::vector<double>& want, const Sample& sample, DType dtype) {
  const auto values = got.to_vector<double>();
  ASSERT_EQ(values.size(), want.size()) << "number of elements";
  double largest = 0;
  for (double w : want)
    if (std::isfinite(w)) largest = std::max(largest, std::abs(w));
  const DType result = is_floating(got.dtype()) ? got.dtype() : float64;
  const double allowed = sample.tolerance * std::max(epsilon(dtype), epsilon(result)) * std::max(largest, 1e-30);
  int shown = 0;
  for (size_t i = 0; i < want.size() && shown < 3; ++i) {
    const bool equal = values[i] == want[i] || (std::isnan(values[i]) && std::isnan(want[i])) ||
                       std::abs(values[i] - want[i]) <= allowed;
    if (!equal) {
      ++shown;
      ADD_FAILURE() << "element " << i << " is " << values[i] << ", the reference " << want[i] << ", allowed "
                    << allowed;
    }
  }
}

class Registry : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    op_ = find_op(GetParam());
    const auto at = op_samples().find(GetParam());
    if (at != op_samples().end()) samples_ = at->second();
  }
  void TearDown() override { set_num_threads(threads_); }

  std::vector<Device> devices() const {
    auto all = test_devices();
    if (!op_->cuda) all.resize(1);
    return all;
  }

  const OpInfo* op_ = nullptr;
  std::vector<Sample> samples_;
  int threads_ = num_threads();
};

TEST_P(Registry, has_samples) { EXPECT_FALSE(samples_.empty()) << "no ORDO_OP_SAMPLES(" << GetParam() << ")"; }

TEST_P(Registry, agrees_with_the_reference) {
  for (const Sample& sample : samples_) {
    if (!sample.reference) continue;
    for (DType dtype : floating_dtypes(*op_, sample)) {
      const TensorList rounded = convert(convert(sample.inputs, dtype, cpu), float64, cpu);
      const auto want = sample.reference(rounded);
      for (Device device : devices()) {
        for (Determinism level :
             {Determinism::not_guaranteed, Determinism::run_to_run, Determinism::device_to_device}) {
          SCOPED_TRACE(sample.label + " " + std::string(name(dtype)) + " " + device.str() + " " +
                       std::string(name(level)));
          const DeterminismGuard guard(level);
          expect_close(sample.run(convert(sample.inputs, dtype, device)), want, sample, dtype);
        }
      }
    }
  }
}

TEST_P(Registry, takes_strided_inputs) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (const Sample& sample : samples_) {
    const DType dtype = floating_dtypes(*op_, sample)[0];
    for (Device device : devices()) {
      SCOPED_TRACE(sample.label + " " + device.str());
      const TensorList plain = convert(sample.inputs, dtype, device);
      TensorList strided;
      for (const Tensor& t : plain) strided.push_back(strided_copy(t));
      const Tensor a = sample.run(plain), b = sample.run(strided);
      EXPECT_EQ(a.sizes(), b.sizes());
      EXPECT_EQ(bytes_of(a), bytes_of(b)) << "strided inputs change the bits";
    }
  }
}

TEST_P(Registry, gradient) {
  if (!op_->differentiable) return;
  for (const Sample& sample : samples_) {
    if (!sample.gradient || !any_floating(sample.inputs)) continue;
    for (Device device : devices()) {
      SCOPED_TRACE(sample.label + " " + device.str());
      TensorList inputs = convert(sample.inputs, float64, device);
      for (Tensor& t : inputs)
        if (t.defined() && is_floating(t.dtype())) t = t.detach().clone().set_requires_grad();
      EXPECT_EQ(gradcheck(sample.run, inputs, {.second_order = sample.second_order && device.is_cpu()}), "");
    }
  }
}

/// The result and all gradients, one after the other.
std::vector<uint8_t> all_bytes(const OpInfo& op, const Sample& sample, DType dtype, Device device) {
  TensorList inputs = convert(sample.inputs, dtype, device), leaves;
  for (Tensor& t : inputs)
    if (op.differentiable && t.defined() && is_floating(t.dtype()))
      leaves.push_back(t = t.detach().clone().set_requires_grad());
  const Tensor out = sample.run(inputs);
  auto bytes = bytes_of(out);
  if (out.requires_grad()) {
    const Tensor weights = convert(test_mixed_values(out.sizes(), 99), out.dtype(), device);
    for (const Tensor& g : grad({out}, leaves, {weights}))
      if (g.defined()) {
        const auto more = bytes_of(g);
        bytes.insert(bytes.end(), more.begin(), more.end());
      }
  }
  return bytes;
}

TEST_P(Registry, same_bytes_on_every_device_and_thread_count) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (const Sample& sample : samples_) {
    for (DType dtype : floating_dtypes(*op_, sample)) {
      set_num_threads(1);
      const auto want = all_bytes(*op_, sample, dtype, cpu);
      for (int threads : {2, 3}) {
        SCOPED_TRACE(sample.label + " " + std::string(name(dtype)));
        set_num_threads(threads);
        EXPECT_EQ(all_bytes(*op_, sample, dtype, cpu), want) << threads << " threads change the bits";
      }
      for (Device device : devices()) {
        if (device.is_cpu()) continue;
        SCOPED_TRACE(sample.label + " " + std::string(name(dtype)) + " " + device.str());
        EXPECT_EQ(all_bytes(*op_, sample, dtype, device), want) << "differs from the CPU";
      }
    }
  }
}

TEST_P(Registry, same_bytes_over_repeats_and_schedules) {
  constexpr int kSeeds = 20;
  for (Determinism level : {Determinism::run_to_run, Determinism::device_to_device}) {
    const DeterminismGuard guard(level);
    for (const Sample& sample : samples_) {
      const DType dtype = floating_dtypes(*op_, sample)[0];
      for (Device device : devices()) {
        SCOPED_TRACE(sample.label + " " + device.str() + " " + std::string(name(level)));
        std::set<std::string> patterns;
        for (int i = 0; i < (device.is_cuda() ? kSeeds : 3); ++i) {
          const auto bytes = all_bytes(*op_, sample, dtype, device);
          patterns.emplace(bytes.begin(), bytes.end());
        }
        EXPECT_EQ(patterns.size(), 1u);
      }
    }
  }
}

TEST_P(Registry, atomic_depends_on_the_schedule) {
  if (cuda::build() != "emulated") GTEST_SKIP() << "needs the emulator's schedules";
  const DeterminismGuard guard(Determinism::not_guaranteed);
  for (const Sample& sample : samples_) {
    if (!sample.order_sensitive) continue;
    SCOPED_TRACE(sample.label);
    std::set<std::string> patterns;
    for (int i = 0; i < 20; ++i) {
      const auto bytes = all_bytes(*op_, sample, float32, "cuda");
      patterns.emplace(bytes.begin(), bytes.end());
    }
    EXPECT_GT(patterns.size(), 1u) << "twenty schedules gave the same bytes: is this really the atomic path?";
  }
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const OpInfo& op : ops()) names.emplace_back(op.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Ops, Registry, testing::ValuesIn(op_names()), [](const auto& info) { return info.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Registry);

TEST(RegistryTable, samples_belong_to_registered_operations) {
  for (const auto& [name, samples] : op_samples()) EXPECT_NE(find_op(name), nullptr) << name;
}

}  // namespace
}  // namespace ordo::test
