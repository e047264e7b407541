#include <ordo/autograd/ops/attention.h>

#include <cmath>
#include <limits>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/any.h>
#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/comparison.h>
#include <ordo/autograd/ops/matmul.h>
#include <ordo/autograd/ops/random.h>
#include <ordo/autograd/ops/softmax.h>
#include <ordo/autograd/ops/triangle.h>
#include <ordo/autograd/ops/where.h>
#include <ordo/engine/check.h>
#include <ordo/engine/op_call.h>
#include <ordo/engine/tensor_impl.h>

namespace ordo {

static constexpr const char* kOp = "scaled_dot_product_attention";

ORDO_REGISTER_OP({.name = "scaled_dot_product_attention",
                  .family = "softmax",
                  .dtypes = kFloatingTypes,
                  .algorithms = {{Algorithm::library, Determinism::run_to_run},
                                 {Algorithm::direct, Determinism::device_to_device}}});

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale, Generator* generator) {
  const OpCall call(kOp, query, key, value, attn_mask, dropout_p, is_causal, scale);
  detail::expect_defined(kOp, query, "query");
  detail::expect_floating(kOp, query);
  for (const Tensor* t : {&key, &value}) {
    detail::expect_defined(kOp, *t, t == &key ? "key" : "value");
    detail::expect_same_device(kOp, query, *t);
    detail::expect_same_dtype(kOp, query, *t);
  }
  ORDO_CHECK(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2, ShapeError, kOp,
             "query, key and value are [..., length, size]; their shapes are {}, {} and {}", query.sizes(), key.sizes(),
             value.sizes());
  ORDO_CHECK(
      query.sizes().back() == key.sizes().back() && key.size(-2) == value.size(-2), ShapeError, kOp,
      "queries and keys must have one size, and there must be a value for each key; the shapes are {}, {} and {}",
      query.sizes(), key.sizes(), value.sizes());
  ORDO_CHECK(!is_causal || !attn_mask.defined(), ValueError, kOp, "takes a mask or is_causal, not both");
  ORDO_CHECK(dropout_p >= 0 && dropout_p <= 1, ValueError, kOp, "dropout_p is a probability between 0 and 1, not {}",
             dropout_p);
  const double by = scale.value_or(1 / std::sqrt(double(std::max<int64_t>(1, query.sizes().back()))));
  Tensor scores = matmul(query * by, key.transpose(-2, -1));
  if (attn_mask.defined()) {
    detail::expect_same_device(kOp, query, attn_mask);
    ORDO_CHECK(attn_mask.dtype() == boolean || attn_mask.dtype() == query.dtype(), DTypeError, kOp,
               "the mask must be bool or {}, not {}", query.dtype(), attn_mask.dtype());
    bool fits = attn_mask.dim() <= scores.dim();
    for (int d = 1; fits && d <= attn_mask.dim(); ++d)
      fits = attn_mask.size(-d) == 1 || attn_mask.size(-d) == scores.size(-d);
    ORDO_CHECK(fits, ShapeError, kOp, "the mask's shape {} does not broadcast to the scores' {}", attn_mask.sizes(),
               scores.sizes());
  }
  constexpr double least = -std::numeric_limits<double>::infinity();
  Tensor some;  // of each query, whether any key takes part: the softmax of none would be NaN
  if (is_causal) {
    const Tensor kept = tril(ones({query.size(-2), key.size(-2)}, {boolean, query.device()}));
    scores = where(kept, scores, least);
  } else if (attn_mask.defined() && attn_mask.dtype() == boolean) {
    some = any(attn_mask, -1, true);
    const Tensor none = full({}, 0, query.options()), excluded = full({}, least, query.options());
    scores = where(attn_mask, scores, where(some, excluded, none));
  } else if (attn_mask.defined()) {
    scores = scores + attn_mask;
    some = no_grad([&] { return any(ne(scores, least), -1, true); });
    scores = where(some, scores, 0);
  }
  Tensor weights = softmax(scores, -1);
  if (some.defined()) weights = where(some, weights, 0);
  if (dropout_p > 0) weights = dropout(weights, dropout_p, true, generator);
  return call.done(matmul(weights, value));
}

}  // namespace ordo
