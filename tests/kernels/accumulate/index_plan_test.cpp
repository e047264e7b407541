// An IndexPlan changes no bit: what it is used for is what `sorted` computes without it.
#include <ordo/kernels/embedding/embedding.h>
#include "tests/kernels/samples.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::index_plan_test {
namespace {

TEST(IndexPlan, index_add_has_the_bits_of_sorted) {
  struct Case {
    Dims sizes;
    int64_t dim, items;
    DType index_dtype;
  };
  const ThreadsScope scope;
  for (const Case& c : {Case{{50}, 0, 9000, int64}, Case{{3, 20, 5}, 1, 2000, int32}, Case{{4, 40}, 0, 300, int64},
                        Case{{1, 3}, 0, 5000, int64}, Case{{2000}, -1, 100, int32}, Case{{5, 2}, 0, 0, int64}}) {
    Dims source_sizes = c.sizes;
    source_sizes[c.dim < 0 ? c.dim + c.sizes.size() : c.dim] = c.items;
    for (DType dtype : {float16, float32, float64, int32})
      for (Device device : test_devices())
        for (int threads : {1, 2}) {
          if (device.is_cuda() && threads > 1) continue;
          set_num_threads(threads);
          const Tensor input = test_values(c.sizes, 1).to(dtype).to(device);
          const Tensor source = test_mixed_values(source_sizes, 2).to(dtype).to(device);
          const int64_t n = input.size(c.dim);
          const Tensor index = test_indices({c.items}, n, 3, c.index_dtype).to(device);
          const IndexPlan plan(index, n);
          for (int use = 0; use < 2; ++use)
            EXPECT_EQ(bytes_of(index_add(input, c.dim, plan, source, 2)),
                      bytes_of(index_add(input, c.dim, index, source, 2, Algorithm::sorted)))
                << device.str() << " " << name(dtype) << " " << c.items << " threads " << threads;
        }
  }
}

TEST(IndexPlan, embedding_and_its_gradients) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (Device device : test_devices())
    for (std::optional<int64_t> padding : {std::optional<int64_t>(), std::optional<int64_t>(1)}) {
      const Tensor tokens = test_indices({20, 30}, 7, 1).to(device);
      const IndexPlan plan(tokens, 7);
      const auto gradients = [&](const auto& embed) {
        Tensor table = test_values({7, 9}, 2).to(float32).to(device);
        table.set_requires_grad();
        const Tensor out = embed(table);
        const Tensor weights = test_mixed_values(out.sizes(), 3).to(float32).to(device);
        sum(out * out * weights).backward();
        return std::pair(bytes_of(out), bytes_of(table.grad()));
      };
      const auto planned = gradients([&](const Tensor& table) { return embedding(plan, table, padding); });
      const auto plain = gradients([&](const Tensor& table) { return embedding(tokens, table, padding); });
      EXPECT_EQ(planned.first, plain.first);
      EXPECT_EQ(planned.second, plain.second) << device.str() << " padding " << padding.value_or(-1);
    }
}

TEST(IndexPlan, bags_have_the_bits_of_sorted) {
  struct Case {
    int64_t items, rows;
    std::vector<int64_t> offsets;  // none: rows of 30 items
    bool include_last_offset = false;
    std::optional<int64_t> padding = std::nullopt;
  };
  // Runs of more than 64 * 64 items, and items in no bag: none of a row, some and all of them.
  for (const Case& c : {Case{600, 7, {}}, Case{9000, 2, {0, 10, 10, 5000}}, Case{900, 5, {0, 1, 800}, true},
                        Case{9000, 2, {0, 4100}, true, 1}, Case{300, 40, {0, 0, 30}, true}, Case{90, 4, {}, false, -1},
                        Case{50, 3, {0}, true}, Case{0, 3, {0, 0}}})
    for (DType dtype : {float16, float32, float64})
      for (Device device : test_devices())
        for (EmbeddingBagMode mode : {EmbeddingBagMode::sum, EmbeddingBagMode::mean})
          for (bool weighted : {false, true}) {
            if (weighted && mode == EmbeddingBagMode::mean) continue;
            const Dims sizes = c.offsets.empty() ? Dims{c.items / 30, 30} : Dims{c.items};
            const Tensor input = test_indices(sizes, c.rows, 1).to(device);
            Tensor offsets, factors;
            if (!c.offsets.empty()) offsets = from_vector(c.offsets, {int64_t(c.offsets.size())}).to(device);
            if (weighted) {  // also of items in no bag
              auto values = test_mixed_values(sizes, 2).to(float32).to_vector<float>();
              if (c.items > 0) values.back() = -std::numeric_limits<float>::infinity();
              factors = from_vector(values, sizes).to(dtype).to(device);
            }
            kernels::BagArguments bags{input, offsets, mode, c.include_last_offset, c.padding};
            const int64_t count =
                c.offsets.empty() ? sizes[0] : int64_t(c.offsets.size()) - (c.include_last_offset ? 1 : 0);
            const Tensor grad = test_mixed_values({count, 9}, 3).to(dtype).to(device);
            const auto want =
                bytes_of(kernels::embedding_bag_backward(bags, grad, {}, c.rows, factors, Algorithm::sorted));
            bags.plan = IndexPlan(input, c.rows);
            EXPECT_EQ(bytes_of(kernels::embedding_bag_backward(bags, grad, {}, c.rows, factors)), want)
                << device.str() << " " << name(dtype) << " " << c.items << " items, " << c.rows << " rows, mode "
                << int(mode) << (weighted ? ", weighted" : "");
          }
}

