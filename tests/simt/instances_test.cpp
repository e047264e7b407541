// What the registry's samples leave out, so that every instance of every kernel runs somewhere (`./run test --ptx`
// lists those that do not): dtypes of what is made, reductions of many blocks, columns that are read as vectors.
#include <limits>

#include "tests/engine/cuda/device_array.h"
#include "tests/support/op_samples.h"
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::instances_test {
namespace {

using Function = std::function<TensorList(Device)>;
constexpr DType kFloating[] = {float32, float64, float16, bfloat16};
constexpr DType kAll[] = {float32, float64, float16, bfloat16, int32, int64, uint8, boolean};

using Instances = CudaTest;

/// Both devices give equal bytes.
void expect_same(const Function& f) {
  const DeterminismGuard guard(Determinism::device_to_device);
  const TensorList want = f(cpu), got = f("cuda");
  ASSERT_EQ(got.size(), want.size());
  for (size_t k = 0; k < want.size(); ++k) EXPECT_TRUE(bytes_of(got[k]) == bytes_of(want[k])) << "result " << k;
}

TEST_F(Instances, random_integers_of_every_dtype) {
  for (DType dtype : kAll) {
    SCOPED_TRACE(name(dtype));
    expect_same([&](Device device) -> TensorList {
      Generator generator(7);
      TensorList drawn{randint(0, 2, {1000}, {dtype, device}, &generator)};
      if (dtype == int64 || dtype == float64)
        drawn.push_back(randint(-7, int64_t(1) << 40, {1000}, {dtype, device}, &generator));
      return drawn;
    });
  }
}

TEST_F(Instances, products_of_more_than_64_blocks) {
  const Tensor values = test_values({64 * 4096 + 1}, 3, 0.99, 1.01);
  for (DType dtype : {float32, float64, int64}) {
    SCOPED_TRACE(name(dtype));
    const Tensor x = values.to(dtype);
    expect_same([&](Device device) -> TensorList { return {prod(x.to(device))}; });
  }
}

TEST_F(Instances, reductions_of_more_than_64_blocks) {
  const Tensor values = test_values({64 * 4096 + 1}, 3, -100, 100);
  for (DType dtype : kAll) {
    SCOPED_TRACE(name(dtype));
    const Tensor x = values.to(dtype);
    expect_same([&](Device device) -> TensorList {
      const Tensor there = x.to(device);
      TensorList results{any(there), all(there), max(there), min(there), argmax(there), argmin(there), sum(there)};
      if (is_floating(dtype)) {
        results.push_back(nll_loss(there.unsqueeze(1), zeros({there.size(0)}, {int64, device})));
        results.push_back(mean(there));
      }
      return results;
    });
  }
}

TEST_F(Instances, norms_across_rows) {
  const Tensor values = test_values({4097, 9}, 4);
  for (DType dtype : kFloating)
    for (double p :
         {0.0, 1.0, 2.0, 3.0, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
      SCOPED_TRACE(std::string(name(dtype)) + " norm " + std::to_string(p));
      expect_same([&](Device device) -> TensorList { return {norm(values.to(dtype).to(device), p, {0})}; });
    }
}

TEST_F(Instances, accumulated_columns) {
  constexpr int64_t kItems = 60, kRows = 7;
  const Tensor index = test_indices({kItems}, kRows, 5), offsets = arange(0, 40);
  int schedule = 0;
  for (DType dtype : kFloating)
    for (int64_t columns : {1, 16, 24, 64})
      for (int64_t shrink : {int64_t(1), int64_t(256), int64_t(1) << 32}) {
        const ScheduleScope scope(schedule++ % schedule_seeds(), shrink);
        SCOPED_TRACE(std::string(name(dtype)) + ", " + std::to_string(columns) + " columns, " + scope.str());
        const Tensor weight = test_values({kRows, columns}, 6).to(dtype), weights = test_values({kItems}, 7).to(dtype),
                     source = test_values({kItems, columns}, 8).to(dtype);
        const auto gradients = [](const Tensor& out, const TensorList& of) {
          return grad({out}, of, {test_gradient(out.sizes(), out)});
        };
        const auto leaf = [](const Tensor& t, Device d) { return t.to(d).detach().set_requires_grad(); };
        const auto of_bags = [&](EmbeddingBagMode mode) -> Function {
          return [&, mode](Device d) -> TensorList {
            const Tensor w = leaf(weight, d);
            return gradients(embedding_bag(index.to(d), w, {.offsets = offsets.to(d), .mode = mode}), {w});
          };
        };
        const Function functions[] = {
            [&](Device d) -> TensorList { return {index_add(weight.to(d), 0, index.to(d), source.to(d))}; },
            [&](Device d) -> TensorList {
              const Tensor w = leaf(weight, d);
              return gradients(embedding(index.to(d), w), {w});
            },
            of_bags(EmbeddingBagMode::mean), of_bags(EmbeddingBagMode::max),
            [&](Device d) -> TensorList {
              const Tensor w = leaf(weight, d), s = leaf(weights, d);
              return gradients(
                  embedding_bag(index.to(d), w,
                                {.offsets = offsets.to(d), .mode = EmbeddingBagMode::sum, .per_sample_weights = s}),
                  {w, s});
            }};
        for (const Function& f : functions) {
          expect_same(f);
          const DeterminismGuard fast(Determinism::not_guaranteed);
          expect_near(f("cuda"), f(cpu), kItems, dtype);
        }
      }
}

TEST_F(Instances, values_that_are_brought_to_ranges_by_a_sort) {
  constexpr int64_t kItems = 20000, kPlaces = 9000;  // more than one range, and more than CUB sorts in one block
  const ScheduleScope scope(0, int64_t(1) << 32);
  expect_same([&](Device d) -> TensorList {
    return {index_add(zeros({kPlaces}, {float32, d}), 0, test_indices({kItems}, kPlaces, 9).to(d),
                      test_values({kItems}, 10).to(float32).to(d), 1, Algorithm::exact)};
  });
}

TEST_F(Instances, second_gradients_of_maxima_of_bags) {
  for (DType dtype : kFloating) {
    SCOPED_TRACE(name(dtype));
    expect_same([&](Device d) -> TensorList {
      const Tensor w = test_values({9, 4}, 11).to(dtype).to(d).detach().set_requires_grad();
      const Tensor out =
          embedding_bag(test_indices({20}, 9, 12).to(d), w,
                        {.offsets = from_vector<int64_t>({0, 8}, {2}).to(d), .mode = EmbeddingBagMode::max});
      const Tensor direction = test_gradient(out.sizes(), out).detach().set_requires_grad();
      const TensorList first = grad({out}, {w}, {direction}, false, true);
      return grad({first[0]}, {direction}, {test_gradient(first[0].sizes(), first[0])});
    });
  }
}

TEST_F(Instances, bytes_and_integers) {
  expect_same([&](Device d) -> TensorList {
    const Tensor bytes = test_values({9, 4}, 13, 0, 200).to(uint8).to(d);
    const Tensor numbers = test_values({100}, 14, -50, 50).to(int32).to(d);
    return {index_select(bytes, 0, test_indices({20}, 9, 15).to(d)), clamp(numbers, -7, 9)};
  });
}

TEST_F(Instances, optimizers_of_halves) {
  for (DType dtype : kFloating) {
    SCOPED_TRACE(name(dtype));
    expect_same([&](Device d) -> TensorList {
      TensorList parameters;
      for (uint64_t k : {1, 2, 3, 4})
        parameters.push_back(test_values({70}, k).to(dtype).to(d).detach().set_requires_grad());
      optim::Adam adam({parameters[0]}, {.lr = 0.1});
      optim::SGD sgd({parameters[1]}, {.lr = 0.1, .momentum = 0.9});
      optim::RMSprop rmsprop({parameters[2]}, {.lr = 0.1, .momentum = 0.9, .centered = true});
      optim::Adagrad adagrad({parameters[3]}, {.lr = 0.1});
      TensorList results;
      for (int step = 0; step < 3; ++step)
        for (optim::Optimizer* optimizer : std::initializer_list<optim::Optimizer*>{&adam, &sgd, &rmsprop, &adagrad}) {
          const Tensor p = optimizer->parameters()[0];
          (p * p).sum().backward();
          optimizer->step();
          optimizer->zero_grad();
        }
      for (const Tensor& p : parameters) results.push_back(p.detach());
      return results;
    });
  }
}

TEST_F(Instances, products_that_begin_with_a_bias_or_add_nothing) {
  for (DType dtype : kFloating) {
    SCOPED_TRACE(name(dtype));
    const Function products = [&](Device d) -> TensorList {
      TensorList results{linear(test_values({5, 300}, 19).to(dtype).to(d), test_values({6, 300}, 20).to(dtype).to(d),
                                test_values({6}, 21).to(dtype).to(d))};
      for (int64_t samples : {0, 2}) {
        const Tensor x = test_values({samples, 3, 9, 9}, 16).to(dtype).to(d).detach().set_requires_grad();
        const Tensor w = test_values({4, 3, 3, 3}, 17).to(dtype).to(d).detach().set_requires_grad();
        const Tensor y = conv2d(x, w, test_values({4}, 18).to(dtype).to(d));
        results.push_back(y);
        for (const Tensor& g : grad({y}, {x, w}, {test_gradient(y.sizes(), y)})) results.push_back(g);
      }
      return results;
    };
    expect_same(products);
    const DeterminismGuard fast(Determinism::not_guaranteed);
    expect_near(products("cuda"), products(cpu), 300, dtype);
  }
}

}  // namespace
}  // namespace ordo::test::instances_test
