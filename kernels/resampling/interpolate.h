// Resampling of images on plain tensors. The differentiable function is in <ordo/autograd/ops/resampling.h>.
#pragma once

#include <optional>
#include <vector>

#include <ordo/engine/memory.h>
#include <ordo/engine/op_call.h>
#include <ordo/engine/size.h>
#include <ordo/engine/tensor.h>
#include <ordo/kernels/resampling/interpolate_mode.h>
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

/// Memory for the tables of three axes, not yet filled.
template <class V>
class ResampleMemory {
 public:
  ResampleMemory(const ResampleArguments& a, bool gradient, Device device)
      : integers_(integers(a, gradient), device), numbers_(numbers(a, gradient), device) {
    int64_t* n = integers_.data();
    V* v = numbers_.data();
    tables_.gradient = gradient;
    const auto place = [&](ResampleTable<V>& t, int k) {
      t.axis = axis(a, k);
      t.first = n;
      t.begin = n + t.axis.output;
      t.end = t.begin + (gradient ? t.axis.input : 0);
      n = t.end + (gradient ? t.axis.input : 0);
      t.weights = v;
      t.cells = v + t.axis.output * t.axis.taps();
      v = t.cells + (gradient ? t.axis.output * t.axis.taps() : 0);
    };
    place(tables_.d, 0), place(tables_.h, 1), place(tables_.w, 2);
  }
  const ResampleTables<V>& tables() const { return tables_; }

 private:
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
  static int64_t integers(const ResampleArguments& a, bool gradient) {
    int64_t n = 0;
    for (int k = 0; k < 3; ++k) n += axis(a, k).output + (gradient ? 2 * axis(a, k).input : 0);
    return n;
  }
  static int64_t numbers(const ResampleArguments& a, bool gradient) {
    int64_t n = 0;
    for (int k = 0; k < 3; ++k) n += axis(a, k).output * axis(a, k).taps() * (gradient ? 2 : 1);
    return n;
  }

  Scratch<int64_t> integers_;
  Scratch<V> numbers_;
  ResampleTables<V> tables_;
};

// Per device. Everything is contiguous; results are overwritten.
namespace cpu {
void interpolate(const Tensor& input, const Tensor& output, const ResampleArguments& arguments);
void interpolate_backward(const Tensor& grad, const Tensor& output, const ResampleArguments& arguments);
}  // namespace cpu
namespace cuda {
void interpolate(const Tensor& input, const Tensor& output, const ResampleArguments& arguments);
void interpolate_backward(const Tensor& grad, const Tensor& output, const ResampleArguments& arguments);
}  // namespace cuda

}  // namespace ordo::kernels
