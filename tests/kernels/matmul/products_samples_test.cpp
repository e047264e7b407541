// Samples and rules of products made of matmul, of einsum, distances and attention.
#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::products_samples_test {
namespace {

using Values = std::vector<double>;

/// Sums over every index of every letter, the result's first.
Values einsum_reference(const std::string& equation, const TensorList& in) {
  const size_t arrow = equation.find("->");
  std::vector<std::string> letters(1);
  for (char c : equation.substr(0, arrow)) {
    if (c == ',')
      letters.emplace_back();
    else
      letters.back().push_back(c);
  }
  const std::string result = equation.substr(arrow + 2);
  std::string order = result;
  std::map<char, int64_t> size;
  for (size_t k = 0; k < letters.size(); ++k)
    for (size_t d = 0; d < letters[k].size(); ++d) {
      const char c = letters[k][d];
      if (order.find(c) == std::string::npos) order.push_back(c);
      size[c] = std::max(size[c], in[k].sizes()[int(d)]);
    }
  std::vector<Values> values;
  for (const Tensor& t : in) values.push_back(t.to_vector<double>());
  int64_t results = 1, terms = 1;
  for (char c : order) (result.find(c) != std::string::npos ? results : terms) *= size[c];
  Values out(size_t(results), 0.0);
  for (int64_t n = 0; n < results * terms; ++n) {
    std::map<char, int64_t> at;
    int64_t rest = n;
    for (size_t i = order.size(); i-- > 0; rest /= size[order[i]]) at[order[i]] = rest % size[order[i]];
    double product = 1;
    for (size_t k = 0; k < letters.size(); ++k) {
      int64_t flat = 0;
      for (size_t d = 0; d < letters[k].size(); ++d) {
        const int64_t own = in[k].sizes()[int(d)];
        flat = flat * own + (own == 1 ? 0 : at[letters[k][d]]);
      }
      product *= values[k][size_t(flat)];
    }
    out[size_t(n / terms)] += product;
  }
  return out;
}

/// `full` says what `equation` means, with "->" and a letter for each dimension.
Sample einsum_sample(const std::string& equation, const std::vector<Dims>& shapes, std::string full = "") {
  if (full.empty()) full = equation;
  Sample s;
  s.label = equation;
  int64_t most = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    s.inputs.push_back(test_values(shapes[i], i + 1));
    most = std::max(most, shapes[i].product());
  }
  s.run = [equation](const TensorList& in) { return einsum(equation, in); };
  s.reference = [full](const TensorList& in) { return einsum_reference(full, in); };
  s.gradient = most < 60;
  s.tolerance = 16 + double(most) / 8;
  return s;
}

ORDO_OP_SAMPLES(einsum) {
  return {einsum_sample("ij,jk->ik", {{3, 4}, {4, 2}}),
          einsum_sample("ij,jk", {{3, 4}, {4, 2}}, "ij,jk->ik"),
          einsum_sample("ba", {{3, 4}}, "ba->ab"),
          einsum_sample("aB,Bc", {{3, 4}, {4, 2}}, "aB,Bc->ac"),
          einsum_sample(" i j , k j -> k i ", {{3, 4}, {2, 4}}, "ij,kj->ki"),
          einsum_sample("bij,bjk->bik", {{2, 3, 4}, {2, 4, 2}}),
          einsum_sample("bij,bjk->ik", {{2, 3, 4}, {2, 4, 2}}),
          einsum_sample("...ij,...jk->...ik", {{2, 1, 3, 2}, {3, 2, 2}}, "xyij,yjk->xyik"),
          einsum_sample("...i,i...", {{2, 3}, {3, 2}}, "xi,ix->x"),
          einsum_sample("...->", {{2, 3}}, "ab->"),
          einsum_sample("ii->i", {{3, 3}}),
          einsum_sample("ii", {{3, 3}}, "ii->"),
          einsum_sample("iij,jk->ki", {{2, 2, 3}, {3, 2}}),
          einsum_sample("iii->i", {{2, 2, 2}}),
          einsum_sample("i,j->ij", {{3}, {4}}),
          einsum_sample("i,i", {{5}, {5}}, "i,i->"),
          einsum_sample(",i->i", {{}, {3}}),
          einsum_sample("i,j,k->kji", {{2}, {3}, {2}}),
          einsum_sample("ij,j,jk,l->ikl", {{2, 3}, {3}, {3, 2}, {2}}),
          einsum_sample("ij,kl->ik", {{2, 3}, {3, 2}}),
          einsum_sample("ij,ij->ij", {{2, 1}, {2, 3}}),
          einsum_sample("ij,jk->ik", {{2, 1}, {3, 2}}),
          einsum_sample("ij->ji", {{2, 3}}),
          einsum_sample("ij->", {{0, 3}}),
          einsum_sample("bhqd,bhkd->bhqk", {{2, 3, 9, 8}, {2, 3, 11, 8}})};
}
ORDO_OP_SIZES(einsum) {
  return {einsum_sample("ij,jk->ik", {{n, 2}, {2, 3}}), einsum_sample("ij,jk->ik", {{2, n}, {n, 2}}),
          einsum_sample("bij,bj->bi", {{n, 2, 2}, {n, 2}})};
}

