#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/kernels/copy/triangle.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {
namespace {

template <class Word>
struct TriangleElement {
  int64_t rows, columns, start;
  bool lower;
  const Word* in;
  Word* out;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t row = i / columns, column = i - row * columns;
    out[i] = (column < row % rows + start) == lower ? in[i] : Word(0);
  }
};

}  // namespace

void triangle(const Tensor& in, const Tensor& out, int64_t start, bool lower) {
  dispatch_word(in.element_size(), [&]<class Word>() {
    each(in.numel(),
         TriangleElement<Word>{in.size(-2), in.size(-1), start, lower, static_cast<const Word*>(in.data()),
                               static_cast<Word*>(out.data())},
         in.device());
  });
}

}  // namespace ordo::kernels::cuda
