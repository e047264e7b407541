// Attention whose scores are computed a block of queries at a time, and again for the gradients, beside the formula that
// keeps them all.
#include <ordo/engine/run/launch_tuning.h>

#include "tests/support/op_samples.h"

namespace ordo::test::attention_blocks_test {
namespace {

enum class Keys { all, causal, some, added };

/// So that 2,000 scores are many, on either device.
class Shrunk {
 public:
  Shrunk() {
    cuda::LaunchTuning tuning = before_;
    tuning.shrink = int64_t(1) << 17;
    cuda::set_launch_tuning(tuning);
  }
  ~Shrunk() { cuda::set_launch_tuning(before_); }

 private:
  const cuda::LaunchTuning before_ = cuda::launch_tuning();
};

Tensor in_blocks(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, bool causal) {
  return scaled_dot_product_attention(q, k, v, mask, 0, causal);
}
Tensor as_a_whole(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, bool causal) {
  return matmul(attention_weights(q, k, mask, causal), v);
}

class AttentionBlocks : public testing::TestWithParam<Keys> {
 protected:
  static Tensor mask(int64_t length, int64_t keys, DType dtype, Device device) {
    const Tensor values = test_values({2, 1, length, keys}, 9);
    Tensor m;
    if (GetParam() == Keys::some) m = values > -0.5;
    if (GetParam() == Keys::some) m.select(2, 3).fill_(false);  // a query without keys
    if (GetParam() == Keys::added) m = values.to(dtype);
    return m.defined() ? m.to(device) : m;
  }
  const bool causal = GetParam() == Keys::causal;

 private:
  const Shrunk shrunk_;
};

TEST_P(AttentionBlocks, have_the_bits_of_the_whole) {
  const DeterminismGuard guard(Determinism::device_to_device);
  constexpr int64_t length = 530, keys = 40;  // three blocks of queries
  for (const Device device : test_devices())
    for (const DType dtype : {float32, float64, bfloat16}) {
      const auto input = [&](int64_t rows, int64_t size, uint64_t stream) {
        return test_values({2, 3, rows, size}, stream).to(dtype).to(device).requires_grad_();
      };
      const Tensor above = test_values({2, 3, length, 5}, 4).to(dtype).to(device);
      const auto run = [&](const auto& attend) {
        Tensor q = input(length, 6, 1), k = input(keys, 6, 2), v = input(keys, 5, 3);
        const Tensor y = attend(q, k, v, mask(length, keys, dtype, device), causal);
        y.backward(above);
        return TensorList{y.detach(), q.grad(), k.grad(), v.grad()};
      };
      const TensorList blocks = run(in_blocks), whole = run(as_a_whole);
      for (size_t i = 0; i < whole.size(); ++i)
        EXPECT_EQ(hash_of(blocks[i] + 0), hash_of(whole[i] + 0)) << name(dtype) << " on " << device << ", tensor " << i;
      const NoGrad unrecorded;
      const Tensor y = in_blocks(input(length, 6, 1), input(keys, 6, 2), input(keys, 5, 3),
                                 mask(length, keys, dtype, device), causal);
      EXPECT_EQ(hash_of(y + 0), hash_of(whole[0] + 0));
    }
}

// A mask of more rows than there are queries fits each block of them, but not the whole.
TEST_P(AttentionBlocks, refuse_a_mask_that_is_too_large) {
  if (GetParam() == Keys::all || causal) GTEST_SKIP() << "there is no mask";
  const Tensor q = test_values({2, 3, 530, 6}), k = test_values({2, 3, 40, 6});
  EXPECT_ORDO_ERROR(scaled_dot_product_attention(q, k, k, mask(531, 40, float64, cpu)), ShapeError,
                    "does not broadcast");
}

TEST_P(AttentionBlocks, are_differentiated_twice) {
  constexpr int64_t length = 70, keys = 4;
  const auto loss = [&](const Tensor& q, const Tensor& k, const Tensor& v, const auto& attend) {
    const Tensor y = attend(q, k, v, mask(length, keys, float64, cpu), causal);
    const TensorList first = grad({square(y).sum()}, {q, k, v}, {}, true, true);
    return square(first[0]).sum() + square(first[1]).sum() + square(first[2]).sum();
  };
  const auto second = [&](const auto& attend) {
    const auto input = [&](int64_t rows, uint64_t stream) {
      return test_values({2, 3, rows, 2}, stream).requires_grad_();
    };
    const Tensor q = input(length, 1), k = input(keys, 2), v = input(keys, 3);
    return grad({loss(q, k, v, attend)}, {q, k, v});
  };
  const TensorList blocks = second(in_blocks), whole = second(as_a_whole);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(allclose(blocks[i], whole[i], 1e-9, 1e-9)) << i;
}

std::string name_of(const testing::TestParamInfo<Keys>& info) {
  return std::string(std::array{"all", "causal", "some", "added"}[size_t(info.param)]);
}
INSTANTIATE_TEST_SUITE_P(Masks, AttentionBlocks, testing::Values(Keys::all, Keys::causal, Keys::some, Keys::added),
                         name_of);

TEST(AttentionMemory, does_not_hold_all_scores) {
  const Shrunk shrunk;
  constexpr int64_t length = 2048, heads = 4;
  const auto input = [](uint64_t stream) {
    return test_values({heads, length, 4}, stream).to(float32).requires_grad_();
  };
  Tensor q = input(1), k = input(2), v = input(3);
  reset_peak_memory_stats();
  const size_t before = memory_stats().allocated_bytes;
  scaled_dot_product_attention(q, k, v, {}, 0, true).sum().backward();
  EXPECT_LT(memory_stats().peak_allocated_bytes - before, size_t(heads * length * length) * sizeof(float) / 2);
}

}  // namespace
}  // namespace ordo::test::attention_blocks_test
