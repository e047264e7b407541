// In place of cuDNN, on the emulated device and where it is not present: unfold and multiply.
#include <ordo/kernels/convolution/convolution.h>

#if !ORDO_HAS_CUDNN

namespace ordo::kernels::cuda {

void convolution(const ConvShape& s, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) {
  unfold_convolution(s, x, weight, bias, y);
}

void convolution_input_grad(const ConvShape& s, const Tensor& grad, const Tensor& weight, const Tensor& x_grad) {
  unfold_convolution_input_grad(s, grad, weight, x_grad);
}

void convolution_weight_grad(const ConvShape& s, const Tensor& grad, const Tensor& x, const Tensor& weight_grad) {
  unfold_convolution_weight_grad(s, grad, x, weight_grad);
}

}  // namespace ordo::kernels::cuda

#endif
