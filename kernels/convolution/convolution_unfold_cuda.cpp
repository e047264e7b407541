// In place of cuDNN, on the emulated device and where it is not present: own kernels compute.
#include <ordo/kernels/convolution/convolution.h>

#if !ORDO_HAS_CUDNN

namespace ordo::kernels::cuda {

bool library_convolution(const ConvShape&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) { return false; }
bool library_convolution_input_grad(const ConvShape&, const Tensor&, const Tensor&, const Tensor&) { return false; }
bool library_convolution_weight_grad(const ConvShape&, const Tensor&, const Tensor&, const Tensor&) { return false; }

}  // namespace ordo::kernels::cuda

#endif
