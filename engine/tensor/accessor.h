// TensorAccessor: a tensor's elements in loops of one's own, a[i][j], with strides and without a call for each.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

namespace detail {
[[noreturn]] void throw_outside(int64_t index, int64_t size);
void expect_accessible(const Tensor& t, int dims);
}  // namespace detail

/// The elements of a CPU tensor of element type T and N dimensions, as Tensor::accessor() gives it. It does not keep the
/// tensor. An index outside of its dimension is an IndexError; Tensor::data() goes without that check.
template <class T, int N>
class TensorAccessor {
 public:
  TensorAccessor(T* data, const int64_t* sizes, const int64_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  decltype(auto) operator[](int64_t i) const {
    if (uint64_t(i) >= uint64_t(*sizes_)) [[unlikely]]
      detail::throw_outside(i, *sizes_);
    if constexpr (N == 1)
      return (data_[i * *strides_]);
    else
      return TensorAccessor<T, N - 1>(data_ + i * *strides_, sizes_ + 1, strides_ + 1);
  }
  int64_t size(int dim) const { return sizes_[dim]; }
  T* data() const { return data_; }

 private:
  T* data_;
  const int64_t *sizes_, *strides_;
};

template <class T, int N>
TensorAccessor<T, N> Tensor::accessor() const {
  static_assert(N > 0 && N <= kMaxDims, "an accessor has 1 to 8 dimensions; item() reads a 0-d tensor");
  detail::expect_accessible(*this, N);
  return {data<T>(), sizes().begin(), strides().begin()};
}

}  // namespace ordo
