#include <ordo/autograd/ops/create/random.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/reduce/sort.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/kernels/fingerprint/mix.h>
#include <ordo/kernels/random/random.h>

namespace ordo {

static Tensor leaf(Tensor t, const TensorOptions& options) {
  if (options.requires_grad) t.set_requires_grad();
  return t;
}

template <class Draw>
static Tensor made(const OpCall& call, const Dims& sizes, const TensorOptions& options, const Draw& draw) {
  Tensor t = detail::result(sizes, options.dtype, options.device);
  draw(t);
  return call.done(leaf(t, options));
}

/// Overwritten values do not depend on the old ones: the gradient stops.
template <class Draw>
static Tensor& overwrite(const OpCall& call, Tensor& t, Draw draw) {
  return detail::change_in_place(call, t, {}, draw,
                                 [](const Tensor&) { return [](const Tensor& grad) { return zeros_like(grad); }; });
}

/// Linear in x, and its own derivative with the same states: one for all elements, or one for each row.
static Tensor dropout_with(const Tensor& x, double p, const std::vector<GeneratorState>& states) {
  const GeneratorState first = states.empty() ? GeneratorState() : states[0];
  const OpCall call("dropout", x, p, int64_t(first.seed), int64_t(first.stream), int64_t(first.offset));
  Tensor r = states.size() == 1 ? kernels::dropout(x, p, first) : detail::result_like(x);
  for (size_t i = 0; states.size() > 1 && i < states.size(); ++i)
    kernels::copy_(r.narrow(0, int64_t(i), 1), kernels::dropout(x.narrow(0, int64_t(i), 1), p, states[i]));
  if (!recorded(x)) return call.done(std::move(r));
  return record(call, std::move(r), {x}, [p, states](const Tensor& grad) { return dropout_with(grad, p, states); });
}

static thread_local RowStreams* row_streams = nullptr;

RowStreams::RowStreams(std::vector<int64_t> samples, int64_t step, const Generator& generator) : outer_(row_streams) {
  const detail::LibraryCall running;
  const GeneratorState own = generator.state();
  for (const int64_t sample : samples) {
    const uint64_t stream =
        kernels::fingerprint_key(kernels::fingerprint_key(own.stream + uint64_t(sample)) ^ uint64_t(step));
    states_.push_back({own.seed, stream, 0});
  }
  row_streams = this;
}

RowStreams::~RowStreams() { row_streams = outer_; }

std::vector<GeneratorState> RowStreams::take(const Tensor& input) {
  ORDO_CHECK(input.dim() > 0 && input.size(0) == int64_t(states_.size()), ShapeError, "dropout",
             "RowStreams has {} samples, which are no rows of shape {}", states_.size(), input.sizes());
  const std::vector<GeneratorState> taken = states_;
  const int64_t blocks = states_.empty() ? 0 : (input.numel() / input.size(0) + 3) / 4;
  for (GeneratorState& state : states_) state.offset += uint64_t(blocks);
  return taken;
}

Tensor rand(const Dims& sizes, TensorOptions options, Generator* generator) {
  const OpCall call("rand", sizes, options);
  return made(call, sizes, options, [&](const Tensor& t) { kernels::uniform_(t, 0, 1, generator); });
}

Tensor randn(const Dims& sizes, TensorOptions options, Generator* generator) {
  const OpCall call("randn", sizes, options);
  return made(call, sizes, options, [&](const Tensor& t) { kernels::normal_(t, 0, 1, generator); });
}

Tensor rand_like(const Tensor& like, Generator* generator) {
  const detail::OperationName name("rand_like");
  detail::expect_defined("rand_like", like, "like");
  return rand(like.sizes(), like.options(), generator);
}

Tensor randn_like(const Tensor& like, Generator* generator) {
  const detail::OperationName name("randn_like");
  detail::expect_defined("randn_like", like, "like");
  return randn(like.sizes(), like.options(), generator);
}

Tensor randint(int64_t low, int64_t high, const Dims& sizes, TensorOptions options, Generator* generator) {
  const OpCall call("randint", low, high, sizes, options);
  return made(call, sizes, options, [&](const Tensor& t) { kernels::randint_(t, low, high, generator); });
}

Tensor randint(int64_t high, const Dims& sizes, TensorOptions options, Generator* generator) {
  return randint(0, high, sizes, options, generator);
}

Tensor randperm(int64_t n, TensorOptions options, Generator* generator) {
  const OpCall call("randperm", n, options);
  return call.done(leaf(kernels::randperm(n, options.dtype, options.device, generator), options));
}

Tensor bernoulli(const Tensor& p, Generator* generator) {
  const OpCall call("bernoulli", p);
  return call.done(kernels::bernoulli(p, generator));
}

Tensor bernoulli(const Dims& sizes, double p, TensorOptions options, Generator* generator) {
  const OpCall call("bernoulli", sizes, p, options);
  return made(call, sizes, options, [&](const Tensor& t) { kernels::bernoulli_(t, p, generator); });
}

Tensor uniform_(Tensor t, double low, double high, Generator* generator) {
  const OpCall call("uniform_", t, low, high);
  return overwrite(call, t, [&] { kernels::uniform_(t, low, high, generator); });
}

Tensor normal_(Tensor t, double mean, double std, Generator* generator) {
  const OpCall call("normal_", t, mean, std);
  return overwrite(call, t, [&] { kernels::normal_(t, mean, std, generator); });
}

Tensor dropout(const Tensor& input, double p, bool training, Generator* generator) {
  const detail::OperationName name("dropout");
  detail::expect_defined("dropout", input, "input");
  ORDO_CHECK(p >= 0 && p <= 1, ValueError, "dropout", "p is a probability between 0 and 1, not {}", p);
  detail::expect_floating("dropout", input);
  if (!training || p == 0) return input;
  if (row_streams && !generator) return dropout_with(input, p, row_streams->take(input));
  return dropout_with(input, p, {kernels::dropout_state(input.numel(), generator)});
}

ORDO_REGISTER_OP({.name = "multinomial",
                  .family = "sort",
                  .dtypes = kFloatingTypes,
                  .differentiable = false,
                  .note = "draws from a Generator"});

Tensor multinomial(const Tensor& probs, int64_t num_samples, bool replacement, Generator* generator) {
  const OpCall call("multinomial", probs, num_samples, replacement);
  const char* op = call.name();
  detail::expect_floating(op, probs, "probs");
  ORDO_CHECK(probs.dim() == 1 || probs.dim() == 2, ShapeError, op, "probs must be 1-d or 2-d, but have shape {}",
             probs.sizes());
  ORDO_CHECK(num_samples > 0, ValueError, op, "num_samples must be positive, but is {}", num_samples);
  const int64_t categories = probs.size(-1);
  ORDO_CHECK(categories > 0, ValueError, op, "there must be a category, but probs have shape {}", probs.sizes());
  ORDO_CHECK(replacement || num_samples <= categories, ValueError, op,
             "cannot draw {} of {} categories without replacement", num_samples, categories);
  NoGrad guard;
  const DType dtype = probs.dtype() == float64 ? float64 : float32;
  const Tensor p = probs.to(dtype);
  Dims sizes = probs.sizes();
  sizes[sizes.size() - 1] = num_samples;
  if (p.numel() == 0) return call.done(empty(sizes, {int64, p.device()}));
  ORDO_CHECK(!any(logical_or(logical_not(isfinite(p)), lt(p, 0))).item<bool>(), ValueError, op,
             "probs must be finite and not negative, but one is not");
  const int64_t weighted = amin(sum(gt(p, 0), {-1})).item<int64_t>();
  ORDO_CHECK(weighted >= (replacement ? 1 : num_samples), ValueError, op,
             "{} samples need {} categories with a weight, but a row has {}", num_samples,
             replacement ? 1 : num_samples, weighted);
  if (!replacement) {
    // 1 - u is 1 for some u; a category of weight 0 is to stay behind all others then, too.
    const Tensor times = clamp(neg(log(1 - rand(p.sizes(), {dtype, p.device()}, generator))), 0x1p-60);
    const Tensor scale = amax(p, {-1}, true);  // quotients are to be finite
    return call.done(topk(p / scale / times, num_samples).indices);
  }
  const Tensor sums = cumsum(p / amax(p, {-1}, true), -1), total = sums.narrow(-1, categories - 1, 1);
  const Tensor drawn = rand(sizes, {dtype, p.device()}, generator) * total;
  // Rounding may have reached the total, which belongs to the last category with a weight.
  return call.done(minimum(searchsorted(sums, drawn, false, true), searchsorted(sums, total.contiguous())));
}

}  // namespace ordo
