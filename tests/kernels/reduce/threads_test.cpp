// Sizes at which the CPU really uses several threads: the bits must not show how many.
#include <gtest/gtest.h>

#include <ordo/autograd/autograd.h>
#include <ordo/autograd/ops/activations.h>
#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/losses.h>
#include <ordo/autograd/ops/normalization.h>
#include <ordo/autograd/ops/reductions.h>
#include <ordo/engine/parallel.h>
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

void expect_same_with_any_threads(const char* what, const std::function<Tensor()>& f) {
  const int before = num_threads();
  set_num_threads(1);
  const auto want = bytes_of(f());
  for (int threads : {2, 3, 5}) {
    set_num_threads(threads);
    EXPECT_EQ(bytes_of(f()), want) << what << " with " << threads << " threads";
  }
  set_num_threads(before);
}

TEST(Threads, do_not_change_reductions) {
  const Tensor line = test_mixed_values({300000}).to(float32);
  const Tensor wide = line.view({2, 150000}), tall = line.view({30000, 10}), slabs = line.view({40, 25, 300});
  for (const Tensor& t : {line, wide, tall, slabs}) {
    expect_same_with_any_threads("sum", [&] { return sum(t); });
    expect_same_with_any_threads("sum {0}", [&] { return sum(t, {0}); });
    expect_same_with_any_threads("sum {-1}", [&] { return sum(t, {-1}); });
    expect_same_with_any_threads("argmax", [&] { return argmax(t, 0); });
    expect_same_with_any_threads("max", [&] { return max(t, -1).values; });
    expect_same_with_any_threads("var", [&] { return var(t, {0}); });
  }
  expect_same_with_any_threads("sum {0, 2}", [&] { return sum(slabs, {0, 2}); });
  expect_same_with_any_threads("sum {1}", [&] { return sum(slabs, {1}); });
  expect_same_with_any_threads("mean", [&] { return mean(line.to(float64)); });
  expect_same_with_any_threads("norm", [&] { return norm(wide, 3, {1}); });
  expect_same_with_any_threads("any", [&] { return any(slabs, {0}); });
}

TEST(Threads, do_not_change_softmax_and_losses) {
  const Tensor x = test_values({900, 100}).to(float32), y = test_values({900, 100}, 1).to(float32);
  const Tensor target = test_indices({900}, 100);
  for (int dim : {0, 1}) {
    expect_same_with_any_threads("softmax", [&] { return softmax(x, dim); });
    expect_same_with_any_threads("log_softmax gradient", [&] {
      const Tensor leaf = x.clone().set_requires_grad();
      return grad({log_softmax(leaf, dim)}, {leaf}, {y})[0];
    });
  }
  expect_same_with_any_threads("cross_entropy gradient", [&] {
    const Tensor leaf = x.clone().set_requires_grad();
    return grad({cross_entropy(leaf, target)}, {leaf})[0];
  });
  expect_same_with_any_threads("mse_loss", [&] { return mse_loss(x, y); });
  expect_same_with_any_threads("index_select", [&] { return index_select(x, 0, target); });
}

TEST(Threads, do_not_change_batch_norm) {
  // Channel by channel, pass by pass, and across channels.
  for (const Dims& sizes : {Dims({20, 8, 32, 32}), Dims({50, 2, 40, 40}), Dims({3000, 60})}) {
    const Tensor x = test_mixed_values(sizes).to(float32), g = test_values(sizes, 1).to(float32);
    const Tensor weight = test_values({sizes[1]}, 2).to(float32);
    expect_same_with_any_threads("batch_norm", [&] { return batch_norm(x, {}, {}, weight, {}, true); });
    for (int which : {0, 1})
      expect_same_with_any_threads("batch_norm gradient", [&] {
        const TensorList leaves{x.clone().set_requires_grad(), weight.clone().set_requires_grad()};
        return grad({batch_norm(leaves[0], {}, {}, leaves[1], {}, true)}, leaves, {g})[size_t(which)];
      });
  }
}

}  // namespace
}  // namespace ordo::test