// -- sums with products

Sample addmm_sample(int64_t m, int64_t k, int64_t n, const Dims& input, double beta, double alpha) {
  Sample s = new_sample(input.str() + " " + Dims{m, k, n}.str() + " beta " + std::to_string(beta),
                        {test_values(input, 1), test_values({m, k}, 2), test_values({k, n}, 3)});
  s.run = [=](const TensorList& in) { return addmm(in[0], in[1], in[2], int(beta), int(alpha)); };
  s.reference = [=](const TensorList& in) {
    Values out = einsum_reference("ik,kj->ij", {in[1], in[2]});
    const auto start = in[0].expand({m, n}).to_vector<double>();
    for (size_t i = 0; i < out.size(); ++i) out[i] = beta * start[i] + alpha * out[i];
    return out;
  };
  s.gradient = m * k * n < 100;
  s.tolerance = 8 + double(k) / 4;
  return s;
}
ORDO_OP_SAMPLES(addmm) {
  return {addmm_sample(3, 4, 2, {3, 2}, 1, 1), addmm_sample(3, 4, 2, {2}, 2, -3), addmm_sample(3, 4, 2, {3, 1}, 0, 2),
          addmm_sample(3, 0, 2, {3, 2}, 1, 1), addmm_sample(0, 3, 2, {2}, 1, 1),  addmm_sample(17, 40, 33, {33}, 2, 1)};
}
ORDO_OP_SIZES(addmm) {
  return {addmm_sample(n, 3, 2, {2}, 1, 1), addmm_sample(2, n, 3, {3}, 1, 2), addmm_sample(2, 3, n, {n}, 2, 1)};
}
ORDO_OP_INTEGER(addmm, "beta", addmm(some(d), ones({2, 2}, d), some(d), v));
ORDO_OP_INTEGER(addmm, "alpha of int32", [&] {
  const Tensor t = some(d).to(int32);
  return addmm(t, ones({2, 2}, {int32, d}), t, 1, v);
}());

Sample baddbmm_sample(int64_t b, int64_t m, int64_t k, int64_t n) {
  Sample s = new_sample(Dims{b, m, k, n}.str(),
                        {test_values({m, n}, 1), test_values({b, m, k}, 2), test_values({b, k, n}, 3)});
  s.run = [](const TensorList& in) { return baddbmm(in[0], in[1], in[2], 2, -1); };
  s.reference = [=](const TensorList& in) {
    Values out = einsum_reference("bik,bkj->bij", {in[1], in[2]});
    const auto start = in[0].expand({b, m, n}).to_vector<double>();
    for (size_t i = 0; i < out.size(); ++i) out[i] = 2 * start[i] - out[i];
    return out;
  };
  s.gradient = b * m * k * n < 100;
  s.tolerance = 8 + double(k) / 4;
  return s;
}
ORDO_OP_SAMPLES(baddbmm) {
  return {baddbmm_sample(2, 3, 4, 2), baddbmm_sample(0, 2, 3, 2), baddbmm_sample(3, 9, 17, 11)};
}
ORDO_OP_SIZES(baddbmm) { return {baddbmm_sample(n, 2, 2, 2), baddbmm_sample(2, n, 2, 2)}; }
ORDO_OP_INTEGER(baddbmm, "beta", [&] {
  const Tensor t = some(d).unsqueeze(0);
  return baddbmm(t, ones({1, 2, 2}, d), t, v);
}());

