// MultiheadAttention against its formula in plain loops, and against the operation.
#include <cmath>

#include "tests/support/names_of.h"
#include "tests/support/op_samples.h"

namespace ordo::test::multihead_attention_test {
namespace {

using Values = std::vector<double>;

/// Rows of x times weight^T plus bias.
Values project(const Values& x, int64_t columns, const Values& weight, const Values& bias) {
  const size_t n = size_t(columns), rows = x.size() / n, outs = weight.size() / n;
  Values y;
  for (size_t r = 0; r < rows; ++r)
    for (size_t o = 0; o < outs; ++o) {
      double sum = bias.empty() ? 0 : bias[o];
      for (size_t i = 0; i < n; ++i) sum += x[r * n + i] * weight[o * n + i];
      y.push_back(sum);
    }
  return y;
}

struct Reference {
  Values output, weights;  // [N, L, E], [N, H, L, S]
};

/// query [N, L, E], key and value [N, S, ...] with projections of their own; added [N, H, L, S].
Reference reference(const Tensor& query, const Tensor& key, const Tensor& value, const Values (&weight)[3],
                    const Values (&bias)[3], const Values& out_weight, const Values& out_bias, int64_t heads,
                    const std::function<double(int64_t, int64_t, int64_t, int64_t)>& added) {
  const int64_t batch = query.size(0), length = query.size(1), e = query.size(2), keys = key.size(1), d = e / heads;
  const Values q = project(query.to_vector<double>(), e, weight[0], bias[0]);
  const Values k = project(key.to_vector<double>(), key.size(2), weight[1], bias[1]);
  const Values v = project(value.to_vector<double>(), value.size(2), weight[2], bias[2]);
  Reference r;
  Values joined(size_t(batch * length * e));
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t l = 0; l < length; ++l) {
        Values scores;
        double greatest = -INFINITY, sum = 0;
        for (int64_t s = 0; s < keys; ++s) {
          double score = 0;
          for (int64_t i = 0; i < d; ++i)
            score += q[size_t((n * length + l) * e + h * d + i)] * k[size_t((n * keys + s) * e + h * d + i)];
          scores.push_back(score / std::sqrt(double(d)) + added(n, h, l, s));
          greatest = std::max(greatest, scores.back());
        }
        for (double& s : scores) sum += s = greatest == -INFINITY ? 0 : std::exp(s - greatest);
        for (int64_t s = 0; s < keys; ++s) {
          const double w = sum == 0 ? 0 : scores[size_t(s)] / sum;
          r.weights.push_back(w);
          for (int64_t i = 0; i < d; ++i)
            joined[size_t((n * length + l) * e + h * d + i)] += w * v[size_t((n * keys + s) * e + h * d + i)];
        }
      }
  r.output = project(joined, e, out_weight, out_bias);
  return r;
}

double nothing(int64_t, int64_t, int64_t, int64_t) { return 0; }
/// Leaves out what comes later.
double causal(int64_t, int64_t, int64_t query, int64_t key) { return key > query ? -INFINITY : 0; }

void expect_near(const Tensor& got, const Values& expected, const char* what) {
  const Values values = got.to_vector<double>();
  ASSERT_EQ(values.size(), expected.size()) << what;
  // Sums of some ten products of numbers of about 2, in float64.
  for (size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], expected[i], 1e-13) << what << " " << i;
}

Values part(const Tensor& t, int64_t first, int64_t count) { return t.narrow(0, first, count).to_vector<double>(); }

