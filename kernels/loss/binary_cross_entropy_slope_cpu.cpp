#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/loss/binary_cross_entropy_slope.h>

namespace ordo::kernels {

Tensor binary_cross_entropy_slope(const Tensor& x, const Tensor& t) {
  if (!x.is_cpu()) return {};
  const Tensor out = ordo::detail::result_like(x), inputs = contiguous(x), targets = contiguous(t);
  const auto of = [&]<class T>() {
    const T *const p = inputs.data<T>(), *const y = targets.data<T>();
    T* const to = out.data<T>();
    parallel_for(0, x.numel(), 32768, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const T product = (T(1) - p[i]) * p[i];
        to[i] = (p[i] - y[i]) / (product < T(1e-12) ? T(1e-12) : product);
      }
    });
  };
  x.dtype() == float64 ? of.operator()<double>() : of.operator()<float>();
  return out;
}

}  // namespace ordo::kernels
