#include <ordo/engine/dispatch.h>
#include <ordo/engine/dispatch_word.h>
#include <ordo/kernels/indexing/index_put.h>
#include <ordo/kernels/indexing/pick.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

namespace {

// Whoever comes first, the greatest item remains. Items are not negative, so they compare as the unsigned numbers that
// atomicMax takes, and -1, which would win, stands one higher, as 0, while they are compared.
__global__ void last_items_kernel(const int64_t* linear, unsigned long long* last, int64_t items) {
  for (int64_t i = ordo::cuda::thread_index(); i < items; i += ordo::cuda::thread_count())
    if (linear[i] >= 0) atomicMax(last + linear[i], static_cast<unsigned long long>(i + 1));
}

struct AddToEach {
  int64_t* numbers;
  int64_t added;
  ORDO_HD void operator()(int64_t i) const { numbers[i] += added; }
};

}  // namespace

void wrap_index(const Tensor& index, const Tensor& out, int64_t size, const IndexGuard& guard) {
  dispatch_index("index", index.dtype(), [&]<class I>() {
    each(out.numel(), WrapIndex<I>{index.data<I>(), out.data<int64_t>(), size, guard.check()}, out.device());
  });
}

void combine_indices(const Tensor& linear, const Tensor& next, int64_t size) {
  each(linear.numel(), CombineIndices{linear.data<int64_t>(), next.data<int64_t>(), size}, linear.device());
}

void last_items(const Tensor& linear, const Tensor& last) {
  if (linear.numel() == 0) return;
  int64_t* item = last.data<int64_t>();
  each(last.numel(), AddToEach{item, 1}, last.device());
  {
    const ordo::cuda::DeviceScope scope(last.device());
    ordo::cuda::launch_over(last_items_kernel, linear.numel(), ordo::cuda::current_stream(last.device()),
                            linear.data<int64_t>(), reinterpret_cast<unsigned long long*>(item), linear.numel());
  }
  each(last.numel(), AddToEach{item, -1}, last.device());
}

void index_put(const PutShape& s, const Tensor& to, const Tensor& linear, const Tensor& last, const Tensor& values) {
  dispatch_word(to.element_size(), [&]<class Word>() {
    each(values.numel(),
         PutElement<Word>{s, static_cast<Word*>(to.data()), static_cast<const Word*>(values.data()),
                          linear.data<int64_t>(), last.data<int64_t>()},
         to.device());
  });
}

}  // namespace ordo::kernels::cuda
