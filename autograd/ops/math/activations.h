// Softmax, and activations with a second operand: a slope, or a gate. ValueError for an undefined tensor.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// y = exp(x - m) / sum(exp(x - m)) along `dim`, m being the maximum there.
///
/// Shapes: any; the result has the input's. A 0-d input counts as one value.
/// Dtypes: floating, kept.
/// Throws: DTypeError when the input is not floating; IndexError when it has no dimension `dim`.
/// Determinism: the same bits on every device at every level; ordering rule 2. exp is Ordo's own.
/// Gradient: y (grad - sum(grad y)), the sum by the same rule.
/// PyTorch: torch.softmax.
Tensor softmax(const Tensor& input, int64_t dim);
Tensor softmax(const Tensor& input, int64_t dim, DType dtype);  ///< of input.to(dtype)
/// y = x - m - log(sum(exp(x - m))) along `dim`.
///
/// Shapes, Dtypes, Throws, Determinism: as softmax.
/// Gradient: grad - exp(y) sum(grad).
/// PyTorch: torch.log_softmax.
Tensor log_softmax(const Tensor& input, int64_t dim);
Tensor log_softmax(const Tensor& input, int64_t dim, DType dtype);  ///< of input.to(dtype)

/// input where input > 0, else weight input.
///
/// Shapes: any input; weight has one element, or one for each index of dimension 1 of input, and at most one dimension.
/// Dtypes: floating, one for both.
/// Throws: ShapeError when weight has another shape; DTypeError when dtypes differ or are not floating; DeviceError
/// when the tensors are on different devices.
/// Determinism: as softmax; the gradient of weight is added by ordering rule 2.
/// Gradient: of input, grad where input > 0, else weight grad; of weight, the sum of grad input where input is not
/// above 0.
/// PyTorch: torch.nn.functional.prelu.
Tensor prelu(const Tensor& input, const Tensor& weight);

/// a sigmoid(b), a and b being the halves of input along `dim`.
///
/// Shapes: input has an even size along `dim`, of which the result has half.
/// Dtypes: floating, kept.
/// Throws: ShapeError when that size is odd; IndexError when input has no dimension `dim`; DTypeError when input is not
/// floating.
/// Determinism: the same bits on every device at every level.
/// Gradient: of a, grad sigmoid(b); of b, grad a sigmoid(b) (1 - sigmoid(b)).
/// PyTorch: torch.nn.functional.glu.
Tensor glu(const Tensor& input, int64_t dim = -1);

}  // namespace ordo
