#include <algorithm>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/linalg/cross.h>

namespace ordo::kernels {
namespace {

/// n vectors, whose elements lie `inner` apart. Products are rounded to T.
template <class T>
void cross_vectors(const T* a, const T* b, T* out, int64_t n, int64_t inner, accumulate_t<T> zero) {
  using A = accumulate_t<T>;
  const auto element = [&](const T* x, const T* y, int64_t i, int64_t j) {
    return T(A(T(A(T(A(x[i]) * A(y[j]))) - A(T(A(x[j]) * A(y[i]))))) + zero);
  };
  for (int64_t k = 0; k < n; ++k) {
    const int64_t at = inner == 1 ? 3 * k : k;
    const T *x = a + at, *y = b + at;
    T* to = out + at;
    const T first = element(x, y, inner, 2 * inner), second = element(x, y, 2 * inner, 0);
    to[2 * inner] = element(x, y, 0, inner);
    to[inner] = second;
    to[0] = first;
  }
}

}  // namespace

Tensor cross(const Tensor& a, const Tensor& b, int dim, bool to_zero) {
  if (!a.is_cpu()) return {};
  Tensor out = ordo::detail::result_like(a);
  int64_t inner = 1;
  for (int d = dim + 1; d < a.dim(); ++d) inner *= a.size(d);
  dispatch_floating("cross", a.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const T *x = a.data<T>(), *y = b.data<T>();
    T* to = out.data<T>();
    const A zero = to_zero ? A(0) : A(-0.0);  // which changes no bit
    parallel_for(0, a.numel() / 3, 16384, [&](int64_t first, int64_t last) {
      if (inner == 1) return cross_vectors(x + 3 * first, y + 3 * first, to + 3 * first, last - first, 1, zero);
      for (int64_t i = first, n; i < last; i += n) {
        const int64_t line = i / inner, at = i + 2 * line * inner;
        n = std::min(last, (line + 1) * inner) - i;
        cross_vectors(x + at, y + at, to + at, n, inner, zero);
      }
    });
  });
  return out;
}

}  // namespace ordo::kernels