TEST(IndexPlan, differentiates_twice) {
  for (Device device : test_devices()) {
    const IndexPlan plan(test_indices({6}, 4, 1).to(device), 4);
    const auto f = [&](const TensorList& in) {
      const Tensor rows = embedding(plan, in[0]);
      const Tensor bags = embedding_bag(plan, in[0],
                                        {.offsets = tensor<int64_t>({0, 2, 5}).to(device),
                                         .mode = EmbeddingBagMode::sum,
                                         .per_sample_weights = in[2]});
      return cat({index_add(in[1], 0, plan, rows * rows, 0.5), bags * bags}, 0);
    };
    TensorList inputs{test_values({4, 3}, 2).to(device), test_values({4, 3}, 3).to(device),
                      test_values({6}, 4).to(device)};
    for (Tensor& input : inputs) input.set_requires_grad();
    EXPECT_EQ(gradcheck(f, inputs, {.second_order = true}), "");
  }
}

TEST(IndexPlan, keeps_its_own_index) {
  Tensor index = from_vector<int64_t>({0, 2, 2}, {3});
  const IndexPlan plan(index, 3);
  index.fill_(1);
  EXPECT_EQ(plan.index().to_vector<int64_t>(), (std::vector<int64_t>{0, 2, 2}));
  const Tensor out = index_add(from_vector<float>({0, 0, 0}, {3}), 0, plan, from_vector<float>({1, 2, 4}, {3}));
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{1, 0, 6}));
}

TEST(IndexPlan, refuses_bad_input) {
  const Tensor x = test_values({3, 2}), index = tensor<int64_t>({0, 2});
  EXPECT_ORDO_ERROR(IndexPlan(index, 2), IndexError, "index[1] = 2");
  EXPECT_ORDO_ERROR(IndexPlan(tensor<int64_t>({0, -1}), 2), IndexError, "index[1] = -1");
  EXPECT_ORDO_ERROR(IndexPlan(x, 2), DTypeError, "IndexPlan");
  EXPECT_ORDO_ERROR(IndexPlan(index, -1), ValueError, "size");
  EXPECT_ORDO_ERROR(IndexPlan(Tensor(), 2), ValueError, "IndexPlan");
  const IndexPlan plan(index, 3);
  EXPECT_ORDO_ERROR(index_add(x, 1, plan, test_values({3, 2})), ShapeError, "the plan is for a dimension of size 3");
  EXPECT_ORDO_ERROR(embedding(plan, test_values({4, 2})), ShapeError, "the plan is for 3 rows");
  const Tensor offsets = tensor<int64_t>({0, 1});
  EXPECT_ORDO_ERROR(embedding_bag(plan, test_values({4, 2}), {.offsets = offsets}), ShapeError,
                    "the plan is for 3 rows");
  EXPECT_ORDO_ERROR(embedding_bag(plan, x, {.offsets = offsets, .mode = EmbeddingBagMode::max}), ValueError,
                    "modes sum and mean only");
}

}  // namespace
}  // namespace ordo::test::index_plan_test
