// select_scatter, slice_scatter and diagonal_scatter against plain loops over coordinates.
#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::select_scatter_samples_test {
namespace {

/// Elements for which place(coordinates) is not -1 become that element of src.
template <class Run, class Place>
Sample sample_of(const char* label, const Dims& sizes, const Dims& src, const Run& run, const Place& place) {
  Sample s = new_sample(label, {test_values(sizes, 1), test_values(src, 2)});
  s.run = [run](const TensorList& in) { return run(in[0], in[1]); };
  s.reference = [=](const TensorList& in) {
    auto out = in[0].to_vector<double>();
    const auto values = in[1].to_vector<double>();
    const Dims strides = contiguous_strides(sizes);
    for (int64_t i = 0; i < int64_t(out.size()); ++i) {
      Dims at = sizes;
      for (int d = 0; d < sizes.size(); ++d) at[d] = i / strides[d] % sizes[d];
      if (const int64_t from = place(at); from >= 0) out[size_t(i)] = values[size_t(from)];
    }
    return out;
  };
  s.gradient = sizes.product() <= 100;
  s.tolerance = 0;
  return s;
}

Sample select_sample(const char* label, int64_t rows, int64_t columns, int64_t index) {
  return sample_of(
      label, {rows, columns}, {rows},
      [=](const Tensor& x, const Tensor& src) { return select_scatter(x, src, 1, index); },
      [=](const Dims& at) { return at[1] == (index < 0 ? index + columns : index) ? at[0] : -1; });
}
ORDO_OP_SIZES(select_scatter) { return {select_sample("rows", n, 3, 1), select_sample("columns", 3, n, -1)}; }
ORDO_OP_SAMPLES(select_scatter) { return {select_sample("first", 3, 4, 0), select_sample("last", 3, 4, -1)}; }
ORDO_OP_INTEGER(select_scatter, "dim", select_scatter(some(d), ones({2}, {.device = d}), v, 0));
ORDO_OP_INTEGER(select_scatter, "index", select_scatter(some(d), ones({2}, {.device = d}), 1, v));

Sample slice_sample(const char* label, int64_t rows, int64_t columns, int64_t start, int64_t step) {
  const int64_t count = (rows - start + step - 1) / step;
  return sample_of(
      label, {rows, columns}, {count, columns},
      [=](const Tensor& x, const Tensor& src) { return slice_scatter(x, src, 0, start, std::nullopt, step); },
      [=](const Dims& at) {
        return at[0] >= start && (at[0] - start) % step == 0 ? (at[0] - start) / step * columns + at[1] : -1;
      });
}
ORDO_OP_SIZES(slice_scatter) { return {slice_sample("rows", n, 3, 0, 2), slice_sample("columns", 3, n, 1, 1)}; }
ORDO_OP_SAMPLES(slice_scatter) {
  return {slice_sample("all", 3, 4, 0, 1), slice_sample("every second", 7, 2, 1, 2), slice_sample("none", 3, 2, 3, 1)};
}
Tensor row(Device d) { return ones({1, 3}, {.device = d}); }
ORDO_OP_INTEGER(slice_scatter, "dim", slice_scatter(some(d), row(d), v, 0, 1));
ORDO_OP_INTEGER(slice_scatter, "start", slice_scatter(some(d), row(d), 0, v));
ORDO_OP_INTEGER(slice_scatter, "end", slice_scatter(some(d), row(d), 0, 0, v));
ORDO_OP_INTEGER(slice_scatter, "step", slice_scatter(some(d), row(d), 0, 0, 2, v));

Sample diagonal_sample(const char* label, int64_t rows, int64_t columns, int64_t offset) {
  const int64_t below = std::max<int64_t>(0, -offset), right = std::max<int64_t>(0, offset);
  const int64_t count = std::max<int64_t>(0, std::min(rows - below, columns - right));
  return sample_of(
      label, {rows, 2, columns}, {2, count},
      [=](const Tensor& x, const Tensor& src) { return diagonal_scatter(x, src, offset, 0, -1); },
      [=](const Dims& at) { return at[2] - at[0] == offset ? at[1] * count + at[0] - below : -1; });
}
ORDO_OP_SIZES(diagonal_scatter) { return {diagonal_sample("rows", n, 3, -1), diagonal_sample("columns", 3, n, 0)}; }
ORDO_OP_SAMPLES(diagonal_scatter) {
  return {diagonal_sample("square", 3, 3, 0), diagonal_sample("above", 3, 5, 2), diagonal_sample("below", 5, 3, -1),
          diagonal_sample("outside", 2, 3, 7)};
}
ORDO_OP_INTEGER(diagonal_scatter, "offset", diagonal_scatter(some(d), ones({2}, {.device = d}), v));
ORDO_OP_INTEGER(diagonal_scatter, "dim1", diagonal_scatter(some(d), ones({2}, {.device = d}), 0, v));
ORDO_OP_INTEGER(diagonal_scatter, "dim2", diagonal_scatter(some(d), ones({2}, {.device = d}), 0, 0, v));

TEST(SelectScatter, refuses) {
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(x.to(int32).select_scatter(tensor<float>({1.5f, -2.5f, 3}), 0, 1).to_vector<int64_t>(),
            (std::vector<int64_t>{0, 0, 0, 1, -2, 3}));
}

}  // namespace
}  // namespace ordo::test::select_scatter_samples_test
