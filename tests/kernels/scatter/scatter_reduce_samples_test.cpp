// scatter_reduce and index_reduce.
#include "tests/kernels/ordering/rule1.h"
#include "tests/kernels/scatter/scatter_reference.h"
#include "tests/support/integer_arguments.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::scatter_reduce_samples_test {
namespace {

struct Case {
  const char* label;
  Reduce reduce;
  bool include_self;
  Dims sizes, index, src;
  int dim;
  DType index_dtype = int64;
};

using Add = std::function<void(size_t to, size_t from)>;
/// Inputs: those given and src. `each` calls Add for every item.
Sample sample_of(const char* label, Reduce reduce, bool include_self, TensorList inputs, const Dims& src, int64_t items,
                 const std::function<Tensor(const TensorList&, Algorithm)>& run,
                 const std::function<void(const TensorList&, const Add&)>& each) {
  Sample s;
  s.label = label;
  // Products of many numbers of mixed size leave the range of the dtype: values near 1, and a rounding for each.
  inputs.push_back(reduce == Reduce::sum || reduce == Reduce::mean ? test_mixed_values(src, 3)
                   : items > 40                                    ? test_values(src, 3, 0.95, 1.05)
                                                                   : test_values(src, 3));
  s.inputs = std::move(inputs);
  s.run = [run](const TensorList& in) { return run(in, Algorithm::automatic); };
  s.reference = [=](const TensorList& in) {
    Reduced out(in[0].to_vector<double>(), reduce, include_self);
    const auto values = in[2].to_vector<double>();
    each(in, [&](size_t to, size_t from) { out.add(to, values[from]); });
    return out.done();
  };
  s.gradient = items <= 40;
  s.tolerance =
      reduce == Reduce::amax || reduce == Reduce::amin ? 0 : 4 + double(items) / (reduce == Reduce::prod ? 1 : 16);
  s.order_sensitive = std::string_view(label) == "many";
  if (s.order_sensitive) s.forced = run;
  return s;
}

Sample scatter_sample(const Case& c) {
  return sample_of(
      c.label, c.reduce, c.include_self,
      {test_values(c.sizes, 1), test_indices(c.index, c.sizes.empty() ? 1 : c.sizes[c.dim], 2, c.index_dtype)}, c.src,
      c.index.product(),
      [c](const TensorList& in, Algorithm algorithm) {
        return scatter_reduce(in[0], c.dim, in[1], in[2], c.reduce, c.include_self, algorithm);
      },
      [c](const TensorList& in, const Add& add) { for_scattered(c.sizes, in[1], c.src, c.dim, add); });
}

ORDO_OP_SIZES(scatter_reduce) {
  return {scatter_sample({"items", Reduce::prod, true, {5, 3}, {n, 3}, {n, 3}, 0}),
          scatter_sample({"one place", Reduce::prod, false, {1}, {n}, {n}, 0}),
          scatter_sample({"destinations", Reduce::amax, false, {n}, {40}, {40}, 0}),
          scatter_sample({"columns", Reduce::amin, true, {4, n}, {9, n}, {9, n}, 0}),
          scatter_sample({"outer", Reduce::mean, true, {n, 4}, {n, 9}, {n, 9}, 1})};
}
ORDO_OP_SAMPLES(scatter_reduce) {
  std::vector<Sample> out;
  for (const Reduce reduce : {Reduce::sum, Reduce::prod, Reduce::mean, Reduce::amax, Reduce::amin})
    for (bool include_self : {true, false}) {
      out.push_back(
          scatter_sample({include_self ? "with self" : "without", reduce, include_self, {3, 4}, {7, 4}, {7, 4}, 0}));
      out.back().label = std::string(name(reduce)) + " " + out.back().label;
    }
  for (const Case& c :
       {Case{"vector", Reduce::prod, true, {4}, {9}, {9}, 0, int32},
        Case{"smaller_index", Reduce::mean, false, {3, 4, 2}, {2, 3, 1}, {3, 3, 2}, 1},
        Case{"smaller_index amax", Reduce::amax, true, {3, 4, 2}, {2, 3, 1}, {3, 3, 2}, 1},
        Case{"no_items", Reduce::amax, false, {3, 2}, {0, 2}, {4, 2}, 0},
        Case{"0-d", Reduce::prod, true, {}, {}, {}, 0}, Case{"0-d index", Reduce::mean, true, {4}, {}, {9}, 0},
        Case{"0-d index amax", Reduce::amax, true, {4}, {}, {9}, 0},
        Case{"hot", Reduce::prod, true, {1}, {4200}, {4200}, 0, int32},
        Case{"hot amax", Reduce::amax, true, {1}, {4200}, {4200}, 0},
        Case{"many", Reduce::sum, true, {30, 3}, {1500, 3}, {1500, 3}, 0},
        Case{"many prod", Reduce::prod, false, {30, 3}, {1500, 3}, {1500, 3}, 0},
        Case{"many mean", Reduce::mean, false, {30, 3}, {1500, 3}, {1500, 3}, 0},
        Case{"sparse", Reduce::amin, false, {3000}, {200}, {200}, 0, int32}})
    out.push_back(scatter_sample(c));
  return out;
}
ORDO_OP_INTEGER(scatter_reduce, "dim", scatter_reduce(some(d), v, zeros({2, 3}, {int64, d}), some(d), Reduce::amax));
ORDO_OP_INTEGER(scatter_reduce, "index",
                scatter_reduce(some(d), 1, one_index(v, d).view({1, 1}), some(d), Reduce::prod));
ORDO_OP_INTEGER(scatter_reduce, "index of a mean",
                scatter_reduce(some(d), 1, one_index(v, d).view({1, 1}), some(d), Reduce::mean, false));
ORDO_OP_INTEGER(scatter_reduce, "algorithm",
                scatter_reduce(some(d), 1, zeros({2, 3}, {int64, d}), some(d), Reduce::sum, true,
                               Algorithm(uint8_t(v))));

Sample slices_sample(const char* label, Reduce reduce, bool include_self, const Dims& sizes, int dim, int64_t items,
                     DType index_dtype = int64) {
  Dims src = sizes;
  src[dim] = items;
  return sample_of(
      label, reduce, include_self, {test_values(sizes, 1), test_indices({items}, sizes[dim], 2, index_dtype)}, src,
      src.product(),
      [=](const TensorList& in, Algorithm algorithm) {
        return index_reduce(in[0], dim, in[1], in[2], reduce, include_self, algorithm);
      },
      [=](const TensorList& in, const Add& add) { for_sliced(sizes, in[1], dim, add); });
}
ORDO_OP_SIZES(index_reduce) {
  return {slices_sample("items", Reduce::amax, true, {5, 3}, 0, n),
          slices_sample("destinations", Reduce::prod, false, {n}, 0, 40),
          slices_sample("columns", Reduce::amin, false, {4, n}, 0, 9),
          slices_sample("outer", Reduce::mean, true, {n, 4}, 1, 9)};
}
ORDO_OP_SAMPLES(index_reduce) {
  std::vector<Sample> out;
  for (const Reduce reduce : {Reduce::prod, Reduce::mean, Reduce::amax, Reduce::amin})
    for (bool include_self : {true, false}) {
      out.push_back(slices_sample(include_self ? "with self" : "without", reduce, include_self, {4, 3}, 0, 7));
      out.back().label = std::string(name(reduce)) + " " + out.back().label;
    }
  out.insert(out.end(), {slices_sample("columns", Reduce::prod, true, {3, 4}, 1, 6, int32),
                         slices_sample("middle", Reduce::amax, false, {2, 3, 2}, 1, 5),
                         slices_sample("no_items", Reduce::mean, true, {3, 2}, 0, 0),
                         slices_sample("no_columns", Reduce::prod, true, {3, 0}, 0, 4),
                         slices_sample("many", Reduce::mean, true, {30, 3}, 0, 1500),
                         slices_sample("wide", Reduce::amin, true, {9, 3000}, 0, 70)});
  return out;
}
ORDO_OP_INTEGER(index_reduce, "dim", index_reduce(some(d), v, one_index(1, d), some(d).narrow(0, 0, 1), Reduce::amax));
ORDO_OP_INTEGER(index_reduce, "index",
                index_reduce(some(d), 0, one_index(v, d), some(d).narrow(0, 0, 1), Reduce::mean));
ORDO_OP_INTEGER(index_reduce, "algorithm",
                index_reduce(some(d), 0, one_index(1, d), some(d).narrow(0, 0, 1), Reduce::mean, true,
                             Algorithm(uint8_t(v))));

TEST(ScatterReduce, extremes_of_special_values) {
  const Tensor index = tensor<int64_t>({0, 0, 1, 1, 2, 2, 3, 3});
  const Tensor src = tensor<float>({0.f, -0.f, -INFINITY, NAN, INFINITY, -INFINITY, -0.f, -0.f});
  for (Device device : test_devices())
    for (DType dtype : {float16, bfloat16, float32, float64}) {
      const auto of = [&](Reduce reduce, bool include_self, float old) {
        return scatter_reduce(full({5}, old, {dtype, device}), 0, index.to(device), src.to(device, dtype), reduce,
                              include_self)
            .to_vector<float>();
      };
      const auto text = [](const std::vector<float>& v) {
        std::string s;
        for (float x : v) s += (std::isnan(x) ? "nan" : std::to_string(x)) + " ";
        return s;
      };
      EXPECT_EQ(text(of(Reduce::amax, false, 7)), text({0.f, NAN, INFINITY, -0.f, 7})) << name(dtype) << device.str();
      EXPECT_EQ(text(of(Reduce::amin, false, 7)), text({-0.f, NAN, -INFINITY, -0.f, 7})) << name(dtype) << device.str();
      EXPECT_EQ(text(of(Reduce::amax, true, 0.f)), text({0.f, NAN, INFINITY, 0.f, 0.f})) << name(dtype) << device.str();
      EXPECT_EQ(text(of(Reduce::amin, true, NAN)), text({NAN, NAN, NAN, NAN, NAN})) << name(dtype) << device.str();
    }
}

TEST(ScatterReduce, integers) {
  const Tensor index = tensor<int64_t>({0, 0, 1, 1, 1});
  for (Device device : test_devices()) {
    const auto of = [&](DType dtype, std::initializer_list<int64_t> src, Reduce reduce, bool include_self) {
      return scatter_reduce(full({3}, 3, {dtype, device}), 0, index.to(device), tensor<int64_t>(src).to(device, dtype),
                            reduce, include_self)
          .to_vector<int64_t>();
    };
    using V = std::vector<int64_t>;
    EXPECT_EQ(of(int32, {-1, -2, 1, 2, 2}, Reduce::mean, false), (V{-2, 1, 3})) << "rounded down";
    EXPECT_EQ(of(int64, {-1, -3, 1, 2, 2}, Reduce::mean, true), (V{-1, 2, 3})) << "rounded down";
    EXPECT_EQ(of(uint8, {200, 100, 1, 2, 2}, Reduce::prod, true), (V{200 * 300 % 256, 12, 3})) << "wraps around";
    EXPECT_EQ(of(int32, {INT32_MIN, INT32_MIN, 5, -5, 0}, Reduce::amax, false), (V{INT32_MIN, 5, 3}));
    EXPECT_EQ(of(int64, {INT64_MIN, INT64_MIN, 5, -5, 0}, Reduce::amax, false), (V{INT64_MIN, 5, 3}));
    EXPECT_EQ(of(int64, {INT64_MAX, INT64_MAX, 5, -5, 0}, Reduce::amin, false), (V{INT64_MAX, -5, 3}));
    EXPECT_EQ(of(uint8, {0, 0, 255, 9, 10}, Reduce::amax, true), (V{3, 255, 3}));
    EXPECT_EQ(of(uint8, {255, 255, 255, 9, 10}, Reduce::amin, false), (V{255, 9, 3}));
  }
}

/// Ordering rule 1 with products.
TEST(ScatterReduce, products_in_groups) {
  const ThreadsScope scope;
  const int64_t n = 64 * 64 + 3 * 64 + 5;
  const Tensor src = test_values({n}, 5, 0.9, 1.11).to(float32), old = tensor<float>({1.25f});
  const float product = rule1(src.to_vector<float>(), std::multiplies<float>());
  for (Device device : test_devices())
    for (int threads : {1, 3}) {
      set_num_threads(threads);
      const Tensor out = scatter_reduce(old.to(device), 0, zeros({n}, {int64, device}), src.to(device), Reduce::prod);
      EXPECT_EQ(out.item<float>(), 1.25f * product) << device.str();
      EXPECT_EQ(bytes_of(index_reduce(old.to(device), 0, zeros({n}, {int64, device}), src.to(device), Reduce::prod)),
                bytes_of(out));
    }
}

// Lines, columns and ranges of destinations that threads share; runs within a group and longer ones.
TEST(ScatterReduce, any_number_of_threads) {
  struct Shape {
    Dims input, index;
    int dim;
  };
  const ThreadsScope scope;
  const DeterminismGuard guard(Determinism::device_to_device);
  for (const Shape& c : {Shape{{50, 700}, {64, 700}, 0}, Shape{{300, 60}, {300, 200}, 1}, Shape{{3, 40}, {1500, 40}, 0},
                         Shape{{40, 2}, {40, 1200}, 1}, Shape{{9000}, {40000}, 0}, Shape{{5}, {40000}, 0},
                         Shape{{50000}, {40000}, 0}, Shape{{3, 20, 19}, {3, 900, 19}, 1}}) {
    const Tensor x = test_values(c.input, 1).to(float32), s = test_values(c.index, 2, 0.95, 1.05).to(float32);
    const Tensor index = test_indices(c.index, c.input[c.dim], 3);
    const Tensor line = test_indices({c.index[c.dim]}, c.input[c.dim], 4);
    for (const Reduce reduce : {Reduce::sum, Reduce::prod, Reduce::mean, Reduce::amax, Reduce::amin}) {
      std::vector<std::vector<uint8_t>> results;
      for (Device device : test_devices())
        for (int threads : {1, 2, 5}) {
          if (device.is_cuda() && (threads > 1 || reduce == Reduce::mean || reduce == Reduce::amin)) continue;
          set_num_threads(threads);
          const Tensor a = scatter_reduce(x.to(device), c.dim, index.to(device), s.to(device), reduce, false);
          const Tensor b = scatter(a, c.dim, index.to(device), s.to(device));
          auto bytes = bytes_of(cat({a.reshape({-1}), b.reshape({-1})}));
          if (reduce != Reduce::sum) {
            const auto more = bytes_of(index_reduce(x.to(device), c.dim, line.to(device), s.to(device), reduce));
            bytes.insert(bytes.end(), more.begin(), more.end());
          }
          results.push_back(std::move(bytes));
          EXPECT_TRUE(results.back() == results[0])
              << name(reduce) << " " << c.index.str() << " " << device.str() << threads;
        }
      Reduced want(x.to_vector<double>(), reduce, false);
      const auto values = s.to_vector<double>();
      for_scattered(c.input, index, c.index, c.dim, [&](size_t to, size_t from) { want.add(to, values[from]); });
      const auto got = scatter_reduce(x, c.dim, index, s, reduce, false).to_vector<double>();
      const auto expected = want.done();
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], expected[i], 1e-3 * std::abs(expected[i]))
            << name(reduce) << " " << c.index.str() << " at " << i;
    }
  }
}

