#include <ordo/autograd/ops/functional/attention.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/shape/diagonal.h>
#include <ordo/kernels/softmax/attention.h>

namespace ordo {

static constexpr const char* kAttention = "scaled_dot_product_attention";

ORDO_REGISTER_OP({.name = "scaled_dot_product_attention",
                  .family = "softmax",
                  .dtypes = kFloatingTypes,
                  .algorithms = {{Algorithm::library, Determinism::run_to_run},
                                 {Algorithm::direct, Determinism::device_to_device}}});

namespace {

constexpr double kLeast = -std::numeric_limits<double>::infinity();

/// The dimensions of a batch of matrices.
Dims batch_of(const Tensor& t) { return Dims(t.sizes().begin(), t.dim() - 2); }

/// What the values are multiplied by, of queries and keys whose shapes fit.
Tensor weights_of(const Tensor& query, const Tensor& key, const Tensor& attn_mask, bool is_causal, double by) {
  Tensor scores = matmul(query * by, key.transpose(-2, -1));
  if (attn_mask.defined()) {
    detail::expect_same_device(kAttention, query, attn_mask);
    ORDO_CHECK(attn_mask.dtype() == boolean || attn_mask.dtype() == query.dtype(), DTypeError, kAttention,
               "the mask must be bool or {}, not {}", query.dtype(), attn_mask.dtype());
    bool fits = attn_mask.dim() <= scores.dim();
    for (int d = 1; fits && d <= attn_mask.dim(); ++d)
      fits = attn_mask.size(-d) == 1 || attn_mask.size(-d) == scores.size(-d);
    ORDO_CHECK(fits, ShapeError, kAttention, "the mask's shape {} does not broadcast to the scores' {}",
               attn_mask.sizes(), scores.sizes());
  }
  Tensor some;  // of each query, whether any key takes part: the softmax of none would be NaN
  if (is_causal) {
    const Tensor no_later = tril(ones({query.size(-2), key.size(-2)}, {boolean, query.device()}));
    scores = where(no_later, scores, kLeast);
  } else if (attn_mask.defined() && attn_mask.dtype() == boolean) {
    some = any(attn_mask, -1, true);
    const Tensor none = full({}, 0, query.options()), excluded = full({}, kLeast, query.options());
    scores = where(attn_mask, scores, where(some, excluded, none));
  } else if (attn_mask.defined()) {
    scores = scores + attn_mask;
    some = no_grad([&] { return any(ne(scores, kLeast), -1, true); });
    scores = where(some, scores, 0);
  }
  Tensor weights = softmax(scores, -1);
  if (some.defined()) weights = where(some, weights, 0);
  return weights;
}

double scale_of(const Tensor& query, std::optional<double> scale) {
  return scale.value_or(1 / std::sqrt(double(std::max<int64_t>(1, query.sizes().back()))));
}

/// How many heads key and value have, of which each serves as many of the query.
int64_t shared_heads(const Tensor& query, const Tensor& key, const Tensor& value) {
  ORDO_CHECK(query.dim() >= 3 && key.dim() >= 3 && value.dim() >= 3, ShapeError, kAttention,
             "with enable_gqa query, key and value are [..., heads, length, size]; their shapes are {}, {} and {}",
             query.sizes(), key.sizes(), value.sizes());
  const int64_t heads = key.size(-3);
  ORDO_CHECK(value.size(-3) == heads && heads > 0 && query.size(-3) % heads == 0, ShapeError, kAttention,
             "with enable_gqa key and value must have one number of heads, which divides the query's; they have {} and "
             "{}, the query {}",
             heads, value.size(-3), query.size(-3));
  return heads;
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale, Generator* generator, bool enable_gqa) {
  ORDO_AUTOCAST(lower, scaled_dot_product_attention, query, key, value, attn_mask, dropout_p, is_causal, scale,
                generator, enable_gqa);
  const OpCall call(kAttention, query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa);
  detail::expect_floating(kAttention, query, "query");
  detail::expect_alike(kAttention, query, key, "key");
  detail::expect_alike(kAttention, query, value, "value");
  ORDO_CHECK(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2, ShapeError, kAttention,
             "query, key and value are [..., length, size]; their shapes are {}, {} and {}", query.sizes(), key.sizes(),
             value.sizes());
  ORDO_CHECK(
      query.sizes().back() == key.sizes().back() && key.size(-2) == value.size(-2), ShapeError, kAttention,
      "queries and keys must have one size, and there must be a value for each key; the shapes are {}, {} and {}",
      query.sizes(), key.sizes(), value.sizes());
  ORDO_CHECK(!is_causal || !attn_mask.defined(), ValueError, kAttention, "takes a mask or is_causal, not both");
  ORDO_CHECK(dropout_p >= 0 && dropout_p <= 1, ValueError, kAttention,
             "dropout_p is a probability between 0 and 1, not {}", dropout_p);
  if (enable_gqa) {
    const int64_t heads = shared_heads(query, key, value);
    const auto apart = [&](const Tensor& t) { return t.unflatten(-3, {heads, t.size(-3) / heads}); };
    const auto repeated = [&](const Tensor& t) {
      Dims sizes = t.sizes();
      sizes.insert(sizes.size() - 2, query.size(-3) / heads);
      return t.unsqueeze(-3).expand(sizes);
    };
    Tensor mask = attn_mask;
    if (mask.defined() && mask.dim() >= 3) mask = mask.size(-3) == query.size(-3) ? apart(mask) : mask.unsqueeze(-3);
    return call.done(scaled_dot_product_attention(apart(query), repeated(key), repeated(value), mask, dropout_p,
                                                  is_causal, scale, generator)
                         .flatten(-4, -3));
  }
  const double by = scale_of(query, scale);
  const bool plain = !attn_mask.defined() && dropout_p == 0 && !recorded(query, key, value);
  if (plain && query.numel() > 0 && key.numel() > 0 && value.numel() > 0 && batch_of(query) == batch_of(key) &&
      batch_of(query) == batch_of(value)) {
    Tensor y = kernels::attention_in_blocks(query, key, value, is_causal, by);
    if (y.defined()) return call.done(std::move(y));
  }
  Tensor weights = weights_of(query, key, attn_mask, is_causal, by);
  if (dropout_p > 0) weights = dropout(weights, dropout_p, true, generator);
  return call.done(matmul(weights, value));
}

Tensor attention_weights(const Tensor& query, const Tensor& key, const Tensor& attn_mask, bool is_causal,
                         std::optional<double> scale) {
  ORDO_AUTOCAST_CALL(lower, attention_weights, query, key, attn_mask, is_causal, scale);
  const char* const op = call.name();
  detail::expect_defined(op, query, "query", key, "key");
  detail::expect_floating(op, query);
  detail::expect_alike(op, query, key, "key");
  ORDO_CHECK(query.dim() >= 2 && key.dim() >= 2 && query.sizes().back() == key.sizes().back(), ShapeError, op,
             "query and key are [..., length, size] of one size; their shapes are {} and {}", query.sizes(),
             key.sizes());
  ORDO_CHECK(!is_causal || !attn_mask.defined(), ValueError, op, "takes a mask or is_causal, not both");
  return call.done(weights_of(query, key, attn_mask, is_causal, scale_of(query, scale)));
}

}  // namespace ordo
