// Layers whose weights processes share, here threads: whoever has which part, the bits are those of one process.
#include "tests/support/op_samples.h"
#include "tests/support/thread_job.h"

namespace ordo::test::tensor_parallel_test {
namespace {

using distributed::all_gather;

/// Outputs and gradients of a block of two layers, put together from `ranks` processes.
std::vector<std::vector<uint8_t>> block(int ranks, Device device = cpu, int64_t parts = 8) {
  std::vector<std::vector<std::vector<uint8_t>>> of(static_cast<size_t>(ranks));
  run_job(ranks, [&](int rank) {
    const DeterminismGuard guard(Determinism::device_to_device);  // of this thread
    manual_seed(3);
    nn::ColumnParallelLinear first(5, 16, {.parts = parts});
    nn::RowParallelLinear last(16, 3, {.parts = parts});
    nn::Sequential model{first, nn::GELU(), last};
    model.to(device);
    const Tensor x = test_values({7, 5}, 1).to(float32).to(device).requires_grad_();
    const Tensor y = model(x);
    y.square().sum().backward();
    for (const Tensor& t :
         {y, x.grad(), all_gather(first.weight.grad()), all_gather(first.bias.grad()),
          all_gather(last.weight.grad().t().contiguous()), last.bias.grad(), all_gather(first.weight.detach())})
      of[size_t(rank)].push_back(bytes_of(t.to(cpu)));
  });
  for (const auto& bytes : of) EXPECT_EQ(bytes, of[0]) << "all processes have the same";
  return of[0];
}

TEST(TensorParallel, any_number_of_processes_gives_the_same_bits) {
  const auto alone = block(1);
  for (const int ranks : {2, 4, 8}) EXPECT_EQ(block(ranks), alone) << ranks;
  EXPECT_NE(block(1, cpu, 4), alone) << "the parts are a part of the program";
  for (const Device device : test_devices())
    for (const int ranks : {1, 2}) EXPECT_EQ(block(ranks, device), alone) << device;
}

// The weights are those of Linear, and so is the first layer's result.
TEST(TensorParallel, layers_are_linear_ones) {
  manual_seed(3);
  nn::ColumnParallelLinear column(5, 16);
  nn::RowParallelLinear row(16, 3);
  manual_seed(3);
  nn::Linear first(5, 16), last(16, 3);
  EXPECT_TRUE(equal(column.weight, first.weight) && equal(column.bias, first.bias));
  EXPECT_TRUE(equal(row.weight, last.weight) && equal(row.bias, last.bias));
  const Tensor x = test_values({2, 7, 5}, 1).to(float32), h = test_values({2, 7, 16}, 2).to(float32);
  EXPECT_TRUE(equal(column(x), first(x)));
  EXPECT_TRUE(allclose(row(h), last(h), 1e-5, 1e-6));
  EXPECT_EQ(column.description(), "ColumnParallelLinear(5, 16)");
  EXPECT_EQ(nn::RowParallelLinear(16, 3, {.bias = false, .parts = 2}).description(),
            "RowParallelLinear(16, 3, bias=false, parts=2)");
}

// Several parts a process; first and second derivatives.
TEST(TensorParallel, shares_may_be_uneven) {
  for (const int ranks : {3, 5}) {
    run_job(ranks, [&](int) {
      manual_seed(3);
      nn::Sequential model{nn::ColumnParallelLinear(4, 16), nn::Tanh(), nn::RowParallelLinear(16, 2)};
      model.to(float64);
      const auto f = [&](const TensorList& in) { return model(in[0]); };
      const TensorList x{test_values({3, 4}, 1).requires_grad_()};
      EXPECT_EQ(gradcheck(f, x), "");
    });
  }
}

TEST(TensorParallel, sums_of_parts) {
  const auto sum = [](int ranks) {
    std::vector<std::vector<uint8_t>> of(static_cast<size_t>(ranks));
    run_job(ranks, [&](int rank) {
      TensorList own;
      const distributed::PartRange range = distributed::part_range(7);
      for (int64_t i = range.first; i < range.last; ++i)
        own.push_back(test_mixed_values({65}, uint64_t(i)).to(float32));
      of[size_t(rank)] = bytes_of(distributed::all_reduce(own, 7));
    });
    for (const auto& bytes : of) EXPECT_EQ(bytes, of[0]);
    return of[0];
  };
  for (const int ranks : {2, 3, 5, 7}) EXPECT_EQ(sum(ranks), sum(1)) << ranks;
}

TEST(TensorParallel, errors) {
  EXPECT_ORDO_ERROR(nn::ColumnParallelLinear(4, 12), ValueError, "cannot divide 12 features into 8 parts");
  EXPECT_ORDO_ERROR(nn::RowParallelLinear(12, 4), ValueError, "[RowParallelLinear] cannot divide 12 features");
  EXPECT_ORDO_ERROR(nn::RowParallelLinear(12, 4, {.parts = 0}), ValueError, "1 members cannot share 0 parts");
  EXPECT_ORDO_ERROR(nn::RowParallelLinear(8, 4)(zeros({3, 4})), ShapeError, "needs the 8 features of this process's 8");
  EXPECT_ORDO_ERROR(distributed::all_reduce({zeros({2})}, 2), ValueError,
                    "this member has parts 0 to 2 of 2, not 1 parts");
  EXPECT_ORDO_ERROR(distributed::all_reduce({zeros({2}), zeros({3})}, 2), ShapeError, "sizes [2] and [3]");
  EXPECT_ORDO_ERROR(distributed::all_reduce({zeros({2}), zeros({2}, {float64})}, 2), DTypeError, "float32 and float64");
  EXPECT_ORDO_ERROR(distributed::all_reduce({zeros({2}), Tensor()}, 2), ValueError, "undefined");
}

}  // namespace
}  // namespace ordo::test::tensor_parallel_test
