#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/kernels/resampling/pad.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

void pad(const Tensor& input, const Tensor& output, const PadShape& shape, const Tensor& fill) {
  dispatch_word(input.element_size(), [&]<class Word>() {
    each(output.numel(),
         PadElement<Word>{shape, static_cast<const Word*>(input.data()), static_cast<Word*>(output.data()),
                          *static_cast<const Word*>(fill.data())},
         input.device());
  });
}

void pad_backward(const Tensor& grad, const Tensor& output, const PadShape& s) {
  dispatch_floating("pad_backward", grad.dtype(), [&]<class T>() {
    each(output.numel(), PadGradientElement<T>{s.axes[0], s.axes[1], s.axes[2], grad.data<T>(), output.data<T>()},
         grad.device());
  });
}

}  // namespace ordo::kernels::cuda
