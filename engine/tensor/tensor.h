// Tensor: a handle on shared, strided memory. Copying a Tensor copies the handle, never the data.
//
// Methods declared here that compute or reinterpret (`view`, `to`, `+`, ...) are differentiable operations; their
// definitions live with all others in autograd/ops/. Operations without a method are free functions (`ordo::relu(x)`).
//
// One rule for all shapes, those of views included: at most kMaxDims sizes, none negative, whose product, with each 0
// counted as 1, fits int64_t; and so do the bytes of all elements, counted as if each had memory of its own. ShapeError
// otherwise. So counts, strides and offsets do not overflow. Unlike PyTorch's, the rule does not depend on where in the
// list a 0 stands.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ordo/engine/tensor/device.h>
#include <ordo/engine/tensor/dims.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/engine/tensor/reduce.h>
#include <ordo/engine/tensor/scalar.h>

namespace ordo {

struct TensorImpl;
class Tensor;
class Node;
class Generator;
using TensorList = std::vector<Tensor>;   ///< several tensors, in an order
struct MaxResult;                         // autograd/ops/reduce/reductions.h
struct AminmaxResult;                     // autograd/ops/reduce/reductions.h
enum class RoundingMode : unsigned char;  // autograd/ops/math/arithmetic.h
class Indexed;                            // autograd/ops/index/indexing.h
template <class T, int N>
class TensorAccessor;  // engine/tensor/accessor.h
namespace indexing {
class TensorIndex;
}

/// What a factory function makes: dtype, device, and whether it is a leaf to differentiate with respect to.
struct TensorOptions {
  DType dtype = float32;
  Device device = cpu;
  bool requires_grad = false;
};

/// What may stand for all options of a factory: `zeros({3}, int64)`, `zeros({3}, device)`, `zeros({3}, "cuda")`.
template <class T>
concept OptionsPart = std::same_as<T, DType> ||(std::convertible_to<T, Device> && !std::is_null_pointer_v<T>);

namespace detail {
constexpr TensorOptions options_from(DType dtype, DType = float32) { return {dtype}; }
constexpr TensorOptions options_from(Device device, DType dtype = float32) { return {dtype, device}; }
}  // namespace detail

class Tensor {
 public:
  Tensor() = default;  ///< undefined: defined() is false, and every operation on it throws ValueError
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) = default;
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & = default;
  /// `x[0] = y`, `x.select(1, 2) = 5`: copy_ and fill_ of what an expression gives. Throws: as these.
  Tensor& operator=(const Tensor& value) && { return copy_(value); }
  Tensor& operator=(Scalar value) && { return fill_(value); }

  // -- what it is ---------------------------------------------------------------------------------------------------
  bool defined() const { return impl_ != nullptr; }
  /// `if (loss < 0.1)`: whether the only element is not zero; NaN is not zero. Waits for the device.
  /// Throws: ShapeError when numel() is not 1; ValueError when the tensor is undefined; IndexError as item.
  explicit operator bool() const;
  int dim() const;
  int64_t numel() const;
  const Dims& sizes() const;
  const Dims& strides() const;      ///< in elements
  int64_t size(int64_t dim) const;  ///< negative dims count from the end
  int64_t stride(int64_t dim) const;
  int64_t storage_offset() const;  ///< in elements
  DType dtype() const;
  Device device() const;
  size_t element_size() const { return size_of(dtype()); }
  size_t nbytes() const { return size_t(numel()) * element_size(); }
  bool is_contiguous() const;  ///< row-major without gaps
  bool is_cpu() const { return device().is_cpu(); }
  bool is_cuda() const { return device().is_cuda(); }
  TensorOptions options() const { return {dtype(), device(), false}; }

