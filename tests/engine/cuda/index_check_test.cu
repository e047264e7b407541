#include <ordo/engine/calls/index_check.h>

#include <ordo/engine/cuda/cuda.h>

#include "tests/engine/cuda/device_array.h"
#include "tests/support/op_samples.h"

namespace ordo::test::index_check_test {
namespace {

__global__ void read_kernel(const int64_t* index, int64_t n, int64_t size, float* out, IndexCheck check) {
  for (int64_t i = cuda::thread_index(); i < n; i += cuda::thread_count())
    if (check.ok(i, index[i], size)) out[i] = 1;
}

void read(const char* op, const std::vector<int64_t>& index, const DeviceArray<float>& out, int64_t size = 10) {
  const DeviceArray<int64_t> on_device(index);
  IndexGuard guard(op, "index", 0, size, kCuda);
  cuda::launch(read_kernel, cuda::grid_for(int64_t(index.size()), 64), 64, 0, cuda::current_stream(kCuda),
               static_cast<const int64_t*>(on_device), int64_t(index.size()), size, out, guard.check());
  guard.finish();
}

using CudaIndexCheckTest = CudaTest;

TEST_F(CudaIndexCheckTest, raised_by_synchronize_and_the_device_stays_usable) {
  const DeviceArray<float> out(size_t(4));
  read("index_add", {1, 2, 9, 12}, out);
  EXPECT_ORDO_ERROR(cuda::synchronize(), IndexError,
                    "[index_add] index[3] = 12 is out of range for dimension 0 of size 10");
  cuda::synchronize();
  EXPECT_EQ(out.values(), (std::vector<float>{1, 1, 1, 0}));
  read("index_add", {0, 1, 2, 3}, out);
  EXPECT_EQ(out.values(), (std::vector<float>{1, 1, 1, 1}));
}

TEST_F(CudaIndexCheckTest, raised_by_a_copy_to_the_host) {
  const DeviceArray<float> out(size_t(3));
  read("embedding", {0, -1, 2}, out);
  EXPECT_ORDO_ERROR(out.values(), IndexError, "[embedding] index[1] = -1 is out of range for dimension 0 of size 10");
  EXPECT_EQ(out.values(), (std::vector<float>{1, 0, 1}));
}

TEST_F(CudaIndexCheckTest, names_the_first_operation_and_position) {
  const DeviceArray<float> out(size_t(5000));
  std::vector<int64_t> bad(5000, 0);
  for (size_t i = 7; i < bad.size(); i += 3) bad[i] = int64_t(100 + i);
  for (int repeat = 0; repeat < 10; ++repeat) {
    read("first", std::vector<int64_t>(5000, 3), out);
    read("second", bad, out);
    read("third", std::vector<int64_t>(5000, -1), out);
    EXPECT_ORDO_ERROR(cuda::synchronize(), IndexError, "[second] index[7] = 107 is");
    cuda::synchronize();
  }
}

TEST_F(CudaIndexCheckTest, many_operations_between_waits) {
  const DeviceArray<float> out(size_t(1));
  const DeviceArray<int64_t> index(std::vector<int64_t>{0});
  for (int i = 0; i < 40000; ++i) IndexGuard("quick", "index", 0, 10, kCuda).finish();
  read("late", {77}, out);
  EXPECT_ORDO_ERROR(cuda::synchronize(), IndexError, "[late] index[0] = 77");
}

}  // namespace
}  // namespace ordo::test::index_check_test
