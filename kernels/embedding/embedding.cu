#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/dispatch_word.h>
#include <ordo/engine/index_check.h>
#include <ordo/kernels/accumulate/index_view.h>
#include <ordo/kernels/embedding/embedding.h>

namespace ordo::kernels::cuda {

/// Moves bits: Word is any type of the elements' size. All bits 0 are 0.
template <class Word>
__global__ void embedding_kernel(IndexView index, const Word* weight, Word* output, int64_t count, int64_t columns,
                                 int64_t skip) {
  ORDO_NO_UNROLL
  for (int64_t t = ordo::cuda::thread_index(); t < count * columns; t += ordo::cuda::thread_count()) {
    const int64_t item = t / columns, column = t - item * columns, row = index[item];
    // A bad index is reported later; until then its row holds zeros.
    output[t] = row >= 0 && row != skip ? weight[row * columns + column] : Word(0);
  }
}

void embedding(const Tensor& input, const Tensor& weight, const Tensor& output, int64_t skip) {
  const Device device = weight.device();
  const ordo::cuda::DeviceScope scope(device);
  const int64_t rows = weight.size(0), columns = weight.size(1);
  const IndexGuard guard("embedding", "input", 0, rows, device);
  dispatch_word(weight.element_size(), [&]<class Word>() {
    if constexpr (sizeof(Word) > 1)  // of floating-point numbers
      ordo::cuda::launch_over(embedding_kernel<Word>, output.numel(), ordo::cuda::current_stream(device),
                              index_view(input, rows, guard), static_cast<const Word*>(weight.data()),
                              static_cast<Word*>(output.data()), input.numel(), columns, skip);
  });
  guard.finish();
}

}  // namespace ordo::kernels::cuda
