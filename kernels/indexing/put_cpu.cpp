#include <algorithm>
#include <atomic>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/dispatch_word.h>
#include <ordo/engine/parallel.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/indexing/rows_cpu.h>
#include <ordo/kernels/indexing/take.h>

namespace ordo::kernels {

namespace cpu {

constexpr int kMostReaders = 8;  // of all items

bool all_inside(const Tensor& index, int64_t size) {
  std::atomic<bool> inside = true;
  dispatch_index("put", index.dtype(), [&]<class I>() {
    const I* const at = index.data<I>();
    parallel_for(0, index.numel(), 16384, [&](int64_t first, int64_t last) {
      if (!all_below(at + first, last - first, size)) inside.store(false, std::memory_order_relaxed);
    });
  });
  return inside;
}

void put(const char* op, const Tensor& self, const Tensor& index, const Tensor& source) {
  const int64_t n = self.numel();
  const Tensor places = cast(index, int64);
  const int64_t* const at = places.data<int64_t>();
  const IndexGuard guard(op, "index", 0, n, self.device());
  parallel_for(0, places.numel(), 16384, [&](int64_t first, int64_t last) {  // all before the first is written
    uint64_t most = 0;  // without a branch, so that the loop vectorises
    for (int64_t i = first; i < last; ++i) most = std::max(most, uint64_t(at[i]) + uint64_t(n));
    if (most < 2 * uint64_t(n)) return;
    for (int64_t i = first; i < last; ++i)
      if (at[i] < -n || at[i] >= n) guard.check().ok(i, at[i], n);
  });
  guard.finish();
  dispatch_word(self.element_size(), [&]<class Word>() {
    Word* const to = static_cast<Word*>(self.data());
    const Word* const from = static_cast<const Word*>(source.data());
    // Each thread reads all items and writes those of its places, in their order, without a branch.
    const int pieces = std::min(kMostReaders, pieces_for(places.numel(), 32768));
    for_pieces(pieces, [&](int piece) {
      const int64_t begin = n * piece / pieces, size = n * (piece + 1) / pieces - begin;
      Word* const mine = to + begin;
      Word elsewhere;
      for (int64_t i = 0; i < places.numel(); ++i) {
        const int64_t place = (at[i] < 0 ? at[i] + n : at[i]) - begin;
        Word* const target = uint64_t(place) < uint64_t(size) ? mine + place : &elsewhere;
        *target = from[i];
      }
    });
  });
}

}  // namespace cpu

std::pair<Tensor, Tensor> take_out(const Tensor& given, const Tensor& index) {
  if (!given.is_cpu()) return {};
  const ordo::detail::OperationName name("put_backward");
  const Tensor t = clone(given), places = contiguous(cast(index, int64));
  const Tensor out = ordo::detail::result(index.sizes(), t.dtype(), t.device());
  const int64_t n = t.numel();
  const IndexGuard guard("put_backward", "index", 0, n, t.device());
  dispatch_word(t.element_size(), [&]<class Word>() {
    const int64_t* const at = places.data<int64_t>();
    Word* const from = static_cast<Word*>(t.data());
    Word* const to = static_cast<Word*>(out.data());
    const IndexCheck check = guard.check();
    for (int64_t i = index.numel() - 1; i >= 0; --i) {
      const int64_t place = at[i] < 0 ? at[i] + n : at[i];
      if (!check.ok(i, place, n)) continue;
      to[i] = from[place];
      from[place] = Word(0);
    }
  });
  guard.finish();
  return {out, t};
}

}  // namespace ordo::kernels
