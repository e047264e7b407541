#include <ordo/kernels/bincount/bincount.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/accumulate/keyed.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "bincount",
                  .family = "bincount",
                  .dtypes = kFloatingTypes,
                  .algorithms = accumulate_levels({float32}),
                  .note = "dtypes are those of the weights; counts are int64",
                  .no_rows = "it counts all elements"});

ValueRange cpu::value_range(const Tensor& values) {
  ValueRange range{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  std::mutex mutex;
  dispatch_index("bincount", values.dtype(), [&]<class I>() {
    const I* const input = values.data<I>();
    parallel_for(0, values.numel(), 32 * 1024, [&](int64_t first, int64_t last) {
      I low = input[first], high = input[first];
      for (int64_t i = first; i < last; ++i) low = std::min(low, input[i]), high = std::max(high, input[i]);
      const std::lock_guard lock(mutex);
      range = {std::min(range.least, int64_t(low)), std::max(range.greatest, int64_t(high))};
    });
  });
  return range;
}

namespace {

/// Adds weights, or a single one of all values, to the bins of the values.
void add_weights(const Tensor& values, const Tensor& weights, const Tensor& bins, const IndexView& index, bool known,
                 Algorithm algorithm) {
  KeyedItems items = keyed_items(keyed_rows(bins.numel(), 1, values.numel()), index, bins, weights, known);
  if (weights.dim() == 0) items.shape.item_stride = 0;
  add_by_key(items, algorithm);
}

/// By `exact`, on the CPU. False when a value has no bin: then nothing was written.
bool add_unless_beyond(const Tensor& values, const Tensor& weights, const Tensor& bins) {
  const IndexGuard guard("bincount", "input", 0, bins.numel(), Device());
  const IndexView index = index_view(values, bins.numel(), guard);
  // Before all are added, some: that shows at once that most are beyond.
  const int64_t count = values.numel(), step = std::max<int64_t>(1, count / 256);
  for (int64_t i = 0; i < count; i += step)
    if (index.unrecorded(i) < 0) return false;
  add_weights(values, weights, bins, index, false, Algorithm::exact);
  return !guard.check().failed();
}

}  // namespace

Tensor bincount(const Tensor& input, const Tensor& weights, int64_t minlength, Algorithm algorithm) {
  constexpr const char* kOp = "bincount";
  const ordo::detail::OperationName name(kOp);
  ordo::detail::expect_defined(kOp, input, "input");
  ORDO_CHECK(is_integral(input.dtype()) && input.dtype() != boolean, DTypeError, kOp,
             "counts integers (uint8, int32 or int64), not {}", input.dtype());
  ORDO_CHECK(input.dim() == 1, ShapeError, kOp, "input must have 1 dimension, not sizes {}", input.sizes());
  ORDO_CHECK(minlength >= 0, ValueError, kOp, "minlength must not be negative, but is {}", minlength);
  if (weights.defined()) {
    ordo::detail::expect_same_device(kOp, input, weights);
    ORDO_CHECK(weights.sizes() == input.sizes(), ShapeError, kOp, "weights have sizes {}, input {}; they must agree",
               weights.sizes(), input.sizes());
  }
  const DType dtype = !weights.defined() ? int64 : weights.dtype() == float32 ? float32 : float64;

  const Tensor values = contiguous(input.dtype() == uint8 ? cast(input, int64) : input);
  const Tensor summands = weights.defined() ? contiguous(cast(weights, dtype)) : full({}, 1, dtype, input.device());
  const int64_t count = values.numel();
  // With enough bins from the start, one pass over the input can both look at its values and add.
  if (count > 0 && minlength > 0 && input.is_cpu() &&
      choose_accumulate(kOp, algorithm, dtype, {count, minlength, true}) == Algorithm::exact) {
    const Tensor result = full({minlength}, 0, dtype, input.device());
    if (add_unless_beyond(values, summands, result)) return result;
  }
  int64_t bins = minlength;
  if (count > 0) {
    const ValueRange range = ORDO_ON_DEVICE(input.device(), value_range, values);
    ORDO_CHECK(range.least >= 0, ValueError, kOp, "takes non-negative integers, but input holds {}", range.least);
    ORDO_CHECK(range.greatest < std::numeric_limits<int64_t>::max() / 8, ValueError, kOp,
               "input holds {}, more bins than memory can have", range.greatest);
    bins = std::max(minlength, range.greatest + 1);
  }
  algorithm = choose_accumulate(kOp, algorithm, dtype, {count, bins, true});
  const Tensor result = full({bins}, 0, dtype, input.device());
  if (count == 0) return result;
  add_weights(values, summands, result, index_view(values, bins), true, algorithm);
  return result;
}

}  // namespace ordo::kernels
