// Tensor's methods that are free functions by another spelling.
#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/index/scatter_reduce.h>
#include <ordo/autograd/ops/math/binary.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/reduce/sort.h>
#include <ordo/autograd/ops/shape/diagonal.h>
#include <ordo/autograd/ops/shape/repeat.h>

namespace ordo {

Tensor Tensor::cpu() const { return to(ordo::cpu); }
Tensor Tensor::cuda() const { return to(Device("cuda")); }

// A method is the free function of its name: METHOD(what it gives, its name, (its parameters), their names).
#define METHOD(result, name, parameters, ...) \
  result Tensor::name parameters const { return ordo::name(*this, __VA_ARGS__); }
#define METHOD0(name) \
  Tensor Tensor::name() const { return ordo::name(*this); }
// Of parameters that several methods have.
#define METHOD_DIMS(name) METHOD(Tensor, name, (const Dims& dims, bool keepdim), dims, keepdim)
#define METHOD_DIM(name) METHOD(Tensor, name, (int64_t dim), dim)
#define METHOD_KEEPDIM(name) METHOD(MaxResult, name, (int64_t dim, bool keepdim), dim, keepdim)
#define METHOD_OTHER(name) METHOD(Tensor, name, (const Tensor& other), other)
// NAME, and NAME_, which writes the result into the tensor.
#define BOTH(name, parameters, ...)                                                          \
  METHOD(Tensor, name, parameters, __VA_ARGS__)                                              \
  Tensor& Tensor::name##_ parameters {                                                       \
    return overwrite(#name "_", *this, ordo::name(before(*this, __VA_ARGS__), __VA_ARGS__)); \
  }

static bool wants_grad(const Tensor& t) { return t.defined() && t.requires_grad(); }
template <class T>
static bool wants_grad(const T&) {
  return false;
}

/// `t` for a function whose result is written into it: a copy where the tape keeps what the function takes.
template <class... Others>
static Tensor before(const Tensor& t, const Others&... others) {
  return grad_enabled() && (wants_grad(t) || ... || wants_grad(others)) ? t.clone() : t;
}

static Tensor& overwrite(const char* op, Tensor& t, const Tensor& result) {
  ORDO_CHECK(promote(t.dtype(), result.dtype()) == t.dtype() || is_floating(t.dtype()), DTypeError, op,
             "the result is {}, which a tensor of {} does not hold", result.dtype(), t.dtype());
  ORDO_CHECK(result.sizes() == t.sizes(), ShapeError, op, "the result has shape {}, and the tensor {}", result.sizes(),
             t.sizes());
  return t.copy_(result);
}

// clang-format off
METHOD0(sum) METHOD0(mean) METHOD0(var) METHOD0(std) METHOD0(max) METHOD0(min) METHOD0(prod) METHOD0(median)
METHOD0(nanmedian) METHOD0(bitwise_not) METHOD0(nonzero) METHOD0(trace) METHOD0(digamma)

METHOD_DIMS(sum) METHOD_DIMS(mean) METHOD_DIMS(nansum) METHOD_DIMS(nanmean) METHOD_DIMS(prod) METHOD_DIMS(logsumexp)
METHOD_DIMS(amax) METHOD_DIMS(amin) METHOD_DIMS(any) METHOD_DIMS(all)
METHOD_DIM(softmax) METHOD_DIM(log_softmax) METHOD_DIM(cumsum) METHOD_DIM(cumprod) METHOD_DIM(logcumsumexp)
METHOD_KEEPDIM(max) METHOD_KEEPDIM(min) METHOD_KEEPDIM(median) METHOD_KEEPDIM(nanmedian) METHOD_KEEPDIM(mode)
METHOD_OTHER(mul) METHOD_OTHER(div) METHOD_OTHER(minimum) METHOD_OTHER(maximum) METHOD_OTHER(matmul) METHOD_OTHER(mm)
METHOD_OTHER(bmm) METHOD_OTHER(dot) METHOD_OTHER(mv) METHOD_OTHER(outer) METHOD_OTHER(expand_as)

METHOD(AminmaxResult, aminmax, (std::optional<int64_t> dim, bool keepdim), dim, keepdim)
METHOD(Tensor, var, (const Dims& dims, double correction, bool keepdim), dims, correction, keepdim)
METHOD(Tensor, std, (const Dims& dims, double correction, bool keepdim), dims, correction, keepdim)
METHOD(Tensor, norm, (double p), p)
METHOD(Tensor, norm, (double p, const Dims& dims, bool keepdim), p, dims, keepdim)
METHOD(Tensor, argmax, (std::optional<int64_t> dim, bool keepdim), dim, keepdim)
METHOD(Tensor, argmin, (std::optional<int64_t> dim, bool keepdim), dim, keepdim)
METHOD(MaxResult, cummax, (int64_t dim), dim)
METHOD(MaxResult, cummin, (int64_t dim), dim)
METHOD(Tensor, diff, (int64_t n, int64_t dim), n, dim)
METHOD(MaxResult, sort, (int64_t dim, bool descending), dim, descending)
METHOD(Tensor, argsort, (int64_t dim, bool descending), dim, descending)
METHOD(MaxResult, topk, (int64_t k, int64_t dim, bool largest), k, dim, largest)
METHOD(MaxResult, kthvalue, (int64_t k, int64_t dim, bool keepdim), k, dim, keepdim)
METHOD(Tensor, histc, (int64_t bins, double min, double max), bins, min, max)
BOTH(nan_to_num, (double nan, std::optional<double> posinf, std::optional<double> neginf),
     nan, posinf, neginf)
BOTH(clamp, (std::optional<Scalar> low, std::optional<Scalar> high), low, high)
BOTH(clamp, (const Tensor& low, const Tensor& high), low, high)
METHOD(Tensor, add, (const Tensor& other, Scalar alpha), other, alpha)
METHOD(Tensor, add, (Scalar other, Scalar alpha), other, alpha)
METHOD(Tensor, sub, (const Tensor& other, Scalar alpha), other, alpha)
METHOD(Tensor, sub, (Scalar other, Scalar alpha), other, alpha)
METHOD(Tensor, mul, (Scalar other), other)
METHOD(Tensor, div, (Scalar other), other)
BOTH(div, (const Tensor& other, RoundingMode rounding_mode), other, rounding_mode)
BOTH(div, (Scalar other, RoundingMode rounding_mode), other, rounding_mode)
BOTH(pow, (const Tensor& other), other)
BOTH(pow, (Scalar other), other)
BOTH(lerp, (const Tensor& end, const Tensor& weight), end, weight)
BOTH(lerp, (const Tensor& end, Scalar weight), end, weight)
BOTH(addcmul, (const Tensor& tensor1, const Tensor& tensor2, Scalar value), tensor1, tensor2, value)
BOTH(addcdiv, (const Tensor& tensor1, const Tensor& tensor2, Scalar value), tensor1, tensor2, value)
METHOD(Tensor, isclose, (const Tensor& other, double rtol, double atol, bool equal_nan), other, rtol, atol, equal_nan)
METHOD(bool, allclose, (const Tensor& other, double rtol, double atol, bool equal_nan), other, rtol, atol, equal_nan)
METHOD(bool, equal, (const Tensor& other), other)
METHOD(Tensor, masked_fill, (const Tensor& mask, Scalar value), mask, value)
METHOD(Tensor, gather, (int64_t dim, const Tensor& index), dim, index)
METHOD(Tensor, index_select, (int64_t dim, const Tensor& index), dim, index)
METHOD(Tensor, index_add, (int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha),
       dim, index, source, alpha)
METHOD(Tensor, scatter_add, (int64_t dim, const Tensor& index, const Tensor& src), dim, index, src)
METHOD(Tensor, scatter, (int64_t dim, const Tensor& index, const Tensor& src), dim, index, src)
METHOD(Tensor, scatter, (int64_t dim, const Tensor& index, Scalar value), dim, index, value)
METHOD(Tensor, scatter_reduce, (int64_t dim, const Tensor& index, const Tensor& src, Reduce reduce, bool include_self),
       dim, index, src, reduce, include_self)
METHOD(Tensor, index_copy, (int64_t dim, const Tensor& index, const Tensor& source), dim, index, source)
METHOD(Tensor, index_fill, (int64_t dim, const Tensor& index, Scalar value), dim, index, value)
METHOD(Tensor, index_fill, (int64_t dim, const Tensor& index, const Tensor& value), dim, index, value)
METHOD(Tensor, index_reduce, (int64_t dim, const Tensor& index, const Tensor& source, Reduce reduce, bool include_self),
       dim, index, source, reduce, include_self)
METHOD(Tensor, take, (const Tensor& index), index)
METHOD(Tensor, put, (const Tensor& index, const Tensor& source, bool accumulate), index, source, accumulate)
METHOD(Tensor, take_along_dim, (const Tensor& indices, std::optional<int64_t> dim), indices, dim)
METHOD(Tensor, masked_select, (const Tensor& mask), mask)
METHOD(Tensor, masked_scatter, (const Tensor& mask, const Tensor& source), mask, source)
METHOD(Tensor, repeat_interleave, (int64_t repeats, std::optional<int64_t> dim), repeats, dim)
METHOD(Tensor, repeat_interleave, (const Tensor& repeats, std::optional<int64_t> dim), repeats, dim)
METHOD(Tensor, select_scatter, (const Tensor& src, int64_t dim, int64_t index), src, dim, index)
METHOD(Tensor, slice_scatter, (const Tensor& src, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step),
       src, dim, start, end, step)
METHOD(Tensor, diagonal_scatter, (const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2),
       src, offset, dim1, dim2)
METHOD(Tensor, unflatten, (int64_t dim, const Dims& sizes), dim, sizes)
METHOD(Tensor, movedim, (const Dims& source, const Dims& destination), source, destination)
METHOD(Tensor, swapaxes, (int64_t axis0, int64_t axis1), axis0, axis1)
METHOD(Tensor, broadcast_to, (const Dims& sizes), sizes)
METHOD(Tensor, diagonal, (int64_t offset, int64_t dim1, int64_t dim2), offset, dim1, dim2)
METHOD(Tensor, as_strided, (const Dims& sizes, const Dims& strides, std::optional<int64_t> storage_offset),
       sizes, strides, storage_offset)
METHOD(TensorList, unbind, (int64_t dim), dim)
METHOD(TensorList, split, (int64_t split_size, int64_t dim), split_size, dim)
METHOD(TensorList, split, (const std::vector<int64_t>& split_sizes, int64_t dim), split_sizes, dim)
METHOD(TensorList, chunk, (int64_t chunks, int64_t dim), chunks, dim)
METHOD(Tensor, addmm, (const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha), a, b, beta, alpha)
METHOD(Tensor, baddbmm, (const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha), a, b, beta, alpha)
BOTH(tril, (int64_t diagonal), diagonal)
BOTH(triu, (int64_t diagonal), diagonal)
METHOD(Tensor, diag, (int64_t diagonal), diagonal)
METHOD(Tensor, flip, (const Dims& dims), dims)
METHOD(Tensor, roll, (const Dims& shifts, const Dims& dims), shifts, dims)
METHOD(Tensor, repeat, (const Dims& repeats), repeats)
METHOD(Tensor, tile, (const Dims& repeats), repeats)
METHOD(Tensor, multinomial, (int64_t num_samples, bool replacement, Generator* generator), num_samples, replacement, generator)

// Rows of tables; docs/table_declarations.py declares them.
#define ORDO_FUNCTION(name, ...) \
  METHOD0(name)                  \
  Tensor& Tensor::name##_() { return overwrite(#name "_", *this, ordo::name(before(*this))); }
#define ORDO_ACTIVATION(...)
#define ORDO_PREDICATE(name, ...) METHOD0(name)
#include <ordo/kernels/elementwise/functions.def>
#define ORDO_FUNCTION2(name, ...)           \
  BOTH(name, (const Tensor& other), other) \
  BOTH(name, (Scalar other), other)
#include <ordo/kernels/elementwise/binary_functions.def>
#define ORDO_COMPARISON(name, ...) \
  METHOD_OTHER(name)               \
  METHOD(Tensor, name, (Scalar other), other)
#define ORDO_EXCHANGED_COMPARISON ORDO_COMPARISON
#define ORDO_LOGICAL(name, ...) METHOD_OTHER(name)
#include <ordo/kernels/elementwise/comparison.def>
    // clang-format on

    Tensor& Tensor::uniform_(double low, double high, Generator* generator) {
  ordo::uniform_(*this, low, high, generator);
  return *this;
}
Tensor& Tensor::normal_(double mean, double std, Generator* generator) {
  ordo::normal_(*this, mean, std, generator);
  return *this;
}
Tensor Tensor::new_empty(const Dims& sizes) const { return empty(sizes, options()); }
Tensor Tensor::new_zeros(const Dims& sizes) const { return zeros(sizes, options()); }
Tensor Tensor::new_ones(const Dims& sizes) const { return ones(sizes, options()); }
Tensor Tensor::new_full(const Dims& sizes, Scalar value) const { return full(sizes, value, options()); }

Tensor Tensor::where(const Tensor& condition, const Tensor& other) const {
  return ordo::where(condition, *this, other);
}
Tensor Tensor::where(const Tensor& condition, Scalar other) const { return ordo::where(condition, *this, other); }

}  // namespace ordo
