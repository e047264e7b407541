// Tensor's methods that are free functions by another spelling.
#include <ordo/autograd/ops/any.h>
#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/comparison.h>
#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/index_add.h>
#include <ordo/autograd/ops/index_select.h>
#include <ordo/autograd/ops/matmul.h>
#include <ordo/autograd/ops/max.h>
#include <ordo/autograd/ops/norm.h>
#include <ordo/autograd/ops/scatter_add.h>
#include <ordo/autograd/ops/softmax.h>
#include <ordo/autograd/ops/sum.h>
#include <ordo/autograd/ops/unary.h>
#include <ordo/autograd/ops/var.h>
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
Tensor Tensor::tanh() const { return ordo::tanh(*this); }
Tensor Tensor::sigmoid() const { return ordo::sigmoid(*this); }
Tensor Tensor::erf() const { return ordo::erf(*this); }
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

}  // namespace ordo
