#include <ordo/autograd/ops/pad.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/resampling/pad.h>

namespace ordo {
namespace {

// Linear, so the gradient of the backward pass is the forward pass.
Tensor pad_backward(const Tensor& grad, const Dims& input_sizes, const std::vector<int64_t>& padding, PadMode mode) {
  const OpCall call("pad_backward", grad, input_sizes, padding, mode);
  return record(call, kernels::pad_backward(grad, input_sizes, padding, mode), {grad},
                [padding, mode](const Tensor& g) -> TensorList { return {pad(g, padding, mode)}; });
}

}  // namespace

Tensor pad(const Tensor& input, const std::vector<int64_t>& padding, PadMode mode, Scalar value) {
  const OpCall call("pad", input, padding, mode, value);
  return record(call, kernels::pad(input, padding, mode, value), {input},
                [padding, mode, sizes = input.sizes()](const Tensor& grad) -> TensorList {
                  if (mode != PadMode::constant) return {pad_backward(grad, sizes, padding, mode)};
                  std::vector<int64_t> back = padding;
                  for (int64_t& v : back) v = -v;
                  return {pad(grad, back)};
                });
}

}  // namespace ordo
