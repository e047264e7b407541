#include <ordo/nn/layers/multihead_attention.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include <ordo/autograd/ops/create/random.h>
#include <ordo/autograd/ops/functional/attention.h>
#include <ordo/autograd/ops/functional/keys_in_front.h>
#include <ordo/autograd/ops/index/gather.h>
#include <ordo/autograd/ops/linalg/matmul.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/comparison.h>
#include <ordo/autograd/ops/math/where.h>
#include <ordo/autograd/ops/reduce/sort.h>
#include <ordo/autograd/ops/shape/cat.h>
#include <ordo/autograd/ops/shape/diagonal.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/description.h>
#include <ordo/nn/init.h>

namespace ordo::nn {
namespace {

constexpr const char* kMultiheadAttention = "MultiheadAttention";

int64_t checked_embed_dim(int64_t embed_dim, int64_t num_heads, const MultiheadAttentionOptions& options) {
  ORDO_CHECK(embed_dim > 0 && num_heads > 0 && embed_dim % num_heads == 0, ValueError, kMultiheadAttention,
             "num_heads = {} must be positive and divide the embed_dim of {}", num_heads, embed_dim);
  for (const auto& dim : {options.kdim, options.vdim})
    ORDO_CHECK(!dim || *dim > 0, ValueError, kMultiheadAttention, "needs a positive kdim and vdim, not {}", *dim);
  ORDO_CHECK(options.dropout >= 0 && options.dropout <= 1, ValueError, kMultiheadAttention,
             "dropout = {} must lie in [0, 1]", options.dropout);
  return embed_dim;
}

/// Joins masks that broadcast to [N, H, L, S]: true is left out, or numbers that are added.
class Masks {
 public:
  /// Those that are joined say nothing of the last `more` keys, which are left out for no query.
  explicit Masks(int64_t more) : more_(more) {}

  Tensor taking_part;  // whether a key takes part for any query, [N, 1, 1, S]; undefined where no bool mask says so

  void join(const char* name, const Tensor& mask, const Dims& sizes) {
    ORDO_CHECK(mask.dtype() == boolean || is_floating(mask.dtype()), DTypeError, kMultiheadAttention,
               "{} must be bool or floating, not {}", name, mask.dtype());
    const Tensor m = with_more(mask.reshape(sizes), 0);
    if (m.dtype() == boolean) {
      keep(logical_not(m));
      if (m.size(-2) == 1 && !taking_part.defined()) taking_part = logical_not(m);
    } else
      added_ = added_.defined() ? added_ + m : m;
  }
  /// Of the keys that were given.
  void keep_given(const Tensor& some) { keep(with_more(some, 1)); }

  /// As scaled_dot_product_attention takes it: true takes part.
  Tensor for_scores_of(DType dtype) const {
    if (!added_.defined()) return kept_;
    const Tensor added = added_.to(dtype);
    return kept_.defined() ? where(kept_, added, -std::numeric_limits<double>::infinity()) : added;
  }

