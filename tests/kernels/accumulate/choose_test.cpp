#include <ordo/kernels/accumulate/accumulate.h>
#include "tests/support/op_samples.h"

namespace ordo::test::choose_test {
namespace {

using kernels::AccumulateSize;
using kernels::choose_accumulate;

TEST(ChooseAccumulate, follows_the_level) {
  const auto chosen = [](Determinism level, DType dtype, std::initializer_list<Algorithm> allowed) {
    const DeterminismGuard guard(level);
    return choose_accumulate("op", Algorithm::automatic, dtype, allowed);
  };
  for (DType t : {float16, bfloat16, float32, float64}) {
    EXPECT_EQ(chosen(Determinism::not_guaranteed, t, {Algorithm::atomic, Algorithm::sorted}), Algorithm::atomic);
    for (Determinism level : {Determinism::run_to_run, Determinism::device_to_device}) {
      EXPECT_EQ(chosen(level, t, {Algorithm::atomic, Algorithm::sorted}), Algorithm::sorted);
      EXPECT_EQ(chosen(level, t, {Algorithm::atomic, Algorithm::gather}), Algorithm::gather);
    }
  }
  // Integer addition has no order.
  EXPECT_EQ(chosen(Determinism::device_to_device, int64, {Algorithm::atomic, Algorithm::sorted}), Algorithm::atomic);
}

TEST(ChooseAccumulate, flat_outputs_are_exact) {
  const auto chosen = [](Determinism level, DType dtype, const AccumulateSize& size) {
    const DeterminismGuard guard(level);
    return choose_accumulate("op", Algorithm::automatic, dtype, size);
  };
  for (Determinism level : {Determinism::run_to_run, Determinism::device_to_device}) {
    for (DType t : {float16, bfloat16, float32}) {
      EXPECT_EQ(chosen(level, t, {100, 100, true}), Algorithm::exact);
      EXPECT_EQ(chosen(level, t, {100, 101, true}), Algorithm::sorted);
      EXPECT_EQ(chosen(level, t, {100, 10, false}), Algorithm::sorted);
      EXPECT_EQ(chosen(level, t, {int64_t(1) << 32, 10, true}), Algorithm::sorted);
    }
    EXPECT_EQ(chosen(level, float64, {100, 10, true}), Algorithm::sorted);
    EXPECT_EQ(chosen(level, int32, {100, 10, true}), Algorithm::atomic);
  }
  EXPECT_EQ(chosen(Determinism::not_guaranteed, float32, {100, 10, true}), Algorithm::atomic);
}

TEST(ChooseAccumulate, a_forced_algorithm_must_exist) {
  const AccumulateSize size{100, 10, true};
  for (Algorithm a : {Algorithm::sorted, Algorithm::atomic, Algorithm::exact})
    EXPECT_EQ(choose_accumulate("op", a, float32, size), a);
  for (Algorithm a : {Algorithm::gather, Algorithm::library, Algorithm::direct})
    EXPECT_ORDO_ERROR(choose_accumulate("op", a, float32, size), ValueError, "[op]");
  EXPECT_ORDO_ERROR(choose_accumulate("op", Algorithm::exact, float32, {Algorithm::gather, Algorithm::atomic}),
                    ValueError, "[op]");
}

TEST(ChooseAccumulate, exact_has_its_dtypes_and_sizes) {
  EXPECT_EQ(choose_accumulate("op", Algorithm::exact, bfloat16, {100, 10, true}), Algorithm::exact);
  EXPECT_EQ(choose_accumulate("op", Algorithm::exact, int64, {100, 10, true}), Algorithm::atomic);
  EXPECT_ORDO_ERROR(choose_accumulate("op", Algorithm::exact, float64, {100, 10, true}), ValueError, "float64");
  EXPECT_ORDO_ERROR(choose_accumulate("op", Algorithm::exact, float32, {int64_t(1) << 32, 10, true}), ValueError,
                    "items");
}

TEST(ChooseAccumulate, a_forced_algorithm_must_meet_the_level) {
  const DeterminismGuard guard(Determinism::run_to_run);
  const AccumulateSize size{100, 10, true};
  EXPECT_ORDO_ERROR(choose_accumulate("op", Algorithm::atomic, float32, size), NondeterministicError, "op");
  EXPECT_EQ(choose_accumulate("op", Algorithm::atomic, int32, size), Algorithm::atomic);
}

}  // namespace
}  // namespace ordo::test::choose_test
