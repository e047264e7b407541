#include <ordo/autograd/ops/unfold.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/windows/unfold.h>

namespace ordo {

Tensor unfold(const Tensor& input, Size2 kernel_size, Size2 dilation, Size2 padding, Size2 stride) {
  const kernels::UnfoldArguments a{kernel_size, dilation, padding, stride};
  const OpCall call("unfold", input, a);
  Tensor result = kernels::unfold(input, a);
  return record(call, std::move(result), {input},
                [a, size = Size2(input.size(-2), input.size(-1))](const Tensor& grad) -> TensorList {
                  return {fold(grad, size, a.kernel, a.dilation, a.padding, a.stride)};
                });
}

Tensor fold(const Tensor& input, Size2 output_size, Size2 kernel_size, Size2 dilation, Size2 padding, Size2 stride) {
  const kernels::UnfoldArguments a{kernel_size, dilation, padding, stride};
  const OpCall call("fold", input, output_size, a);
  return record(call, kernels::fold(input, output_size, a), {input}, [a](const Tensor& grad) -> TensorList {
    return {unfold(grad, a.kernel, a.dilation, a.padding, a.stride)};
  });
}

}  // namespace ordo
