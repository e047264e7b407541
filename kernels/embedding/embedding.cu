#include <ordo/engine/dispatch.h>
#include <ordo/engine/index_check.h>
#include <ordo/kernels/embedding/embedding.h>
#include <ordo/kernels/embedding/embedding_items.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>

namespace ordo::kernels::cuda {

template <class T, class I>
__global__ void embedding_kernel(const I* index, const T* weight, T* output, int64_t count, int64_t rows,
                                 int64_t columns, int64_t skip, IndexCheck check) {
  for (int64_t t = ordo::cuda::thread_index(); t < count * columns; t += ordo::cuda::thread_count()) {
    const int64_t item = t / columns, column = t - item * columns, row = int64_t(index[item]);
    // A bad index is reported later; until then its row holds zeros.
    output[t] = check.ok(item, row, rows) && row != skip ? weight[row * columns + column] : T(0.f);
  }
}

void embedding(const Tensor& input, const Tensor& weight, const Tensor& output, int64_t skip) {
  const Device device = weight.device();
  const ordo::cuda::DeviceScope scope(device);
  const int64_t rows = weight.size(0), columns = weight.size(1);
  const IndexGuard guard("embedding", "input", 0, rows, device);
  dispatch_floating("embedding", weight.dtype(), [&]<class T>() {
    dispatch_index("embedding", input.dtype(), [&]<class I>() {
      ordo::cuda::launch_over(embedding_kernel<T, I>, output.numel(), ordo::cuda::current_stream(device),
                              input.data<I>(), weight.data<T>(), output.data<T>(), input.numel(), rows, columns, skip,
                              guard.check());
    });
  });
  guard.finish();
}

void embedding_backward(const Tensor& grad, const Tensor& input, const Tensor& output, int64_t padding,
                        Algorithm algorithm, const IndexOrder* order) {
  const Device device = grad.device();
  const ordo::cuda::DeviceScope scope(device);
  const int64_t rows = output.size(0), columns = output.size(1);
  const IndexGuard guard("embedding_backward", "input", 0, rows, device);
  dispatch_floating("embedding_backward", grad.dtype(), [&]<class T>() {
    dispatch_index("embedding_backward", input.dtype(), [&]<class I>() {
      const EmbeddingItems<T, I> items{input.numel(), input.data<I>(), grad.data<T>(), rows,
                                       columns,       padding,         guard.check()};
      const AccumulateShape shape{rows, 1, columns};
      if (order)
        accumulate(items, output.data<T>(), shape, *order, device);
      else
        accumulate(items, output.data<T>(), shape, algorithm, device);
    });
  });
  guard.finish();
}

}  // namespace ordo::kernels::cuda
