// index and index_put against plain loops over coordinates.
#include "tests/support/op_samples.h"

namespace ordo::test::index_samples_test {
namespace {

using namespace indexing;

/// Rows of a matrix by an index that may count from the end.
Sample rows_sample(const char* label, const Tensor& x, const Tensor& index) {
  return {.label = label,
          .inputs = {x, index},
          .run = [](const TensorList& in) { return in[0].index({in[1] - in[0].size(0)}); },
          .reference =
              [](const TensorList& in) {
                const auto v = in[0].to_vector<double>();
                const int64_t columns = in[0].numel() / in[0].size(0);
                std::vector<double> out;
                for (int64_t row : in[1].to_vector<int64_t>())
                  for (int64_t c = 0; c < columns; ++c) out.push_back(v[size_t(row * columns + c)]);
                return out;
              },
          .gradient = x.numel() <= 100,
          .tolerance = 0};
}

/// x[:, a, b] with an a of shape [n, 1] and a b of shape [m].
Sample pairs_sample(const char* label, const Tensor& x, const Tensor& a, const Tensor& b) {
  return {.label = label,
          .inputs = {x, a, b},
          .run =
              [](const TensorList& in) {
                return in[0].index({Slice(), in[1].view({-1, 1}), in[2]});
              },
          .reference =
              [](const TensorList& in) {
                const auto v = in[0].to_vector<double>();
                std::vector<double> out;
                for (int64_t i = 0; i < in[0].size(0); ++i)
                  for (int64_t r : in[1].to_vector<int64_t>())
                    for (int64_t c : in[2].to_vector<int64_t>())
                      out.push_back(v[size_t((i * in[0].size(1) + r) * in[0].size(2) + c)]);
                return out;
              },
          .gradient = x.numel() <= 100,
          .tolerance = 0};
}

ORDO_OP_SIZES(index) {
  return {rows_sample("items", test_values({5, 3}), test_indices({n}, 5)),
          rows_sample("columns", test_values({4, n}), test_indices({3}, 4)),
          rows_sample("rows", test_values({n, 3}), test_indices({4}, n)),
          pairs_sample("pairs", test_values({2, 3, 4}), test_indices({n}, 3), test_indices({2}, 4)),
          pairs_sample("outer", test_values({n, 3, 4}), test_indices({2}, 3), test_indices({2}, 4))};
}
ORDO_OP_SAMPLES(index) {
  return {rows_sample("rows", test_values({4, 3}), test_indices({6}, 4)),
          rows_sample("int32", test_values({4, 3}), test_indices({6}, 4, 1, int32)),
          rows_sample("nothing", test_values({4, 3}), test_indices({0}, 4)),
          pairs_sample("pairs", test_values({2, 3, 4}), test_indices({5}, 3), test_indices({2}, 4, 0, int32)),
          {.label = "mask",
           .inputs = {test_values({3, 4})},
           .run =
               [](const TensorList& in) {
                 return in[0].index({arange(12).view({3, 4}).to(in[0].device()) >= 5});
               },
           .reference =
               [](const TensorList& in) {
                 const auto v = in[0].to_vector<double>();
                 return std::vector<double>(v.begin() + 5, v.end());
               },
           .tolerance = 0}};
}

/// x[index - n] = values, rows of a matrix; the last of equal ones stays.
Sample put_sample(const char* label, const Tensor& x, const Tensor& index, const Tensor& values) {
  return {.label = label,
          .inputs = {x, index, values},
          .run = [](const TensorList& in) { return in[0].index_put({in[1] - in[0].size(0)}, in[2]); },
          .reference =
              [](const TensorList& in) {
                auto v = in[0].to_vector<double>();
                const auto w = in[2].to_vector<double>();
                const auto rows = in[1].to_vector<int64_t>();
                const size_t columns = v.size() / size_t(in[0].size(0));
                for (size_t i = 0; i < rows.size(); ++i)
                  for (size_t c = 0; c < columns; ++c) v[size_t(rows[i]) * columns + c] = w[i * columns + c];
                return v;
              },
          .gradient = x.numel() <= 100 && values.numel() <= 100,
          .tolerance = 0};
}

ORDO_OP_SIZES(index_put) {
  return {put_sample("items", test_values({5, 3}), test_indices({n}, 5), test_values({n, 3}, 1)),
          put_sample("columns", test_values({4, n}), test_indices({6}, 4), test_values({6, n}, 1)),
          put_sample("rows", test_values({n, 3}), test_indices({4}, n), test_values({4, 3}, 1))};
}
ORDO_OP_SAMPLES(index_put) {
  return {put_sample("rows", test_values({4, 3}), test_indices({6}, 4), test_values({6, 3}, 1)),
          put_sample("int32", test_values({4, 3}), test_indices({6}, 4, 1, int32), test_values({6, 3}, 1)),
          put_sample("nothing", test_values({4, 3}), test_indices({0}, 4), test_values({0, 3}, 1)),
          put_sample("many", test_values({40, 9}), test_indices({500}, 40), test_values({500, 9}, 1)),
          {.label = "several",  // x[[0, 1, 0], :, [2, 2, 2]] = values; the third over the first
           .inputs = {test_values({2, 2, 3}), test_values({3, 2}, 1)},
           .run =
               [](const TensorList& in) {
                 const Device device = in[0].device();
                 return in[0].index_put(
                     {tensor<int64_t>({0, 1, 0}).to(device), Slice(), tensor<int64_t>({2, -1, 2}).to(device)}, in[1]);
               },
           .reference =
               [](const TensorList& in) {
                 auto v = in[0].to_vector<double>();
                 const auto w = in[1].to_vector<double>();
                 v[2] = w[4], v[5] = w[5], v[8] = w[2], v[11] = w[3];
                 return v;
               },
           .tolerance = 0},
          {.label = "added",  // x[[0, 1, 0]] += values
           .inputs = {test_values({2, 2}), test_values({3, 2}, 1)},
           .run =
               [](const TensorList& in) {
                 return in[0].index_put({tensor<int64_t>({0, 1, 0}).to(in[0].device())}, in[1], true);
               },
           .reference =
               [](const TensorList& in) {
                 auto v = in[0].to_vector<double>();
                 const auto w = in[1].to_vector<double>();
                 v[0] += w[0] + w[4], v[1] += w[1] + w[5], v[2] += w[2], v[3] += w[3];
                 return v;
               }}};
}

}  // namespace
}  // namespace ordo::test::index_samples_test
