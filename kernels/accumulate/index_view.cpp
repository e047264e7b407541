#include <ordo/kernels/accumulate/index_view.h>

#include <ordo/engine/run/parallel.h>

namespace ordo::kernels {

IndexView index_view(const Tensor& index, int64_t size, const IndexGuard& guard, int64_t step) {
  return {index.data(), index.dtype() == int64, size, step, guard.check()};
}

IndexView index_view(const Tensor& index) { return {index.data(), index.dtype() == int64}; }

namespace {
template <class I>
void check_all(const I* values, const IndexView& index, int64_t count) {
  parallel_for(0, count, 32 * 1024, [&](int64_t first, int64_t last) {
    uint64_t bad = 0;  // no branch in the usual case, so that the loop vectorises
    for (int64_t i = first; i < last; ++i) bad |= uint64_t(values[i] < 0) | uint64_t(values[i] >= index.size);
    if (bad)
      for (int64_t i = first; i < last; ++i) (void)index[i];
  });
}
}  // namespace

void validate_on_cpu(const IndexView& index, int64_t count, const IndexGuard& guard, const Tensor& output,
                     Algorithm algorithm) {
  if (!output.device().is_cpu()) return;
  if (algorithm == Algorithm::exact && output.numel() > 0) return;
  if (index.wide)
    check_all(static_cast<const int64_t*>(index.data), index, count);
  else
    check_all(static_cast<const int32_t*>(index.data), index, count);
  guard.finish();
}

}  // namespace ordo::kernels