Sample dot_sample(int64_t n) {
  Sample s = new_sample(std::to_string(n), {test_values({n}, 1), test_values({n}, 2)});
  s.run = [](const TensorList& in) { return dot(in[0], in[1]); };
  s.reference = [](const TensorList& in) { return einsum_reference("a,a->", in); };
  s.gradient = n < 60;
  s.tolerance = 8 + double(n) / 8;
  return s;
}
ORDO_OP_SAMPLES(dot) { return {dot_sample(0), dot_sample(5), dot_sample(300), dot_sample(5000)}; }
ORDO_OP_SIZES(dot) { return {dot_sample(n)}; }

Sample tensordot_sample(const Dims& a, const Dims& b, const std::pair<Dims, Dims>& dims, const char* means) {
  Sample s = new_sample(means, {test_values(a, 1), test_values(b, 2)});
  s.run = [dims](const TensorList& in) { return tensordot(in[0], in[1], dims); };
  s.reference = [means](const TensorList& in) { return einsum_reference(means, in); };
  s.gradient = a.product() < 60 && b.product() < 60;
  s.tolerance = 8 + double(a.product()) / 8;
  return s;
}
Sample outer_sample(int64_t m, int64_t n) {
  return {.label = std::to_string(m) + " " + std::to_string(n),
          .inputs = {test_values({m}, 1), test_values({n}, 2)},
          .run = [](const TensorList& in) { return outer(in[0], in[1]); },
          .reference =
              [](const TensorList& in) {
                Values out;
                for (double a : in[0].to_vector<double>())
                  for (double b : in[1].to_vector<double>()) out.push_back(a * b);
                return out;
              }};
}
ORDO_OP_SAMPLES(outer) { return {outer_sample(3, 4), outer_sample(0, 2)}; }
ORDO_OP_SIZES(outer) { return {outer_sample(n, 3), outer_sample(3, n)}; }

ORDO_OP_SAMPLES(tensordot) {
  return {tensordot_sample({2, 3, 4}, {4, 3, 2}, {{1, 2}, {1, 0}}, "abc,cbd->ad"),
          tensordot_sample({2, 3}, {4}, {{}, {}}, "ab,c->abc"),
          tensordot_sample({2, 3}, {3, 2}, {{0, -1}, {1, 0}}, "ab,ba->"),
          tensordot_sample({0, 3}, {3, 2}, {{1}, {0}}, "ab,bc->ac")};
}
ORDO_OP_SIZES(tensordot) {
  return {tensordot_sample({n, 3}, {3, 2}, {{1}, {0}}, "ab,bc->ac"),
          tensordot_sample({n, 3}, {2, n}, {{0}, {1}}, "ab,ca->bc")};
}
ORDO_OP_INTEGER(tensordot, "dims", tensordot(some(d), some(d).t(), v));
ORDO_OP_INTEGER(tensordot, "a dimension", tensordot(some(d), some(d), std::pair<Dims, Dims>{{v}, {0}}));

// -- distances

double p_norm(const Values& v, double p) {
  double s = 0;
  if (std::isinf(p))
    for (double x : v) s = std::max(s, std::abs(x));
  else
    for (double x : v) s += p == 0 ? double(x != 0) : std::pow(std::abs(x), p);
  return p == 0 || std::isinf(p) ? s : std::pow(s, 1 / p);
}

