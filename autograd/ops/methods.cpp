// Tensor's methods that are free functions by another spelling.
#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/binary.h>
#include <ordo/autograd/ops/cat.h>
#include <ordo/autograd/ops/comparison.h>
#include <ordo/autograd/ops/diagonal.h>
#include <ordo/autograd/ops/flip.h>
#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/index_add.h>
#include <ordo/autograd/ops/matmul.h>
#include <ordo/autograd/ops/reductions.h>
#include <ordo/autograd/ops/repeat.h>
#include <ordo/autograd/ops/scans.h>
#include <ordo/autograd/ops/scatter.h>
#include <ordo/autograd/ops/scatter_add.h>
#include <ordo/autograd/ops/scatter_reduce.h>
#include <ordo/autograd/ops/searchsorted.h>
#include <ordo/autograd/ops/select_scatter.h>
#include <ordo/autograd/ops/shapes.h>
#include <ordo/autograd/ops/softmax.h>
#include <ordo/autograd/ops/sort.h>
#include <ordo/autograd/ops/unary.h>
#include <ordo/autograd/ops/where.h>

namespace ordo {

Tensor Tensor::cpu() const { return to(ordo::cpu); }
Tensor Tensor::cuda() const { return to(Device("cuda")); }

Tensor Tensor::sum() const { return ordo::sum(*this); }
Tensor Tensor::mean() const { return ordo::mean(*this); }
Tensor Tensor::var() const { return ordo::var(*this); }
Tensor Tensor::std() const { return ordo::std(*this); }
Tensor Tensor::max() const { return ordo::max(*this); }
Tensor Tensor::min() const { return ordo::min(*this); }
Tensor Tensor::sum(const Dims& dims, bool keepdim) const { return ordo::sum(*this, dims, keepdim); }
Tensor Tensor::mean(const Dims& dims, bool keepdim) const { return ordo::mean(*this, dims, keepdim); }
Tensor Tensor::nansum(const Dims& dims, bool keepdim) const { return ordo::nansum(*this, dims, keepdim); }
Tensor Tensor::nanmean(const Dims& dims, bool keepdim) const { return ordo::nanmean(*this, dims, keepdim); }
Tensor Tensor::prod() const { return ordo::prod(*this); }
Tensor Tensor::prod(const Dims& dims, bool keepdim) const { return ordo::prod(*this, dims, keepdim); }
Tensor Tensor::logsumexp(const Dims& dims, bool keepdim) const { return ordo::logsumexp(*this, dims, keepdim); }
Tensor Tensor::amax(const Dims& dims, bool keepdim) const { return ordo::amax(*this, dims, keepdim); }
Tensor Tensor::amin(const Dims& dims, bool keepdim) const { return ordo::amin(*this, dims, keepdim); }
Tensor Tensor::any(const Dims& dims, bool keepdim) const { return ordo::any(*this, dims, keepdim); }
Tensor Tensor::all(const Dims& dims, bool keepdim) const { return ordo::all(*this, dims, keepdim); }
Tensor Tensor::var(const Dims& dims, double correction, bool keepdim) const {
  return ordo::var(*this, dims, correction, keepdim);
}
Tensor Tensor::std(const Dims& dims, double correction, bool keepdim) const {
  return ordo::std(*this, dims, correction, keepdim);
}
Tensor Tensor::norm(double p) const { return ordo::norm(*this, p); }
Tensor Tensor::norm(double p, const Dims& dims, bool keepdim) const { return ordo::norm(*this, p, dims, keepdim); }
MaxResult Tensor::max(int64_t dim, bool keepdim) const { return ordo::max(*this, dim, keepdim); }
MaxResult Tensor::min(int64_t dim, bool keepdim) const { return ordo::min(*this, dim, keepdim); }
Tensor Tensor::argmax(std::optional<int64_t> dim, bool keepdim) const { return ordo::argmax(*this, dim, keepdim); }
Tensor Tensor::argmin(std::optional<int64_t> dim, bool keepdim) const { return ordo::argmin(*this, dim, keepdim); }
Tensor Tensor::softmax(int64_t dim) const { return ordo::softmax(*this, dim); }
Tensor Tensor::log_softmax(int64_t dim) const { return ordo::log_softmax(*this, dim); }
Tensor Tensor::cumsum(int64_t dim) const { return ordo::cumsum(*this, dim); }
Tensor Tensor::cumprod(int64_t dim) const { return ordo::cumprod(*this, dim); }
Tensor Tensor::logcumsumexp(int64_t dim) const { return ordo::logcumsumexp(*this, dim); }
MaxResult Tensor::cummax(int64_t dim) const { return ordo::cummax(*this, dim); }
MaxResult Tensor::cummin(int64_t dim) const { return ordo::cummin(*this, dim); }
Tensor Tensor::diff(int64_t n, int64_t dim) const { return ordo::diff(*this, n, dim); }
MaxResult Tensor::sort(int64_t dim, bool descending) const { return ordo::sort(*this, dim, descending); }
Tensor Tensor::argsort(int64_t dim, bool descending) const { return ordo::argsort(*this, dim, descending); }
MaxResult Tensor::topk(int64_t k, int64_t dim, bool largest) const { return ordo::topk(*this, k, dim, largest); }
MaxResult Tensor::kthvalue(int64_t k, int64_t dim, bool keepdim) const {
  return ordo::kthvalue(*this, k, dim, keepdim);
}
Tensor Tensor::median() const { return ordo::median(*this); }
MaxResult Tensor::median(int64_t dim, bool keepdim) const { return ordo::median(*this, dim, keepdim); }
Tensor Tensor::nanmedian() const { return ordo::nanmedian(*this); }
MaxResult Tensor::nanmedian(int64_t dim, bool keepdim) const { return ordo::nanmedian(*this, dim, keepdim); }
MaxResult Tensor::mode(int64_t dim, bool keepdim) const { return ordo::mode(*this, dim, keepdim); }
Tensor Tensor::histc(int64_t bins, double min, double max) const { return ordo::histc(*this, bins, min, max); }

Tensor Tensor::neg() const { return ordo::neg(*this); }
Tensor Tensor::abs() const { return ordo::abs(*this); }
Tensor Tensor::square() const { return ordo::square(*this); }
Tensor Tensor::sign() const { return ordo::sign(*this); }
Tensor Tensor::relu() const { return ordo::relu(*this); }
Tensor Tensor::floor() const { return ordo::floor(*this); }
Tensor Tensor::ceil() const { return ordo::ceil(*this); }
Tensor Tensor::round() const { return ordo::round(*this); }
Tensor Tensor::exp() const { return ordo::exp(*this); }
Tensor Tensor::expm1() const { return ordo::expm1(*this); }
Tensor Tensor::trunc() const { return ordo::trunc(*this); }
Tensor Tensor::frac() const { return ordo::frac(*this); }
Tensor Tensor::exp2() const { return ordo::exp2(*this); }
Tensor Tensor::log2() const { return ordo::log2(*this); }
Tensor Tensor::log10() const { return ordo::log10(*this); }
Tensor Tensor::sinh() const { return ordo::sinh(*this); }
Tensor Tensor::cosh() const { return ordo::cosh(*this); }
Tensor Tensor::asinh() const { return ordo::asinh(*this); }
Tensor Tensor::acosh() const { return ordo::acosh(*this); }
Tensor Tensor::atanh() const { return ordo::atanh(*this); }
Tensor Tensor::logit() const { return ordo::logit(*this); }
Tensor Tensor::deg2rad() const { return ordo::deg2rad(*this); }
Tensor Tensor::rad2deg() const { return ordo::rad2deg(*this); }
Tensor Tensor::isposinf() const { return ordo::isposinf(*this); }
Tensor Tensor::isneginf() const { return ordo::isneginf(*this); }
Tensor Tensor::log() const { return ordo::log(*this); }
Tensor Tensor::log1p() const { return ordo::log1p(*this); }
Tensor Tensor::sqrt() const { return ordo::sqrt(*this); }
Tensor Tensor::rsqrt() const { return ordo::rsqrt(*this); }
Tensor Tensor::reciprocal() const { return ordo::reciprocal(*this); }
Tensor Tensor::sin() const { return ordo::sin(*this); }
Tensor Tensor::cos() const { return ordo::cos(*this); }
Tensor Tensor::tan() const { return ordo::tan(*this); }
Tensor Tensor::asin() const { return ordo::asin(*this); }
Tensor Tensor::acos() const { return ordo::acos(*this); }
Tensor Tensor::atan() const { return ordo::atan(*this); }
Tensor Tensor::tanh() const { return ordo::tanh(*this); }
Tensor Tensor::sigmoid() const { return ordo::sigmoid(*this); }
Tensor Tensor::erf() const { return ordo::erf(*this); }
Tensor Tensor::erfc() const { return ordo::erfc(*this); }
Tensor Tensor::bitwise_not() const { return ordo::bitwise_not(*this); }
Tensor Tensor::nan_to_num(double nan, std::optional<double> posinf, std::optional<double> neginf) const {
  return ordo::nan_to_num(*this, nan, posinf, neginf);
}
Tensor Tensor::isnan() const { return ordo::isnan(*this); }
Tensor Tensor::isinf() const { return ordo::isinf(*this); }
Tensor Tensor::isfinite() const { return ordo::isfinite(*this); }
Tensor Tensor::logical_not() const { return ordo::logical_not(*this); }
Tensor Tensor::clamp(std::optional<Scalar> low, std::optional<Scalar> high) const {
  return ordo::clamp(*this, low, high);
}

Tensor Tensor::add(const Tensor& other, Scalar alpha) const { return ordo::add(*this, other, alpha); }
Tensor Tensor::add(Scalar other, Scalar alpha) const { return ordo::add(*this, other, alpha); }
Tensor Tensor::sub(const Tensor& other, Scalar alpha) const { return ordo::sub(*this, other, alpha); }
Tensor Tensor::sub(Scalar other, Scalar alpha) const { return ordo::sub(*this, other, alpha); }
Tensor Tensor::mul(const Tensor& other) const { return ordo::mul(*this, other); }
Tensor Tensor::mul(Scalar other) const { return ordo::mul(*this, other); }
Tensor Tensor::div(const Tensor& other) const { return ordo::div(*this, other); }
Tensor Tensor::div(Scalar other) const { return ordo::div(*this, other); }
Tensor Tensor::pow(const Tensor& other) const { return ordo::pow(*this, other); }
Tensor Tensor::pow(Scalar other) const { return ordo::pow(*this, other); }
Tensor Tensor::eq(const Tensor& other) const { return ordo::eq(*this, other); }
Tensor Tensor::eq(Scalar other) const { return ordo::eq(*this, other); }
Tensor Tensor::ne(const Tensor& other) const { return ordo::ne(*this, other); }
Tensor Tensor::ne(Scalar other) const { return ordo::ne(*this, other); }
Tensor Tensor::lt(const Tensor& other) const { return ordo::lt(*this, other); }
Tensor Tensor::lt(Scalar other) const { return ordo::lt(*this, other); }
Tensor Tensor::le(const Tensor& other) const { return ordo::le(*this, other); }
Tensor Tensor::le(Scalar other) const { return ordo::le(*this, other); }
Tensor Tensor::gt(const Tensor& other) const { return ordo::gt(*this, other); }
Tensor Tensor::gt(Scalar other) const { return ordo::gt(*this, other); }
Tensor Tensor::ge(const Tensor& other) const { return ordo::ge(*this, other); }
Tensor Tensor::ge(Scalar other) const { return ordo::ge(*this, other); }
Tensor Tensor::minimum(const Tensor& other) const { return ordo::minimum(*this, other); }
Tensor Tensor::maximum(const Tensor& other) const { return ordo::maximum(*this, other); }
Tensor Tensor::logical_and(const Tensor& other) const { return ordo::logical_and(*this, other); }
Tensor Tensor::logical_or(const Tensor& other) const { return ordo::logical_or(*this, other); }
Tensor Tensor::atan2(const Tensor& other) const { return ordo::atan2(*this, other); }
Tensor Tensor::lerp(const Tensor& end, const Tensor& weight) const { return ordo::lerp(*this, end, weight); }
Tensor Tensor::lerp(const Tensor& end, Scalar weight) const { return ordo::lerp(*this, end, weight); }
Tensor Tensor::addcmul(const Tensor& tensor1, const Tensor& tensor2, Scalar value) const {
  return ordo::addcmul(*this, tensor1, tensor2, value);
}
Tensor Tensor::addcdiv(const Tensor& tensor1, const Tensor& tensor2, Scalar value) const {
  return ordo::addcdiv(*this, tensor1, tensor2, value);
}
Tensor Tensor::isclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  return ordo::isclose(*this, other, rtol, atol, equal_nan);
}
bool Tensor::allclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  return ordo::allclose(*this, other, rtol, atol, equal_nan);
}
bool Tensor::equal(const Tensor& other) const { return ordo::equal(*this, other); }
Tensor Tensor::matmul(const Tensor& other) const { return ordo::matmul(*this, other); }
Tensor Tensor::mm(const Tensor& other) const { return ordo::mm(*this, other); }
Tensor Tensor::bmm(const Tensor& other) const { return ordo::bmm(*this, other); }

