// The functions of cuDNN that Ordo calls, by their names: `using namespace ordo::cuda::libraries`. Internal.
#pragma once

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // cuDNN 9 deprecates this interface, and still has it
#include <cudnn.h>

#include <ordo/engine/cuda/shared_library.h>

namespace ordo::cuda::libraries {

// cuDNN opens these when a convolution is described, and calls abort() where one is missing.
inline constexpr const char* kCudnnParts[] = {ORDO_SONAME("libcudnn_graph", CUDNN_MAJOR),
                                              ORDO_SONAME("libcudnn_ops", CUDNN_MAJOR),
                                              ORDO_SONAME("libcudnn_cnn", CUDNN_MAJOR), nullptr};

inline constinit SharedLibrary cudnn_library{
    "cuDNN", ORDO_SONAME("libcudnn", CUDNN_MAJOR),
    "Install it, or use the level device_to_device, whose convolutions are Ordo's own", kCudnnParts};

ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnConvolutionBackwardData);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnConvolutionBackwardFilter);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnConvolutionForward);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnCreate);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnCreateConvolutionDescriptor);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnCreateFilterDescriptor);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnCreateTensorDescriptor);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnDestroy);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnDestroyConvolutionDescriptor);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnDestroyFilterDescriptor);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnDestroyTensorDescriptor);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnFindConvolutionBackwardDataAlgorithm);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnFindConvolutionBackwardFilterAlgorithm);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnFindConvolutionForwardAlgorithm);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnGetConvolutionBackwardDataAlgorithm_v7);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnGetConvolutionBackwardDataWorkspaceSize);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnGetConvolutionBackwardFilterAlgorithm_v7);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnGetConvolutionBackwardFilterWorkspaceSize);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnGetConvolutionForwardAlgorithm_v7);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnGetConvolutionForwardWorkspaceSize);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnGetErrorString);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnGetVersion);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnSetConvolution2dDescriptor);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnSetConvolutionGroupCount);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnSetConvolutionMathType);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnSetFilter4dDescriptor);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnSetStream);
ORDO_LIBRARY_FUNCTION(cudnn_library, cudnnSetTensor4dDescriptor);

}  // namespace ordo::cuda::libraries
