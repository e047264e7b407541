#include <ordo/autograd/ops/functional/attention.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <ordo/autograd/ops/functional/keys_in_front.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/reduce/sort.h>
#include <ordo/autograd/ops/shape/diagonal.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/matmul/matmul.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/softmax/attention_plan.h>
#include <ordo/kernels/softmax/softmax.h>

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

/// Which keys take part: no later one than the query's, `first_query` being that of the first query, or what a mask
/// says.
struct KeyMask {
  Tensor mask;  // undefined, bool, or of the query's dtype
  bool is_causal = false;
  int64_t first_query = 0;
  /// The last query is that of the last key, where there are more keys than queries.
  static KeyMask of(const Tensor& query, const Tensor& key, const Tensor& mask, bool is_causal) {
    return {mask, is_causal, std::max<int64_t>(0, key.size(-2) - query.size(-2))};
  }

  Tensor no_later(const Tensor& scores) const {
    return tril(ones({scores.size(-2), scores.size(-1)}, {boolean, scores.device()}), first_query);
  }
};

void expect_mask(const Tensor& query, const Tensor& mask, const Dims& scores) {
  detail::expect_same_device(kAttention, query, mask);
  ORDO_CHECK(mask.dtype() == boolean || mask.dtype() == query.dtype(), DTypeError, kAttention,
             "the mask must be bool or {}, not {}", query.dtype(), mask.dtype());
  bool fits = mask.dim() <= scores.size();
  for (int d = 1; fits && d <= mask.dim(); ++d) fits = mask.size(-d) == 1 || mask.size(-d) == scores[scores.size() - d];
  ORDO_CHECK(fits, ShapeError, kAttention, "the mask's shape {} does not broadcast to the scores' {}", mask.sizes(),
             scores);
}