TEST(MultiheadAttention, computes_its_formula) {
  manual_seed(5);
  const int64_t n = 2, l = 3, s = 4, e = 6, h = 2;
  nn::MultiheadAttention attention(e, h, {.batch_first = true});
  attention.to(float64);
  nn::init::uniform_(attention.in_proj_bias, -1, 1);
  nn::init::uniform_(attention.out_proj.bias, -1, 1);
  const Tensor query = test_values({n, l, e}), key = test_values({n, s, e}, 1), value = test_values({n, s, e}, 2);
  const Tensor& w = attention.in_proj_weight;
  const Tensor& b = attention.in_proj_bias;
  const Values weights[3] = {part(w, 0, e), part(w, e, e), part(w, 2 * e, e)};
  const Values biases[3] = {part(b, 0, e), part(b, e, e), part(b, 2 * e, e)};
  const Reference expected =
      reference(query, key, value, weights, biases, attention.out_proj.weight.to_vector<double>(),
                attention.out_proj.bias.to_vector<double>(), h, nothing);
  expect_near(attention(query, key, value).output, expected.output, "plain");

  const auto both = attention(query, key, value, {.need_weights = true, .average_attn_weights = false});
  EXPECT_EQ(both.weights.sizes(), (Dims{n, h, l, s}));
  expect_near(both.weights, expected.weights, "weights");
  expect_near(both.output, expected.output, "output beside weights");
  const auto mean = attention(query, key, value, {.need_weights = true});
  EXPECT_EQ(bytes_of(mean.weights), bytes_of(both.weights.mean(1)));
  EXPECT_FALSE(attention(query, key, value).weights.defined());
}

TEST(MultiheadAttention, sizes_of_keys_and_values_of_their_own) {
  manual_seed(6);
  const int64_t n = 2, l = 3, s = 4, e = 6, h = 3;
  nn::MultiheadAttention attention(e, h, {.bias = false, .kdim = 5, .vdim = 7, .batch_first = true});
  attention.to(float64);
  const Tensor query = test_values({n, l, e}), key = test_values({n, s, 5}, 1), value = test_values({n, s, 7}, 2);
  const Values weights[3] = {attention.q_proj_weight.to_vector<double>(), attention.k_proj_weight.to_vector<double>(),
                             attention.v_proj_weight.to_vector<double>()};
  const Values biases[3];
  const Reference expected =
      reference(query, key, value, weights, biases, attention.out_proj.weight.to_vector<double>(), {}, h, nothing);
  expect_near(attention(query, key, value).output, expected.output, "kdim and vdim");
}

// Keys and values are their own projections here, so that the keys that options add are those of longer inputs. Of
// masks true is left out; without added keys, sample 1 has none.
TEST(MultiheadAttention, masks_and_keys_that_options_add) {
  manual_seed(6);
  const int64_t n = 2, l = 3, s = 4, e = 6, h = 2;
  const Tensor query = test_values({n, l, e}), key = test_values({n, s, e}, 1), value = test_values({n, s, e}, 2);
  const Tensor padding = from_vector<uint8_t>({0, 0, 1, 0, 1, 1, 1, 1}, {n, s}).to(boolean);
  const Tensor numbers = test_values({n * h, l, s}, 3);
  const auto left_out = padding.to_vector<double>(), more = numbers.to_vector<double>();
  for (bool bias : {false, true})
    for (bool zero : {false, true}) {
      nn::MultiheadAttention attention(e, h, {.add_bias_kv = bias, .add_zero_attn = zero, .batch_first = true});
      attention.to(float64);
      EXPECT_EQ(attention.bias_k.defined(), bias);
      EXPECT_TRUE(!bias || attention.bias_k.abs().min().item() > 0);
      TensorList keys{key}, values{value};
      if (bias) keys.push_back(attention.bias_k.detach().expand({n, 1, e}));
      if (bias) values.push_back(attention.bias_v.detach().expand({n, 1, e}));
      if (zero) keys.push_back(zeros({n, 1, e}, float64)), values.push_back(zeros({n, 1, e}, float64));
      const Tensor own =
          cat({attention.in_proj_weight.detach().narrow(0, 0, e), eye(e).to(float64), eye(e).to(float64)});
      attention.load_state_dict({{"in_proj_weight", own}}, false);
      const Values weights[3] = {part(own, 0, e), part(own, e, e), part(own, 2 * e, e)};
      const Values biases[3];
      const auto expected = [&](auto&& added) {
        return reference(query, cat(keys, 1), cat(values, 1), weights, biases,
                         attention.out_proj.weight.to_vector<double>(), attention.out_proj.bias.to_vector<double>(), h,
                         added);
      };
      const auto expect_all = [&](nn::MultiheadAttentionCall call, const char* what, auto&& added) {
        const Reference r = expected([&](int64_t i, int64_t head, int64_t a, int64_t j) {
          return j < s ? added(i, head, a, j) : 0.0;  // the others are left out for none
        });
        expect_near(attention(query, key, value, call).output, r.output, what);
        call.need_weights = true;
        call.average_attn_weights = false;
        const auto got = attention(query, key, value, call);
        EXPECT_EQ(got.weights.size(3), s + bias + zero);
        expect_near(got.output, r.output, what);
        expect_near(got.weights, r.weights, what);
      };
      expect_all({}, "plain", nothing);
      const int64_t after = std::max<int64_t>(0, s - l);  // the last query is that of the last key
      expect_all({.is_causal = true}, "causal",
                 [&](int64_t, int64_t, int64_t a, int64_t j) { return j > a + after ? -INFINITY : 0.0; });
      expect_all({.attn_mask = triu(ones({l, s}, boolean), 1)}, "bool mask", causal);
      expect_all({.key_padding_mask = padding}, "padding",
                 [&](int64_t i, int64_t, int64_t, int64_t j) { return left_out[size_t(i * s + j)] ? -INFINITY : 0.0; });
      expect_all({.key_padding_mask = padding, .attn_mask = numbers, .is_causal = true}, "masks",
                 [&](int64_t i, int64_t head, int64_t a, int64_t j) {
                   return left_out[size_t(i * s + j)] || j > a + after ? -INFINITY
                                                                       : more[size_t(((i * h + head) * l + a) * s + j)];
                 });
    }
  nn::MultiheadAttention both(4, 2, {.add_bias_kv = true, .add_zero_attn = true});
  both.to(float64);
  Tensor x = test_values({3, 2, 4});
  x.set_requires_grad();
  const TensorList inputs{both.bias_k, both.bias_v, x};
  const auto output = [&](const TensorList& in) {
    both.bias_k = in[0], both.bias_v = in[1];
    return both(in[2], in[2], in[2], {.is_causal = true}).output;
  };
  EXPECT_EQ(gradcheck(output, inputs), "");
  EXPECT_EQ(both.description(), "MultiheadAttention(4, 2, add_bias_kv=true, add_zero_attn=true)");
}

