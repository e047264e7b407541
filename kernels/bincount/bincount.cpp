#include <ordo/kernels/bincount/bincount.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/parallel.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/accumulate/accumulate_cpu.h>
#include <ordo/kernels/bincount/bincount_items.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "bincount",
                  .family = "bincount",
                  .dtypes = kFloatingTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::sorted, Determinism::device_to_device},
                                 {Algorithm::exact, Determinism::device_to_device, {float32}}},
                  .note = "dtypes are those of the weights; counts are int64"});

namespace cpu {

ValueRange value_range(const BincountArgs& a) {
  std::atomic<int64_t> least = std::numeric_limits<int64_t>::max(), greatest = std::numeric_limits<int64_t>::min();
  dispatch_index("bincount", a.input_dtype, [&]<class I>() {
    const I* input = static_cast<const I*>(a.input);
    parallel_for(0, a.count, 32 * 1024, [&](int64_t first, int64_t last) {
      I low = input[first], high = input[first];
      for (int64_t i = first; i < last; ++i) low = std::min(low, input[i]), high = std::max(high, input[i]);
      int64_t seen = least;
      while (low < seen && !least.compare_exchange_weak(seen, low)) {
      }
      seen = greatest;
      while (high > seen && !greatest.compare_exchange_weak(seen, high)) {
      }
    });
  });
  return {least, greatest};
}

namespace {
/// Counts have no order: every thread counts on its own, where its counters are few beside its items.
template <class I>
bool count_privately(const I* input, int64_t* output, int64_t count, int64_t bins) {
  const int pieces = pieces_for(count, 32 * 1024);
  if (pieces > 1 && bins > count / pieces / 4) return false;
  Scratch<int64_t> others(bins * (pieces - 1), Device());
  for_pieces(pieces, [&](int piece) {
    int64_t* mine = piece == 0 ? output : others.data() + (piece - 1) * bins;
    if (piece > 0) std::fill_n(mine, bins, 0);
    const int64_t last = count * (piece + 1) / pieces;
    for (int64_t i = count * piece / pieces; i < last; ++i) ++mine[input[i]];
  });
  for (int p = 1; p < pieces; ++p)
    for (int64_t b = 0; b < bins; ++b) output[b] += others.data()[(p - 1) * bins + b];
  return true;
}
}  // namespace

namespace {
/// Items whose range is not known yet: they are counted as long as they are less than `bins`.
template <class T>
struct UncheckedBincountItems {
  using value_type = T;
  BincountItems<T> items;
  int64_t count, bins;
  std::atomic<bool>* beyond;
  int64_t destination(int64_t item) const {
    const int64_t bin = unrecorded_destination(item);
    if (bin < 0) beyond->store(true, std::memory_order_relaxed);
    return bin;
  }
  int64_t unrecorded_destination(int64_t item) const {
    const int64_t bin = items.destination(item);
    return uint64_t(bin) < uint64_t(bins) ? bin : -1;
  }
  int64_t checked_destination(int64_t item) const { return items.destination(item); }
  bool met_bad_index() const { return beyond->load(std::memory_order_relaxed); }
  T value(int64_t item, int64_t) const { return items.value(item, 0); }
};
}  // namespace

bool bincount_exact(const BincountArgs& a) {
  bool done = false;
  with_bincount_items(a, [&]<class T>(const BincountItems<T>& items) {
    if constexpr (std::is_same_v<T, float>) {
      std::atomic<bool> beyond = false;
      const UncheckedBincountItems<T> unchecked{items, a.count, a.bins, &beyond};
      // Before all are added, some: that shows at once that most are beyond.
      const int64_t step = std::max<int64_t>(1, a.count / 256);
      for (int64_t i = 0; i < a.count; i += step)
        if (unchecked.unrecorded_destination(i) < 0) return;
      accumulate_exact(unchecked, static_cast<T*>(a.output), {a.bins, 1, 1});
      done = !beyond;
    }
  });
  return done;
}

void bincount(const BincountArgs& a, Algorithm algorithm) {
  with_bincount_items(a, [&]<class T>(const BincountItems<T>& items) {
    if constexpr (std::is_integral_v<T>) {
      const bool counted =
          algorithm == Algorithm::atomic && dispatch_index("bincount", a.input_dtype, [&]<class I>() {
            return count_privately(static_cast<const I*>(a.input), static_cast<T*>(a.output), a.count, a.bins);
          });
      if (counted) return;
    }
    accumulate(items, static_cast<T*>(a.output), {a.bins, 1, 1}, algorithm);
  });
}

}  // namespace cpu

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
  const Tensor summands = weights.defined() ? contiguous(cast(weights, dtype)) : Tensor();
  BincountArgs args{values.data(), values.dtype(), values.numel(), summands.defined() ? summands.data() : nullptr,
                    nullptr,       dtype,          minlength,      input.device()};
  // With enough bins from the start, one pass over the input can both look at its values and add.
  if (args.count > 0 && minlength > 0 && args.device.is_cpu() &&
      choose_accumulate(kOp, algorithm, dtype, {args.count, minlength, 1}) == Algorithm::exact) {
    const Tensor result = full({minlength}, 0, dtype, args.device);
    args.output = result.data();
    if (cpu::bincount_exact(args)) return result;
  }
  if (args.count > 0) {
    const ValueRange range = ORDO_ON_DEVICE(args.device, value_range, args);
    ORDO_CHECK(range.least >= 0, ValueError, kOp, "takes non-negative integers, but input holds {}", range.least);
    ORDO_CHECK(range.greatest < std::numeric_limits<int64_t>::max() / 8, ValueError, kOp,
               "input holds {}, more bins than memory can have", range.greatest);
    args.bins = std::max(minlength, range.greatest + 1);
  }
  algorithm = choose_accumulate(kOp, algorithm, dtype, {args.count, args.bins, 1});
  const Tensor result = full({args.bins}, 0, dtype, args.device);
  args.output = result.data();
  if (args.count > 0) ORDO_ON_DEVICE(args.device, bincount, args, algorithm);
  return result;
}

}  // namespace ordo::kernels
