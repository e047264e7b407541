#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/kernels/indexing/gather.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {
namespace {

// Elements are moved as bytes.

template <class Word>
struct GatherElement {
  GatherShape s;
  const Word* x;
  IndexView index;
  Word* out;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t picked = index[i];
    if (picked < 0) {
      out[i] = Word(0);
      return;
    }
    int64_t at = 0, rest = i;
    for (int d = s.rank - 1; d >= 0; --d) {
      const int64_t q = rest / s.sizes[d];
      at += (d == s.dim ? picked : rest - q * s.sizes[d]) * s.strides[d];
      rest = q;
    }
    out[i] = x[at];
  }
};

template <class Word>
struct SelectElement {
  SelectShape s;
  const Word* x;
  IndexView index;
  Word* out;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t row = i / s.inner, o = s.outer == 1 ? 0 : row / s.count, picked = index[row - o * s.count];
    const bool taken = picked >= 0 && picked != s.skip;
    out[i] = taken ? x[(o * s.bound + picked) * s.inner + (i - row * s.inner)] : Word(0);
  }
};

}  // namespace

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
