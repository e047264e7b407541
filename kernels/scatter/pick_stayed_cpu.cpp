#include <algorithm>

#include <ordo/engine/at_least_1d.h>
#include <ordo/engine/dispatch_word.h>
#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/scatter/pick_stayed.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo::kernels {
namespace {

struct Lines {
  int64_t outer = 1, places = 0, items = 0, inner = 1;
};

/// The items from the last to the first, some columns at a time: so many that a flag for each of their places stays in
/// the cache.
template <class Word>
void pick(const Lines& s, const IndexCheck& check, const int64_t* index, const Word* from, Word* to) {
  constexpr int64_t kFlags = 32 * 1024, kLine = 16;
  const int64_t width = std::clamp<int64_t>(kFlags / std::max<int64_t>(1, s.places), std::min(kLine, s.inner), s.inner);
  const int64_t tiles = (s.inner + width - 1) / width;
  const int64_t grain = std::max<int64_t>(1, 16 * 1024 / std::max<int64_t>(1, s.items * width));
  parallel_for(0, s.outer * tiles, grain, [&](int64_t first, int64_t last) {
    const Scratch<bool> flags(s.places * width, Device());
    bool* const seen = flags;
    for (int64_t t = first; t < last; ++t) {
      const int64_t o = t / tiles, column = t % tiles * width, count = std::min(width, s.inner - column);
      const Word* const line = from + o * s.places * s.inner + column;
      std::fill_n(seen, s.places * width, false);
      for (int64_t i = s.items - 1; i >= 0; --i) {
        const int64_t at = (o * s.items + i) * s.inner + column;
        for (int64_t j = 0; j < count; ++j) {
          const int64_t place = index[at + j];
          if (!check.ok(at + j, place, s.places)) continue;
          bool& later = seen[place * width + j];
          to[at + j] = Word(line[place * s.inner + j] & Word(Word(later) - Word(1)));  // without a branch
          later = true;
        }
      }
    }
  });
}

}  // namespace

Tensor pick_stayed(const Tensor& t, int64_t dim, const Tensor& index) {
  if (!t.is_cpu()) return {};
  const ordo::detail::OperationName name("scatter_backward");
  const Tensor at = contiguous(cast(views::at_least_1d(index), int64));
  const int d = wrap_dim("scatter_backward", dim, at.dim());
  const Tensor from = contiguous(leading(views::at_least_1d(t), at.sizes(), d));
  Lines s{.places = from.size(d), .items = at.size(d)};
  for (int k = 0; k < at.dim(); ++k)
    if (k != d) (k < d ? s.outer : s.inner) *= at.size(k);
  Tensor out = ordo::detail::result(at.sizes(), t.dtype(), t.device());
  if (out.numel() == 0) return out;
  const IndexGuard guard("scatter_backward", "index", d, s.places, t.device());
  dispatch_word(t.element_size(), [&]<class Word>() {
    pick(s, guard.check(), at.data<int64_t>(), static_cast<const Word*>(from.data()), static_cast<Word*>(out.data()));
  });
  guard.finish();
  return out;
}

}  // namespace ordo::kernels
