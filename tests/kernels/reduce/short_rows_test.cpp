// Rows of fewer values than a warp has lanes, which share a warp on CUDA: the bytes of the CPU, which follows the rule.
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::short_rows_test {
namespace {

TEST(ShortRows, are_reduced_by_rule_2) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  const DeterminismGuard guard(Determinism::device_to_device);
  for (DType dtype : {float32, float64, bfloat16})
    for (int64_t length = 0; length <= 34; ++length)
      for (int64_t rows : {1, 7, 45}) {
        const ScheduleScope schedule(int(length) % schedule_seeds());
        SCOPED_TRACE(std::string(name(dtype)) + ", " + std::to_string(rows) + " rows of " + std::to_string(length));
        const Tensor x = test_mixed_values({rows, length}, uint64_t(length)).to(dtype);
        const auto reduced = [&](Device d) {
          TensorList all{sum(x.to(d), {1}), mean(x.to(d), {1}), var(x.to(d), {1}), norm(x.to(d), 2, {1}),
                         any(x.to(d), {1})};
          if (length > 0) all.push_back(max(x.to(d), 1).values), all.push_back(argmin(x.to(d), 1));
          return all;
        };
        const TensorList want = reduced(cpu), got = reduced("cuda");
        for (size_t k = 0; k < want.size(); ++k)
          EXPECT_EQ(difference(result_bytes(got[k]), result_bytes(want[k])), "") << "result " << k;
      }
}

}  // namespace
}  // namespace ordo::test::short_rows_test