TEST(ScatterReduce, ties_share_the_gradient) {
  for (Device device : test_devices()) {
    Tensor x = tensor<float>({4, 1, 9}).to(device).set_requires_grad();
    Tensor s = tensor<float>({4, 4, 2, 0}).to(device).set_requires_grad();
    const Tensor index = tensor<int64_t>({0, 0, 1, 1}).to(device), weights = tensor<float>({6, 5, 1}).to(device);
    (scatter_reduce(x, 0, index, s, Reduce::amax) * weights).sum().backward();
    EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{2, 0, 1}));
    EXPECT_EQ(s.grad().to_vector<float>(), (std::vector<float>{2, 2, 5, 0}));
    x.zero_grad(), s.zero_grad();
    (index_reduce(x, 0, index, s, Reduce::amax, false) * weights).sum().backward();
    EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{0, 0, 1}));
    EXPECT_EQ(s.grad().to_vector<float>(), (std::vector<float>{3, 3, 5, 0}));
  }
}

TEST(ScatterReduce, products_of_zeros) {
  Tensor x = tensor<float>({2, 0, 3}).set_requires_grad();
  Tensor s = tensor<float>({0, 5, 7, 4, 0, 0}).set_requires_grad();
  const Tensor index = tensor<int64_t>({0, 0, 1, 1, 2, 2});
  const Tensor out = scatter_reduce(x, 0, index, s, Reduce::prod);
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{0, 0, 0}));
  out.sum().backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{0, 28, 0}));
  EXPECT_EQ(s.grad().to_vector<float>(), (std::vector<float>{10, 0, 0, 0, 0, 0}));
  x.zero_grad(), s.zero_grad();
  scatter_reduce(x, 0, index, s, Reduce::prod).sum().backward({}, false, true);
  EXPECT_ORDO_ERROR(s.grad().sum().backward(), AutogradError, "second derivative");
  x.zero_grad(), s.zero_grad();  // gradients with a graph keep the leaves that keep them
}

