#include <memory>
#include <vector>

#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/indexing/gather.h>
#include <ordo/kernels/indexing/take.h>
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

// Places are numbered level by level: how many true elements each 64 elements have, then each 64 of those, up to one
// number; and back down, where each of them begins.
constexpr int64_t kChunk = 64;

template <class In>
struct CountChunk {
  const In* in;
  int64_t n;
  int64_t* counts;
  ORDO_HD void operator()(int64_t chunk) const {
    const int64_t first = chunk * kChunk, last = first + kChunk < n ? first + kChunk : n;
    int64_t count = 0;
    for (int64_t i = first; i < last; ++i) count += in[i];
    counts[chunk] = count;
  }
};

/// Counts become beginnings; those of their chunks are known.
struct ScanChunk {
  int64_t* counts;
  int64_t n;
  const int64_t* begins;
  ORDO_HD void operator()(int64_t chunk) const {
    const int64_t first = chunk * kChunk, last = first + kChunk < n ? first + kChunk : n;
    int64_t begin = begins[chunk];
    for (int64_t i = first; i < last; ++i) {
      const int64_t count = counts[i];
      counts[i] = begin;
      begin += count;
    }
  }
};

struct WritePlaces {
  const uint8_t* mask;
  int64_t n;
  const int64_t* begins;
  int64_t* places;
  ORDO_HD void operator()(int64_t chunk) const {
    const int64_t first = chunk * kChunk, last = first + kChunk < n ? first + kChunk : n;
    int64_t to = begins[chunk];
    for (int64_t i = first; i < last; ++i)
      if (mask[i]) places[to++] = i;
  }
};

}  // namespace

Tensor true_places(const Tensor& mask) {
  const Device device = mask.device();
  const int64_t n = mask.numel();
  const uint8_t* const at = static_cast<const uint8_t*>(mask.data());
  std::vector<std::unique_ptr<Scratch<int64_t>>> levels;
  std::vector<int64_t> sizes;
  for (int64_t size = n; sizes.empty() || size > 1;) {
    const int64_t chunks = (size + kChunk - 1) / kChunk;
    levels.push_back(std::make_unique<Scratch<int64_t>>(chunks, device));
    if (sizes.empty())
      each(chunks, CountChunk<uint8_t>{at, size, levels.back()->data()}, device);
    else
      each(chunks, CountChunk<int64_t>{levels[levels.size() - 2]->data(), size, levels.back()->data()}, device);
    sizes.push_back(chunks);
    size = chunks;
  }
  int64_t total = 0;
  ordo::detail::copy_bytes(&total, ordo::cpu, levels.back()->data(), device, sizeof(total));
  const Tensor places = ordo::detail::result({total}, int64, device);
  if (total == 0) return places;
  const int64_t zero = 0;
  ordo::detail::copy_bytes(levels.back()->data(), device, &zero, ordo::cpu, sizeof(zero));
  for (size_t level = levels.size() - 1; level > 0; --level)
    each(sizes[level], ScanChunk{levels[level - 1]->data(), sizes[level - 1], levels[level]->data()}, device);
  each(sizes[0], WritePlaces{at, n, levels[0]->data(), places.data<int64_t>()}, device);
  return places;
}

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
