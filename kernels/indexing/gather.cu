#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/kernels/indexing/gather.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

void gather(const Tensor& input, const Tensor& index, const Tensor& out, const GatherShape& s) {
  const IndexGuard guard("gather", "index", s.dim, s.bound, input.device());
  dispatch_word(input.element_size(), [&]<class Word>() {
    each(out.numel(),
         GatherElement<Word>{s, static_cast<const Word*>(input.data()), index_view(index, s.bound, guard),
                             static_cast<Word*>(out.data())},
         input.device());
  });
  guard.finish();
}

void index_select(const Tensor& input, const Tensor& index, const Tensor& out, const SelectShape& s) {
  const IndexGuard guard("index_select", s.argument, s.dim, s.bound, input.device());
  dispatch_word(input.element_size(), [&]<class Word>() {
    each(out.numel(),
         SelectElement<Word>{s, static_cast<const Word*>(input.data()), index_view(index, s.bound, guard),
                             static_cast<Word*>(out.data())},
         input.device());
  });
  guard.finish();
}

}  // namespace ordo::kernels::cuda
