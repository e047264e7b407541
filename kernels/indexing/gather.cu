#include <ordo/engine/dispatch.h>
#include <ordo/kernels/indexing/gather.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

void gather(const Tensor& input, const Tensor& index, const Tensor& out, const GatherShape& s) {
  const IndexGuard guard("gather", "index", s.dim, s.bound, input.device());
  dispatch_index("gather", index.dtype(), [&]<class I>() {
    dispatch_word(input.element_size(), [&]<class Word>() {
      each(out.numel(),
           GatherElement<Word, I>{s, static_cast<const Word*>(input.data()), index.data<I>(),
                                  static_cast<Word*>(out.data()), guard.check()},
           input.device());
    });
  });
  guard.finish();
}

void index_select(const Tensor& input, const Tensor& index, const Tensor& out, const SelectShape& s) {
  const IndexGuard guard("index_select", "index", s.dim, s.bound, input.device());
  dispatch_index("index_select", index.dtype(), [&]<class I>() {
    dispatch_word(input.element_size(), [&]<class Word>() {
      each(out.numel(),
           SelectElement<Word, I>{s, static_cast<const Word*>(input.data()), index.data<I>(),
                                  static_cast<Word*>(out.data()), guard.check()},
           input.device());
    });
  });
  guard.finish();
}

void one_hot(const Tensor& target, const Tensor& out, int64_t num_classes) {
  const IndexGuard guard("one_hot", "target", 0, num_classes, target.device());
  dispatch_index("one_hot", target.dtype(), [&]<class I>() {
    each(out.numel(), OneHotElement<I>{target.data<I>(), out.data<int64_t>(), num_classes, guard.check()},
         target.device());
  });
  guard.finish();
}

}  // namespace ordo::kernels::cuda
