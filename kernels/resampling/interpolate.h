// Resampling of images on plain tensors. The differentiable function is in <ordo/autograd/ops/functional/resampling.h>.
#pragma once

#include <optional>
#include <vector>

#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/resampling/modes.h>
#include <ordo/kernels/resampling/resample_axis.h>

namespace ordo::kernels {

/// A resampling of the last `rank` dimensions, all sizes known. scale: cells per output, 0 for what the sizes give.
struct ResampleArguments {
  int rank = 0;
  Resample kind = Resample::nearest;
  bool align_corners = false;
  Size3 input = 1, output = 1;
  double scale[3] = {0, 0, 0};
};
inline void report(ordo::detail::OpArguments& call, const ResampleArguments& a) {
  call.add(a.kind);
  call.add(a.align_corners);
  call.add(a.output);
}

/// Checks the arguments of interpolate(), but for mode area only the sizes.
ResampleArguments resample_arguments(const Tensor& input, const Dims& size, const std::vector<double>& scale_factor,
                                     InterpolateMode mode, std::optional<bool> align_corners,
                                     bool recompute_scale_factor);

Tensor interpolate(const Tensor& input, const ResampleArguments& arguments);
Tensor interpolate_backward(const Tensor& grad, const ResampleArguments& arguments);

/// The tables of three axes with their memory, not yet filled.
template <class V>
class ResampleMemory {
 public:
  ResampleMemory(const ResampleArguments& a, bool gradient, Device device)
      : d_(axis(a, 0), device), h_(axis(a, 1), device), w_(axis(a, 2), device), gradient_(gradient) {}
  ResampleTables<V> tables() const { return {d_.table, h_.table, w_.table, gradient_}; }

 private:
  struct Axis {
    Scratch<int64_t> integers;
    Scratch<V> weights;
    ResampleTable<V> table;
    Axis(const ResampleAxis<V>& a, Device device)
        : integers(a.output + 2 * a.input, device),
          weights(a.output * a.taps(), device),
          table{a, integers.data(), integers.data() + a.output, integers.data() + a.output + a.input, weights.data()} {}
  };
  static ResampleAxis<V> axis(const ResampleArguments& a, int k) {
    ResampleAxis<V> axis;
    if (k < 3 - a.rank) return axis;
    axis.input = a.input[k];
    axis.output = a.output[k];
    axis.kind = a.kind;
    axis.align_corners = a.align_corners;
    if (axis.taps() == 1)
      axis.scale = V(a.scale[k] > 0 ? float(a.scale[k]) : float(axis.input) / float(axis.output));
    else if (a.align_corners)
      axis.scale = axis.output > 1 ? V(axis.input - 1) / V(axis.output - 1) : V(0);
    else
      axis.scale = a.scale[k] > 0 ? V(a.scale[k]) : V(axis.input) / V(axis.output);
    axis.whole = axis.taps() == 1 && axis.input == axis.output && axis.scale == V(1);
    return axis;
  }

  Axis d_, h_, w_;
  bool gradient_;
};

// Per device. Everything is contiguous; results are overwritten.
ORDO_DEVICES(void, interpolate, const Tensor& input, const Tensor& output, const ResampleArguments& arguments)
ORDO_DEVICES(void, interpolate_backward, const Tensor& grad, const Tensor& output, const ResampleArguments& arguments)

}  // namespace ordo::kernels
