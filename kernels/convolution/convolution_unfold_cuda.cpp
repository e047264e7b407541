// In place of cuDNN, on the emulated device and where it is not present: own kernels compute.
#include <ordo/kernels/convolution/convolution.h>

#if !ORDO_HAS_CUDNN

namespace ordo::kernels::cuda {

bool library_convolve(ConvPass, const ConvShape&, const ConvTensors&) { return false; }

}  // namespace ordo::kernels::cuda

#endif
