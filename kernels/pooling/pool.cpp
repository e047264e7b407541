#include <ordo/kernels/pooling/pool.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {
namespace {

constexpr const char* kNote = "the algorithms are the backward pass's";
const PoolRows kRows[] = {{kMaxPool.sliding, kNote},  {kMaxPoolWithIndices.sliding, kNote},
                          {kMaxPool.adaptive, kNote}, {kMaxPoolWithIndices.adaptive, kNote},
                          {kAvgPool.sliding, kNote},  {kAvgPool.adaptive, kNote}};

void check_rank(const char* op, const Dims& sizes, int rank) {
  constexpr const char* kShapes[] = {"[N, C, W] or [C, W]", "[N, C, H, W] or [C, H, W]",
                                     "[N, C, D, H, W] or [C, D, H, W]"};
  ORDO_CHECK(sizes.size() == rank + 1 || sizes.size() == rank + 2, ShapeError, op, "takes an input of shape {}, not {}",
             kShapes[rank - 1], sizes);
}

/// `sizes` with its last ones replaced by the windows' outputs; ShapeError where so many cannot be addressed.
Dims pooled_sizes(const char* op, const Dims& sizes, int rank, const Windows& windows) {
  return check_addressable(op, with_last(sizes, rank, {windows.d.output, windows.h.output, windows.w.output}));
}

}  // namespace

PoolRows::PoolRows(const RankNames& names, const char* note) {
  for (const char* name : names)
    ordo::detail::OpRegistration({.name = name,
                                  .family = "pooling",
                                  .dtypes = kFloatingTypes,
                                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                                 {Algorithm::gather, Determinism::device_to_device}},
                                  .note = note});
}

void check_pool_input(const char* op, const Tensor& input, int rank) {
  ordo::detail::expect_floating(op, input, "input");
  check_rank(op, input.sizes(), rank);
  check_not_empty(op, input.sizes(), rank);
}

Windows pool_windows(const char* op, const Dims& sizes, const PoolArguments& a) {
  check_rank(op, sizes, a.rank);
  const Size3 inputs = in_three(sizes, a.rank);
  if (a.output_size) {
    const Size3& outputs = *a.output_size;
    check_each(op, "output_size", outputs, a.rank, 1);
    const auto axis = [&](int i) { return WindowAxis::adaptive(inputs[i], outputs[i]); };
    return {{axis(0), axis(1), axis(2)}};
  }
  check_each(op, "kernel", a.kernel, a.rank, 1);
  check_each(op, "stride", a.stride, a.rank, 1);
  check_each(op, "padding", a.padding, a.rank, 0);
  check_each(op, "dilation", a.dilation, a.rank, 1);
  for (int i = 3 - a.rank; i < 3; ++i)
    ORDO_CHECK(a.padding[i] <= a.kernel[i] / 2, ValueError, op,
               "padding must be at most half of the kernel: {} {} is too much for kernel {}", kAxisNames[i],
               a.padding[i], a.kernel[i]);
  ORDO_CHECK(a.divisor_override != 0, ValueError, op, "divisor_override must not be 0");
  checked::mul(op, checked::mul(op, a.kernel[0], a.kernel[1]), a.kernel[2]);  // an average divides by it
  const auto axis = [&](int i) {
    const WindowAxis made =
        sliding_axis(op, kAxisNames[i], inputs[i], a.kernel[i], a.stride[i], a.padding[i], a.dilation[i], a.ceil_mode);
    // With dilation over a whole input, a window may step over it.
    for (int64_t o = 0; made.padding > 0 && made.dilation > made.input && o < made.output; ++o)
      ORDO_CHECK(made.begin(o) < made.end(o), ValueError, op,
                 "window {} along {} {} holds padding only: padding {} is too large for dilation {}", o, kAxisNames[i],
                 made.input, made.padding, made.dilation);
    return made;
  };
  return {{axis(0), axis(1), axis(2)}, a.count_include_pad, a.divisor_override.value_or(0)};
}

