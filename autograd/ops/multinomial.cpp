#include <ordo/autograd/ops/multinomial.h>

#include <ordo/autograd/ops/binary.h>
#include <ordo/autograd/ops/cumsum.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/random.h>
#include <ordo/autograd/ops/searchsorted.h>
#include <ordo/autograd/ops/sort.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "multinomial",
                  .family = "sort",
                  .dtypes = kFloatingTypes,
                  .differentiable = false,
                  .note = "draws from a Generator"});

Tensor multinomial(const Tensor& probs, int64_t num_samples, bool replacement, Generator* generator) {
  const OpCall call("multinomial", probs, num_samples, replacement);
  const char* op = call.name();
  detail::expect_defined(op, probs, "probs");
  detail::expect_floating(op, probs);
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
