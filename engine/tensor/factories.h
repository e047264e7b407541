// Tensors from nothing.
//
// They make options.dtype, float32 when it is not given, whatever the kind of `value`. Integer dtypes take a `value` in
// their range, whose fraction is cut off (uint8 also -255 to -1, which wrap); floating dtypes take infinities, NaN and
// what is not above their largest finite number; bool takes everything.
// Throws: ValueError when `value` does not fit, or a stride is negative; ShapeError when no tensor has such sizes, or
// strides are not as many; DeviceError when there is no such device; DTypeError when an integer requires a gradient.
#pragma once

#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

namespace detail {
inline TensorOptions options_like(const Tensor& like, DType dtype) { return {dtype, like.device()}; }
inline TensorOptions options_like(const Tensor& like, Device device) { return {like.dtype(), device}; }
}  // namespace detail

Tensor empty(const Dims& sizes, TensorOptions options = {});
Tensor empty_strided(const Dims& sizes, const Dims& strides, TensorOptions options = {});
Tensor empty_like(const Tensor& like);
Tensor zeros(const Dims& sizes, TensorOptions options = {});
Tensor ones(const Dims& sizes, TensorOptions options = {});
Tensor full(const Dims& sizes, Scalar value, TensorOptions options = {});
Tensor zeros_like(const Tensor& like);
Tensor ones_like(const Tensor& like);
Tensor full_like(const Tensor& like, Scalar value);
/// A 0-d tensor.
Tensor scalar_tensor(Scalar value, TensorOptions options = {});
/// A tensor of `sizes` with `values` in row-major order, converted to options.dtype; without options, T is the dtype.
/// Throws: ShapeError when there are not as many values; DeviceError, DTypeError as the others.
template <class T>
Tensor from_vector(const std::vector<T>& values, const Dims& sizes);
template <class T>
Tensor from_vector(const std::vector<T>& values, const Dims& sizes, TensorOptions options);

// Factories with a dtype or a device in place of options.
template <OptionsPart P>
Tensor empty(const Dims& sizes, P part) {
  return empty(sizes, detail::options_from(part));
}
template <OptionsPart P>
Tensor zeros(const Dims& sizes, P part) {
  return zeros(sizes, detail::options_from(part));
}
template <OptionsPart P>
Tensor ones(const Dims& sizes, P part) {
  return ones(sizes, detail::options_from(part));
}
template <OptionsPart P>
Tensor full(const Dims& sizes, Scalar value, P part) {
  return full(sizes, value, detail::options_from(part));
}
template <OptionsPart P>
Tensor empty_like(const Tensor& like, P part) {
  return empty(like.sizes(), detail::options_like(like, part));
}
template <OptionsPart P>
Tensor zeros_like(const Tensor& like, P part) {
  return zeros(like.sizes(), detail::options_like(like, part));
}
template <OptionsPart P>
Tensor ones_like(const Tensor& like, P part) {
  return ones(like.sizes(), detail::options_like(like, part));
}
template <OptionsPart P>
Tensor full_like(const Tensor& like, Scalar value, P part) {
  return full(like.sizes(), value, detail::options_like(like, part));
}
template <OptionsPart P>
Tensor scalar_tensor(Scalar value, P part) {
  return scalar_tensor(value, detail::options_from(part));
}
template <class T, OptionsPart P>
Tensor from_vector(const std::vector<T>& values, const Dims& sizes, P part) {
  return from_vector(values, sizes, detail::options_from(part, dtype_of<T>));
}

}  // namespace ordo

#include <ordo/engine/tensor/literal.h>  // tensor({1, 2})