TEST(ScatterReduce, in_place) {
  for (Device device : test_devices()) {
    const Tensor index = tensor<int64_t>({0, 2, 2}).to(device), src = tensor<float>({5, 6, 7}).to(device);
    Tensor x = ones({3}, {.device = device});
    x.scatter_reduce_(0, index, src, Reduce::prod);
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{5, 1, 42}));
    x.index_reduce_(0, index, src, Reduce::mean, false);
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{5, 1, 6.5}));
    x.scatter_reduce_(0, index, x, Reduce::amax);
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{5, 1, 6.5}));
    const Tensor s = src.clone().set_requires_grad();
    Tensor y = ones({3}, {.device = device}) * 2;
    y.scatter_reduce_(0, index, s, Reduce::prod);
    y.sum().backward();
    EXPECT_EQ(s.grad().to_vector<float>(), (std::vector<float>{2, 14, 12}));
  }
}

TEST(ScatterReduce, bad_input) {
  const Tensor x = zeros({3}), index = tensor<int64_t>({0, 2}), src = zeros({2});
  EXPECT_ORDO_ERROR(scatter_reduce(x, 0, index, src, Reduce(9)), ValueError, "number 9");
  EXPECT_EQ(Reduce::max, Reduce::amax);
  EXPECT_ORDO_ERROR(index_reduce(x, 0, index, src, Reduce::sum), ValueError, "index_add");
  EXPECT_ORDO_ERROR(scatter_reduce(x.to(boolean), 0, index, src.to(boolean), Reduce::amax), DTypeError,
                    "scatter_reduce");
}

}  // namespace
}  // namespace ordo::test::scatter_reduce_samples_test