  // -- its contents -------------------------------------------------------------------------------------------------
  /// The first element's address, which is device memory for a CUDA tensor. `data()` is untyped. PyTorch: data_ptr.
  /// Throws: DTypeError when T is not the tensor's element type.
  template <class T>
  T* data() const {
    expect_dtype(dtype_of<T>);
    return static_cast<T*>(data());
  }
  void* data() const;
  template <class T>
  T* data_ptr() const {
    return data<T>();
  }
  void* data_ptr() const { return data(); }
  /// The elements for loops of one's own, `auto a = x.accessor<float, 2>(); a[i][j]`: engine/tensor/accessor.h.
  /// Throws: DTypeError when T is not the tensor's element type; ShapeError when it has not N dimensions; DeviceError
  /// when it is not on the CPU.
  template <class T, int N>
  TensorAccessor<T, N> accessor() const;
  /// The only element as a T, converted as to() converts: to bool it is != 0; floating to integer rounds towards zero
  /// and saturates at the ends of T's range, and NaN gives 0; integer to integer wraps. Waits for the device.
  /// Throws: ShapeError when numel() is not 1; IndexError when this thread's work on CUDA met an index out of range.
  template <class T = double>
  T item() const {
    if constexpr (std::is_same_v<T, bool>)
      return item_bool();
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(item_integer(int(sizeof(T)) * 8, std::is_signed_v<T>));
    else
      return static_cast<T>(item_double());
  }
  /// All elements in row-major order, each converted as item() converts. Waits for the device. PyTorch: tolist.
  /// Throws: OutOfMemoryError when the host has no room for them; IndexError as item.
  template <class T>
  std::vector<T> to_vector() const;
  /// NumPy-like text; more than 1000 elements are summarised. "undefined" for an undefined tensor.
  std::string str() const;