/// What the values are multiplied by, of queries and keys whose shapes fit.
Tensor weights_of(const Tensor& query, const Tensor& key, const KeyMask& keys, double by) {
  Tensor scores = matmul(query * by, key.transpose(-2, -1));
  const Tensor& mask = keys.mask;
  if (mask.defined()) expect_mask(query, mask, scores.sizes());
  Tensor some;  // of each query, whether any key takes part: the softmax of none would be NaN
  if (keys.is_causal) {
    scores = where(keys.no_later(scores), scores, kLeast);
  } else if (mask.defined() && mask.dtype() == boolean) {
    some = any(mask, -1, true);
    const Tensor none = full({}, 0, query.options()), excluded = full({}, kLeast, query.options());
    scores = where(mask, scores, where(some, excluded, none));
  } else if (mask.defined()) {
    scores = scores + mask;
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

/// Attention without dropout, for so many queries at a time that their scores are few. The sums are those of all
/// queries at once; gradients compute the scores again.
struct Attention {
  Tensor query, key, value;
  KeyMask keys;
  double by;

  bool goes_in_blocks() const;
  Tensor in_blocks() const;
  TensorList gradients_in_blocks(const Tensor& grad) const;
  /// To be differentiated again: at once, of recorded operations.
  TensorList gradients(const Tensor& grad) const;

 private:
  int64_t matrices() const { return batch_of(query).product(); }
  int64_t scores() const { return matrices() * query.size(-2) * key.size(-2); }
  /// Of `count` elements of the first dimension, from `first`; all of them where there is no batch.
  Attention of_batch(int64_t first, int64_t count) const;
  /// Of at most `count` queries from `first`.
  Attention of_queries(int64_t first, int64_t count) const;
  /// Without the keys that no query may look at, where the order of a product may change with its size.
  Attention shortened() const;
  /// f(attention, first) of pieces of the batch whose scores, for `rows` queries, are about `most`.
  template <class F>
  void for_batches(int64_t rows, int64_t most, const F& f) const;
};

bool Attention::goes_in_blocks() const {
  const bool one_batch = batch_of(query) == batch_of(key) && batch_of(query) == batch_of(value);
  if (!one_batch || scores() == 0 || value.numel() == 0 || query.size(-1) == 0) return false;
  if (keys.mask.defined() && (keys.mask.requires_grad() || keys.mask.dim() > query.dim())) return false;
  const kernels::AttentionPlan plan = kernels::attention_plan(query.device());
  return scores() > plan.many || (plan.always && !keys.mask.defined() && !recorded(query, key, value));
}

/// The part of a mask for some elements of the scores' dimension -d.
Tensor narrowed(const Tensor& mask, int d, int64_t first, int64_t count) {
  return mask.defined() && mask.dim() >= d && mask.size(-d) > 1 ? mask.narrow(-d, first, count) : mask;
}

Attention Attention::of_batch(int64_t first, int64_t count) const {
  if (query.dim() == 2) return *this;
  const auto some = [&](const Tensor& t) { return t.narrow(0, first, count); };
  Attention part = *this;
  part.query = some(query), part.key = some(key), part.value = some(value);
  part.keys.mask = narrowed(keys.mask, query.dim(), first, count);
  return part;
}

Attention Attention::of_queries(int64_t first, int64_t count) const {
  Attention part = *this;
  part.query = query.narrow(-2, first, std::min(count, query.size(-2) - first));
  part.keys.mask = narrowed(keys.mask, 2, first, part.query.size(-2));
  part.keys.first_query += first;
  return part;
}

Attention Attention::shortened() const {
  if (!keys.is_causal || determinism() == Determinism::device_to_device) return *this;
  Attention part = *this;
  const int64_t seen = std::min(key.size(-2), keys.first_query + query.size(-2));
  part.key = key.narrow(-2, 0, seen), part.value = value.narrow(-2, 0, seen);
  return part;
}

template <class F>
void Attention::for_batches(int64_t rows, int64_t most, const F& f) const {
  const int64_t batch = query.dim() == 2 ? 1 : query.size(0);
  const int64_t each = scores() / batch / query.size(-2) * std::min(rows, query.size(-2));
  const int64_t count = std::clamp<int64_t>(most / each, 1, batch);
  for (int64_t first = 0; first < batch; first += count) f(of_batch(first, std::min(count, batch - first)), first);
}

Tensor joined(const TensorList& list, int64_t dim) {
  return list.empty() ? Tensor() : list.size() == 1 ? list[0] : cat(list, dim);
}

Tensor Attention::in_blocks() const {
  if (keys.mask.defined()) {  // all of it: of blocks, a larger one would fit
    Dims sizes = query.sizes();
    sizes[sizes.size() - 1] = key.size(-2);
    expect_mask(query, keys.mask, sizes);
  }
  const kernels::AttentionPlan plan = kernels::attention_plan(query.device());
  const int64_t length = query.size(-2), heads = query.dim() > 2 ? matrices() / query.size(0) : 1;
  const bool shortens = plan.shortens && keys.is_causal && determinism() != Determinism::device_to_device;
  const int64_t least = std::min(plan.queries, length);
  const int64_t rows = shortens ? least : std::clamp<int64_t>(plan.scores / (key.size(-2) * heads), least, length);
  TensorList batches;
  for_batches(rows, plan.scores, [&](const Attention& some, int64_t) {
    TensorList parts;
    for (int64_t first = 0; first < length; first += rows) {
      const Attention part = some.of_queries(first, rows).shortened();
      parts.push_back(matmul(weights_of(part.query, part.key, part.keys, by), part.value));
    }
    batches.push_back(joined(parts, -2));
  });
  return joined(batches, 0);
}

/// The sum over queries of products of blocks of 256 of them, in the order of rule 3.
class BlockSum {
 public:
  explicit BlockSum(DType dtype) : dtype_(dtype) {}
  void add(const Tensor& a, const Tensor& b) {  // a^T b
    const Tensor product = kernels::matmul(a.transpose(-2, -1), b, "matmul", size_of(dtype_) == 2 ? float32 : dtype_);
    group_ = blocks_++ % kernels::kOrderedGroup == 0 ? (flush(), product) : group_ + product;
  }
  Tensor result() {
    flush();
    return total_.to(dtype_);
  }

 private:
  void flush() {
    if (group_.defined()) total_ = total_.defined() ? total_ + group_ : group_;
    group_ = Tensor();
  }
  const DType dtype_;
  Tensor group_, total_;
  int64_t blocks_ = 0;
};

TensorList Attention::gradients_in_blocks(const Tensor& grad) const {
  constexpr int64_t rows = kernels::kOrderedBlock;
  TensorList of_query, of_key, of_value;
  for_batches(rows, kernels::attention_plan(query.device()).scores, [&](const Attention& some, int64_t begin) {
    const Tensor above = query.dim() == 2 ? grad : grad.narrow(0, begin, some.query.size(0));
    BlockSum key_sum(query.dtype()), value_sum(query.dtype());
    TensorList parts;
    for (int64_t first = 0; first < query.size(-2); first += rows) {
      const Attention part = some.of_queries(first, rows);
      const Tensor own = above.narrow(-2, first, part.query.size(-2));
      const Tensor weights = weights_of(part.query, part.key, part.keys, by);
      Tensor scores = kernels::softmax_backward(matmul(own, part.value.transpose(-2, -1)), weights, -1);
      if (keys.is_causal)
        scores = where(part.keys.no_later(scores), scores, 0);
      else if (keys.mask.defined() && keys.mask.dtype() == boolean)
        scores = where(part.keys.mask, scores, 0);
      if (needs(0)) parts.push_back(matmul(scores, part.key) * by);
      if (needs(1)) key_sum.add(scores, part.query * by);
      if (needs(2)) value_sum.add(weights, own);
    }
    if (needs(0)) of_query.push_back(joined(parts, -2));
    if (needs(1)) of_key.push_back(key_sum.result());
    if (needs(2)) of_value.push_back(value_sum.result());
  });
  return {joined(of_query, 0), joined(of_key, 0), joined(of_value, 0)};
}

TensorList Attention::gradients(const Tensor& grad) const {
  const Tensor weights = weights_of(query, key, keys, by), above = matmul(grad, value.transpose(-2, -1));
  const Tensor scores = weights * (above - sum(weights * above, -1, true));
  return {matmul(scores, key) * by, matmul(scores.transpose(-2, -1), query * by),
          matmul(weights.transpose(-2, -1), grad)};
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
  const MatmulAlgorithmGuard products(Algorithm::automatic);  // as those of blocks of scores
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
  Attention whole{query, key, value, KeyMask::of(query, key, attn_mask, is_causal), scale_of(query, scale)};
  Tensor& given = whole.keys.mask;
  if (given.defined() && given.dtype() == boolean && given.dim() > 0 && (given.dim() == 1 || given.size(-2) == 1) &&
      given.size(-1) == key.size(-2)) {
    detail::KeysInFront front = detail::keys_in_front(key, value, given, given.dim() == 1 ? given.unsqueeze(0) : given);
    whole.key = front.key, whole.value = front.value, given = front.mask;
  }
  if (dropout_p == 0 && whole.goes_in_blocks()) {
    const auto compute = [&] { return no_grad([&] { return whole.in_blocks(); }); };
    if (!recorded(query, whole.key, whole.value)) return call.done(compute());
    return record(
        call, compute(), {query, whole.key, whole.value},
        [q = Saved(query), k = Saved(whole.key), v = Saved(whole.value), m = Saved(given), is_causal,
         by = whole.by](const Tensor& grad) {
          const Tensor mask = m.defined() ? m.get() : Tensor();
          const Attention saved{q.get(), k.get(), v.get(), KeyMask::of(q.get(), k.get(), mask, is_causal), by};
          return grad_enabled() ? saved.gradients(grad) : saved.gradients_in_blocks(grad);
        });
  }
  Tensor weights = weights_of(query, whole.key, whole.keys, whole.by);
  if (dropout_p > 0) weights = dropout(weights, dropout_p, true, generator);
  return call.done(matmul(weights, whole.value));
}

detail::KeysInFront detail::keys_in_front(const Tensor& key, const Tensor& value, const Tensor& mask,
                                          Tensor taking_part) {
  const auto with_dims = [](Tensor t, int dims) {
    while (t.dim() < dims) t = t.unsqueeze(0);
    return t;
  };
  const int dims = std::max(key.dim(), taking_part.dim());
  taking_part = with_dims(taking_part, dims);
  const Tensor order = argsort(logical_not(taking_part)), places = order.transpose(-2, -1);
  const Tensor takes_part = take_along_dim(taking_part, order, -1).transpose(-2, -1);
  const auto sorted = [&](const Tensor& t) {
    return where(takes_part, take_along_dim(with_dims(t, dims), places, -2), -0.0);
  };
  return {sorted(key), sorted(value),
          mask.defined() ? take_along_dim(with_dims(mask, dims), with_dims(order, mask.dim()), -1) : mask, order};
}

Tensor varlen_attn(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& cu_seq_q,
                   const Tensor& cu_seq_k, int64_t max_q, int64_t max_k, bool is_causal, std::optional<double> scale) {
  const OpCall call("varlen_attn", query, key, value, cu_seq_q, cu_seq_k, max_q, max_k, is_causal, scale);
  const char* const op = call.name();
  detail::expect_defined(op, query, "query", key, "key");
  detail::expect_defined(op, value, "value");
  detail::expect_defined(op, cu_seq_q, "cu_seq_q", cu_seq_k, "cu_seq_k");
  ORDO_CHECK(
      query.dim() == 3 && key.dim() == 3 && value.dim() == 3 && key.size(0) == value.size(0), ShapeError, op,
      "query, key and value are [tokens, heads, size], with a value for each key; their shapes are {}, {} and {}",
      query.sizes(), key.sizes(), value.sizes());
  ORDO_CHECK(cu_seq_q.dim() == 1 && cu_seq_q.size(0) > 0 && cu_seq_q.sizes() == cu_seq_k.sizes(), ShapeError, op,
             "cu_seq_q and cu_seq_k have a place for each sequence and one more, not shapes {} and {}",
             cu_seq_q.sizes(), cu_seq_k.sizes());
  const int64_t sequences = cu_seq_q.size(0) - 1;
  const auto lengths = [&](const Tensor& cu) { return cu.narrow(0, 1, sequences) - cu.narrow(0, 0, sequences); };
  const auto first = [&](const Tensor& cu) { return cu.narrow(0, 0, sequences).unsqueeze(1); };
  // [sequences, heads, most, size], of tokens and behind them -0, a token that follows on them all.
  const auto padded = [&](const Tensor& t, const Tensor& cu, int64_t most) {
    const Tensor place = arange(most, t.device()).unsqueeze(0);
    const Tensor own = where(place < lengths(cu).unsqueeze(1), first(cu) + place, t.size(0));
    const Tensor rows = cat({t, full({1, t.size(1), t.size(2)}, -0.0, t.options())}, 0);
    return index_select(rows, 0, own.flatten()).unflatten(0, {sequences, most}).transpose(1, 2);
  };
  const Tensor q = padded(query, cu_seq_q, max_q), k = padded(key, cu_seq_k, max_k), v = padded(value, cu_seq_k, max_k);
  const Tensor place = arange(max_k, query.device()).view({1, 1, 1, max_k});
  const Tensor keys = lengths(cu_seq_k).view({sequences, 1, 1, 1});
  Tensor mask = place < keys;
  if (is_causal) {
    const Tensor own = arange(max_q, query.device()).view({1, 1, max_q, 1});
    mask = logical_and(mask, place - own <= clamp(keys - lengths(cu_seq_q).view({sequences, 1, 1, 1}), 0));
  }
  const Tensor out = scaled_dot_product_attention(q, k, v, mask, 0, false, scale).transpose(1, 2).flatten(0, 1);
  const Tensor token = arange(query.size(0), query.device());
  const Tensor sequence = bucketize(token, cu_seq_q.narrow(0, 1, sequences), false, true);
  return call.done(index_select(out, 0, sequence * max_q + (token - index_select(cu_seq_q, 0, sequence))));
}

Tensor attention_weights(const Tensor& query, const Tensor& key, const Tensor& attn_mask, bool is_causal,
                         std::optional<double> scale) {
  ORDO_AUTOCAST_CALL(lower, attention_weights, query, key, attn_mask, is_causal, scale);
  const MatmulAlgorithmGuard products(Algorithm::automatic);  // as those of blocks of scores
  const char* const op = call.name();
  detail::expect_defined(op, query, "query", key, "key");
  detail::expect_floating(op, query);
  detail::expect_alike(op, query, key, "key");
  ORDO_CHECK(query.dim() >= 2 && key.dim() >= 2 && query.sizes().back() == key.sizes().back(), ShapeError, op,
             "query and key are [..., length, size] of one size; their shapes are {} and {}", query.sizes(),
             key.sizes());
  ORDO_CHECK(!is_causal || !attn_mask.defined(), ValueError, op, "takes a mask or is_causal, not both");
  return call.done(weights_of(query, key, KeyMask::of(query, key, attn_mask, is_causal), scale_of(query, scale)));
}

}  // namespace ordo
