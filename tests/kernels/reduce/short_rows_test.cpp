// Rows of fewer values than a warp has lanes, which share a warp on CUDA: the bytes of the CPU, which follows the rule.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>

#include "tests/support/op_samples.h"
#include "tests/support/schedules.h"

namespace ordo::test {
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
        for (size_t k = 0; k < want.size(); ++k) {
          const auto a = got[k].to(cpu).to(float64).to_vector<double>(), b = want[k].to(float64).to_vector<double>();
          for (size_t i = 0; i < b.size(); ++i)  // of NaNs, one is as good as another
            EXPECT_TRUE(std::bit_cast<int64_t>(a[i]) == std::bit_cast<int64_t>(b[i]) ||
                        (std::isnan(a[i]) && std::isnan(b[i])))
                << "result " << k << " of row " << i << ": " << a[i] << " for " << b[i];
        }
      }
}

}  // namespace
}  // namespace ordo::test
