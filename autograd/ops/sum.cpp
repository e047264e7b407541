#include <ordo/autograd/ops/sum.h>

#include <algorithm>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/reduce/reduce_shape.h>
#include <ordo/kernels/reduce/sum.h>

namespace ordo {
namespace {

/// The gradient of a sum: `grad` for every value that was summed.
Tensor spread(const Tensor& grad, const Dims& sizes, const Dims& dims) {
  if (grad.dim() == 0) return grad.expand(sizes);
  return grad.reshape(kernels::sizes_after(sizes, kernels::reduced_mask("sum", sizes.size(), dims), true))
      .expand(sizes);
}

}  // namespace

Tensor sum(const Tensor& input, const Dims& dims, bool keepdim) {
  if (detail::raises(input)) return sum(detail::raise(input), dims, keepdim);
  const OpCall call("sum", input, dims, keepdim);
  Tensor out = kernels::sum(input, dims, keepdim);
  if (!detail::recorded(input)) return call.done(std::move(out));
  return record(call, std::move(out), {input}, [sizes = input.sizes(), dims](const Tensor& grad) -> TensorList {
    return {spread(grad, sizes, dims)};
  });
}

Tensor mean(const Tensor& input, const Dims& dims, bool keepdim) {
  if (detail::raises(input)) return mean(detail::raise(input), dims, keepdim);
  const OpCall call("mean", input, dims, keepdim);
  Tensor out = kernels::mean(input, dims, keepdim);
  if (!detail::recorded(input)) return call.done(std::move(out));
  return record(call, std::move(out), {input}, [sizes = input.sizes(), dims](const Tensor& grad) -> TensorList {
    const double count = double(sizes.product()) / double(grad.numel());
    return {spread(grad / std::max(1.0, count), sizes, dims)};  // of nothing: a derivative of 0 has one of 0
  });
}

Tensor sum(const Tensor& input) { return sum(input, Dims(), false); }
Tensor mean(const Tensor& input) { return mean(input, Dims(), false); }

}  // namespace ordo