TEST(MultiheadAttention, is_the_operation_of_its_projections) {
  manual_seed(7);
  nn::MultiheadAttention attention(8, 2, {.batch_first = true});
  const Tensor x = test_values({2, 5, 8}).to(float32);
  const Tensor all = linear(x, attention.in_proj_weight, attention.in_proj_bias);
  const auto heads = [&](int64_t first) { return all.narrow(-1, first, 8).unflatten(-1, {2, 4}).transpose(1, 2); };
  const Tensor y = scaled_dot_product_attention(heads(0), heads(8), heads(16), {}, 0, true);
  const Tensor expected = attention.out_proj(y.transpose(1, 2).flatten(-2));
  EXPECT_EQ(bytes_of(attention(x, x, x, {.is_causal = true}).output), bytes_of(expected));
}

TEST(MultiheadAttention, layouts) {
  manual_seed(8);
  nn::MultiheadAttention first(8, 2, {.batch_first = true}), second(8, 2);
  second.load_state_dict(first.state_dict());
  first.to(float64);
  second.to(float64);
  const Tensor q = test_values({2, 3, 8}), k = test_values({2, 5, 8}, 1);
  const Tensor padding = from_vector<uint8_t>({0, 0, 1, 0, 1, 0, 0, 1, 1, 0}, {2, 5}).to(boolean);
  const nn::MultiheadAttentionCall call{.key_padding_mask = padding, .need_weights = true};
  const auto a = first(q, k, k, call), b = second(q.transpose(0, 1), k.transpose(0, 1), k.transpose(0, 1), call);
  EXPECT_EQ(b.output.sizes(), (Dims{3, 2, 8}));
  expect_near(b.output.transpose(0, 1), a.output.to_vector<double>(), "[length, N, ...]");
  expect_near(b.weights, a.weights.to_vector<double>(), "weights");
  const auto c = second(q[1], k[1], k[1], {.key_padding_mask = padding[1], .need_weights = true});
  EXPECT_EQ(c.output.sizes(), (Dims{3, 8}));
  EXPECT_EQ(c.weights.sizes(), (Dims{3, 5}));
  expect_near(c.output, a.output[1].to_vector<double>(), "without a batch");
}

