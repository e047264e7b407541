#include <ordo/engine/cuda/atomics.h>

#include "tests/engine/cuda/device_array.h"

namespace ordo::test::atomics_test {
namespace {

template <class T>
__global__ void add_kernel(T* out, int64_t n, T value) {
  const int64_t i = cuda::thread_index();
  if (i < n) cuda::atomic_add(&out[i % 3], value);
}
__global__ void add4_kernel(float* out, int64_t n) {
  const int64_t i = cuda::thread_index();
  if (i < n) cuda::atomic_add4(out + i % 2 * 4, make_float4(1, 2, 3, 4));
}

template <class T>
class AtomicAddTest : public CudaTest {};
using Types = testing::Types<float, double, int32_t, int64_t, uint64_t, Half, BFloat16>;
TYPED_TEST_SUITE(AtomicAddTest, Types);

// Sums small enough to be exact in every type, so that the order does not show.
TYPED_TEST(AtomicAddTest, loses_no_addition) {
  for (const int value : {2, -1}) {
    if (value < 0 && std::is_same_v<TypeParam, uint64_t>) continue;
    const DeviceArray<TypeParam> out(size_t(3));
    cuda::launch(add_kernel<TypeParam>, cuda::grid_for(300, 256), 256, 0, cuda::current_stream(kCuda), out, 300,
                 TypeParam(value));
    for (const TypeParam& v : out.values()) EXPECT_EQ(double(v), 100.0 * value);
  }
}

using Atomic4Test = CudaTest;
TEST_F(Atomic4Test, adds_each_of_four) {
  const DeviceArray<float> out(size_t(8));
  cuda::launch(add4_kernel, cuda::grid_for(200, 256), 256, 0, cuda::current_stream(kCuda), out, 200);
  EXPECT_EQ(out.values(), (std::vector<float>{100, 200, 300, 400, 100, 200, 300, 400}));
}

}  // namespace
}  // namespace ordo::test::atomics_test
