// Every algorithm of an operation's row, asked for by name: the ordered ones give one result at every level, on every
// device, and so does `exact`; all agree up to rounding; `atomic` refuses a deterministic level; what the row does not
// list is refused. All samples in float32 and an integer dtype, where the row has one; all sizes in float32.
#include <algorithm>

#include "tests/support/registry_test_base.h"

namespace ordo::test::registry_algorithms_test {
namespace {

ORDO_REGISTRY_TEST(RegistryAlgorithms);

constexpr Algorithm kAlgorithms[] = {Algorithm::direct, Algorithm::atomic, Algorithm::sorted,
                                     Algorithm::gather, Algorithm::exact,  Algorithm::library};

/// The strongest level of an algorithm; null when the row does not list it.
const Determinism* level_of(const OpInfo& op, Algorithm algorithm) {
  for (const AlgorithmLevel& a : op.algorithms)
    if (a.algorithm == algorithm) return &a.level;
  return nullptr;
}

/// Whose bits an algorithm shares: the ordered ones share theirs, `exact` has its own. What gives no bits that hold is
/// compared with the first of those.
Algorithm measure_of(const OpInfo& op, Algorithm algorithm) {
  if (algorithm == Algorithm::exact) return algorithm;
  for (Algorithm a : kAlgorithms)
    if (const Determinism* level = level_of(op, a); level && *level == Determinism::device_to_device) return a;
  return algorithm;
}

void expect_one_result(const OpInfo& op, const Sample& sample, DType dtype, const std::vector<Device>& devices) {
  const DeterminismGuard guard(Determinism::not_guaranteed);
  const TensorList inputs = convert(sample.inputs, dtype, cpu);
  const Tensor ordered = sample.forced(inputs, measure_of(op, Algorithm::automatic));
  const bool integers = !is_floating(ordered.dtype());
  for (const AlgorithmLevel& a : op.algorithms) {
    if (!a.dtypes.has(dtype)) {
      EXPECT_THROW(sample.forced(inputs, a.algorithm), ValueError) << name(a.algorithm) << " " << name(dtype);
      continue;
    }
    const Tensor want = integers ? ordered : sample.forced(inputs, measure_of(op, a.algorithm));
    for (Device device : devices) {
      SCOPED_TRACE(trace(sample, dtype, device) + " " + std::string(name(a.algorithm)));
      const Tensor got = sample.forced(convert(sample.inputs, dtype, device), a.algorithm);
      if (integers || a.level == Determinism::device_to_device) {
        EXPECT_EQ(difference(bytes_of(got), bytes_of(want)), "") << "differs from the same on the CPU";
      }
      if (!integers) {
        Sample rounded = sample;  // sums of a gradient of mixed magnitudes
        rounded.tolerance = std::max(256.0, sample.tolerance);
        expect_close(got, ordered.to_vector<double>(), rounded, dtype);
      }
    }
  }
}

TEST_P(RegistryAlgorithms, agree) {
  for (const Sample& sample : samples_) {
    if (!sample.forced) continue;
    expect_one_result(*op_, sample, float32, devices());
    if (op_->dtypes.has(int32)) expect_one_result(*op_, sample, int32, devices());
  }
  for (int64_t n : tested_sizes())
    for (const Sample& sample : sized(n))
      if (sample.forced) expect_one_result(*op_, sample, float32, devices());
}

TEST_P(RegistryAlgorithms, levels) {
  for (const Sample& sample : samples_) {
    if (!sample.forced || !any_floating(sample.inputs)) continue;
    for (Device device : devices()) {
      const TensorList inputs = convert(sample.inputs, float32, device);
      for (Algorithm algorithm : kAlgorithms) {
        SCOPED_TRACE(trace(sample, float32, device) + " " + std::string(name(algorithm)));
        const Determinism* strongest = level_of(*op_, algorithm);
        Bytes want;
        if (strongest && *strongest == Determinism::device_to_device) {
          const DeterminismGuard guard(Determinism::not_guaranteed);
          want = bytes_of(sample.forced(inputs, measure_of(*op_, algorithm)));
        }
        for (Determinism level : kLevels) {
          const DeterminismGuard guard(level);
          if (!strongest) {
            EXPECT_THROW(sample.forced(inputs, algorithm), ValueError) << "is not in the registry row";
          } else if (*strongest < level) {
            EXPECT_THROW(sample.forced(inputs, algorithm), NondeterministicError) << name(level);
          } else if (*strongest == Determinism::device_to_device) {
            EXPECT_EQ(difference(bytes_of(sample.forced(inputs, algorithm)), want), "") << "depends on the level";
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ordo::test::registry_algorithms_test
