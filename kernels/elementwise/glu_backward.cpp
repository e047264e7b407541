#include <ordo/kernels/elementwise/glu_backward.h>

#include <algorithm>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {

Tensor glu_backward(const Tensor& grad, const Tensor& x, int dim) {
  const ordo::detail::OperationName name("glu_backward");
  const Tensor out = ordo::detail::result(x.sizes(), x.dtype(), x.device());
  int64_t half = x.size(dim) / 2;
  for (int d = dim + 1; d < x.dim(); ++d) half *= x.size(d);
  if (out.numel() > 0) ORDO_ON_DEVICE(x.device(), glu_backward, contiguous(grad), contiguous(x), out, half);
  return out;
}

namespace cpu {

void glu_backward(const Tensor& grad, const Tensor& x, const Tensor& out, int64_t half) {
  dispatch_floating("glu", x.dtype(), [&]<class T>() {
    using V = accumulate_t<T>;
    constexpr int64_t kGrain = 16384, kStretch = 256;
    const T *const from = grad.data<T>(), *const in = x.data<T>();
    T* const to = out.data<T>();
    parallel_for(0, grad.numel(), kGrain, [&](int64_t first, int64_t last) {
      V g[kStretch], a[kStretch], b[kStretch];
      for (int64_t i = first, n; i < last; i += n) {
        const int64_t line = i / half, at = i + line * half;
        n = std::min({kStretch, last - i, (line + 1) * half - i});
        for (int64_t j = 0; j < n; ++j) g[j] = V(from[i + j]);
        for (int64_t j = 0; j < n; ++j) a[j] = V(in[at + j]);
        for (int64_t j = 0; j < n; ++j) b[j] = V(in[at + half + j]);
        for (int64_t j = 0; j < n; ++j) {
          V of_a, of_b;
          GluBackward<T>::gradients(g[j], a[j], b[j], of_a, of_b);
          a[j] = of_a;
          b[j] = of_b;
        }
        for (int64_t j = 0; j < n; ++j) to[at + j] = T(a[j]);
        for (int64_t j = 0; j < n; ++j) to[at + half + j] = T(b[j]);
      }
    });
  });
}

}  // namespace cpu
}  // namespace ordo::kernels
