// The sums of rows on a device are those on the CPU, bit by bit, whatever the steps and the launch.
#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/distributed/reduction_tree.h>
#include <ordo/ordo.h>
// After ordo.h: kernels::cpu is a namespace there.
#include <ordo/kernels/distributed/fold.h>
#include "tests/engine/cuda/device_array.h"
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::fold_test {
namespace {

using distributed::ReduceOp;

/// The tree over all rows.
std::vector<kernels::FoldStep> tree(int64_t rows) {
  std::vector<kernels::FoldStep> steps;
  distributed::TreeFold<size_t> fold(rows);
  for (int64_t i = 0; i < rows; ++i)
    fold.push({0, i}, size_t(i), [&](size_t left, size_t right) {
      steps.push_back({left, right});
      return left;
    });
  return steps;
}

Tensor rows_of(int64_t rows, int64_t count, DType dtype) {
  const Tensor t = test_mixed_values({rows, count}, 3).clone();
  if (count > 2 && is_floating(dtype)) t[rows / 2][1].fill_(std::numeric_limits<double>::quiet_NaN());
  return t.to(dtype);
}

/// With the result in memory of its own, or in the first row.
std::vector<uint8_t> on_cpu(const Tensor& values, ReduceOp op) {
  const Tensor rows = values.clone(), result = empty({values.size(1)}, values.dtype());
  std::vector<char*> starts;
  for (int64_t r = 0; r < rows.size(0); ++r)
    starts.push_back(static_cast<char*>(rows.data()) + size_t(r) * result.nbytes());
  kernels::cpu::fold(op, values.dtype(), tree(rows.size(0)), starts, result.data(), values.size(1));
  return result_bytes(result);
}
std::vector<uint8_t> on_device(const Tensor& values, ReduceOp op, bool in_place) {
  const Tensor rows = values.to(kCuda), own = empty({values.size(1)}, {.dtype = values.dtype(), .device = kCuda});
  const Tensor result = in_place ? rows[0] : own;
  kernels::cuda::fold(op, values.dtype(), tree(rows.size(0)), rows.data(), values.size(1), result.data(),
                      values.size(1), kCuda);
  return result_bytes(result);
}

class FoldOnDevice : public CudaTest {};

TEST_F(FoldOnDevice, has_the_bits_of_the_cpu) {
  for (const DType dtype : {uint8, int32, int64, float16, bfloat16, float32, float64})
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::product, ReduceOp::min, ReduceOp::max})
      for (const int64_t rows : {2, 3, 8}) {
        const Tensor values = rows_of(rows, 37, dtype);
        const auto expected = on_cpu(values, op);
        for (const int schedule : few_schedules()) {
          const ScheduleScope scope(schedule);
          EXPECT_EQ(on_device(values, op, schedule % 2), expected)
              << name(dtype) << " " << name(op) << " " << rows << " rows, " << scope.str();
        }
      }
}

// More steps than one launch takes, more elements than a capped grid has threads, and none.
TEST_F(FoldOnDevice, of_many_rows_and_elements) {
  for (const auto& [rows, count] : {std::pair<int64_t, int64_t>{129, 5}, {130, 5}, {300, 5}, {5, 3001}, {4, 0}}) {
    const Tensor values = rows_of(rows, count, float32);
    const auto expected = on_cpu(values, ReduceOp::sum);
    for (const int schedule : few_schedules()) {
      const ScheduleScope scope(schedule);
      for (const bool in_place : {false, true})
        EXPECT_EQ(on_device(values, ReduceOp::sum, in_place), expected) << rows << " rows, " << scope.str();
    }
  }
}

}  // namespace
}  // namespace ordo::test::fold_test