Sample cdist_sample(const Dims& batch, int64_t rows, int64_t others, int64_t length, double p) {
  Dims a{rows, length}, b{others, length};
  for (int d = batch.size() - 1; d >= 0; --d) a.insert(0, batch[d]);
  Sample s = new_sample(a.str() + " " + b.str() + " p " + std::to_string(p), {test_values(a, 1), test_values(b, 2)});
  s.run = [p](const TensorList& in) { return cdist(in[0], in[1], p); };
  s.reference = [=](const TensorList& in) {
    const auto x = in[0].to_vector<double>(), y = in[1].to_vector<double>();
    Values out;
    for (int64_t i = 0; i < batch.product() * rows; ++i)
      for (int64_t j = 0; j < others; ++j) {
        Values v;
        for (int64_t k = 0; k < length; ++k) v.push_back(x[size_t(i * length + k)] - y[size_t(j * length + k)]);
        out.push_back(p_norm(v, p));
      }
    return out;
  };
  s.gradient = p >= 1 && !std::isinf(p) && a.product() * others < 100;
  s.second_order = p == 2;
  s.tolerance = 8 + double(length) / 8;
  return s;
}
ORDO_OP_SAMPLES(cdist) {
  return {cdist_sample({}, 3, 4, 2, 2),        cdist_sample({}, 3, 2, 3, 1), cdist_sample({2}, 2, 3, 2, 3),
          cdist_sample({}, 3, 2, 4, INFINITY), cdist_sample({}, 3, 2, 4, 0), cdist_sample({}, 0, 2, 3, 2),
          cdist_sample({2}, 9, 17, 20, 2)};
}
ORDO_OP_SIZES(cdist) {
  return {cdist_sample({}, n, 2, 3, 2), cdist_sample({}, 2, n, 3, 2), cdist_sample({}, 2, 2, n, 2)};
}

Sample normalize_sample(const Dims& sizes, double p) {
  Sample s = new_sample(sizes.str() + " p " + std::to_string(p), {test_values(sizes, 1, 0.25, 2)});
  s.run = [p](const TensorList& in) { return normalize(in[0], p); };
  s.reference = [=](const TensorList& in) {
    auto v = in[0].to_vector<double>();
    const auto n = size_t(sizes[1]), inner = sizes.size() > 2 ? size_t(sizes[2]) : 1;
    for (size_t start = 0; start < v.size(); start += n * inner)
      for (size_t k = 0; k < inner; ++k) {
        Values row;
        for (size_t i = 0; i < n; ++i) row.push_back(v[start + i * inner + k]);
        for (size_t i = 0; i < n; ++i) v[start + i * inner + k] /= std::max(p_norm(row, p), 1e-12);
      }
    return v;
  };
  s.gradient = sizes.product() < 60;
  s.tolerance = 8;
  return s;
}
ORDO_OP_SAMPLES(normalize) {
  return {normalize_sample({3, 4}, 2), normalize_sample({2, 3, 2}, 1), normalize_sample({2, 3, 2}, 3),
          normalize_sample({0, 3}, 2), normalize_sample({31, 33}, 2)};
}
ORDO_OP_SIZES(normalize) { return {normalize_sample({n, 3}, 2), normalize_sample({3, n}, 2)}; }
ORDO_OP_INTEGER(normalize, "dim", normalize(some(d), 2, v));

/// Of rows along the last dimension; `of_rows` is the result of two.
Sample rows_sample(const Dims& a, const Dims& b, const std::function<Tensor(const Tensor&, const Tensor&)>& run,
                   const std::function<double(const Values&, const Values&)>& of_rows) {
  return {.label = a.str() + " " + b.str(),
          .inputs = {test_values(a, 1), test_values(b, 2)},
          .run = [run](const TensorList& in) { return run(in[0], in[1]); },
          .reference =
              [=](const TensorList& in) {
                const Dims sizes = broadcast_sizes("test", a, b);
                const Tensor x = in[0].expand(sizes).reshape({-1, sizes.back()}),
                             y = in[1].expand(sizes).reshape({-1, sizes.back()});
                Values out;
                for (int64_t i = 0; i < x.size(0); ++i)
                  out.push_back(of_rows(x[i].to_vector<double>(), y[i].to_vector<double>()));
                return out;
              },
          .gradient = a.product() < 60,
          .tolerance = 8 + double(a.back()) / 8};
}
Sample pairwise_sample(const Dims& a, const Dims& b, double p) {
  return rows_sample(
      a, b, [p](const Tensor& x, const Tensor& y) { return pairwise_distance(x, y, p, 0.125); },
      [p](Values x, const Values& y) {
        for (size_t i = 0; i < x.size(); ++i) x[i] += 0.125 - y[i];
        return p_norm(x, p);
      });
}
ORDO_OP_SAMPLES(pairwise_distance) {
  return {pairwise_sample({3, 4}, {3, 4}, 2), pairwise_sample({2, 3, 4}, {4}, 3), pairwise_sample({4}, {4}, 2),
          pairwise_sample({0, 4}, {4}, 2), pairwise_sample({31, 33}, {31, 33}, 2)};
}
ORDO_OP_SIZES(pairwise_distance) { return {pairwise_sample({n, 3}, {3}, 2), pairwise_sample({3, n}, {n}, 2)}; }

