// Sizes at which the CPU really uses several threads: the bits must not show how many.
#include <ordo/kernels/pooling/pool.h>
#include "tests/support/threads_scope.h"

namespace ordo::test::threads_test {
namespace {

TEST(Threads, do_not_change_reductions) {
  const Tensor line = test_mixed_values({300000}).to(float32);
  const Tensor wide = line.view({2, 150000}), tall = line.view({30000, 10}), slabs = line.view({40, 25, 300});
  for (const Tensor& t : {line, wide, tall, slabs})
    expect_same_with_any_threads("reductions", [&]() -> TensorList {
      return {sum(t), sum(t, {0}), sum(t, {-1}), argmax(t, 0), max(t, -1).values, var(t, {0})};
    });
  expect_same_with_any_threads("others", [&]() -> TensorList {
    return {sum(slabs, {0, 2}), sum(slabs, {1}), mean(line.to(float64)), norm(wide, 3, {1}), any(slabs, {0})};
  });
}

TEST(Threads, do_not_change_softmax_and_losses) {
  const Tensor x = test_values({900, 100}).to(float32), y = test_values({900, 100}, 1).to(float32);
  const Tensor target = test_indices({900}, 100), leaf = x.clone().set_requires_grad();
  for (int dim : {0, 1})
    expect_same_with_any_threads("softmax", [&]() -> TensorList {
      return {softmax(x, dim), grad({log_softmax(leaf, dim)}, {leaf}, {y})[0]};
    });
  expect_same_with_any_threads("losses", [&]() -> TensorList {
    return {grad({cross_entropy(leaf, target)}, {leaf})[0], mse_loss(x, y), index_select(x, 0, target)};
  });
}

TEST(Threads, do_not_change_batch_norm) {
  // Channel by channel, pass by pass, and across channels.
  for (const Dims& sizes : {Dims({20, 8, 32, 32}), Dims({50, 2, 40, 40}), Dims({3000, 60})}) {
    const Tensor x = test_mixed_values(sizes).to(float32), g = test_values(sizes, 1).to(float32);
    const TensorList leaves{x.clone().set_requires_grad(), test_values({sizes[1]}, 2).to(float32).set_requires_grad()};
    expect_same_with_any_threads("batch_norm", [&] {
      const Tensor y = batch_norm(leaves[0], {}, {}, leaves[1], {}, true);
      TensorList all = grad({y}, leaves, {g});
      all.push_back(y.detach());
      return all;
    });
  }
}

TEST(Threads, do_not_change_scans_and_sorting) {
  const Tensor x = test_mixed_values({3, 150000}).to(float32), h = x.to(bfloat16);
  expect_same_with_any_threads("cumsum", [&]() -> TensorList { return {cumsum(x, 1), cumsum(h, 1), cumsum(x[0], 0)}; });
  const Tensor one = test_indices({200000}, 5000).to(float32), rows = test_values({5, 40000});
  expect_same_with_any_threads("sort", [&]() -> TensorList {
    return {sort(one).indices, sort(rows, 1, true).indices, topk(one, 50000).indices};
  });
}

TEST(Threads, do_not_change_products_and_convolutions) {
  const Tensor a = test_mixed_values({190, 150}, 1).to(float32), b = test_mixed_values({150, 260}, 2).to(float32);
  const Tensor batch = test_mixed_values({9, 40, 60}, 3).to(float32);
  const Tensor square = test_mixed_values({130, 130}, 1), sides = test_mixed_values({130, 300}, 2);
  struct Convolution {
    Dims x, w;
    int64_t stride, padding;
  };
  for (Determinism level : {Determinism::run_to_run, Determinism::device_to_device}) {
    const DeterminismGuard guard(level);
    expect_same_with_any_threads("matmul", [&]() -> TensorList {
      return {matmul(a, b), matmul(batch, batch.transpose(1, 2))};
    });
    expect_same_with_any_threads("linalg", [&] {
      TensorList all{inverse(square)};
      for (int64_t k : {1, 5, 63, 64, 100, 300}) all.push_back(solve(square, sides.narrow(1, 0, k)));
      return all;
    });
    for (const Convolution& c :
         {Convolution{{20, 1, 28, 28}, {16, 1, 3, 3}, 1, 1}, Convolution{{20, 16, 13, 13}, {32, 16, 3, 3}, 1, 1},
          Convolution{{3, 3, 12, 12}, {4, 3, 5, 5}, 2, 2}}) {
      const Tensor x = test_mixed_values(c.x, 1).to(float32), w = test_mixed_values(c.w, 2).to(float32);
      expect_same_with_any_threads("conv2d", [&]() -> TensorList {
        const Tensor y = conv2d(x, w, {}, {.stride = c.stride, .padding = c.padding});
        return {y, conv2d_input_grad(x.sizes(), w, y, {.stride = c.stride, .padding = c.padding}),
                conv2d_weight_grad(x, w.sizes(), y, {.stride = c.stride, .padding = c.padding})};
      });
    }
  }
}

TEST(Threads, do_not_change_counts_and_pools) {
  const Tensor few = test_indices({200000}, 50, 1), many = test_indices({200000}, 100000, 2);
  expect_same_with_any_threads("bincount", [&]() -> TensorList { return {bincount(few), bincount(many)}; });
  // Several chunks of rows, whose threads meet inside planes; and fewer planes than threads.
  for (const Dims& sizes : {Dims{6, 130, 67}, Dims{1, 1, 210, 201}})
    for (DType dtype : {float32, float16}) {
      const Tensor x = test_mixed_values(sizes, 1).to(dtype), weights = test_mixed_values(sizes, 2).to(dtype);
      const auto most = kernels::max_pool_arguments<2>(5, 1, 2);
      const auto average = kernels::avg_pool_arguments<2>(5, 1, 2, false, false);
      const auto pools = [&](Algorithm algorithm) -> TensorList {
        const auto pooled = kernels::max_pool_with_indices(x, most);
        return {kernels::max_pool(x, most), kernels::max_pool_backward(weights, pooled.indices, sizes, most, algorithm),
                kernels::avg_pool_backward(weights, sizes, average, algorithm)};
      };
      expect_same_with_any_threads("pooling", [&] { return pools(Algorithm::gather); });
      const TensorList gathered = pools(Algorithm::gather), atomic = pools(Algorithm::atomic);
      for (size_t i = 0; i < gathered.size(); ++i)  // on the CPU it does the same
        EXPECT_EQ(bytes_of(atomic[i]), bytes_of(gathered[i]));
    }
}

}  // namespace
}  // namespace ordo::test::threads_test
