// matmul, mm, bmm, linear: samples for the registry-driven tests.
#include "tests/support/op_samples.h"

namespace ordo::test::matmul_samples_test {
namespace {

// The product of two contiguous batches of matrices; a batch of one serves all.
std::vector<double> product(const Tensor& a, const Tensor& b) {
  const int64_t m = a.size(-2), k = a.size(-1), n = b.size(-1);
  const auto x = a.to_vector<double>(), y = b.to_vector<double>();
  const int64_t batches_a = m * k != 0 ? a.numel() / (m * k) : 1, batches_b = k * n != 0 ? b.numel() / (k * n) : 1;
  const int64_t batches = std::max(batches_a, batches_b);
  std::vector<double> c(size_t(batches * m * n));
  for (int64_t s = 0; s < batches; ++s)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += x[size_t(s % batches_a * m * k + i * k + p)] * y[size_t(s % batches_b * k * n + p * n + j)];
        c[size_t((s * m + i) * n + j)] = sum;
      }
  return c;
}

Sample sample(const char* label, Dims a, Dims b, Tensor (*f)(const Tensor&, const Tensor&), bool gradient = true) {
  return {.label = label,
          .inputs = {test_values(a, 1), test_values(b, 2)},
          .run = [f](const TensorList& in) { return f(in[0], in[1]); },
          .reference =
              [](const TensorList& in) {
                return product(in[0].dim() == 1 ? in[0].unsqueeze(0) : in[0],
                               in[1].dim() == 1 ? in[1].unsqueeze(1) : in[1]);
              },
          .gradient = gradient,
          // Rounding of up to k sums: the largest k here is 600, and the error grows with its root.
          .tolerance = gradient ? 8.0 : 64.0};
}

Sample linear_sample(const char* label, Dims x, int64_t out, bool bias, bool gradient = true) {
  const int64_t in = x.back();
  TensorList inputs = {test_values(x, 1), test_values({out, in}, 2)};
  if (bias) inputs.push_back(test_values({out}, 3));
  return {.label = label,
          .inputs = inputs,
          .run = [](const TensorList& in) { return linear(in[0], in[1], in.size() > 2 ? in[2] : Tensor()); },
          .reference =
              [](const TensorList& in) {
                const int64_t out = in[1].size(0), width = in[1].size(1), rows = in[0].numel() / width;
                auto y = product(in[0].reshape({rows, width}), in[1].t().contiguous());
                if (in.size() > 2) {
                  const auto b = in[2].to_vector<double>();
                  for (size_t e = 0; e < y.size(); ++e) y[e] += b[e % size_t(out)];
                }
                return y;
              },
          .gradient = gradient,
          .tolerance = gradient ? 8.0 : 64.0};
}

}  // namespace

ORDO_OP_SAMPLES(matmul) {
  return {sample("2d", {3, 4}, {4, 5}, matmul),
          sample("vectors", {7}, {7}, matmul),
          sample("vector_matrix", {4}, {4, 3}, matmul),
          sample("matrix_vector", {3, 4}, {4}, matmul),
          sample("batch_vector", {2, 3, 4}, {4}, matmul),
          sample("batch_matrix", {2, 3, 4}, {4, 2}, matmul),
          sample("matrix_batch", {3, 4}, {2, 4, 2}, matmul),
          sample("batches", {2, 2, 3}, {2, 3, 2}, matmul),
          sample("no_rows", {0, 4}, {4, 3}, matmul),
          sample("no_depth", {3, 0}, {0, 2}, matmul),
          sample("one_block", {9, 256}, {256, 17}, matmul, false),
          sample("blocks", {5, 600}, {600, 18}, matmul, false),
          sample("tall", {130, 33}, {33, 3}, matmul, false),
          sample("square", {66, 70}, {70, 65}, matmul, false)};
}
ORDO_OP_SAMPLES(mm) {
  return {sample("small", {2, 3}, {3, 2}, mm), sample("column", {6, 1}, {1, 4}, mm),
          sample("over_a_block", {8, 257}, {257, 9}, mm, false)};
}
ORDO_OP_SAMPLES(bmm) {
  return {sample("small", {2, 2, 3}, {2, 3, 2}, bmm), sample("no_batch", {0, 2, 3}, {0, 3, 2}, bmm),
          sample("over_a_block", {3, 4, 300}, {3, 300, 5}, bmm, false)};
}
ORDO_OP_SAMPLES(linear) {
  return {linear_sample("small", {3, 4}, 2, true),          linear_sample("no_bias", {3, 4}, 2, false),
          linear_sample("one_input", {5, 1}, 6, true),      linear_sample("vector", {4}, 3, true),
          linear_sample("three_dims", {2, 3, 2}, 2, true),  linear_sample("empty", {0, 4}, 2, true),
          linear_sample("wide", {20, 300}, 10, true, false)};
}

ORDO_OP_SIZES(matmul) {
  return {sample("rows", {n, 3}, {3, 2}, matmul, false), sample("depth", {3, n}, {n, 4}, matmul, false),
          sample("columns", {2, 3}, {3, n}, matmul, false), sample("matrix_vector", {n, 5}, {5}, matmul, false),
          sample("vectors", {n}, {n}, matmul, false)};
}
ORDO_OP_SIZES(mm) {
  return {sample("rows", {n, 17}, {17, 5}, mm, false), sample("depth", {18, n}, {n, 9}, mm, false),
          sample("columns", {5, 17}, {17, n}, mm, false)};
}
ORDO_OP_SIZES(bmm) {
  const int64_t batches = std::min<int64_t>(n, 257);  // a block each
  return {sample("batches", {batches, 2, 3}, {batches, 3, 2}, bmm, false),
          sample("rows", {2, n, 3}, {2, 3, 2}, bmm, false), sample("depth", {2, 3, n}, {2, n, 2}, bmm, false)};
}
ORDO_OP_SIZES(linear) {
  return {linear_sample("rows", {n, 3}, 5, true, false), linear_sample("inputs", {3, n}, 4, true, false),
          linear_sample("outputs", {3, 4}, n, true, false)};
}

}  // namespace ordo::test::matmul_samples_test