Tensor Tensor::where(const Tensor& condition, const Tensor& other) const {
  return ordo::where(condition, *this, other);
}
Tensor Tensor::where(const Tensor& condition, Scalar other) const { return ordo::where(condition, *this, other); }
Tensor Tensor::masked_fill(const Tensor& mask, Scalar value) const { return ordo::masked_fill(*this, mask, value); }
Tensor Tensor::gather(int64_t dim, const Tensor& index) const { return ordo::gather(*this, dim, index); }
Tensor Tensor::index_select(int64_t dim, const Tensor& index) const { return ordo::index_select(*this, dim, index); }
Tensor Tensor::index_add(int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha) const {
  return ordo::index_add(*this, dim, index, source, alpha);
}
Tensor Tensor::scatter_add(int64_t dim, const Tensor& index, const Tensor& src) const {
  return ordo::scatter_add(*this, dim, index, src);
}
Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Tensor& src) const {
  return ordo::scatter(*this, dim, index, src);
}
Tensor Tensor::scatter(int64_t dim, const Tensor& index, Scalar value) const {
  return ordo::scatter(*this, dim, index, value);
}
Tensor Tensor::scatter_reduce(int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce,
                              bool include_self) const {
  return ordo::scatter_reduce(*this, dim, index, src, reduce, include_self);
}
Tensor Tensor::index_copy(int64_t dim, const Tensor& index, const Tensor& source) const {
  return ordo::index_copy(*this, dim, index, source);
}
Tensor Tensor::index_fill(int64_t dim, const Tensor& index, Scalar value) const {
  return ordo::index_fill(*this, dim, index, value);
}
Tensor Tensor::index_fill(int64_t dim, const Tensor& index, const Tensor& value) const {
  return ordo::index_fill(*this, dim, index, value);
}
Tensor Tensor::index_reduce(int64_t dim, const Tensor& index, const Tensor& source, std::string_view reduce,
                            bool include_self) const {
  return ordo::index_reduce(*this, dim, index, source, reduce, include_self);
}
Tensor Tensor::take(const Tensor& index) const { return ordo::take(*this, index); }
Tensor Tensor::put(const Tensor& index, const Tensor& source, bool accumulate) const {
  return ordo::put(*this, index, source, accumulate);
}
Tensor Tensor::take_along_dim(const Tensor& indices, std::optional<int64_t> dim) const {
  return ordo::take_along_dim(*this, indices, dim);
}
Tensor Tensor::nonzero() const { return ordo::nonzero(*this); }
Tensor Tensor::masked_select(const Tensor& mask) const { return ordo::masked_select(*this, mask); }
Tensor Tensor::masked_scatter(const Tensor& mask, const Tensor& source) const {
  return ordo::masked_scatter(*this, mask, source);
}
Tensor Tensor::repeat_interleave(int64_t repeats, std::optional<int64_t> dim) const {
  return ordo::repeat_interleave(*this, repeats, dim);
}
Tensor Tensor::repeat_interleave(const Tensor& repeats, std::optional<int64_t> dim) const {
  return ordo::repeat_interleave(*this, repeats, dim);
}
Tensor Tensor::select_scatter(const Tensor& src, int64_t dim, int64_t index) const {
  return ordo::select_scatter(*this, src, dim, index);
}
Tensor Tensor::slice_scatter(const Tensor& src, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end,
                             int64_t step) const {
  return ordo::slice_scatter(*this, src, dim, start, end, step);
}
Tensor Tensor::diagonal_scatter(const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2) const {
  return ordo::diagonal_scatter(*this, src, offset, dim1, dim2);
}