Sample cosine_sample(const Dims& a, const Dims& b) {
  return rows_sample(
      a, b, [](const Tensor& x, const Tensor& y) { return cosine_similarity(x, y, -1); },
      [](const Values& x, const Values& y) {
        double xx = 0, yy = 0, xy = 0;
        for (size_t i = 0; i < x.size(); ++i) xx += x[i] * x[i], yy += y[i] * y[i], xy += x[i] * y[i];
        return xy / std::sqrt(xx * yy);
      });
}
ORDO_OP_SAMPLES(cosine_similarity) {
  return {cosine_sample({3, 4}, {3, 4}), cosine_sample({2, 3, 4}, {4}), cosine_sample({4}, {2, 4}),
          cosine_sample({0, 4}, {4}), cosine_sample({31, 33}, {31, 33})};
}
ORDO_OP_SIZES(cosine_similarity) { return {cosine_sample({n, 3}, {3}), cosine_sample({3, n}, {n})}; }
ORDO_OP_INTEGER(cosine_similarity, "dim", cosine_similarity(some(d), some(d), v));

// -- attention

enum class Mask { none, causal, flags, numbers };

/// Of queries [b, l, e], keys [b, s, e] and values [b, s, v]; of flags and numbers the last row of the mask lets
/// nothing through.
Sample attention_sample(int64_t b, int64_t l, int64_t s, int64_t e, int64_t v, Mask kind) {
  Sample sample = new_sample(Dims{b, l, s, e, v}.str() + " mask " + std::to_string(int(kind)),
                             {test_values({b, l, e}, 1), test_values({b, s, e}, 2), test_values({b, s, v}, 3)});
  Values mask(size_t(l * s), 0);
  constexpr double least = -std::numeric_limits<double>::infinity();
  const auto draws = test_indices({l, s}, 3, 4).to_vector<int>();
  for (int64_t i = 0; i < l; ++i)
    for (int64_t j = 0; j < s; ++j) {
      double& m = mask[size_t(i * s + j)];
      const int draw = draws[size_t(i * s + j)];
      if (kind == Mask::causal) m = j > i + std::max<int64_t>(0, s - l) ? least : 0;
      if (kind == Mask::flags) m = draw == 0 || i == l - 1 ? least : 0;
      if (kind == Mask::numbers) m = i == l - 1 ? least : draw * 0.5;
    }
  const Tensor bias = from_vector(mask, {l, s});
  sample.run = [=](const TensorList& in) {
    const Tensor own = kind == Mask::flags     ? (bias == 0).to(in[0].device())
                       : kind == Mask::numbers ? bias.to(in[0].device(), in[0].dtype())
                                               : Tensor();
    return scaled_dot_product_attention(in[0], in[1], in[2], own, 0, kind == Mask::causal,
                                        kind == Mask::none ? std::optional<double>(0.5) : std::nullopt);
  };
  sample.reference = [=](const TensorList& in) {
    const auto q = in[0].to_vector<double>(), k = in[1].to_vector<double>(), x = in[2].to_vector<double>();
    const double scale = kind == Mask::none ? 0.5 : 1 / std::sqrt(double(e));
    Values out;
    for (int64_t n = 0; n < b * l; ++n) {
      Values weight;
      double total = 0;
      for (int64_t j = 0; j < s; ++j) {
        double score = 0;
        for (int64_t c = 0; c < e; ++c) score += q[size_t(n * e + c)] * k[size_t((n / l * s + j) * e + c)];
        weight.push_back(std::exp(score * scale + mask[size_t(n % l * s + j)]));
        total += weight.back();
      }
      for (int64_t c = 0; c < v; ++c) {
        double sum = 0;
        for (int64_t j = 0; j < s; ++j) sum += weight[size_t(j)] * x[size_t((n / l * s + j) * v + c)];
        out.push_back(total == 0 ? 0 : sum / total);
      }
    }
    return out;
  };
  sample.gradient = b * l * s * e < 100;
  sample.tolerance = 32;
  return sample;
}
/// Four heads of queries, two of keys and values: as attention_sample of the heads repeated. The mask is one for all
/// heads, or one for each.
Sample shared_heads_sample(const char* label, const Dims& mask, bool is_causal) {
  Sample sample =
      new_sample(label, {test_values({2, 4, 3, 2}, 1), test_values({2, 2, 5, 2}, 2), test_values({2, 2, 5, 3}, 3)});
  if (!mask.empty()) sample.inputs.push_back(test_values(mask, 4));
  sample.run = [=](const TensorList& in) {
    return scaled_dot_product_attention(in[0], in[1], in[2], in.size() > 3 ? in[3] : Tensor(), 0, is_causal, {},
                                        nullptr, true);
  };
  sample.reference = [=](const TensorList& in) {
    const auto repeated = [](const Tensor& t) { return repeat_interleave(t, 2, 1); };
    const Tensor y = scaled_dot_product_attention(in[0], repeated(in[1]), repeated(in[2]),
                                                  in.size() > 3 ? in[3] : Tensor(), 0, is_causal);
    return y.to_vector<double>();
  };
  sample.tolerance = 32;
  return sample;
}
ORDO_OP_SAMPLES(scaled_dot_product_attention) {
  std::vector<Sample> samples{attention_sample(2, 9, 17, 8, 5, Mask::causal),
                              attention_sample(0, 2, 3, 2, 2, Mask::none)};
  for (Mask kind : {Mask::none, Mask::causal, Mask::flags, Mask::numbers})
    samples.push_back(attention_sample(2, 3, 4, 2, 3, kind));
  samples.push_back(shared_heads_sample("shared heads", {}, false));
  samples.push_back(shared_heads_sample("shared heads, causal", {}, true));
  samples.push_back(shared_heads_sample("shared heads, mask", {3, 5}, false));
  samples.push_back(shared_heads_sample("shared heads, mask of one head", {2, 1, 3, 5}, false));
  samples.push_back(shared_heads_sample("shared heads, mask of each", {4, 3, 5}, false));
  return samples;
}
ORDO_OP_SIZES(scaled_dot_product_attention) {
  return {attention_sample(1, n, 2, 2, 2, Mask::none), attention_sample(1, 2, n, 2, 2, Mask::none)};
}

