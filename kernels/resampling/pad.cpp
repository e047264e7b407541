#include <ordo/kernels/resampling/pad.h>

#include <algorithm>

#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/fits.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "pad", .family = "resampling", .dtypes = kAllTypes});

namespace {

constexpr const char* kBackward = "pad_backward";

PadAxis pad_axis(const char* op, int dim, int64_t input, int64_t left, int64_t right, PadMode mode) {
  const PadAxis axis{input, checked::add(op, checked::add(op, input, left), right), left, mode};
  ORDO_CHECK(axis.output >= (mode == PadMode::constant ? 0 : 1), ShapeError, op,
             "padding {} and {} leaves nothing of dimension {} of size {}", left, right, dim, input);
  if (mode == PadMode::constant)  // cells that are moved out do not care how far
    return {input, axis.output, std::clamp(left, -input, axis.output), mode};
  ORDO_CHECK(input > 0, ShapeError, op, "cannot pad dimension {} of size 0 with its own cells", dim);
  if (mode == PadMode::reflect)
    ORDO_CHECK(left < input && right < input, ValueError, op,
               "reflect takes padding below the size: {} and {} is too much for dimension {} of size {}", left, right,
               dim, input);
  if (mode == PadMode::circular)
    ORDO_CHECK(axis.kept() > 0 && left <= axis.kept() && right <= axis.kept(), ValueError, op,
               "circular takes padding up to the size: {} and {} is too much for dimension {} of size {}", left, right,
               dim, input);
  if (mode == PadMode::replicate)
    ORDO_CHECK(axis.kept() > 0, ValueError, op, "padding {} and {} leaves no cell of dimension {} of size {}", left,
               right, dim, input);
  return axis;
}

/// One axis for every dimension of `sizes`; checks everything.
PadShape pad_shape(const char* op, const Dims& sizes, const std::vector<int64_t>& padding, PadMode mode) {
  ordo::detail::expect_enumerator(op, mode, PadMode::circular,
                                  "a mode: there are constant, reflect, replicate and circular");
  ORDO_CHECK(padding.size() % 2 == 0, ValueError, op, "takes two numbers for each dimension, from the last: not {}",
             padding.size());
  const int padded = int(std::min<size_t>(padding.size() / 2, kMaxDims + 1)), rank = sizes.size();
  ORDO_CHECK(padded <= rank, ShapeError, op, "has numbers for {} dimensions, but the input has shape {}", padded,
             sizes);
  if (mode != PadMode::constant)
    ORDO_CHECK(
        padded >= 1 && padded <= 3 && (rank == padded + 1 || rank == padded + 2), ShapeError, op,
        "other than constant padding takes 2, 4 or 6 numbers for the last 1, 2 or 3 dimensions, after one or two "
        "others; {} numbers and shape {} came",
        padding.size(), sizes);
  PadShape shape;
  shape.rank = rank;
  for (int d = 0; d < rank; ++d) {
    const int k = rank - 1 - d;
    shape.axes[d] = {sizes[d], sizes[d], 0, PadMode::constant};
    if (k < padded) shape.axes[d] = pad_axis(op, d, sizes[d], padding[size_t(2 * k)], padding[size_t(2 * k + 1)], mode);
  }
  return shape;
}

Dims padded_sizes(const PadShape& shape) {
  Dims sizes;
  for (int d = 0; d < shape.rank; ++d) sizes.push_back(shape.axes[d].output);
  return sizes;
}

/// A dimension that is not padded becomes one axis with the one before it, if that adds no cells of the input.
PadShape merged(const PadShape& shape) {
  PadShape out;
  for (int d = 0; d < shape.rank; ++d) {
    const PadAxis& axis = shape.axes[d];
    const bool plain = axis.input == axis.output && axis.left == 0;
    PadAxis* const before = out.rank > 0 ? &out.axes[out.rank - 1] : nullptr;
    const bool join = plain && before && before->mode == PadMode::constant;
    if (join) {
      before->input *= axis.input;
      before->output *= axis.input;
      before->left *= axis.input;
    } else {
      out.axes[out.rank] = axis;
      if (plain) out.axes[out.rank].mode = PadMode::constant;
      ++out.rank;
    }
  }
  out.rank = std::max(out.rank, 1);
  return out;
}

/// The axes d, h and w; those before them are volumes.
PadShape last_three(const PadShape& shape, int padded) {
  PadShape out;
  out.rank = 3;
  for (int k = 0; k < 3; ++k)
    out.axes[k] = k < 3 - padded ? PadAxis{1, 1, 0, PadMode::replicate} : shape.axes[shape.rank - 3 + k];
  return out;
}

}  // namespace

Tensor pad(const Tensor& input, const std::vector<int64_t>& padding, PadMode mode, Scalar value) {
  const ordo::detail::OperationName name("pad");
  ordo::detail::expect_defined("pad", input, "input");
  const PadShape shape = pad_shape("pad", input.sizes(), padding, mode);
  ordo::detail::expect_fits("pad", value, input.dtype());
  const Tensor output = ordo::detail::result(padded_sizes(shape), input.dtype(), input.device());
  if (output.numel() == 0) return output;
  const Tensor fill = full({1}, value, input.dtype(), Device());
  ORDO_ON_DEVICE(input.device(), pad, contiguous(input), output, merged(shape), fill);
  return output;
}

Tensor pad_backward(const Tensor& grad, const Dims& input_sizes, const std::vector<int64_t>& padding, PadMode mode) {
  const ordo::detail::OperationName name(kBackward);
  ordo::detail::expect_floating(kBackward, grad, "grad");
  const PadShape shape = pad_shape(kBackward, input_sizes, padding, mode);
  ORDO_CHECK(grad.sizes() == padded_sizes(shape), ShapeError, kBackward, "the gradient has shape {}, the result had {}",
             grad.sizes(), padded_sizes(shape));
  const Tensor output = ordo::detail::result(input_sizes, grad.dtype(), grad.device());
  if (output.numel() > 0)
    ORDO_ON_DEVICE(grad.device(), pad_backward, contiguous(grad), output, last_three(shape, int(padding.size() / 2)));
  return output;
}

}  // namespace ordo::kernels