Tensor Tensor::unflatten(int64_t dim, const Dims& sizes) const { return ordo::unflatten(*this, dim, sizes); }
Tensor Tensor::movedim(const Dims& source, const Dims& destination) const {
  return ordo::movedim(*this, source, destination);
}
Tensor Tensor::swapaxes(int64_t axis0, int64_t axis1) const { return ordo::swapaxes(*this, axis0, axis1); }
Tensor Tensor::broadcast_to(const Dims& sizes) const { return ordo::broadcast_to(*this, sizes); }
Tensor Tensor::expand_as(const Tensor& other) const { return ordo::expand_as(*this, other); }
Tensor Tensor::diagonal(int64_t offset, int64_t dim1, int64_t dim2) const {
  return ordo::diagonal(*this, offset, dim1, dim2);
}
TensorList Tensor::unbind(int64_t dim) const { return ordo::unbind(*this, dim); }
TensorList Tensor::split(int64_t split_size, int64_t dim) const { return ordo::split(*this, split_size, dim); }
TensorList Tensor::split(const std::vector<int64_t>& split_sizes, int64_t dim) const {
  return ordo::split(*this, split_sizes, dim);
}
TensorList Tensor::chunk(int64_t chunks, int64_t dim) const { return ordo::chunk(*this, chunks, dim); }

