// The operations of the table, on data that is ready.
#pragma once

#include <functional>

#include "bench/grid.h"

namespace ordo::bench {

struct Case {
  std::function<void(const Path&)> run;  ///< does it once
  std::function<TensorList()> result;    ///< of the last run
  std::function<void()> reset;           ///< undoes what runs leave behind, where they change their input
  TensorList inputs;                     ///< what a run reads
  bool adds = false;                     ///< reads its result as well
};

/// Values that are equal every time, and on every device. `reference`: on the CPU in float64, of values rounded to the row's
/// dtype. ValueError when the row's operation is not here.
Case prepare(const Row& row, Device device, bool reference = false);

/// Bytes of inputs to rotate through on a GPU: more than the largest L2 cache of one today (126 MB).
inline constexpr double kMoreThanCaches = 160e6;

/// Device and dtype of a case, and the values it computes with.
struct Setting {
  Device device;
  DType rounded, dtype;  ///< values are drawn as float32, rounded, then converted
  std::string kind = "uniform";

  /// Values of a kind: uniform, in [0, 1); normal; exp3 and exp8, e to the power of 3 or 8 normal ones; zeros, uniform
  /// and every other one on average zero; signs, uniform ones of which each is followed by its opposite; gradients, as
  /// large as those that gradients/gradients.json has recorded; boundaries, 1, 2^-24 and 2^-100, whose sums mostly end
  /// a hair beside the middle of two floats.
  Tensor values(const Dims& sizes) const { return drawn(sizes).to(rounded).to(dtype).to(device); }
  /// `count` destinations in [0, n): uniform; zipf, P(rank r) ~ r^-1.1, ranks spread over the range; half, every other
  /// item on average to n / 2; one, all to n / 2.
  Tensor destinations(const std::string& distribution, int64_t count, int64_t n) const;

 private:
  Tensor drawn(const Dims& sizes) const;
};
/// f.operator()<rank>(), of a function over 1 to 3 spatial dimensions.
template <class F>
auto in_rank(int rank, const F& f) {
  return rank == 1 ? f.template operator()<1>() : rank == 2 ? f.template operator()<2>() : f.template operator()<3>();
}
/// Of an operation that returns its result.
Case pure_case(TensorList inputs, std::function<Tensor(Algorithm)> compute);

/// The gradient of `output`, which is recorded, with respect to `leaves`.
Case backward_case(const Tensor& output, const TensorList& leaves, const Setting& setting);

Case prepare_scatter(const Row&, const Setting&);
Case prepare_bincount(const Row&, const Setting&);
Case prepare_embedding(const Row&, const Setting&);
Case prepare_pooling(const Row&, const Setting&);
Case prepare_unary(const Row&, const Setting&);
Case prepare_binary(const Row&, const Setting&);
Case prepare_reduction(const Row&, const Setting&);
Case prepare_matmul(const Row&, const Setting&);
Case prepare_convolution(const Row&, const Setting&);
Case prepare_training(const Row&, const Setting&);
Case prepare_call(const Row&, const Setting&);

}  // namespace ordo::bench
