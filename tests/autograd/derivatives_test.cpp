// docs/derivatives.md, row by row: the programs are here, the points and the gradients there.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <set>

#include "tests/support/op_samples.h"

namespace ordo::test::derivatives_test {
namespace {

using Program = std::function<Tensor(const Tensor& x)>;

const double kInfinity = std::numeric_limits<double>::infinity();

Tensor like(const Tensor& x, double v) { return full_like(x, v); }

Tensor nll(const Tensor& x, double weight, int64_t ignored) {
  return nll_loss(x.unsqueeze(0), tensor<int64_t>({0}), {.weight = like(x, weight), .ignore_index = ignored});
}

Tensor ctc(const Tensor& x, int64_t labels, bool zero_infinity = false) {
  return ctc_loss(x.view({-1, 2}), ones({labels}, {int64}), {x.numel() / 2}, {labels},
                  {.reduction = Reduction::sum, .zero_infinity = zero_infinity});
}

/// By the first column of the page's table. x is float64 of one dimension.
using Programs = std::map<std::string, Program>;

/// Functions of kernels/elementwise/functions.def; some have rows.
const Programs& functions_of_the_table() {
  static const Programs all = {
#define ORDO_FUNCTION(name, ...) {#name, [](auto& x) { return ordo::name(x); }},
#define ORDO_FUNCTION_OF ORDO_FUNCTION
#define ORDO_FUNCTION_OF2 ORDO_FUNCTION
#include <ordo/kernels/elementwise/functions.def>
  };
  return all;
}

/// The others, which all have rows.
const Programs& programs() {
  static const Programs all = {
      {"clamp(-1, 1)", [](auto& x) { return clamp(x, -1, 1); }},
      {"clamp(1, -1)", [](auto& x) { return clamp(x, 1, -1); }},
      {"clamp(min 0)", [](auto& x) { return clamp(x, 0, {}); }},
      {"sqrt, weight 0", [](auto& x) { return sqrt(x) * 0; }},
      {"gelu", [](auto& x) { return gelu(x); }},
      {"gelu(tanh)", [](auto& x) { return gelu(x, GELUApproximate::tanh); }},
      {"pow(x, 0)", [](auto& x) { return pow(x, 0); }},
      {"pow(x, 1)", [](auto& x) { return pow(x, 1); }},
      {"pow(x, 2)", [](auto& x) { return pow(x, 2); }},
      {"pow(x, 0.5)", [](auto& x) { return pow(x, 0.5); }},
      {"pow(x, -1)", [](auto& x) { return pow(x, -1); }},
      {"pow(x, tensor 0)", [](auto& x) { return pow(x, like(x, 0)); }},
      {"pow(x, tensor 1)", [](auto& x) { return pow(x, like(x, 1)); }},
      {"pow(0, y)", [](auto& x) { return pow(0, x); }},
      {"pow(-1, y)", [](auto& x) { return pow(-1, x); }},
      {"pow(tensor 0, y)", [](auto& x) { return pow(like(x, 0), x); }},
      {"div(x, 0)", [](auto& x) { return x / 0; }},
      {"div(1, y)", [](auto& x) { return div(1, x); }},
      {"div(tensor 1, y)", [](auto& x) { return like(x, 1) / x; }},
      {"div(tensor 0, y)", [](auto& x) { return like(x, 0) / x; }},
      {"mul(x, inf)", [](auto& x) { return x * like(x, kInfinity); }},
      {"maximum(x, 1)", [](auto& x) { return maximum(x, like(x, 1)); }},
      {"fmax(x, 1)", [](auto& x) { return fmax(x, like(x, 1)); }},
      {"fmin(x, 1)", [](auto& x) { return fmin(x, like(x, 1)); }},
      {"remainder(x, 3)", [](auto& x) { return remainder(x, 3); }},
      {"remainder(1, y)", [](auto& x) { return remainder(1, x); }},
      {"fmod(1, y)", [](auto& x) { return fmod(like(x, 1), x); }},
      {"hypot(x, 0)", [](auto& x) { return hypot(x, like(x, 0)); }},
      {"logaddexp(x, -inf)", [](auto& x) { return logaddexp(x, like(x, -kInfinity)); }},
      {"xlogy(x, 0)", [](auto& x) { return xlogy(x, 0); }},
      {"xlogy(0, y)", [](auto& x) { return xlogy(0, x); }},
      {"copysign(x, -1)", [](auto& x) { return copysign(x, -1); }},
      {"minimum(x, 1)", [](auto& x) { return minimum(x, like(x, 1)); }},
      {"max", [](auto& x) { return max(x); }},
      {"min", [](auto& x) { return min(x); }},
      {"amax", [](auto& x) { return amax(x); }},
      {"max(dim 0)", [](auto& x) { return max(x, 0).values; }},
      {"max_pool2d", [](auto& x) { return max_pool2d(x.view(dims(1, 1, 2, 2)), 2); }},
      {"var", [](auto& x) { return var(x); }},
      {"var(correction 3)", [](auto& x) { return var(x, Dims{}, 3); }},
      {"std", [](auto& x) { return ordo::std(x); }},
      {"norm", [](auto& x) { return norm(x, 2); }},
      {"norm(0)", [](auto& x) { return norm(x, 0); }},
      {"norm(0.5)", [](auto& x) { return norm(x, 0.5); }},
      {"norm(1)", [](auto& x) { return norm(x, 1); }},
      {"norm(3)", [](auto& x) { return norm(x, 3); }},
      {"norm(inf)", [](auto& x) { return norm(x, kInfinity); }},
      {"softmax, first of two", [](auto& x) { return softmax(x, 0)[0]; }},
      {"log_softmax, second of two", [](auto& x) { return log_softmax(x, 0)[1]; }},
      {"nll_loss, weights 0", [](auto& x) { return nll(x, 0, -100); }},
      {"nll_loss, all ignored", [](auto& x) { return nll(x, 1, 0); }},
      {"l1_loss", [](auto& x) { return l1_loss(x, like(x, 0)); }},
      {"mse_loss", [](auto& x) { return mse_loss(x, like(x, 0)); }},
      {"binary_cross_entropy_with_logits, target 1",
       [](auto& x) { return binary_cross_entropy_with_logits(x, like(x, 1), {.reduction = Reduction::none}); }},
      {"where(false, x, 0)", [](auto& x) { return where(x == 7, x, 0); }},
      {"masked_fill(true)", [](auto& x) { return masked_fill(x, x != 7, 0); }},
      {"mul(where(x > 0, x, 0), inf)", [](auto& x) { return where(x > 0, x, 0) * like(x, kInfinity); }},
      {"prod", [](auto& x) { return prod(x); }},
      {"logsumexp", [](auto& x) { return logsumexp(x, {0}); }},
      {"nansum", [](auto& x) { return nansum(x); }},
      {"cumprod", [](auto& x) { return cumprod(x, 0); }},
      {"logcumsumexp", [](auto& x) { return logcumsumexp(x, 0); }},
      {"cummax", [](auto& x) { return cummax(x, 0).values; }},
      {"sort", [](auto& x) { return sort(x).values; }},
      {"median", [](auto& x) { return median(x); }},
      {"kthvalue(2)", [](auto& x) { return kthvalue(x, 2).values; }},
      {"quantile(0.25)", [](auto& x) { return quantile(x, 0.25); }},
      {"scatter_reduce(amax) into 3",
       [](auto& x) { return scatter_reduce(like(x, 3), 0, zeros({x.numel()}, {int64}), x, Reduce::amax); }},
      {"scatter_reduce(prod) into 1",
       [](auto& x) { return scatter_reduce(like(x, 1), 0, zeros({x.numel()}, {int64}), x, Reduce::prod); }},
      {"smooth_l1_loss", [](auto& x) { return smooth_l1_loss(x, like(x, 0), {.reduction = Reduction::sum}); }},
      {"huber_loss", [](auto& x) { return huber_loss(x, like(x, 0), {.reduction = Reduction::sum}); }},
      {"ctc_loss of 1", [](auto& x) { return ctc(x, 1); }},
      {"ctc_loss of 1, 1", [](auto& x) { return ctc(x, 2); }},
      {"ctc_loss of 1, 1, zero_infinity", [](auto& x) { return ctc(x, 2, true); }},
      {"binary_cross_entropy, target 1",
       [](auto& x) { return binary_cross_entropy(x, like(x, 1), {.reduction = Reduction::none}); }},
      {"binary_cross_entropy, target y of 0",
       [](auto& x) { return binary_cross_entropy(like(x, 0), x, {.reduction = Reduction::none}); }},
      {"binary_cross_entropy_with_logits, target 1, pos_weight 2",
       [](auto& x) {
         return binary_cross_entropy_with_logits(x, like(x, 1),
                                                 {.reduction = Reduction::none, .pos_weight = like(x, 2)});
       }},
      {"kl_div from -1, target y", [](auto& x) { return kl_div(like(x, -1), x, {.reduction = Reduction::none}); }},
      {"kl_div, target 0", [](auto& x) { return kl_div(x, like(x, 0), {.reduction = Reduction::none}); }},
      {"hinge_embedding_loss, target -1",
       [](auto& x) { return hinge_embedding_loss(x, like(x, -1), {.reduction = Reduction::none}); }},
      {"margin_ranking_loss to 0",
       [](auto& x) { return margin_ranking_loss(x, like(x, 0), like(x, 1), {.reduction = Reduction::none}); }},
      {"soft_margin_loss, target 1", [](auto& x) { return soft_margin_loss(x, like(x, 1), Reduction::none); }},
      {"cosine_embedding_loss with 1",
       [](auto& x) { return cosine_embedding_loss(x, like(x, 1), tensor<int64_t>({1})[0]); }},
      {"multi_margin_loss, target 0", [](auto& x) { return multi_margin_loss(x.unsqueeze(0), tensor<int64_t>({0})); }},
      {"multilabel_margin_loss, target 0",
       [](auto& x) {
         return multilabel_margin_loss(x, tensor<int64_t>({0, -1, -1}));
       }},
      {"triplet_margin_loss to x and to 1 beside it",
       [](auto& x) {
         const Tensor there = x.detach().view({-1, 1});
         return triplet_margin_loss(x.view({-1, 1}), there, there + 1, {.eps = 0, .reduction = Reduction::none});
       }},
      {"gaussian_nll_loss from 0 to 1, eps 0.5, var y",
       [](auto& x) {
         return gaussian_nll_loss(like(x, 0), like(x, 1), x, {.eps = 0.5, .reduction = Reduction::none});
       }},
      {"poisson_nll_loss of counts, target 1",
       [](auto& x) { return poisson_nll_loss(x, like(x, 1), {.log_input = false, .reduction = Reduction::none}); }},
      {"poisson_nll_loss, full, target y",
       [](auto& x) { return poisson_nll_loss(like(x, 1), x, {.full = true, .reduction = Reduction::none}); }},
      {"normalize", [](auto& x) { return normalize(x, 2, 0); }},
      {"cosine_similarity with 1", [](auto& x) { return cosine_similarity(x, like(x, 1), 0); }},
      {"cdist to 1", [](auto& x) { return cdist(x.view(dims(-1, 1)), like(x, 1).narrow(0, 0, 1).view(dims(1, 1))); }},
      {"layer_norm", [](auto& x) { return layer_norm(x, {x.numel()}); }},
      {"prelu(0.5)", [](auto& x) { return prelu(x, like(x, 0.5).narrow(0, 0, 1)); }},
      {"dropout(1)", [](auto& x) { return dropout(x, 1); }},
  };
  return all;
}

struct Row {
  std::string operation;
  std::vector<double> at;
  std::string gradient, pytorch, reason;
};

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(' ');
  return first == std::string::npos ? "" : s.substr(first, s.find_last_not_of(' ') - first + 1);
}

std::vector<Row> rows() {
  std::ifstream page(ORDO_DERIVATIVES_PAGE);
  EXPECT_TRUE(page.good()) << ORDO_DERIVATIVES_PAGE;
  std::vector<Row> all;
  for (std::string line; std::getline(page, line);) {
    if (line.empty() || line[0] != '|' || line.starts_with("|---") || line.starts_with("| operation")) continue;
    std::vector<std::string> cells;
    for (size_t from = 1, to; (to = line.find('|', from)) != std::string::npos; from = to + 1)
      cells.push_back(trimmed(line.substr(from, to - from)));
    EXPECT_EQ(cells.size(), 5u) << line;
    if (cells.size() != 5) continue;
    Row row{cells[0], {}, cells[2], cells[3], cells[4]};
    const char* text = cells[1].c_str();
    for (char* end; *text; text = *end ? end + 1 : end) row.at.push_back(std::strtod(text, &end));
    all.push_back(row);
  }
  return all;
}

/// "0.5, -inf, nan". The sign of zero shows only where the table wants it.
std::string text_of(const Tensor& gradient, bool signed_zero) {
  std::vector<std::string> parts;
  for (double v : gradient.to_vector<double>()) {
    if (v == 0 && !signed_zero) v = 0;
    parts.push_back(std::isnan(v) ? "nan" : fmt::format("{:.6g}", v));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

TEST(Derivatives, at_singular_points_are_what_the_page_says) {
  std::set<std::string> seen;
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.operation + " at " + fmt::format("{}", fmt::join(row.at, ", ")));
    const auto of_table = functions_of_the_table().find(row.operation);
    const auto program = of_table == functions_of_the_table().end() ? programs().find(row.operation) : of_table;
    ASSERT_NE(program, programs().end()) << "no program for this row";
    seen.insert(row.operation);
    for (DType dtype : {float64, float32}) {
      Tensor x = from_vector(row.at, {int64_t(row.at.size())}).to(dtype).set_requires_grad();
      Tensor y = program->second(x);
      // With the gradient's graph and without: some operations have a fused gradient for the latter.
      const Tensor fused = grad({y}, {x}, {ones_like(y)}, true)[0],
                   composed = grad({y}, {x}, {ones_like(y)}, true, true)[0];
      const bool signed_zero = row.gradient.find("-0") == 0 && row.gradient.find("-0.") != 0;
      EXPECT_EQ(text_of(fused, signed_zero), row.gradient);
      EXPECT_EQ(text_of(composed, signed_zero), row.gradient) << "with create_graph";
    }
    EXPECT_EQ(row.gradient == row.pytorch, row.reason.empty()) << "a difference has a reason";
  }
  EXPECT_EQ(seen.size(), programs().size() + 42) << "functions of the table have rows";
  for (const auto& [operation, program] : programs()) EXPECT_TRUE(seen.count(operation)) << operation << " has no row";
}

TEST(Derivatives, of_std_at_zero_deviation_stay_finite_twice) {
  const Tensor x = from_vector<double>({2, 2, 1, 3}, {2, 2}).set_requires_grad();
  const Tensor g = grad({sum(ordo::std(x, {1}))}, {x}, {}, true, true)[0];
  const std::vector<double> first = g.to_vector<double>();
  EXPECT_EQ(first[0], 0);
  EXPECT_EQ(first[1], 0);
  EXPECT_NEAR(first[2], -std::sqrt(0.5), 1e-15);
  for (double v : grad({sum(g * g)}, {x})[0].to_vector<double>()) EXPECT_TRUE(std::isfinite(v)) << v;
}

}  // namespace
}  // namespace ordo::test::derivatives_test