Tensor Tensor::dot(const Tensor& other) const { return ordo::dot(*this, other); }
Tensor Tensor::mv(const Tensor& vector) const { return ordo::mv(*this, vector); }
Tensor Tensor::outer(const Tensor& other) const { return ordo::outer(*this, other); }
Tensor Tensor::addmm(const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) const {
  return ordo::addmm(*this, a, b, beta, alpha);
}
Tensor Tensor::baddbmm(const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) const {
  return ordo::baddbmm(*this, a, b, beta, alpha);
}
Tensor Tensor::tril(int64_t diagonal) const { return ordo::tril(*this, diagonal); }
Tensor Tensor::triu(int64_t diagonal) const { return ordo::triu(*this, diagonal); }
Tensor Tensor::diag(int64_t diagonal) const { return ordo::diag(*this, diagonal); }
Tensor Tensor::trace() const { return ordo::trace(*this); }
Tensor Tensor::flip(const Dims& dims) const { return ordo::flip(*this, dims); }
Tensor Tensor::roll(const Dims& shifts, const Dims& dims) const { return ordo::roll(*this, shifts, dims); }
Tensor Tensor::repeat(const Dims& repeats) const { return ordo::repeat(*this, repeats); }
Tensor Tensor::tile(const Dims& repeats) const { return ordo::tile(*this, repeats); }

}  // namespace ordo
