#include <ordo/kernels/accumulate/index_view.h>

#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/indexing/all_below.h>

namespace ordo::kernels {

IndexView index_view(const Tensor& index, int64_t size, const IndexGuard& guard, int64_t step) {
  return {index.data(), index.dtype() == int64, size, step, guard.check()};
}

IndexView index_view(const Tensor& index, int64_t size) { return {index.data(), index.dtype() == int64, size}; }

void validate_on_cpu(const IndexView& index, int64_t count, const IndexGuard& guard, const Tensor& output,
                     Algorithm algorithm) {
  if (!output.device().is_cpu()) return;
  if (algorithm == Algorithm::exact && output.numel() > 0) return;
  parallel_for(0, count, 32 * 1024, [&](int64_t first, int64_t last) {
    const auto good = [&](const auto* values) { return cpu::all_below(values + first, last - first, index.size); };
    if (index.wide ? good(static_cast<const int64_t*>(index.data)) : good(static_cast<const int32_t*>(index.data)))
      return;
    for (int64_t i = first; i < last; ++i) (void)index[i];  // records the first that is not
  });
  guard.finish();
}

}  // namespace ordo::kernels
