#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/kernels/windows/unfold.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

void unfold_columns(const Tensor& input, const Tensor& output, const UnfoldShape& s) {
  dispatch_word(input.element_size(), [&]<class Word>() {
    if constexpr (sizeof(Word) > 1)  // of floating-point numbers
      each(output.numel(),
           UnfoldElement<Word>{s, static_cast<const Word*>(input.data()), static_cast<Word*>(output.data())},
           input.device());
  });
}

void fold_columns(const Tensor& input, const Tensor& output, const UnfoldShape& s) {
  dispatch_floating("fold", input.dtype(), [&]<class T>() {
    each(output.numel(), FoldElement<T, T>{s, input.data<T>(), output.data<T>()}, input.device());
  });
}

}  // namespace ordo::kernels::cuda