// -- cross

Sample cross_sample(const std::string& label, const Dims& a, const Dims& b, int dim) {
  Sample s = new_sample(label, {test_values(a, 1), test_values(b, 2)});
  s.run = [dim](const TensorList& in) { return cross(in[0], in[1], dim); };
  s.reference = [dim](const TensorList& in) {
    const Dims sizes = broadcast_sizes("cross", in[0].sizes(), in[1].sizes());
    const Values x = in[0].expand(sizes).to_vector<double>(), y = in[1].expand(sizes).to_vector<double>();
    const int d = dim < 0 ? dim + sizes.size() : dim;
    const size_t inner = size_t(Dims(sizes.begin() + d + 1, sizes.size() - d - 1).product());
    Values out(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t at = i / inner % 3, first = i - at * inner, j = first + (at + 1) % 3 * inner,
                   k = first + (at + 2) % 3 * inner;
      out[i] = x[j] * y[k] - x[k] * y[j];
    }
    return out;
  };
  s.tolerance = 8;
  return s;
}

ORDO_OP_SAMPLES(cross) {
  return {cross_sample("rows", {4, 3}, {4, 3}, -1), cross_sample("columns", {2, 3, 5}, {2, 3, 5}, 1),
          cross_sample("one beside many", {1, 3}, {5, 3}, 1)};
}
ORDO_OP_SIZES(cross) { return {cross_sample("rows", {n, 3}, {n, 3}, 1), cross_sample("columns", {3, n}, {3, n}, 0)}; }
ORDO_OP_INTEGER(cross, "dim", cross(some(d), some(d), v));

// -- what samples cannot say

