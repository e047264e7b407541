// Index tensors, element by element.
#pragma once

#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/kernels/indexing/gather.h>
#include <ordo/kernels/indexing/take.h>

namespace ordo::kernels {

/// item -> its index, negative ones made positive; -1 out of range.
template <class I>
struct WrapIndex {
  const I* index;
  int64_t* out;
  int64_t size;
  IndexCheck check;
  ORDO_HD int64_t wrapped(int64_t i) const {
    const int64_t given = int64_t(index[i]), from_start = given < 0 ? given + size : given;
    const bool good = from_start >= 0 && from_start < size;
    return good || check.ok(i, given < 0 ? given : from_start, size) ? from_start : -1;
  }
  ORDO_HD void operator()(int64_t i) const { out[i] = wrapped(i); }
};

/// item -> the element at its index.
template <class Word, class I>
struct TakeElement {
  WrapIndex<I> index;
  const Word* from;
  Word* to;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t place = index.wrapped(i);
    to[i] = place < 0 ? Word(0) : from[place];
  }
};

/// linear becomes linear * size + next.
struct CombineIndices {
  int64_t* linear;
  const int64_t* next;
  int64_t size;
  ORDO_HD void operator()(int64_t i) const {
    linear[i] = linear[i] < 0 || next[i] < 0 ? -1 : linear[i] * size + next[i];
  }
};

struct CoordinatesOfPlace {
  const int64_t* places;
  int64_t* out;
  int rank;
  int64_t sizes[kMaxDims];
  ORDO_HD void operator()(int64_t i) const {
    int64_t rest = places[i];
    for (int d = rank - 1; d >= 0; --d) {
      const int64_t q = rest / sizes[d];
      out[i * rank + d] = rest - q * sizes[d];
      rest = q;
    }
  }
};

struct OneHotElement {
  IndexView target;
  int64_t* out;
  int64_t classes;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t row = i / classes, c = i % classes, t = target.raw(row);
    out[i] = t == c;
    if (c == 0) target.checked(row, t);
  }
};

namespace ORDO_LOOPS_DEVICE {

void wrap_index(const Tensor& index, const Tensor& out, int64_t size, const IndexGuard& guard) {
  dispatch_index("index", index.dtype(), [&]<class I>() {
    each(out.numel(), WrapIndex<I>{index.data<I>(), out.data<int64_t>(), size, guard.check()}, out.device());
  });
}

void take(const Tensor& input, const Tensor& index, const Tensor& out) {
  const IndexGuard guard("take", "index", 0, input.numel(), input.device());
  dispatch_index("take", index.dtype(), [&]<class I>() {
    dispatch_word(input.element_size(), [&]<class Word>() {
      each(out.numel(),
           TakeElement<Word, I>{{index.data<I>(), nullptr, input.numel(), guard.check()},
                                static_cast<const Word*>(input.data()),
                                static_cast<Word*>(out.data())},
           out.device());
    });
  });
  guard.finish();
}

void combine_indices(const Tensor& linear, const Tensor& next, int64_t size) {
  each(linear.numel(), CombineIndices{linear.data<int64_t>(), next.data<int64_t>(), size}, linear.device());
}

void coordinates(const Tensor& places, const Dims& sizes, const Tensor& out) {
  CoordinatesOfPlace f{places.data<int64_t>(), out.data<int64_t>(), sizes.size(), {}};
  for (int d = 0; d < sizes.size(); ++d) f.sizes[d] = sizes[d];
  each(places.numel(), f, places.device());
}

void one_hot(const Tensor& target, const Tensor& out, int64_t num_classes) {
  const IndexGuard guard("one_hot", "target", 0, num_classes, target.device());
  each(out.numel(), OneHotElement{index_view(target, num_classes, guard), out.data<int64_t>(), num_classes},
       target.device());
  guard.finish();
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
