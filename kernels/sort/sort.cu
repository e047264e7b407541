#include <ordo/engine/check.h>
#include <ordo/engine/dispatch_word.h>
#include <ordo/kernels/sort/sort_keys.h>
#include <ordo/kernels/accumulate/radix_sort.cuh>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {
namespace {

using Item = uint32_t;
constexpr int64_t kMostItems = 0xffffffff;

/// Keys of elements, with their line above them where there is room.
struct MakeKeys {
  KeyOf key;
  int64_t begin, length;  // of a line
  int line_shift;         // 64: no line
  uint64_t* keys;
  Item* items;
  ORDO_HD void operator()(int64_t i) const {
    const uint64_t line = line_shift < 64 ? uint64_t(i / length) << line_shift : 0;
    keys[i] = line | key(begin + i);
    items[i] = Item(i);
  }
};
struct LineKeys {
  const Item* items;
  int64_t length;
  uint64_t* keys;
  ORDO_HD void operator()(int64_t i) const { keys[i] = uint64_t(items[i] / length); }
};

/// The wanted places of sorted lines.
struct TakePlaces {
  KeyOf key;
  const Item* items;
  int64_t begin, length, count, from;
  Selection::Kind kind;
  int64_t* indices;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t line = i / count;
    const Item* sorted = items + line * length;
    int64_t place = from + i % count;
    if (kind != Selection::Kind::range) {
      int64_t low = 0, high = length;  // the first NaN
      while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (key.is_nan(begin + sorted[middle]))
          high = middle;
        else
          low = middle + 1;
      }
      place = median_place(length, length - low, kind == Selection::Kind::nanmedian);
    }
    indices[i] = int64_t(sorted[place]) - line * length;
  }
};

int bits_of(int64_t n) {
  int bits = 0;
  while (n > 0) n >>= 1, ++bits;
  return bits;
}

void sort_some(const SortArgs& a, int64_t first, int64_t lines, cudaStream_t stream) {
  const int64_t count = lines * a.length, begin = first * a.length;
  const int bits = int(size_of(a.dtype)) * 8, line_bits = bits_of(lines - 1);
  const bool together = bits + line_bits <= 64;
  const KeyOf key{a.x, a.dtype, a.descending};
  auto keys = std::make_unique<Scratch<uint64_t>>(count, a.device);
  auto items = std::make_unique<Scratch<Item>>(count, a.device);
  each(count, MakeKeys{key, begin, a.length, together && line_bits > 0 ? bits : 64, keys->data(), items->data()},
       a.device);
  radix_sort(keys, items, count, 0, together ? bits + line_bits : bits, a.device, stream);
  if (!together) {  // stable: within a line the order stays
    each(count, LineKeys{items->data(), a.length, keys->data()}, a.device);
    radix_sort(keys, items, count, 0, line_bits, a.device, stream);
  }
  const int64_t wanted = a.selection.count();
  each(lines * wanted,
       TakePlaces{key, items->data(), begin, a.length, wanted, a.selection.from, a.selection.kind,
                  a.indices + first * wanted},
       a.device);
}

}  // namespace

void sort_lines(const SortArgs& a) {
  ORDO_CHECK(a.length <= kMostItems, ValueError, "sort", "on CUDA lines have at most {} elements, not {}", kMostItems,
             a.length);
  const ordo::cuda::DeviceScope scope(a.device);
  const int64_t at_once = kMostItems / a.length;
  for (int64_t first = 0; first < a.lines; first += at_once)
    sort_some(a, first, a.lines - first < at_once ? a.lines - first : at_once, ordo::cuda::current_stream(a.device));
}

void mode_lines(const ModeArgs& a) {
  const SortArgs& s = a.lines;
  each(s.lines, ModeOfLine{{s.x, s.dtype, false}, s.indices, s.length, a.last_places}, s.device);
}

void put_along(const PutAlongArgs& a) {
  dispatch_word(a.element_size, [&]<class Word>() { each(a.count, PutAlongElement<Word>{a}, a.device); });
}

}  // namespace ordo::kernels::cuda