TEST(Products, of_vectors_and_matrices) {
  for (Device device : test_devices()) {
    const Tensor a = tensor<double>({1.0, 2.0, 3.0}).to(device);
    const Tensor m = tensor<double>({1, 2, 3, 4, 5, 6}).to(device).view({2, 3});
    EXPECT_EQ(mv(m, a).to_vector<double>(), (Values{14, 32}));
    EXPECT_EQ(kron(a, m.narrow(0, 0, 1)).to_vector<double>(), (Values{1, 2, 3, 2, 4, 6, 3, 6, 9}));
    EXPECT_EQ(kron(m.narrow(1, 0, 2), m.t()).sizes(), (Dims{6, 4}));
    EXPECT_EQ(addbmm(a, ones({4, 2, 1}, {float64, device}), ones({4, 1, 3}, {float64, device})).to_vector<double>(),
              (Values{5, 6, 7, 5, 6, 7}));
    EXPECT_EQ(tensordot(m, m).item(), 91);
    EXPECT_EQ(tensordot(m, a, 1).to_vector<double>(), (Values{14, 32}));
  }
  const Tensor v = ones({3}), m = ones({2, 3});
  EXPECT_TRUE(addmm(v / 0.0 * 0.0, m, ones({3, 3}), 0).isnan().any().item<bool>() == false) << "input is not read";
  EXPECT_ORDO_ERROR(mv(v, v), ShapeError, "[mv]");
  EXPECT_ORDO_ERROR(kron(ones({1, 1, 1, 1, 1}), v), ShapeError, "[kron]");
}

TEST(Products, gradients_of_what_is_composed) {
  const Tensor a = test_values({3}, 1).set_requires_grad(), m = test_values({3, 3}, 2).set_requires_grad();
  const std::function<Tensor(const TensorList&)> functions[] = {
      [](const TensorList& in) { return mv(in[1], in[0]); }, [](const TensorList& in) { return kron(in[1], in[0]); },
      [](const TensorList& in) { return addbmm(in[0], in[1].unsqueeze(0), in[1].unsqueeze(0), 2, 3); }};
  for (const auto& f : functions) EXPECT_EQ(gradcheck(f, {a, m}, {.second_order = true}), "");
}

TEST(Einsum, refuses) {
  const Tensor m = ones({2, 3});
  EXPECT_ORDO_ERROR(einsum("ij,jk->ik", {m}), ValueError, "is of 2 operands, not 1");
  EXPECT_ORDO_ERROR(einsum("i1->i", {m}), ValueError, "'1'");
  EXPECT_ORDO_ERROR(einsum("ij->ik", {m}), ValueError, "'k' in the result");
  EXPECT_ORDO_ERROR(einsum("ij->ii", {m}), ValueError, "'i' twice");
  EXPECT_ORDO_ERROR(einsum("......", {m}), ValueError, "twice in one place");
  EXPECT_ORDO_ERROR(einsum("i->i->i", {m}), ValueError, "[einsum]");
  EXPECT_ORDO_ERROR(einsum("ij", {}), ValueError, "[einsum]");
  EXPECT_EQ(einsum("ij->i", {tensor<int>({1, 2}).to(int32).view({1, 2})}).dtype(), int32);
}

TEST(Attention, dropout_draws_from_the_generator_and_bad_input_is_refused) {
  const Tensor q = test_values({2, 3, 4}, 1), k = test_values({2, 5, 4}, 2), v = test_values({2, 5, 6}, 3);
  const auto with = [&](uint64_t seed, double p) {
    Generator generator(seed);
    return bytes_of(scaled_dot_product_attention(q, k, v, {}, p, false, {}, &generator));
  };
  EXPECT_EQ(with(1, 0.5), with(1, 0.5));
  EXPECT_NE(with(1, 0.5), with(2, 0.5));
  EXPECT_EQ(with(1, 0), with(2, 0));
  const Tensor mask = ones({3, 5}, boolean);
  EXPECT_ORDO_ERROR(scaled_dot_product_attention(q, k, v, mask, 0, true), ValueError, "not both");
  EXPECT_ORDO_ERROR(scaled_dot_product_attention(q, k, v, {}, 2), ValueError, "dropout_p");
  // A query without keys gives 0 and has no gradient.
  for (const Tensor& none : {zeros({3, 5}, boolean), full({3, 5}, -std::numeric_limits<double>::infinity(), float64)}) {
    const Tensor x = q.clone().set_requires_grad();
    const Tensor y = scaled_dot_product_attention(x, k, v, none);
    EXPECT_EQ(y.abs().max().item(), 0);
    y.sum().backward();
    EXPECT_EQ(x.grad().abs().max().item(), 0);
  }
}

