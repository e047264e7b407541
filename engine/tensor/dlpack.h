// Tensors shared with other libraries without a copy, by DLPack (https://dmlc.github.io/dlpack): NumPy, PyTorch, CuPy
// and most others take and give such structures. Both sides then see each other's changes.
//
//   DLManagedTensor* shared = to_dlpack(x);    // for numpy.from_dlpack, in a capsule named "dltensor"
//   Tensor y = from_dlpack(theirs);            // what array.__dlpack__() holds
#pragma once

#include <ordo/engine/tensor/tensor.h>

struct DLManagedTensor;  // <dlpack/dlpack.h>

namespace ordo {

/// Shows the tensor's memory, with its strides; it lives until the receiver calls the structure's deleter, as the
/// receiver must once. Work of the calling thread on a CUDA tensor is finished first. AutogradError for a tensor that
/// requires a gradient, which would not see the receiver's changes: pass detach(). DeviceError for a tensor of the
/// emulated GPU, whose memory is no GPU's.
DLManagedTensor* to_dlpack(const Tensor& tensor);

/// A tensor on their memory, which calls their deleter with its last view. Takes any strides that are not negative;
/// where elements share memory, in-place operations are ShapeErrors. DTypeError for an element type that Ordo does not
/// have, DeviceError for a device other than the CPU, pinned host memory and, in builds with CUDA, a GPU; ShapeError
/// for sizes, strides or an alignment that no tensor can have. After an error the structure is still the caller's. A
/// GPU's memory must be ready when it comes.
Tensor from_dlpack(DLManagedTensor* managed);

}  // namespace ordo