  // -- views: no data is copied; differentiable ----------------------------------------------------------------------
  Tensor view(const Dims& sizes) const;     ///< one size may be -1; ShapeError when the strides do not allow it
  Tensor reshape(const Dims& sizes) const;  ///< a view where possible, a copy otherwise
  Tensor transpose(int64_t dim0, int64_t dim1) const;
  Tensor t() const;  ///< transpose of a matrix; of 0-d and 1-d tensors, themselves
  Tensor permute(const Dims& dims) const;
  Tensor slice(int64_t dim, int64_t start = 0, int64_t end = INT64_MAX,
               int64_t step = 1) const;  ///< Python's rules; step > 0
  Tensor select(int64_t dim, int64_t index) const;
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
  Tensor expand(const Dims& sizes) const;  ///< -1 keeps a size
  Tensor squeeze() const;                  ///< without the dimensions of size 1
  Tensor squeeze(const Dims& dims) const;  ///< without those of `dims` that have size 1
  Tensor unsqueeze(int64_t dim) const;
  Tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1) const;
  Tensor unflatten(int64_t dim, const Dims& sizes) const;
  Tensor movedim(const Dims& source, const Dims& destination) const;
  Tensor swapaxes(int64_t axis0, int64_t axis1) const;
  Tensor broadcast_to(const Dims& sizes) const;
  Tensor expand_as(const Tensor& other) const;
  Tensor view_as(const Tensor& other) const { return view(other.sizes()); }
  Tensor reshape_as(const Tensor& other) const { return reshape(other.sizes()); }
  Tensor diagonal(int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) const;
  Tensor as_strided(const Dims& sizes, const Dims& strides, std::optional<int64_t> storage_offset = {}) const;
  TensorList unbind(int64_t dim = 0) const;
  TensorList split(int64_t split_size, int64_t dim = 0) const;
  TensorList split(const std::vector<int64_t>& split_sizes, int64_t dim = 0) const;
  TensorList chunk(int64_t chunks, int64_t dim = 0) const;
  Tensor operator[](int64_t index) const { return select(0, index); }

  // -- indexing with slices, masks and index tensors: autograd/ops/index/indexing.h -----------------------------------
  Tensor index(const std::vector<indexing::TensorIndex>& indices) const;
  Tensor& index_put_(const std::vector<indexing::TensorIndex>& indices, const Tensor& value, bool accumulate = false);
  Tensor& index_put_(const std::vector<indexing::TensorIndex>& indices, Scalar value, bool accumulate = false);
  Tensor index_put(const std::vector<indexing::TensorIndex>& indices, const Tensor& value,
                   bool accumulate = false) const;
  /// `x[mask]`, `x[{0, Slice(1)}]`: index(); what is assigned to it goes to index_put_().
  Indexed operator[](const indexing::TensorIndex& index) const;
  Indexed operator[](std::initializer_list<indexing::TensorIndex> indices) const;

  // -- copies; differentiable -----------------------------------------------------------------------------------------
  Tensor contiguous() const;  ///< itself if it already is
  Tensor clone() const;       ///< always a contiguous copy
  Tensor to(DType dtype) const;
  Tensor to(Device device) const;
  Tensor to(Device device, DType dtype) const;
  Tensor cpu() const;   ///< to(ordo::cpu)
  Tensor cuda() const;  ///< to("cuda")
  Tensor type_as(const Tensor& other) const { return to(other.device(), other.dtype()); }
  // New tensors of this one's dtype and device.
  Tensor new_empty(const Dims& sizes) const;
  Tensor new_zeros(const Dims& sizes) const;
  Tensor new_ones(const Dims& sizes) const;
  Tensor new_full(const Dims& sizes, Scalar value) const;

  // -- the commonest operations as methods: each calls the free function of its name, which its header describes ------
  // Dimensions are one, `-1`, or several, `{0, 2}`; none means all. With a dtype: of to(dtype).
  Tensor sum() const;
  Tensor sum(const Dims& dims, bool keepdim = false) const;
  Tensor sum(const Dims& dims, bool keepdim, DType dtype) const { return to(dtype).sum(dims, keepdim); }
  Tensor sum(std::same_as<DType> auto dtype) const { return to(dtype).sum(); }
  Tensor mean() const;
  Tensor mean(const Dims& dims, bool keepdim = false) const;
  Tensor mean(const Dims& dims, bool keepdim, DType dtype) const { return to(dtype).mean(dims, keepdim); }
  Tensor mean(std::same_as<DType> auto dtype) const { return to(dtype).mean(); }
  Tensor nansum(const Dims& dims = {}, bool keepdim = false) const;
  Tensor nanmean(const Dims& dims = {}, bool keepdim = false) const;
  Tensor prod() const;
  Tensor prod(const Dims& dims, bool keepdim = false) const;
  Tensor prod(const Dims& dims, bool keepdim, DType dtype) const { return to(dtype).prod(dims, keepdim); }
  Tensor prod(std::same_as<DType> auto dtype) const { return to(dtype).prod(); }
  Tensor logsumexp(const Dims& dims, bool keepdim = false) const;
  Tensor var() const;
  Tensor var(const Dims& dims, double correction = 1, bool keepdim = false) const;
  Tensor std() const;
  Tensor std(const Dims& dims, double correction = 1, bool keepdim = false) const;
  Tensor norm(double p = 2) const;
  Tensor norm(double p, const Dims& dims, bool keepdim = false) const;
  Tensor max() const;
  Tensor min() const;
  MaxResult max(int64_t dim, bool keepdim = false) const;
  MaxResult min(int64_t dim, bool keepdim = false) const;
  Tensor amax(const Dims& dims = {}, bool keepdim = false) const;
  Tensor amin(const Dims& dims = {}, bool keepdim = false) const;
  Tensor argmax(std::optional<int64_t> dim = {}, bool keepdim = false) const;
  Tensor argmin(std::optional<int64_t> dim = {}, bool keepdim = false) const;
  AminmaxResult aminmax(std::optional<int64_t> dim = {}, bool keepdim = false) const;
  Tensor any(const Dims& dims = {}, bool keepdim = false) const;
  Tensor all(const Dims& dims = {}, bool keepdim = false) const;
  Tensor softmax(int64_t dim) const;
  Tensor softmax(int64_t dim, DType dtype) const { return to(dtype).softmax(dim); }
  Tensor log_softmax(int64_t dim) const;
  Tensor log_softmax(int64_t dim, DType dtype) const { return to(dtype).log_softmax(dim); }
  Tensor cumsum(int64_t dim) const;
  Tensor cumsum(int64_t dim, DType dtype) const { return to(dtype).cumsum(dim); }
  Tensor cumprod(int64_t dim) const;
  Tensor cumprod(int64_t dim, DType dtype) const { return to(dtype).cumprod(dim); }
  Tensor logcumsumexp(int64_t dim) const;
  MaxResult cummax(int64_t dim) const;
  MaxResult cummin(int64_t dim) const;
  Tensor diff(int64_t n = 1, int64_t dim = -1) const;
  MaxResult sort(int64_t dim = -1, bool descending = false) const;
  Tensor argsort(int64_t dim = -1, bool descending = false) const;
  MaxResult topk(int64_t k, int64_t dim = -1, bool largest = true) const;
  MaxResult kthvalue(int64_t k, int64_t dim = -1, bool keepdim = false) const;
  Tensor median() const;
  MaxResult median(int64_t dim, bool keepdim = false) const;
  Tensor nanmedian() const;
  MaxResult nanmedian(int64_t dim, bool keepdim = false) const;
  MaxResult mode(int64_t dim = -1, bool keepdim = false) const;
  Tensor multinomial(int64_t num_samples, bool replacement = false, Generator* generator = nullptr) const;
  Tensor histc(int64_t bins = 100, double min = 0, double max = 0) const;

  // NAME_() writes what NAME() gives into this tensor. Throws: as copy_ and the function; DTypeError when the result has
  // another kind, as that of exp of integers.
  // -- rows of kernels/elementwise/functions.def
  Tensor neg() const;
  Tensor& neg_();
  Tensor abs() const;
  Tensor& abs_();
  Tensor square() const;
  Tensor& square_();
  Tensor sign() const;
  Tensor& sign_();
  Tensor relu() const;
  Tensor& relu_();
  Tensor floor() const;
  Tensor& floor_();
  Tensor ceil() const;
  Tensor& ceil_();
  Tensor round() const;
  Tensor& round_();
  Tensor trunc() const;
  Tensor& trunc_();
  Tensor sqrt() const;
  Tensor& sqrt_();
  Tensor rsqrt() const;
  Tensor& rsqrt_();
  Tensor reciprocal() const;
  Tensor& reciprocal_();
  Tensor exp() const;
  Tensor& exp_();
  Tensor expm1() const;
  Tensor& expm1_();
  Tensor log() const;
  Tensor& log_();
  Tensor log1p() const;
  Tensor& log1p_();
  Tensor tanh() const;
  Tensor& tanh_();
  Tensor sigmoid() const;
  Tensor& sigmoid_();
  Tensor exp2() const;
  Tensor& exp2_();
  Tensor log2() const;
  Tensor& log2_();
  Tensor log10() const;
  Tensor& log10_();
  Tensor frac() const;
  Tensor& frac_();
  Tensor deg2rad() const;
  Tensor& deg2rad_();
  Tensor rad2deg() const;
  Tensor& rad2deg_();
  Tensor sinh() const;
  Tensor& sinh_();
  Tensor cosh() const;
  Tensor& cosh_();
  Tensor asinh() const;
  Tensor& asinh_();
  Tensor acosh() const;
  Tensor& acosh_();
  Tensor atanh() const;
  Tensor& atanh_();
  Tensor logit() const;
  Tensor& logit_();
  Tensor erf() const;
  Tensor& erf_();
  Tensor erfc() const;
  Tensor& erfc_();
  Tensor erfinv() const;
  Tensor& erfinv_();
  Tensor lgamma() const;
  Tensor& lgamma_();
  Tensor sin() const;
  Tensor& sin_();
  Tensor cos() const;
  Tensor& cos_();
  Tensor sinc() const;
  Tensor& sinc_();
  Tensor tan() const;
  Tensor& tan_();
  Tensor asin() const;
  Tensor& asin_();
  Tensor acos() const;
  Tensor& acos_();
  Tensor atan() const;
  Tensor& atan_();
  Tensor isnan() const;
  Tensor isinf() const;
  Tensor isfinite() const;
  Tensor isposinf() const;
  Tensor isneginf() const;
  Tensor logical_not() const;
  // --
  // -- rows of kernels/elementwise/binary_functions.def
  Tensor fmod(const Tensor& other) const;
  Tensor fmod(Scalar other) const;
  Tensor& fmod_(const Tensor& other);
  Tensor& fmod_(Scalar other);
  Tensor remainder(const Tensor& other) const;
  Tensor remainder(Scalar other) const;
  Tensor& remainder_(const Tensor& other);
  Tensor& remainder_(Scalar other);
  Tensor floor_divide(const Tensor& other) const;
  Tensor floor_divide(Scalar other) const;
  Tensor& floor_divide_(const Tensor& other);
  Tensor& floor_divide_(Scalar other);
  Tensor fmax(const Tensor& other) const;
  Tensor fmax(Scalar other) const;
  Tensor& fmax_(const Tensor& other);
  Tensor& fmax_(Scalar other);
  Tensor fmin(const Tensor& other) const;
  Tensor fmin(Scalar other) const;
  Tensor& fmin_(const Tensor& other);
  Tensor& fmin_(Scalar other);
  Tensor heaviside(const Tensor& other) const;
  Tensor heaviside(Scalar other) const;
  Tensor& heaviside_(const Tensor& other);
  Tensor& heaviside_(Scalar other);
  Tensor hypot(const Tensor& other) const;
  Tensor hypot(Scalar other) const;
  Tensor& hypot_(const Tensor& other);
  Tensor& hypot_(Scalar other);
  Tensor logaddexp(const Tensor& other) const;
  Tensor logaddexp(Scalar other) const;
  Tensor& logaddexp_(const Tensor& other);
  Tensor& logaddexp_(Scalar other);
  Tensor xlogy(const Tensor& other) const;
  Tensor xlogy(Scalar other) const;
  Tensor& xlogy_(const Tensor& other);
  Tensor& xlogy_(Scalar other);
  Tensor copysign(const Tensor& other) const;
  Tensor copysign(Scalar other) const;
  Tensor& copysign_(const Tensor& other);
  Tensor& copysign_(Scalar other);
  Tensor atan2(const Tensor& other) const;
  Tensor atan2(Scalar other) const;
  Tensor& atan2_(const Tensor& other);
  Tensor& atan2_(Scalar other);
  Tensor bitwise_and(const Tensor& other) const;
  Tensor bitwise_and(Scalar other) const;
  Tensor& bitwise_and_(const Tensor& other);
  Tensor& bitwise_and_(Scalar other);
  Tensor bitwise_or(const Tensor& other) const;
  Tensor bitwise_or(Scalar other) const;
  Tensor& bitwise_or_(const Tensor& other);
  Tensor& bitwise_or_(Scalar other);
  Tensor bitwise_xor(const Tensor& other) const;
  Tensor bitwise_xor(Scalar other) const;
  Tensor& bitwise_xor_(const Tensor& other);
  Tensor& bitwise_xor_(Scalar other);
  // --
  // -- rows of kernels/elementwise/comparison.def
  Tensor eq(const Tensor& other) const;
  Tensor eq(Scalar other) const;
  Tensor ne(const Tensor& other) const;
  Tensor ne(Scalar other) const;
  Tensor lt(const Tensor& other) const;
  Tensor lt(Scalar other) const;
  Tensor le(const Tensor& other) const;
  Tensor le(Scalar other) const;
  Tensor gt(const Tensor& other) const;
  Tensor gt(Scalar other) const;
  Tensor ge(const Tensor& other) const;
  Tensor ge(Scalar other) const;
  Tensor logical_and(const Tensor& other) const;
  Tensor logical_or(const Tensor& other) const;
  Tensor logical_xor(const Tensor& other) const;
  // --
  Tensor clamp(std::optional<Scalar> low, std::optional<Scalar> high = std::nullopt) const;
  Tensor clamp(const Tensor& low, const Tensor& high = {}) const;
  Tensor digamma() const;
  Tensor bitwise_not() const;
  Tensor nan_to_num(double nan = 0, std::optional<double> posinf = std::nullopt,
                    std::optional<double> neginf = std::nullopt) const;

  Tensor add(const Tensor& other, Scalar alpha = 1) const;
  Tensor add(Scalar other, Scalar alpha = 1) const;
  Tensor sub(const Tensor& other, Scalar alpha = 1) const;
  Tensor sub(Scalar other, Scalar alpha = 1) const;
  Tensor mul(const Tensor& other) const;
  Tensor mul(Scalar other) const;
  Tensor div(const Tensor& other) const;
  Tensor div(Scalar other) const;
  Tensor div(const Tensor& other, RoundingMode rounding_mode) const;
  Tensor div(Scalar other, RoundingMode rounding_mode) const;
  Tensor pow(const Tensor& exponent) const;
  Tensor pow(Scalar exponent) const;
  Tensor minimum(const Tensor& other) const;
  Tensor maximum(const Tensor& other) const;

  Tensor lerp(const Tensor& end, const Tensor& weight) const;
  Tensor lerp(const Tensor& end, Scalar weight) const;
  Tensor addcmul(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1) const;
  Tensor addcdiv(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1) const;
  Tensor isclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) const;
  bool allclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) const;
  bool equal(const Tensor& other) const;

  Tensor matmul(const Tensor& other) const;
  Tensor mm(const Tensor& other) const;
  Tensor bmm(const Tensor& other) const;
  Tensor dot(const Tensor& other) const;
  Tensor mv(const Tensor& vector) const;
  Tensor outer(const Tensor& other) const;
  Tensor addmm(const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1) const;
  Tensor baddbmm(const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1) const;
  Tensor tril(int64_t diagonal = 0) const;
  Tensor triu(int64_t diagonal = 0) const;
  Tensor diag(int64_t diagonal = 0) const;
  Tensor trace() const;
  Tensor flip(const Dims& dims) const;
  Tensor roll(const Dims& shifts, const Dims& dims = {}) const;
  Tensor repeat(const Dims& repeats) const;
  Tensor tile(const Dims& repeats) const;
  Tensor where(const Tensor& condition, const Tensor& other) const;  ///< condition ? this : other
  Tensor where(const Tensor& condition, Scalar other) const;
  Tensor masked_fill(const Tensor& mask, Scalar value) const;
  Tensor gather(int64_t dim, const Tensor& index) const;
  Tensor index_select(int64_t dim, const Tensor& index) const;
  Tensor index_add(int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha = 1) const;
  Tensor scatter_add(int64_t dim, const Tensor& index, const Tensor& src) const;
  Tensor scatter(int64_t dim, const Tensor& index, const Tensor& src) const;
  Tensor scatter(int64_t dim, const Tensor& index, Scalar value) const;
  Tensor scatter_reduce(int64_t dim, const Tensor& index, const Tensor& src, Reduce reduce,
                        bool include_self = true) const;
  Tensor index_copy(int64_t dim, const Tensor& index, const Tensor& source) const;
  Tensor index_fill(int64_t dim, const Tensor& index, Scalar value) const;
  Tensor index_fill(int64_t dim, const Tensor& index, const Tensor& value) const;
  Tensor index_reduce(int64_t dim, const Tensor& index, const Tensor& source, Reduce reduce,
                      bool include_self = true) const;

  Tensor take(const Tensor& index) const;
  Tensor put(const Tensor& index, const Tensor& source, bool accumulate = false) const;
  Tensor take_along_dim(const Tensor& indices, std::optional<int64_t> dim = {}) const;
  Tensor nonzero() const;
  Tensor masked_select(const Tensor& mask) const;
  Tensor masked_scatter(const Tensor& mask, const Tensor& source) const;
  Tensor repeat_interleave(int64_t repeats, std::optional<int64_t> dim = {}) const;
  Tensor repeat_interleave(const Tensor& repeats, std::optional<int64_t> dim = {}) const;
  Tensor select_scatter(const Tensor& src, int64_t dim, int64_t index) const;
  Tensor slice_scatter(const Tensor& src, int64_t dim = 0, std::optional<int64_t> start = {},
                       std::optional<int64_t> end = {}, int64_t step = 1) const;
  Tensor diagonal_scatter(const Tensor& src, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) const;

  // -- in place: change this tensor's memory and return it ------------------------------------------------------------
  Tensor& fill_(Scalar value);
  Tensor& zero_() { return fill_(0); }
  Tensor& copy_(const Tensor& source);  ///< broadcasts and converts; also between devices
  Tensor& add_(const Tensor& other, Scalar alpha = 1);
  Tensor& sub_(const Tensor& other, Scalar alpha = 1);
  Tensor& mul_(const Tensor& other);
  Tensor& div_(const Tensor& other);
  Tensor& add_(Scalar other);
  Tensor& sub_(Scalar other);
  Tensor& mul_(Scalar other);
  Tensor& div_(Scalar other);
  Tensor& operator+=(const Tensor& other) { return add_(other); }
  Tensor& operator-=(const Tensor& other) { return sub_(other); }
  Tensor& operator*=(const Tensor& other) { return mul_(other); }
  Tensor& operator/=(const Tensor& other) { return div_(other); }
  Tensor& operator+=(Scalar other) { return add_(other); }
  Tensor& operator-=(Scalar other) { return sub_(other); }
  Tensor& operator*=(Scalar other) { return mul_(other); }
  Tensor& operator/=(Scalar other) { return div_(other); }
  Tensor& pow_(const Tensor& exponent);
  Tensor& pow_(Scalar exponent);
  Tensor& clamp_(std::optional<Scalar> low, std::optional<Scalar> high = std::nullopt);
  Tensor& clamp_(const Tensor& low, const Tensor& high = {});
  Tensor& div_(const Tensor& other, RoundingMode rounding_mode);
  Tensor& div_(Scalar other, RoundingMode rounding_mode);
  Tensor& nan_to_num_(double nan = 0, std::optional<double> posinf = std::nullopt,
                      std::optional<double> neginf = std::nullopt);
  Tensor& lerp_(const Tensor& end, const Tensor& weight);
  Tensor& lerp_(const Tensor& end, Scalar weight);
  Tensor& addcmul_(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);
  Tensor& addcdiv_(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);
  Tensor& tril_(int64_t diagonal = 0);
  Tensor& triu_(int64_t diagonal = 0);
  Tensor& uniform_(double low = 0, double high = 1, Generator* generator = nullptr);
  Tensor& normal_(double mean = 0, double std = 1, Generator* generator = nullptr);
  Tensor& masked_fill_(const Tensor& mask, Scalar value);
  Tensor& index_add_(int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha = 1);
  Tensor& scatter_add_(int64_t dim, const Tensor& index, const Tensor& source);
  Tensor& put_(const Tensor& index, const Tensor& source, bool accumulate = false);
  Tensor& masked_scatter_(const Tensor& mask, const Tensor& source);
  Tensor& scatter_(int64_t dim, const Tensor& index, const Tensor& src);
  Tensor& scatter_(int64_t dim, const Tensor& index, Scalar value);
  Tensor& scatter_reduce_(int64_t dim, const Tensor& index, const Tensor& src, Reduce reduce, bool include_self = true);
  Tensor& index_copy_(int64_t dim, const Tensor& index, const Tensor& source);
  Tensor& index_fill_(int64_t dim, const Tensor& index, Scalar value);
  Tensor& index_fill_(int64_t dim, const Tensor& index, const Tensor& value);
  Tensor& index_reduce_(int64_t dim, const Tensor& index, const Tensor& source, Reduce reduce,
                        bool include_self = true);
  // Views in place of this handle; copies of the handle stay what they were.
  Tensor& squeeze_() { return *this = squeeze(); }
  Tensor& squeeze_(const Dims& dims) { return *this = squeeze(dims); }
  Tensor& unsqueeze_(int64_t dim) { return *this = unsqueeze(dim); }
  Tensor& transpose_(int64_t dim0, int64_t dim1) { return *this = transpose(dim0, dim1); }
  Tensor& t_() { return *this = t(); }
  Tensor& detach_() { return *this = detach(); }
  /// Changes the sizes, contiguously; keeps leading elements of the memory, fills new memory like empty().
  /// Throws: AutogradError when this is a view or requires a gradient; ShapeError when no tensor has such sizes.
  Tensor& resize_(const Dims& sizes);

  // -- differentiation ------------------------------------------------------------------------------------------------
  bool requires_grad() const;                 ///< true for leaves asked for and for everything computed from them
  Tensor& set_requires_grad(bool on = true);  ///< leaves of floating dtype only
  Tensor& requires_grad_(bool on = true) { return set_requires_grad(on); }
  bool is_leaf() const;
  /// Undefined before the first backward().
  /// Throws: AutogradError for a result whose gradient nobody retained.
  Tensor grad() const;
  /// Keeps the gradient of a result, too: the next backward passes add it to grad(), as it is behind the hooks
  /// registered so far. For leaves, that is so anyway.
  /// Throws: AutogradError when the tensor requires no gradient.
  Tensor& retain_grad();
  void set_grad(const Tensor& grad);
  void zero_grad();  ///< makes grad() undefined again
  /// Adds the gradients with respect to the leaves to their grad(). `gradient` may be left out for a single element.
  /// Throws: AutogradError when this requires none, the graph was freed or a tensor it needs changed; ShapeError or
  /// DeviceError when `gradient` does not fit; NondeterministicError when, with create_graph at a deterministic level,
  /// two threads add to one leaf.
  void backward(const Tensor& gradient = {}, bool retain_graph = false, bool create_graph = false) const;
  Tensor detach() const;  ///< the same memory, outside the graph
  /// The operation that made this tensor, e.g. "mul"; empty for leaves. PyTorch: grad_fn's name.
  std::string_view grad_name() const;

  // -- internals ------------------------------------------------------------------------------------------------------
  explicit Tensor(std::shared_ptr<TensorImpl> impl) : impl_(std::move(impl)) {}
  TensorImpl* impl() const { return impl_.get(); }
  const std::shared_ptr<TensorImpl>& impl_ptr() const { return impl_; }
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }

 private:
  void expect_dtype(DType) const;
  double item_double() const;
  bool item_bool() const;
  int64_t item_integer(int bits, bool is_signed) const;  // the low bits are the number's
  const TensorImpl& get() const;
  std::shared_ptr<TensorImpl> impl_;
};

/// Writes str(), then dtype, shape and, but for the CPU's, device: `[1. 2.] float32 [2]`. Of a 0-d tensor, only the number.
std::ostream& operator<<(std::ostream& out, const Tensor& t);

}  // namespace ordo

#include <ordo/engine/tensor/factories.h>  // zeros({2, 3}), tensor({1, 2})
