// Samples of the views.
#include <algorithm>

#include "tests/autograd/ops/moved_sample.h"

namespace ordo::test::views_samples_test {
namespace {

/// The result has `sizes`; element i is the input's flat element offset + i[0] strides[0] + i[1] strides[1] + ...
Sample strided(const char* label, const Tensor& input, const Dims& sizes, const Dims& strides, int64_t offset,
               std::function<Tensor(const Tensor&)> run) {
  return moved(label, input, sizes, std::move(run), [=](const Index& i) {
    int64_t flat = offset;
    for (size_t d = 0; d < i.size(); ++d) flat += strides[int(d)] * i[d];
    return flat;
  });
}

Tensor input() { return test_values({2, 3, 4}); }

/// The parts side by side again, the first one last.
Tensor turned(TensorList parts, int dim) {
  if (parts.empty()) return {};
  std::rotate(parts.begin(), parts.begin() + 1, parts.end());
  return cat(parts, dim);
}
/// Other inputs than the sample's own may give fewer parts.
Tensor part(const TensorList& parts, size_t i) { return i < parts.size() ? parts[i] : Tensor(); }

int64_t last_dim_turned(const Index& i) { return 12 * i[0] + 4 * i[1] + (i[2] + 1) % 4; }

/// The second half first.
Sample turned(const char* label, const Tensor& t, std::function<Tensor(const Tensor&)> run) {
  const int64_t n = t.numel() / 2;
  return moved(label, t, {2 * n}, std::move(run), [n](const Index& i) { return (i[0] + n) % (2 * n); });
}

ORDO_OP_SAMPLES(view) {
  return {strided("rows", input(), {2, 12}, {12, 1}, 0, [](auto& t) { return t.contiguous().view(dims(-1, 12)); }),
          strided("merge", input(), {6, 4}, {4, 1}, 0, [](auto& t) { return t.contiguous().view(dims(-1, 4)); }),
          strided("empty", zeros({0, 3}, float64), {3, 0}, {0, 1}, 0, [](auto& t) { return t.view(dims(3, 0)); }),
          strided("scalar", zeros({}, float64), {1, 1}, {1, 1}, 0, [](auto& t) { return t.view(dims(1, 1)); })};
}
ORDO_OP_SAMPLES(unbind) {
  return {strided("one of three", input(), {2, 4}, {12, 1}, 8, [](auto& t) { return part(unbind(t, 1), 2); }),
          moved(
              "all", input(), {6, 4}, [](auto& t) { return turned(unbind(t, -3), 0); },
              [](auto& i) { return 4 * ((i[0] + 3) % 6) + i[1]; })};
}
ORDO_OP_SAMPLES(split) {
  const std::vector<int64_t> sizes{1, 0, 3};
  const auto split_and_turned = [=](auto& t) { return turned(split(t, sizes, 2), 2); };
  return {strided("uneven", input(), {2, 1, 4}, {12, 4, 1}, 8, [](auto& t) { return part(split(t, 2, 1), 1); }),
          moved("sizes", input(), {2, 3, 4}, split_and_turned, last_dim_turned)};
}
ORDO_OP_SAMPLES(chunk) {
  const auto chunked_and_turned = [](auto& t) { return turned(chunk(t, 4, -1), 2); };
  return {strided("uneven", input(), {2, 1, 4}, {12, 4, 1}, 8, [](auto& t) { return part(chunk(t, 2, 1), 1); }),
          moved("all", input(), {2, 3, 4}, chunked_and_turned, last_dim_turned)};
}
ORDO_OP_SAMPLES(movedim) {
  const auto run = [](auto& t) { return movedim(t, dims(0, 2), dims(-1, 0)); };
  return {strided("two", input(), {4, 3, 2}, {1, 4, 12}, 0, run)};
}
/// With `n` numbers more.
Tensor grid(const Tensor& t, int64_t n, MeshgridIndexing indexing) {
  return meshgrid({t, zeros({n}, t.options())}, indexing)[0];
}
ORDO_OP_SAMPLES(meshgrid) {
  using enum MeshgridIndexing;
  return {strided("ij", test_values({3}), {3, 4}, {1, 0}, 0, [](auto& t) { return grid(t, 4, ij); }),
          strided("xy", test_values({3}), {4, 3}, {0, 1}, 0, [](auto& t) { return grid(t, 4, xy); })};
}
ORDO_OP_SAMPLES(reshape) {
  return {strided("rows", input(), {2, 12}, {12, 1}, 0, [](auto& t) { return t.reshape(dims(-1, 12)); }),
          moved(
              "copy", input(), {3, 8}, [](auto& t) { return t.transpose(0, 1).reshape(dims(3, 8)); },
              [](auto& i) { return 12 * (i[1] / 4) + 4 * i[0] + i[1] % 4; })};
}
ORDO_OP_SAMPLES(flatten) {
  return {strided("tail", input(), {2, 12}, {12, 1}, 0, [](auto& t) { return t.flatten(1); })};
}
ORDO_OP_SAMPLES(transpose) {
  return {strided("ends", input(), {4, 3, 2}, {1, 4, 12}, 0, [](auto& t) { return t.transpose(0, -1); })};
}
ORDO_OP_SAMPLES(permute) {
  return {strided("cycle", input(), {4, 2, 3}, {1, 12, 4}, 0, [](auto& t) { return t.permute(dims(2, 0, 1)); })};
}
ORDO_OP_SAMPLES(slice) {
  return {strided("step", input(), {2, 3, 2}, {12, 4, 2}, 1, [](auto& t) { return t.slice(2, 1, 4, 2); }),
          strided("negative", input(), {2, 2, 4}, {12, 4, 1}, 4, [](auto& t) { return t.slice(1, -2, 100); })};
}
ORDO_OP_SAMPLES(select) {
  return {strided("last", input(), {2, 4}, {12, 1}, 8, [](auto& t) { return t.select(1, -1); })};
}
ORDO_OP_SAMPLES(narrow) {
  return {strided("middle", input(), {2, 3, 2}, {12, 4, 1}, 1, [](auto& t) { return t.narrow(-1, 1, 2); })};
}
ORDO_OP_SAMPLES(expand) {
  return {
      strided("grow", test_values({3, 1}), {2, 3, 4}, {0, 1, 0}, 0, [](auto& t) { return t.expand(dims(2, -1, 4)); })};
}
ORDO_OP_SAMPLES(squeeze) {
  return {strided("all", test_values({1, 3, 1}), {3}, {1}, 0, [](auto& t) { return t.squeeze(); }),
          strided("one", test_values({1, 3, 1}), {1, 3}, {3, 1}, 0, [](auto& t) { return t.squeeze(-1); })};
}
ORDO_OP_SAMPLES(unsqueeze) {
  return {strided("middle", test_values({2, 3}), {2, 1, 3}, {3, 3, 1}, 0, [](auto& t) { return t.unsqueeze(1); })};
}

// The views themselves run no kernel; their gradients and copies do.
ORDO_OP_SIZES(view) {
  const auto run = [](auto& t) { return t.contiguous().view(dims(-1, 2)); };
  return {strided("merge", test_values({n, 4}), {2 * n, 2}, {2, 1}, 0, run)};
}
ORDO_OP_SIZES(reshape) {
  return {moved(
      "copy", test_values({n, 4}), {4 * n}, [](auto& t) { return t.transpose(0, 1).reshape(-1); },
      [n](auto& i) { return 4 * (i[0] % n) + i[0] / n; })};
}
ORDO_OP_SIZES(flatten) {
  return {strided("all", test_values({2, n}), {2 * n}, {1}, 0, [](auto& t) { return t.flatten(); })};
}
ORDO_OP_SIZES(unbind) {
  return {turned("all", test_values({2, n}), [](auto& t) { return turned(unbind(t, 0), 0); })};
}
ORDO_OP_SIZES(split) {
  return {turned("halves", test_values({2 * n}), [n](auto& t) { return turned(split(t, n), 0); })};
}
ORDO_OP_SIZES(chunk) {
  return {turned("halves", test_values({2 * n}), [](auto& t) { return turned(chunk(t, 2), 0); })};
}
ORDO_OP_SIZES(movedim) {
  return {strided("ends", test_values({n, 3}), {3, n}, {1, 3}, 0, [](auto& t) { return movedim(t, 0, 1); })};
}
ORDO_OP_SIZES(meshgrid) {
  const auto run = [](auto& t) { return grid(t, 2, MeshgridIndexing::ij); };
  return {strided("one", test_values({n}), {n, 2}, {1, 0}, 0, run)};
}
ORDO_OP_SIZES(transpose) {
  return {strided("ends", test_values({n, 3}), {3, n}, {1, 3}, 0, [](auto& t) { return t.transpose(0, -1); })};
}
ORDO_OP_SIZES(permute) {
  const auto run = [](auto& t) { return t.permute(dims(2, 0, 1)); };
  return {strided("cycle", test_values({2, 3, n}), {n, 2, 3}, {1, 3 * n, n}, 0, run)};
}
ORDO_OP_SIZES(slice) {
  const auto run = [n](auto& t) { return t.slice(1, 1, 2 * n, 2); };
  return {strided("step", test_values({3, 2 * n}), {3, n}, {2 * n, 2}, 1, run)};
}
ORDO_OP_SIZES(select) {
  return {strided("column", test_values({n, 3}), {n}, {3}, 1, [](auto& t) { return t.select(1, 1); })};
}
ORDO_OP_SIZES(narrow) {
  const auto run = [n](auto& t) { return t.narrow(-1, 1, n); };
  return {strided("middle", test_values({3, n + 2}), {3, n}, {n + 2, 1}, 1, run)};
}
ORDO_OP_SIZES(expand) {
  return {strided("rows", test_values({3, 1}), {3, n}, {1, 0}, 0, [n](auto& t) { return t.expand(dims(3, n)); }),
          strided("columns", test_values({1, n}), {4, n}, {0, 1}, 0, [n](auto& t) { return t.expand(dims(4, n)); })};
}
ORDO_OP_SIZES(squeeze) {
  return {strided("one", test_values({3, 1, n}), {3, n}, {n, 1}, 0, [](auto& t) { return t.squeeze(1); })};
}
ORDO_OP_SIZES(unsqueeze) {
  return {strided("middle", test_values({3, n}), {3, 1, n}, {n, n, 1}, 0, [](auto& t) { return t.unsqueeze(1); })};
}

TEST(Chunk, of_an_empty_dimension_are_as_many_as_asked_for) {
  for (int64_t dim : {0, 1}) {
    const Dims sizes = dim ? Dims{3, 0} : Dims{0, 3};
    const TensorList parts = chunk(zeros(sizes), 4, dim);
    ASSERT_EQ(parts.size(), 4u);
    for (const Tensor& t : parts) EXPECT_EQ(t.sizes(), sizes);
  }
  const Tensor x = zeros({0, 3}).set_requires_grad();
  chunk(x, 2)[1].sum().backward();
  EXPECT_EQ(x.grad().sizes(), x.sizes());
  EXPECT_EQ(chunk(zeros({5}), 4).size(), 3u);
}

}  // namespace
}  // namespace ordo::test::views_samples_test
