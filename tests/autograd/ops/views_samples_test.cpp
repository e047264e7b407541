// Samples of the views. The reference walks the result's indices and asks where each element comes from.
#include <algorithm>

#include "tests/autograd/ops/moved_sample.h"

namespace ordo::test::views_samples_test {
namespace {

template <class... I>
Index at(I... i) {
  return {int64_t(i)...};
}
template <class... N>
Dims dims(N... n) {
  return {int64_t(n)...};
}

/// A sample whose result has `sizes`, element i being input element source(i).
Sample view_sample(const char* label, const Tensor& input, const Dims& sizes, std::function<Tensor(const Tensor&)> run,
                   std::function<Index(const Index&)> source) {
  return moved(label, input, sizes, std::move(run), [from = input.sizes(), source](const Index& i) {
    const Index s = source(i);
    int64_t flat = 0;
    for (size_t d = 0; d < s.size(); ++d) flat = flat * from[int(d)] + s[d];
    return flat;
  });
}

const auto flat_in = [](Dims to, Dims from) {
  return [=](const Index& i) {
    int64_t flat = 0;
    for (size_t d = 0; d < i.size(); ++d) flat = flat * to[int(d)] + i[d];
    Index out(size_t(from.size()));
    for (int d = from.size() - 1; d >= 0; --d) {
      out[size_t(d)] = flat % from[d];
      flat /= from[d];
    }
    return out;
  };
};

Tensor input() { return test_values({2, 3, 4}); }

}  // namespace

ORDO_OP_SAMPLES(view) {
  return {view_sample(
              "rows", input(), {2, 12}, [](const Tensor& t) { return t.contiguous().view(dims(-1, 12)); },
              flat_in({2, 12}, {2, 3, 4})),
          view_sample(
              "merge", input(), {6, 4}, [](const Tensor& t) { return t.contiguous().view(dims(-1, 4)); },
              flat_in({6, 4}, {2, 3, 4})),
          view_sample(
              "empty", zeros({0, 3}, {.dtype = float64}), {3, 0}, [](const Tensor& t) { return t.view(dims(3, 0)); },
              flat_in({3, 0}, {0, 3})),
          view_sample(
              "scalar", zeros({}, {.dtype = float64}), {1, 1}, [](const Tensor& t) { return t.view(dims(1, 1)); },
              flat_in({1, 1}, {}))};
}
// The parts side by side again, the first one last.
Tensor turned(TensorList parts, int dim) {
  if (parts.empty()) return {};
  std::rotate(parts.begin(), parts.begin() + 1, parts.end());
  return cat(parts, dim);
}
/// Other inputs than the sample's own may give fewer parts.
Tensor part(const TensorList& parts, size_t i) { return i < parts.size() ? parts[i] : Tensor(); }

ORDO_OP_SAMPLES(unbind) {
  return {view_sample(
              "one of three", input(), {2, 4}, [](const Tensor& t) { return part(unbind(t, 1), 2); },
              [](const Index& i) { return at(i[0], 2, i[1]); }),
          view_sample(
              "all", input(), {6, 4}, [](const Tensor& t) { return turned(unbind(t, -3), 0); },
              [](const Index& i) { return at((i[0] / 3 + 1) % 2, i[0] % 3, i[1]); })};
}
ORDO_OP_SAMPLES(split) {
  return {view_sample(
              "uneven", input(), {2, 1, 4}, [](const Tensor& t) { return part(split(t, 2, 1), 1); },
              [](const Index& i) { return at(i[0], 2, i[2]); }),
          view_sample(
              "sizes", input(), {2, 3, 4},
              [](const Tensor& t) {
                return turned(split(t, std::vector<int64_t>{1, 0, 3}, 2), 2);
              },
              [](const Index& i) { return at(i[0], i[1], (i[2] + 1) % 4); })};
}
ORDO_OP_SAMPLES(chunk) {
  return {view_sample(
              "uneven", input(), {2, 1, 4}, [](const Tensor& t) { return part(chunk(t, 2, 1), 1); },
              [](const Index& i) { return at(i[0], 2, i[2]); }),
          view_sample(
              "all", input(), {2, 3, 4}, [](const Tensor& t) { return turned(chunk(t, 4, -1), 2); },
              [](const Index& i) { return at(i[0], i[1], (i[2] + 1) % 4); })};
}
ORDO_OP_SAMPLES(movedim) {
  return {view_sample(
      "two", input(), {4, 3, 2}, [](const Tensor& t) { return movedim(t, dims(0, 2), dims(-1, 0)); },
      [](const Index& i) { return at(i[2], i[1], i[0]); })};
}
ORDO_OP_SAMPLES(meshgrid) {
  const auto grids = [](const Tensor& t, MeshgridIndexing indexing) {
    return meshgrid({t, zeros({4}, t.options())}, indexing)[0];
  };
  return {view_sample(
              "ij", test_values({3}), {3, 4}, [=](const Tensor& t) { return grids(t, MeshgridIndexing::ij); },
              [](const Index& i) { return Index{i[0]}; }),
          view_sample(
              "xy", test_values({3}), {4, 3}, [=](const Tensor& t) { return grids(t, MeshgridIndexing::xy); },
              [](const Index& i) { return Index{i[1]}; })};
}
ORDO_OP_SAMPLES(reshape) {
  return {view_sample(
              "rows", input(), {2, 12}, [](const Tensor& t) { return t.reshape(dims(-1, 12)); },
              flat_in({2, 12}, {2, 3, 4})),
          view_sample(
              "copy", input(), {3, 8}, [](const Tensor& t) { return t.transpose(0, 1).reshape(dims(3, 8)); },
              [](const Index& i) { return at(i[1] / 4, i[0], i[1] % 4); })};
}
ORDO_OP_SAMPLES(flatten) {
  return {view_sample(
      "tail", input(), {2, 12}, [](const Tensor& t) { return t.flatten(1); }, flat_in({2, 12}, {2, 3, 4}))};
}
ORDO_OP_SAMPLES(transpose) {
  return {view_sample(
      "ends", input(), {4, 3, 2}, [](const Tensor& t) { return t.transpose(0, -1); },
      [](const Index& i) { return at(i[2], i[1], i[0]); })};
}
ORDO_OP_SAMPLES(permute) {
  return {view_sample(
      "cycle", input(), {4, 2, 3}, [](const Tensor& t) { return t.permute(dims(2, 0, 1)); },
      [](const Index& i) { return at(i[1], i[2], i[0]); })};
}
ORDO_OP_SAMPLES(slice) {
  return {view_sample(
              "step", input(), {2, 3, 2}, [](const Tensor& t) { return t.slice(2, 1, 4, 2); },
              [](const Index& i) { return at(i[0], i[1], 1 + 2 * i[2]); }),
          view_sample(
              "negative", input(), {2, 2, 4}, [](const Tensor& t) { return t.slice(1, -2, 100); },
              [](const Index& i) { return at(i[0], 1 + i[1], i[2]); })};
}
ORDO_OP_SAMPLES(select) {
  return {view_sample(
      "last", input(), {2, 4}, [](const Tensor& t) { return t.select(1, -1); },
      [](const Index& i) { return at(i[0], 2, i[1]); })};
}
ORDO_OP_SAMPLES(narrow) {
  return {view_sample(
      "middle", input(), {2, 3, 2}, [](const Tensor& t) { return t.narrow(-1, 1, 2); },
      [](const Index& i) { return at(i[0], i[1], 1 + i[2]); })};
}
ORDO_OP_SAMPLES(expand) {
  return {view_sample(
      "grow", test_values({3, 1}), {2, 3, 4}, [](const Tensor& t) { return t.expand(dims(2, -1, 4)); },
      [](const Index& i) { return at(i[1], 0); })};
}
ORDO_OP_SAMPLES(squeeze) {
  return {view_sample(
              "all", test_values({1, 3, 1}), {3}, [](const Tensor& t) { return t.squeeze(); },
              [](const Index& i) { return at(0, i[0], 0); }),
          view_sample(
              "one", test_values({1, 3, 1}), {1, 3}, [](const Tensor& t) { return t.squeeze(-1); },
              [](const Index& i) { return at(0, i[1], 0); })};
}
ORDO_OP_SAMPLES(unsqueeze) {
  return {view_sample(
      "middle", test_values({2, 3}), {2, 1, 3}, [](const Tensor& t) { return t.unsqueeze(1); },
      [](const Index& i) { return at(i[0], i[2]); })};
}

// The views themselves run no kernel; their gradients and copies do.
ORDO_OP_SIZES(view) {
  return {view_sample(
      "merge", test_values({n, 4}), {2 * n, 2}, [](const Tensor& t) { return t.contiguous().view(dims(-1, 2)); },
      flat_in({2 * n, 2}, {n, 4}))};
}
ORDO_OP_SIZES(reshape) {
  return {view_sample(
      "copy", test_values({n, 4}), {4 * n}, [](const Tensor& t) { return t.transpose(0, 1).reshape({-1}); },
      [n](const Index& i) { return at(i[0] % n, i[0] / n); })};
}
ORDO_OP_SIZES(flatten) {
  return {view_sample(
      "all", test_values({2, n}), {2 * n}, [](const Tensor& t) { return t.flatten(); }, flat_in({2 * n}, {2, n}))};
}
ORDO_OP_SIZES(unbind) {
  return {view_sample(
      "all", test_values({2, n}), {2 * n}, [](const Tensor& t) { return turned(unbind(t, 0), 0); },
      [n](const Index& i) { return at((i[0] / n + 1) % 2, i[0] % n); })};
}
ORDO_OP_SIZES(split) {
  return {view_sample(
      "halves", test_values({2 * n}), {2 * n}, [n](const Tensor& t) { return turned(split(t, n), 0); },
      [n](const Index& i) { return Index{(i[0] + n) % (2 * n)}; })};
}
ORDO_OP_SIZES(chunk) {
  return {view_sample(
      "halves", test_values({2 * n}), {2 * n}, [](const Tensor& t) { return turned(chunk(t, 2), 0); },
      [n](const Index& i) { return Index{(i[0] + n) % (2 * n)}; })};
}
ORDO_OP_SIZES(movedim) {
  return {view_sample(
      "ends", test_values({n, 3}), {3, n}, [](const Tensor& t) { return movedim(t, 0, 1); },
      [](const Index& i) { return at(i[1], i[0]); })};
}
ORDO_OP_SIZES(meshgrid) {
  return {view_sample(
      "one", test_values({n}), {n, 2},
      [](const Tensor& t) {
        return meshgrid({t, zeros({2}, t.options())})[0];
      },
      [](const Index& i) { return Index{i[0]}; })};
}
ORDO_OP_SIZES(transpose) {
  return {view_sample(
      "ends", test_values({n, 3}), {3, n}, [](const Tensor& t) { return t.transpose(0, -1); },
      [](const Index& i) { return at(i[1], i[0]); })};
}
ORDO_OP_SIZES(permute) {
  return {view_sample(
      "cycle", test_values({2, 3, n}), {n, 2, 3}, [](const Tensor& t) { return t.permute(dims(2, 0, 1)); },
      [](const Index& i) { return at(i[1], i[2], i[0]); })};
}
ORDO_OP_SIZES(slice) {
  return {view_sample(
      "step", test_values({3, 2 * n}), {3, n}, [n](const Tensor& t) { return t.slice(1, 1, 2 * n, 2); },
      [](const Index& i) { return at(i[0], 1 + 2 * i[1]); })};
}
ORDO_OP_SIZES(select) {
  return {view_sample(
      "column", test_values({n, 3}), {n}, [](const Tensor& t) { return t.select(1, 1); },
      [](const Index& i) { return at(i[0], 1); })};
}
ORDO_OP_SIZES(narrow) {
  return {view_sample(
      "middle", test_values({3, n + 2}), {3, n}, [n](const Tensor& t) { return t.narrow(-1, 1, n); },
      [](const Index& i) { return at(i[0], i[1] + 1); })};
}
ORDO_OP_SIZES(expand) {
  return {view_sample(
              "rows", test_values({3, 1}), {3, n}, [n](const Tensor& t) { return t.expand(dims(3, n)); },
              [](const Index& i) { return at(i[0], 0); }),
          view_sample(
              "columns", test_values({1, n}), {4, n}, [n](const Tensor& t) { return t.expand(dims(4, n)); },
              [](const Index& i) { return at(0, i[1]); })};
}
ORDO_OP_SIZES(squeeze) {
  return {view_sample(
      "one", test_values({3, 1, n}), {3, n}, [](const Tensor& t) { return t.squeeze(1); },
      [](const Index& i) { return at(i[0], 0, i[1]); })};
}
ORDO_OP_SIZES(unsqueeze) {
  return {view_sample(
      "middle", test_values({3, n}), {3, 1, n}, [](const Tensor& t) { return t.unsqueeze(1); },
      [](const Index& i) { return at(i[0], i[2]); })};
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

}  // namespace ordo::test::views_samples_test