namespace {

/// What a checked input becomes.
struct Forward {
  Windows windows;
  Tensor values, indices;
  Forward(const char* op, const Tensor& input, const PoolArguments& a, bool with_indices) {
    check_pool_input(op, input, a.rank);
    windows = pool_windows(op, input.sizes(), a);
    const Dims sizes = pooled_sizes(op, input.sizes(), a.rank, windows);
    values = ordo::detail::result(sizes, input.dtype(), input.device());
    if (with_indices) indices = ordo::detail::result(sizes, DType::int64, input.device());
  }
};

/// What a checked gradient becomes; `indices`, if any, are checked with it.
struct Backward {
  Windows windows;
  Tensor output;
  Backward(const char* op, const Tensor& grad, const Tensor* indices, const Dims& input_sizes, const PoolArguments& a,
           Algorithm& algorithm)
      : windows(pool_windows(op, input_sizes, a)) {
    if (indices) ordo::detail::expect_defined(op, *indices, "indices");
    const Dims expected = pooled_sizes(op, input_sizes, a.rank, windows);
    check_pool_input(op, grad, a.rank);
    ORDO_CHECK(grad.sizes() == expected, ShapeError, op, "the gradient has shape {}, the result had {}", grad.sizes(),
               expected);
    if (indices) {
      ordo::detail::expect_same_device(op, grad, *indices);
      ORDO_CHECK(indices->dtype() == DType::int64, DTypeError, op, "takes indices of dtype int64, not {}",
                 indices->dtype());
      ORDO_CHECK(indices->sizes() == expected, ShapeError, op, "the indices have shape {}, the result had {}",
                 indices->sizes(), expected);
    }
    algorithm = choose_accumulate(op, algorithm, grad.dtype(), {Algorithm::gather, Algorithm::atomic});
    output = ordo::detail::result(input_sizes, grad.dtype(), grad.device());
  }
};

MaxPoolResult max_pool(const char* op, const Tensor& input, const PoolArguments& a, bool with_indices) {
  const Forward f(op, input, a, with_indices);
  if (f.values.numel() > 0) ORDO_ON_DEVICE(input.device(), max_pool, contiguous(input), f.values, f.indices, f.windows);
  return {f.values, f.indices};
}

}  // namespace

Tensor max_pool(const Tensor& input, const PoolArguments& arguments) {
  return max_pool(kMaxPool.of(arguments), input, arguments, false).values;
}

MaxPoolResult max_pool_with_indices(const Tensor& input, const PoolArguments& arguments) {
  return max_pool(kMaxPoolWithIndices.of(arguments), input, arguments, true);
}

Tensor avg_pool(const Tensor& input, const PoolArguments& arguments) {
  const Forward f(kAvgPool.of(arguments), input, arguments, false);
  if (f.values.numel() > 0) ORDO_ON_DEVICE(input.device(), avg_pool, contiguous(input), f.values, f.windows);
  return f.values;
}

Tensor max_pool_backward(const Tensor& grad, const Tensor& indices, const Dims& input_sizes,
                         const PoolArguments& arguments, Algorithm algorithm) {
  const Backward b(kMaxPoolBackward.of(arguments), grad, &indices, input_sizes, arguments, algorithm);
  if (b.output.numel() > 0)
    ORDO_ON_DEVICE(grad.device(), max_pool_backward, contiguous(grad), contiguous(indices), b.output, b.windows,
                   algorithm);
  return b.output;
}

Tensor avg_pool_backward(const Tensor& grad, const Dims& input_sizes, const PoolArguments& arguments,
                         Algorithm algorithm) {
  const Backward b(kAvgPoolBackward.of(arguments), grad, nullptr, input_sizes, arguments, algorithm);
  if (b.output.numel() > 0)
    ORDO_ON_DEVICE(grad.device(), avg_pool_backward, contiguous(grad), b.output, b.windows, algorithm);
  return b.output;
}

}  // namespace ordo::kernels
