// Every instruction set gives the same bytes: products and convolutions with each that this processor has, and with
// none.
#include <ordo/kernels/vectors/vector_targets.h>
#include "tests/kernels/samples.h"
#include "tests/kernels/vectors/shapes.h"

namespace ordo::test::vector_targets_test {
namespace {

using kernels::cpu::use_vector_target;
using kernels::cpu::vector_targets;

std::string products(DType dtype) {
  std::string hashes;
  for (const ProductShape& c : kVectorProducts) {
    const Tensor a = test_mixed_values({c.batch, c.m, c.k}, 1).to(dtype);
    const Tensor b = test_mixed_values({c.batch, c.k, c.n}, 2).to(dtype);
    const Tensor a_t = a.transpose(1, 2).contiguous().transpose(1, 2), b_t = b.transpose(1, 2).contiguous();
    hashes += hash_of(matmul(a, b)) + hash_of(matmul(a_t, b)) + hash_of(matmul(a, b_t.transpose(1, 2))) +
              hash_of(linear(a[0], b_t[0], test_mixed_values({c.n}, 3).to(dtype))) + " ";
  }
  return hashes;
}

std::string convolutions(DType dtype) {
  std::string hashes;
  for (const ConvolutionShape& c : kVectorConvolutions) {
    const Tensor x = test_mixed_values({c.samples, c.channels, c.height, c.width}, 1).to(dtype);
    const Tensor w = test_mixed_values({c.filters, c.channels, 3, 3}, 2).to(dtype);
    const Tensor y = conv2d(x, w, {}, {.stride = c.stride, .padding = 1});
    hashes += hash_of(y) + hash_of(conv2d_input_grad(x.sizes(), w, y, {.stride = c.stride, .padding = 1})) +
              hash_of(conv2d_weight_grad(x, w.sizes(), y, {.stride = c.stride, .padding = 1})) + " ";
  }
  return hashes;
}

TEST(VectorTargets, ProductsAndConvolutionsHaveTheSameBytes) {
  const std::vector<std::string> targets = vector_targets();
  ASSERT_GE(targets.size(), 1u);
  for (DType dtype : {float32, float64, float16, bfloat16}) {
    use_vector_target("");
    const std::string first = products(dtype) + convolutions(dtype);
    for (const std::string& target : targets)
      for (int threads : {1, 2, 3}) {
        use_vector_target(target);
        EXPECT_EQ(vector_targets(), std::vector{target});
        EXPECT_EQ(kernels::cpu::has_avx512(), target == "AVX3");
        set_num_threads(threads);
        EXPECT_EQ(products(dtype) + convolutions(dtype), first) << target << " " << name(dtype) << " " << threads;
      }
  }
  use_vector_target("");
  EXPECT_EQ(vector_targets(), targets);
  set_num_threads(2);
}

}  // namespace
}  // namespace ordo::test::vector_targets_test
