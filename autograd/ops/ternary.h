// Functions of three operands, element by element. Sizes broadcast and dtypes promote as in arithmetic.h; the same bits
// on every device. Errors: ValueError for an undefined tensor, ShapeError, DeviceError, DTypeError.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// input + weight (end - input); where |weight| is 1/2 or more, end - (end - input) (1 - weight). Floating dtypes.
/// As torch.lerp.
Tensor lerp(const Tensor& input, const Tensor& end, const Tensor& weight);
Tensor lerp(const Tensor& input, const Tensor& end, Scalar weight);

/// input + value tensor1 tensor2. Any dtype but bool; a floating `value` takes floating tensors. As torch.addcmul.
Tensor addcmul(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);
/// input + value (tensor1 / tensor2). Floating dtypes. As torch.addcdiv.
Tensor addcdiv(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);

}  // namespace ordo
