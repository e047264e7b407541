// An operand of an elementwise operation: a tensor or a number. Internal to kernels and autograd/ops.
#pragma once

#include <type_traits>

#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo::kernels {

class Operand {
 public:
  Operand(const Tensor& t) : tensor_(&t), scalar_(0) {}
  Operand(Scalar s) : tensor_(nullptr), scalar_(s) {}
  template <class T>
  requires std::is_arithmetic_v<T> Operand(T v) : Operand(Scalar(v)) {}

  bool is_tensor() const { return tensor_ != nullptr; }
  const Tensor& tensor() const { return *tensor_; }
  const TensorImpl* impl() const { return tensor_ ? tensor_->impl() : nullptr; }
  const Scalar& scalar() const { return scalar_; }

 private:
  const Tensor* tensor_;
  Scalar scalar_;
};

/// PyTorch's rules: tensors with dimensions decide; 0-d tensors and then numbers raise the result only to a higher kind
/// (bool < integer < floating). A floating number counts as float32.
DType promote_operands(const Operand& a, const Operand& b);

/// An in-place result of dtype `computed` must be able to live in `target`: floating does not fit integers, nor
/// integers bool. DTypeError naming `op` otherwise.
void expect_in_place_dtype(const char* op, DType target, DType computed);

}  // namespace ordo::kernels
