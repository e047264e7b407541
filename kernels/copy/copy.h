// Copies, conversions and fills of strided memory, and triangles of matrices. Plain: no autograd.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// to[i] = from[i], `from` broadcast to the sizes of `to` and converted to its dtype; also between devices.
/// Memory that both share is handled: `from` is read first. Returns `to`.
/// Conversions: floating to integer truncates towards zero, saturates at the ends of the range and gives 0 for NaN;
/// integer to integer wraps; to bool is != 0; float64 and int64 reach the half types by way of float32.
/// ShapeError when the sizes do not broadcast or `to` repeats elements (an expanded view).
const Tensor& copy_(const Tensor& to, const Tensor& from);

/// Every element becomes `value`. ValueError when it does not fit the dtype (engine/tensor/fits.h).
const Tensor& fill_(const Tensor& t, Scalar value);

/// A contiguous copy.
Tensor clone(const Tensor& t);
/// `t` itself when it is contiguous, else a contiguous copy.
Tensor contiguous(const Tensor& t);
/// Where a tensor may be undefined.
inline Tensor contiguous_or_none(const Tensor& t) { return t.defined() ? contiguous(t) : t; }
template <class T>
T* data_or_null(const Tensor& t) {
  return t.defined() ? t.data<T>() : nullptr;
}
/// `t` itself when it has that dtype, else a contiguous converted copy.
Tensor cast(const Tensor& t, DType dtype);
/// `t` itself when it has that dtype and device, else a contiguous copy there.
Tensor to(const Tensor& t, Device device, DType dtype);

/// A new tensor of that many copies of `value`, which must fit as for fill_.
Tensor full(const Dims& sizes, Scalar value, DType dtype, Device device);

/// Copies of the matrices in t's last two dimensions, zero where column - row > diagonal (tril) or < diagonal (triu).
Tensor tril(const Tensor& t, int64_t diagonal);
Tensor triu(const Tensor& t, int64_t diagonal);

/// For in-place operations: ShapeError naming `op` when elements of `t` share memory, as those of a dimension of stride
/// 0 do.
void expect_writable(const char* op, const Tensor& t);
/// Whether the two may share memory without being element for element the same.
bool partly_overlap(const Tensor& a, const Tensor& b);

}  // namespace ordo::kernels