TEST(Attention, shared_heads) {
  const auto of = [](const Dims& q, const Dims& k, const Dims& v) {
    return scaled_dot_product_attention(ones(q), ones(k), ones(v), {}, 0, false, {}, nullptr, true);
  };
  EXPECT_ORDO_ERROR(of({3, 2, 4}, {2, 5, 4}, {2, 5, 4}), ShapeError, "which divides the query's; they have 2 and 2");
  EXPECT_ORDO_ERROR(of({4, 2, 4}, {2, 5, 4}, {4, 5, 4}), ShapeError, "with enable_gqa");
  EXPECT_ORDO_ERROR(of({2, 4}, {5, 4}, {5, 4}), ShapeError, "[..., heads, length, size]");
  // Heads 0 and 1 look at the first head of keys, 2 and 3 at the second.
  const Tensor value = tensor<double>({1, 2}).view({2, 1, 1});
  const Tensor y = scaled_dot_product_attention(zeros({4, 1, 1}, float64), zeros({2, 1, 1}, float64), value, {}, 0,
                                                false, {}, nullptr, true);
  EXPECT_EQ(y.to_vector<double>(), (Values{1, 1, 2, 2}));
}

// Blocks of queries look at fewer keys, but at device_to_device.
TEST(Attention, causal_blocks) {
  for (const auto& [l, s] : {std::pair<int64_t, int64_t>{150, 150}, {150, 40}, {70, 200}}) {
    const Tensor q = test_values({2, l, 4}, 1), k = test_values({2, s, 4}, 2), v = test_values({2, s, 3}, 3);
    const auto at = [&](Determinism level) {
      const DeterminismGuard guard(level);
      return scaled_dot_product_attention(q, k, v, {}, 0, true);
    };
    EXPECT_LT((at(Determinism::run_to_run) - at(Determinism::device_to_device)).abs().max().item(), 1e-13);
  }
}

// In one pass, and of parts.
TEST(Products, gradients_of_cross_have_the_bits_of_its_parts) {
  for (int d : {0, 1, 2}) {
    const auto of = [&](bool parts) {
      Dims sizes{4, 4, 4};
      sizes[d] = 3;
      const Tensor a = test_values(sizes, 1).set_requires_grad(), b = test_values(sizes, 2).set_requires_grad();
      const auto part = [&](const Tensor& t, int i) { return t.narrow(d, i % 3, 1); };
      TensorList all;
      for (int i = 0; i < 3; ++i) all.push_back(part(a, i + 1) * part(b, i + 2) - part(a, i + 2) * part(b, i + 1));
      const Tensor y = parts ? cat(all, d) : cross(a, b, d);
      const TensorList g = grad({y}, {a, b}, {relu(test_values(sizes, 3))});
      return std::vector{bytes_of(y), bytes_of(g[0]), bytes_of(g[1])};
    };
    EXPECT_EQ(of(true), of(false)) << d;
  }
}

TEST(Distances, edges) {
  const Tensor x = zeros({2, 3}, float64).set_requires_grad();
  cdist(x, x).sum().backward();
  EXPECT_EQ(x.grad().abs().max().item(), 0) << "at distance 0";
  EXPECT_EQ(normalize(zeros({1, 3})).abs().max().item(), 0);
  EXPECT_EQ(cosine_similarity(ones({2, 3}), ones({2, 1}), 1).sizes(), (Dims{2}));
  EXPECT_EQ(cosine_similarity(zeros({1, 2}), ones({1, 2})).item<float>(), 0);  // a norm of 0 is eps
  EXPECT_EQ(pairwise_distance(ones({2, 3}), ones({2, 3}), 2, 0, true).sizes(), (Dims{2, 1}));
  EXPECT_EQ(cdist(ones({2, 0}), ones({3, 0})).to_vector<float>(), std::vector<float>(6, 0.0f));
  EXPECT_ORDO_ERROR(cdist(ones({2, 3}), ones({2, 3}), -1), ValueError, "[cdist]");
}

}  // namespace
}  // namespace ordo::test::products_samples_test