TEST(MultiheadAttention, names_and_initial_values_are_pytorchs) {
  manual_seed(9);
  const nn::MultiheadAttention one(8, 2), other(8, 2, {.kdim = 3});
  EXPECT_EQ(names_of(one.state_dict()), "in_proj_weight in_proj_bias out_proj.weight out_proj.bias");
  EXPECT_EQ(names_of(other.state_dict()),
            "q_proj_weight k_proj_weight v_proj_weight in_proj_bias out_proj.weight out_proj.bias");
  EXPECT_EQ(one.in_proj_weight.sizes(), (Dims{24, 8}));
  EXPECT_EQ(other.k_proj_weight.sizes(), (Dims{8, 3}));
  const double bound = std::sqrt(6.0 / (8 + 24));
  EXPECT_LE(one.in_proj_weight.abs().max().item(), bound);
  EXPECT_GT(one.in_proj_weight.abs().max().item(), 0.9 * bound);
  EXPECT_EQ(one.in_proj_bias.abs().max().item(), 0);
  EXPECT_EQ(one.out_proj.bias.abs().max().item(), 0);
}

TEST(MultiheadAttention, gradients_and_dropout) {
  manual_seed(10);
  nn::MultiheadAttention attention(4, 2, {.dropout = 0.5, .batch_first = true});
  attention.to(float64);
  const Tensor padding = from_vector<uint8_t>({0, 0, 1, 0, 1, 0}, {2, 3}).to(boolean);
  Tensor x = test_values({2, 3, 4});
  x.set_requires_grad();
  nn::Parameter* const parameters[] = {&attention.in_proj_weight, &attention.in_proj_bias, &attention.out_proj.weight,
                                       &attention.out_proj.bias};
  TensorList inputs;
  for (const nn::Parameter* p : parameters) inputs.push_back(*p);
  inputs.push_back(x);
  attention.eval();
  const auto output = [&](const TensorList& in) {
    for (size_t i = 0; i < 4; ++i) *parameters[i] = in[i];
    return attention(in.back(), in.back(), in.back(), {.key_padding_mask = padding, .is_causal = true}).output;
  };
  EXPECT_EQ(gradcheck(output, inputs), "");
  for (size_t i = 0; i < 4; ++i) *parameters[i] = inputs[i];
  const Tensor kept = attention(x, x, x).output;
  attention.train();
  EXPECT_NE(bytes_of(attention(x, x, x).output), bytes_of(kept));
  manual_seed(3);
  const Tensor drawn = attention(x, x, x).output;
  manual_seed(3);
  EXPECT_EQ(bytes_of(attention(x, x, x).output), bytes_of(drawn));
  // Beside weights the same elements are dropped.
  manual_seed(3);
  const auto beside = attention(x, x, x, {.need_weights = true, .average_attn_weights = false});
  expect_near(beside.output, drawn.to_vector<double>(), "dropout beside weights");
  EXPECT_EQ((beside.weights == 0).any().item<bool>(), true);
}

TEST(MultiheadAttention, impossible_arguments) {
  EXPECT_ORDO_ERROR(nn::MultiheadAttention(8, 2, {.dropout = 2}), ValueError, "dropout = 2");
  EXPECT_ORDO_ERROR(nn::MultiheadAttention(8, 2, {.vdim = 0}), ValueError, "vdim");
  nn::MultiheadAttention attention(8, 2, {.batch_first = true});
  const Tensor x = zeros({2, 3, 8});
  EXPECT_ORDO_ERROR(attention(x, x, zeros({2, 3, 7})), ShapeError, "features");
  EXPECT_ORDO_ERROR(attention(x, x, zeros({2, 4, 8})), ShapeError, "a value for each key");
  EXPECT_ORDO_ERROR(attention(x, x[0], x[0]), ShapeError, "three dimensions");
  EXPECT_ORDO_ERROR(attention(x, x, x, {.key_padding_mask = zeros({3, 2}, boolean)}), ShapeError, "key_padding_mask");
  EXPECT_ORDO_ERROR(attention(x, x, x, {.attn_mask = zeros({3, 2}, boolean)}), ShapeError, "attn_mask");
  EXPECT_ORDO_ERROR(attention(x, x, x, {.attn_mask = zeros({3, 3}, int64)}), DTypeError, "bool or floating");
}

}  // namespace
}  // namespace ordo::test::multihead_attention_test