 private:
  Tensor with_more(const Tensor& mask, double value) const {
    if (more_ == 0) return mask;
    Dims sizes = mask.sizes();
    sizes[mask.dim() - 1] = more_;
    return cat({mask, full(sizes, value, mask.options())}, -1);
  }
  void keep(const Tensor& some) { kept_ = kept_.defined() ? logical_and(kept_, some) : some; }
  int64_t more_;
  Tensor kept_, added_;
};

struct Form {
  bool batched;
  int64_t batch, length, keys;
};

/// ShapeError unless the three fit each other and the module.
Form form_of(const Tensor& query, const Tensor& key, const Tensor& value, int64_t embed_dim,
             const MultiheadAttentionOptions& options) {
  detail::expect_defined(kMultiheadAttention, query, "query");
  detail::expect_defined(kMultiheadAttention, key, "key");
  detail::expect_defined(kMultiheadAttention, value, "value");
  const int rank = query.dim();
  ORDO_CHECK((rank == 2 || rank == 3) && key.dim() == rank && value.dim() == rank, ShapeError, kMultiheadAttention,
             "query, key and value have three dimensions each, or two without a batch; their shapes are {}, {} and {}",
             query.sizes(), key.sizes(), value.sizes());
  const int64_t kdim = options.kdim.value_or(embed_dim), vdim = options.vdim.value_or(embed_dim);
  ORDO_CHECK(query.size(-1) == embed_dim && key.size(-1) == kdim && value.size(-1) == vdim, ShapeError,
             kMultiheadAttention, "query, key and value have {}, {} and {} features; their shapes are {}, {} and {}",
             embed_dim, kdim, vdim, query.sizes(), key.sizes(), value.sizes());
  const bool batched = rank == 3;
  const int length_dim = batched && !options.batch_first ? 0 : rank - 2, batch_dim = 1 - length_dim;
  const int64_t batch = batched ? query.size(batch_dim) : 1, keys = key.size(length_dim);
  ORDO_CHECK(
      value.size(length_dim) == keys && (!batched || (key.size(batch_dim) == batch && value.size(batch_dim) == batch)),
      ShapeError, kMultiheadAttention, "there is a value for each key, and one batch; the shapes are {}, {} and {} {}",
      query.sizes(), key.sizes(), value.sizes(), options.batch_first ? "with batch_first" : "[length, N, ...]");
  return {batched, batch, query.size(length_dim), keys};
}

/// Those of the call, and the causal one where there are others or `more` keys.
Masks masks_of(const MultiheadAttentionCall& call, const Form& form, int64_t num_heads, int64_t more, Device device) {
  const auto [batched, batch, length, keys] = form;
  Masks masks(more);
  if (const Tensor& mask = call.key_padding_mask; mask.defined()) {
    const Dims sizes = batched ? Dims{batch, keys} : Dims{keys};
    ORDO_CHECK(mask.sizes() == sizes, ShapeError, kMultiheadAttention,
               "key_padding_mask has an element for each key, {}, not shape {}", sizes, mask.sizes());
    masks.join("key_padding_mask", mask, {batch, 1, 1, keys});
  }
  if (const Tensor& mask = call.attn_mask; mask.defined()) {
    const bool for_all = mask.sizes() == Dims{length, keys};
    ORDO_CHECK(for_all || mask.sizes() == Dims({batch * num_heads, length, keys}), ShapeError, kMultiheadAttention,
               "attn_mask has shape [{}, {}] or [{}, {}, {}], not {}", length, keys, batch * num_heads, length, keys,
               mask.sizes());
    masks.join("attn_mask", mask, for_all ? Dims{1, 1, length, keys} : Dims{batch, num_heads, length, keys});
  }
  const bool masked = call.key_padding_mask.defined() || call.attn_mask.defined();
  if (call.is_causal && (masked || more > 0))
    masks.keep_given(tril(ones({length, keys}, {boolean, device}), std::max<int64_t>(0, keys - length)));
  return masks;
}

}  // namespace

KeyValueCache::KeyValueCache(const KeyValueCache& other) : length_(other.length_) {
  if (length_ > 0) keys_ = other.keys().clone(), values_ = other.values().clone();
}

KeyValueCache& KeyValueCache::operator=(KeyValueCache other) noexcept {
  keys_ = std::move(other.keys_), values_ = std::move(other.values_), length_ = other.length_;
  return *this;
}

std::pair<Tensor, Tensor> KeyValueCache::append(const Tensor& key, const Tensor& value) {
  const int64_t all = length_ + key.size(2);
  const auto put = [&](Tensor& kept, const Tensor& t) {
    Dims sizes = t.sizes();
    ORDO_CHECK(!kept.defined() || (kept.size(0) == sizes[0] && kept.size(1) == sizes[1] && kept.size(3) == sizes[3]),
               ShapeError, "KeyValueCache", "holds {}, to which {} does not fit: clear() it first", kept.sizes(),
               sizes);
    if (!kept.defined() || kept.size(2) < all) {
      sizes[2] = std::max<int64_t>({16, all, 2 * length_});
      Tensor larger = empty(sizes, t.options());
      if (length_ > 0) larger.narrow(2, 0, length_).copy_(kept.narrow(2, 0, length_));
      kept = larger;
    }
    kept.narrow(2, length_, t.size(2)).copy_(t);
    return kept.narrow(2, 0, all);
  };
  const Tensor keys = put(keys_, key), values = put(values_, value);
  length_ = all;
  return {keys, values};
}

MultiheadAttention::MultiheadAttention(int64_t embed_dim, int64_t num_heads, MultiheadAttentionOptions options)
    : out_proj(add("out_proj", Linear(checked_embed_dim(embed_dim, num_heads, options), embed_dim, {options.bias}))),
      embed_dim_(embed_dim),
      num_heads_(num_heads),
      options_(options) {
  const int64_t kdim = options.kdim.value_or(embed_dim), vdim = options.vdim.value_or(embed_dim);
  const int64_t rows = checked::mul(kMultiheadAttention, 3, embed_dim);
  if (kdim == embed_dim && vdim == embed_dim) {
    in_proj_weight = add_parameter("in_proj_weight", zeros({rows, embed_dim}));
  } else {
    q_proj_weight = add_parameter("q_proj_weight", zeros({embed_dim, embed_dim}));
    k_proj_weight = add_parameter("k_proj_weight", zeros({embed_dim, kdim}));
    v_proj_weight = add_parameter("v_proj_weight", zeros({embed_dim, vdim}));
  }
  if (options.bias) in_proj_bias = add_parameter("in_proj_bias", zeros({rows}));
  if (options.add_bias_kv) {
    bias_k = add_parameter("bias_k", zeros({1, 1, embed_dim}));
    bias_v = add_parameter("bias_v", zeros({1, 1, embed_dim}));
  }
  reset_parameters();
}

void MultiheadAttention::reset_parameters() {
  for (const Parameter& weight : {in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight})
    if (weight.defined()) init::xavier_uniform_(weight);
  out_proj.reset_parameters();
  for (const Parameter& bias : {bias_k, bias_v})
    if (bias.defined()) init::xavier_normal_(bias);
  if (!in_proj_bias.defined()) return;
  init::zeros_(in_proj_bias);
  init::zeros_(out_proj.bias);
}

MultiheadAttention::Projected MultiheadAttention::project(const Tensor& query, const Tensor& key,
                                                          const Tensor& value) const {
  // Query, key and value are 0, 1 and 2; those that come from one tensor are computed by one product.
  const auto some = [&](const Tensor& x, int64_t first, int64_t count) {
    const int64_t e = embed_dim_;
    const Tensor bias = in_proj_bias.defined() ? in_proj_bias.narrow(0, first * e, count * e) : Tensor();
    if (in_proj_weight.defined()) return linear(x, in_proj_weight.narrow(0, first * e, count * e), bias);
    return linear(x, first == 0 ? q_proj_weight : first == 1 ? k_proj_weight : v_proj_weight, bias);
  };
  if (in_proj_weight.defined() && value.is_same(key)) {
    if (key.is_same(query)) {
      const TensorList all = chunk(some(query, 0, 3), 3, -1);
      return {all[0], all[1], all[2]};
    }
    const TensorList both = chunk(some(key, 1, 2), 2, -1);
    return {some(query, 0, 1), both[0], both[1]};
  }
  return {some(query, 0, 1), some(key, 1, 1), some(value, 2, 1)};
}

MultiheadAttentionResult MultiheadAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                                     const MultiheadAttentionCall& call) {
  const Form form = form_of(query, key, value, embed_dim_, options_);
  const bool batched = form.batched;
  const int64_t batch = form.batch;
  const int64_t more = int64_t(options_.add_bias_kv) + int64_t(options_.add_zero_attn);  // keys, after those given
  const Masks masks = masks_of(call, form, num_heads_, more, query.device());

  const auto in_heads = [&](const Tensor& t) {  // [N, heads, length, features]
    const Tensor split = t.unflatten(-1, {num_heads_, embed_dim_ / num_heads_});
    if (!batched) return split.unsqueeze(0).permute({0, 2, 1, 3});
    return options_.batch_first ? split.permute({0, 2, 1, 3}) : split.permute({1, 2, 0, 3});
  };
  const Projected all = project(query, key, value);
  const auto with_more = [&](const Tensor& given, const Tensor& bias) {
    if (more == 0) return given;
    const int64_t features = embed_dim_ / num_heads_;
    TensorList parts{given};
    if (bias.defined())
      parts.push_back(bias.reshape({1, num_heads_, 1, features}).expand({batch, num_heads_, 1, features}));
    if (options_.add_zero_attn) parts.push_back(zeros({batch, num_heads_, 1, features}, given.options()));
    return cat(parts, 2);
  };
  Tensor q = in_heads(all.query);
  Tensor k = with_more(in_heads(all.key), bias_k), v = with_more(in_heads(all.value), bias_v);
  if (call.cache) {
    ORDO_CHECK(!masks.for_scores_of(q.dtype()).defined() && more == 0, ValueError, kMultiheadAttention,
               "takes no masks beside a cache, and no keys that options add");
    ORDO_CHECK(!k.requires_grad() && !v.requires_grad(), AutogradError, kMultiheadAttention,
               "a cache keeps no gradients: use it under NoGrad");
    std::tie(k, v) = call.cache->append(k, v);
  }
  Tensor mask = masks.for_scores_of(q.dtype()), order, places;  // of keys, and of queries that are the same tensor
  if (masks.taking_part.defined()) {
    detail::KeysInFront front = detail::keys_in_front(k, v, mask, masks.taking_part);
    k = front.key, v = front.value, mask = front.mask.expand({batch, -1, form.length, -1}), order = front.order;
    if (query.is_same(key) && more == 0) {
      places = order.transpose(-2, -1);
      q = take_along_dim(q, places, -2);
      mask = take_along_dim(mask, places, -2);
    }
  }
  const double p = is_training() ? options_.dropout : 0;
  const bool causal = call.is_causal && !mask.defined() && more == 0;

  Tensor weights, y;
  if (call.need_weights) {
    weights = attention_weights(q, k, mask, causal);
    if (p > 0) weights = dropout(weights, p);
    y = matmul(weights, v);
    if (order.defined()) weights = take_along_dim(weights, argsort(order), -1);
    if (places.defined()) weights = take_along_dim(weights, argsort(places, -2), -2);
    if (call.average_attn_weights) weights = weights.mean(1);
    if (!batched) weights = weights.squeeze(0);
  } else {
    y = scaled_dot_product_attention(q, k, v, mask, p, causal);
  }
  if (places.defined()) y = take_along_dim(y, argsort(places, -2), -2);
  y = batched && !options_.batch_first ? y.permute({2, 0, 1, 3}) : y.permute({0, 2, 1, 3});
  y = out_proj(y.flatten(-2));
  return {batched ? y : y.squeeze(0), weights};
}

std::string MultiheadAttention::description() const {
  return Description(kMultiheadAttention, embed_dim_, num_heads_)
      .with_options(options_, "dropout", "bias", "add_bias_kv", "add_zero_attn", "kdim", "vdim", "batch_first");
}

}  // namespace ordo::nn
