#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::max_unpool_samples_test {
namespace {

template <int N>
struct Case {
  const char* label;
  Dims sizes;
  Size<N> kernel;
  OptionalSize<N> stride = std::nullopt;
  Size<N> padding = 0;
  Dims output = {};
  DType index_dtype = int64;
  bool duplicates = false;
};

template <int N>
Sample sample_of(const Case<N>& c) {
  const Size<N> stride = c.stride.value_or(c.kernel);
  int64_t cells = 1, places = 1;
  for (int i = 1; i <= N; ++i) {
    const int64_t pooled = c.sizes[c.sizes.size() - i];
    places *= pooled;
    const int64_t fit = (pooled - 1) * stride[N - i] - 2 * c.padding[N - i] + c.kernel[N - i];
    cells *= c.output.empty() ? fit : c.output[c.output.size() - i];
  }
  const Tensor values = test_values(c.sizes, 1);
  std::vector<int64_t> index(size_t(values.numel()));
  // Each place of a channel is taken once at most, unless there are to be duplicates.
  for (size_t i = 0; i < index.size(); ++i)
    index[i] = c.duplicates ? int64_t(i * i % 7) % cells : (int64_t(i) % places * (cells / places) + 1) % cells;
  Sample s = new_sample(c.label, {values, from_vector<int64_t>(index, c.sizes).to(c.index_dtype)});
  s.run = [c](const TensorList& in) {
    if constexpr (N == 1)
      return max_unpool1d(in[0], in[1], c.kernel, {.stride = c.stride, .padding = c.padding, .output_size = c.output});
    if constexpr (N == 2)
      return max_unpool2d(in[0], in[1], c.kernel, {.stride = c.stride, .padding = c.padding, .output_size = c.output});
    if constexpr (N == 3)
      return max_unpool3d(in[0], in[1], c.kernel, {.stride = c.stride, .padding = c.padding, .output_size = c.output});
  };
  s.reference = [=](const TensorList& in) {
    const auto x = in[0].to_vector<double>();
    const auto at = in[1].to_vector<int64_t>();
    std::vector<double> out(x.size() / size_t(places) * size_t(cells), 0.0);
    for (size_t i = 0; i < x.size(); ++i) out[i / size_t(places) * size_t(cells) + size_t(at[i])] = x[i];
    return out;
  };
  s.gradient = !c.duplicates && values.numel() < 100;
  return s;
}
template <class C>
std::vector<Sample> samples(const std::vector<C>& cases) {
  return samples_of<C>(cases, sample_of);
}

ORDO_OP_SAMPLES(max_unpool1d) {
  return samples<Case<1>>({{"two", {2, 1, 4}, 2},
                           {"line", {2, 3}, 3, 2, 1},
                           {"output_size", {1, 2, 3}, 2, 2, 0, {7}},
                           {"duplicates", {2, 1, 9}, 2, 1, 0, {}, int32, true}});
}
ORDO_OP_SIZES(max_unpool1d) { return samples<Case<1>>({{"width", {2, 2, n}, 2}, {"lines", {n, 1, 3}, 2}}); }
ORDO_OP_SAMPLES(max_unpool2d) {
  return samples<Case<2>>({{"2x2", {1, 2, 2, 3}, 2},
                           {"image", {2, 3, 2}, {2, 3}, {2, 3}, {0, 1}},
                           {"all_sizes", {1, 2, 2, 3}, 2, 2, 0, {1, 2, 5, 6}},
                           {"no_samples", {0, 2, 2, 3}, 2},
                           {"duplicates", {2, 2, 8, 9}, 3, 1, 0, {}, int64, true}});
}
ORDO_OP_SIZES(max_unpool2d) { return samples<Case<2>>({{"width", {1, 2, 2, n}, 2}, {"planes", {n, 1, 2, 2}, 2}}); }
ORDO_OP_SAMPLES(max_unpool3d) {
  return samples<Case<3>>({{"2x2x2", {1, 2, 2, 1, 3}, 2},
                           {"volume", {2, 2, 3, 1}, {1, 2, 3}},
                           {"duplicates", {1, 2, 3, 4, 3}, 2, 1, 0, {}, int64, true}});
}
ORDO_OP_SIZES(max_unpool3d) {
  return samples<Case<3>>({{"width", {1, 1, 2, 2, n}, 2}, {"volumes", {n, 1, 1, 2, 1}, 2}});
}

Tensor places(Device d) { return from_vector<int64_t>({0, 1, 2, 0, 1, 2}, {2, 3}).to(d); }
ORDO_OP_INTEGER(max_unpool1d, "kernel", max_unpool1d(some(d), places(d), v));
ORDO_OP_INTEGER(max_unpool1d, "stride", max_unpool1d(some(d), places(d), 2, {.stride = v}));
ORDO_OP_INTEGER(max_unpool1d, "padding", max_unpool1d(some(d), places(d), 3, {.stride = 3, .padding = v}));
ORDO_OP_INTEGER(max_unpool1d, "output_size", max_unpool1d(some(d), places(d), 2, {.stride = 2, .output_size = v}));
ORDO_OP_INTEGER(max_unpool1d, "index",
                max_unpool1d(some(d).view(-1).narrow(0, 0, 1).view({1, 1}), one_index(v, d).view({1, 1}), 3));
ORDO_OP_INTEGER(max_unpool2d, "kernel", max_unpool2d(some(d).view({1, 2, 3}), places(d).view({1, 2, 3}), {2, v}));
ORDO_OP_INTEGER(max_unpool3d, "kernel",
                max_unpool3d(some(d).view({1, 1, 2, 3}), places(d).view({1, 1, 2, 3}), {1, 2, v}));

TEST(MaxUnpool, puts_maxima_back_and_the_last_of_equal_places_stays) {
  const Tensor x = from_vector<float>({1, 5, 2, 4, 3, 6, 0, 7}, {1, 1, 8});
  const auto pooled = max_pool1d_with_indices(x, 2);
  EXPECT_EQ(max_unpool1d(pooled.values, pooled.indices, 2).to_vector<int>(),
            (std::vector<int>{0, 5, 0, 4, 0, 6, 0, 7}));
  Tensor values = from_vector<float>({1, 2, 3}, {1, 3});
  values.set_requires_grad();
  const Tensor out = max_unpool1d(values, from_vector<int64_t>({1, 0, 1}, {1, 3}), 2, {.stride = 1});
  EXPECT_EQ(out.to_vector<int>(), (std::vector<int>{2, 3, 0, 0}));
  out.backward(from_vector<float>({5, 7, 9, 9}, {1, 4}));
  EXPECT_EQ(values.grad().to_vector<int>(), (std::vector<int>{7, 5, 7}));
}

}  // namespace
}  // namespace ordo::test::max_unpool_samples_test
