// What cuBLAS adds its products to. Only a build for GPUs multiplies so; the kernel runs everywhere.
#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/matmul/gemm.h>
#include "tests/engine/cuda/device_array.h"

namespace ordo::test::start_gemm_test {
namespace {

using StartGemmTest = CudaTest;

TEST_F(StartGemmTest, writes_the_bias_or_zeros) {
  constexpr int64_t kBatch = 2, kRows = 3, kColumns = 5;
  const std::vector<float> bias{0.5f, -1, 2, 4, -8};
  const DeviceArray<float> on_device(bias);
  for (bool has_bias : {true, false}) {
    for (bool per_row : {true, false}) {
      const DeviceArray<float> c(std::vector<float>(kBatch * kRows * kColumns, 7));
      kernels::Gemm g{.m = kRows, .n = kColumns, .batch = kBatch};
      g.c = {c, kColumns, 1, kRows * kColumns};
      g.bias = has_bias ? static_cast<const float*>(on_device) : nullptr;
      g.bias_per_row = per_row;
      kernels::cuda::start_gemm(g, kCuda);
      std::vector<float> expected;
      for (int64_t e = 0; e < kBatch * kRows * kColumns; ++e)
        expected.push_back(has_bias ? bias[size_t(per_row ? e / kColumns % kRows : e % kColumns)] : 0.f);
      EXPECT_EQ(c.values(), expected) << has_bias << per_row;
    }
  }
}

template <class Half>
void expect_bias_below_a_float_product() {
  const std::vector<Half> bias{Half(1.5f), Half(-2.f)};
  const DeviceArray<Half> on_device(bias);
  const DeviceArray<float> c(size_t(4));
  kernels::Gemm g{.m = 2, .n = 2, .dtype = dtype_of<Half>, .c_dtype = float32};
  g.c = {c, 1, 2, 0};  // columns lie next to each other
  g.bias = static_cast<const Half*>(on_device);
  kernels::cuda::start_gemm(g, kCuda);
  EXPECT_EQ(c.values(), (std::vector<float>{1.5f, 1.5f, -2, -2}));
}

TEST_F(StartGemmTest, bias_of_halves_below_a_float_product) {
  expect_bias_below_a_float_product<Half>();
  expect_bias_below_a_float_product<BFloat16>();
}

}  // namespace
}  // namespace ordo::test::start_gemm_test
