// Every operation has what the registry-driven tests need: a new one without it fails here.
#include <algorithm>

#include "tests/support/registry_test_base.h"

namespace ordo::test::complete_test {
namespace {

ORDO_REGISTRY_TEST(RegistryComplete);

TEST_P(RegistryComplete, has_samples) { EXPECT_FALSE(samples_.empty()) << "no ORDO_OP_SAMPLES(" << GetParam() << ")"; }

TEST_P(RegistryComplete, has_samples_of_every_size) {
  for (int64_t n : kSizes) {
    const auto samples = sized(n);
    ASSERT_FALSE(samples.empty()) << "no ORDO_OP_SIZES(" << GetParam() << "), or none for n = " << n;
    EXPECT_TRUE(std::any_of(samples.begin(), samples.end(),
                            [n](const Sample& s) {
                              return std::any_of(s.inputs.begin(), s.inputs.end(),
                                                 [n](const Tensor& t) { return t.numel() >= n; });
                            }) ||
                samples[0].run(convert(samples[0].inputs, float32, cpu)).numel() >= n)
        << "no tensor of the samples of size " << n << " has that many elements";
  }
}

// An operation whose row lists `atomic` must show in a test that its bits then depend on the schedule, and that each of
// its algorithms can be asked for.
TEST_P(RegistryComplete, algorithms_have_samples) {
  bool atomic = false;
  for (const AlgorithmLevel& a : op_->algorithms) atomic = atomic || a.algorithm == Algorithm::atomic;
  if (!atomic) return;
  const auto any = [&](auto condition) { return std::any_of(samples_.begin(), samples_.end(), condition); };
  EXPECT_TRUE(any([](const Sample& s) { return s.order_sensitive && any_floating(s.inputs); }))
      << "no sample is order_sensitive";
  EXPECT_TRUE(any([](const Sample& s) { return s.order_sensitive && s.forced; }))
      << "no sample that is order_sensitive says how to force an algorithm";
}

// The row's dtypes are those that the operation takes, on every device.
TEST_P(RegistryComplete, takes_every_dtype_of_its_row) {
  std::vector<Sample> samples = sized(33);
  for (Sample& s : samples_) samples.push_back(std::move(s));
  for (DType dtype : {boolean, uint8, int32, int64, float16, bfloat16, float32, float64}) {
    if (!op_->dtypes.has(dtype)) continue;
    for (Device device : devices()) {
      const auto can_run = [dtype, this](const Sample& s) {
        const auto dtypes = dtypes_of(*op_, s);
        return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
      };
      const auto is_taken = [&](const Sample& s) {
        return can_run(s) && bytes_unless_refused(*op_, s, convert(s.inputs, dtype, device));
      };
      EXPECT_TRUE(std::any_of(samples.begin(), samples.end(), is_taken) ||
                  std::none_of(samples.begin(), samples.end(), can_run))
          << "every sample refuses " << name(dtype) << " on " << device.str();
    }
  }
}

// No level refuses an operation, forward or backward: every dtype of its row has an algorithm that meets each.
TEST_P(RegistryComplete, no_level_refuses_it) {
  for (DType dtype : {boolean, uint8, int32, int64, float16, bfloat16, float32, float64})
    if (op_->dtypes.has(dtype)) {
      EXPECT_TRUE(std::any_of(op_->algorithms.begin(), op_->algorithms.end(), [&](const AlgorithmLevel& a) {
        return a.level == Determinism::device_to_device && a.dtypes.has(dtype);
      })) << name(dtype);
    }
  for (const Sample& sample : samples_)
    for (Device device : devices())
      for (Determinism level : {Determinism::not_guaranteed, Determinism::run_to_run, Determinism::device_to_device}) {
        SCOPED_TRACE(trace(sample, float32, device) + " " + std::string(name(level)));
        const DeterminismGuard guard(level);
        try {
          result_and_gradients(*op_, sample, convert(sample.inputs, float32, device));
        } catch (const NondeterministicError& e) {
          ADD_FAILURE() << e.what();
        } catch (const DTypeError&) {  // a sample of other dtypes
        }
      }
}

TEST(RegistryTable, samples_belong_to_registered_operations) {
  for (const auto& [name, samples] : op_samples()) EXPECT_NE(find_op(name), nullptr) << name;
  for (const auto& [name, samples] : op_sizes()) EXPECT_NE(find_op(name), nullptr) << name;
}

}  // namespace
}  // namespace ordo::test::complete_test
