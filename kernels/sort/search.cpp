#include <ordo/kernels/sort/search.h>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {

Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right) {
  const Tensor lines = contiguous(sorted), x = contiguous(values);
  const Tensor out = ordo::detail::result(x.sizes(), int64, x.device());
  const int64_t per_line = lines.dim() == 1 ? 0 : x.sizes()[x.dim() - 1];
  if (x.numel() > 0)
    ORDO_ON_DEVICE(x.device(), search,
                   SearchArgs{lines.data(), x.data(), x.dtype(), x.device(), lines.sizes()[lines.dim() - 1], x.numel(),
                              per_line, right, out.data<int64_t>()});
  return out;
}

Tensor histc_bins(const Tensor& t, int64_t bins, double least, double greatest) {
  const Tensor x = contiguous(t);
  const Tensor out = ordo::detail::result({x.numel()}, int64, x.device());
  if (x.numel() > 0)
    ORDO_ON_DEVICE(x.device(), find_bins,
                   BinArgs{x.data(), x.dtype(), x.device(), x.numel(), bins, least, greatest, out.data<int64_t>()});
  return out;
}

}  // namespace ordo::kernels
