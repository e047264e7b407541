#include <algorithm>

#include <ordo/engine/calls/check.h>
#include <ordo/kernels/sort/sort_keys.h>
#include <ordo/kernels/accumulate/radix_sort.cuh>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {
namespace {

using Item = uint32_t;
constexpr int64_t kMostItems = 0xffffffff;

/// Keys of elements, with their line above them where there is room.
template <class Key>
struct MakeKeys {
  KeyOf key;
  int64_t begin, length;  // of a line
  int line_shift;         // 0: no line
  Key* keys;
  Item* items;
  ORDO_HD void operator()(int64_t i) const {
    const Key line = line_shift > 0 ? Key(i / length) << line_shift : Key(0);
    keys[i] = line | Key(key(begin + i));
    items[i] = Item(i);
  }
};
template <class Key>
struct LineKeys {
  const Item* items;
  int64_t length;
  Key* keys;
  ORDO_HD void operator()(int64_t i) const { keys[i] = Key(items[i] / length); }
};

/// The wanted places of sorted lines.
struct TakePlaces {
  KeyOf key;
  const Item* items;
  int64_t begin, length, count;
  Selection selection;
  int64_t* indices;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t line = i / count;
    const Item* sorted = items + line * length;
    int64_t low = 0, high = selection.kind == Selection::Kind::range ? 0 : length;  // the first NaN
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (key.is_nan(begin + sorted[middle]))
        high = middle;
      else
        low = middle + 1;
    }
    indices[i] = int64_t(sorted[first_place(selection, length, length - low) + i % count]) - line * length;
  }
};

int bits_of(int64_t n) {
  int bits = 0;
  while (n > 0) n >>= 1, ++bits;
  return bits;
}

/// Lines first, ..., first + lines - 1. Elements of 32 bits and less have keys of 32 bits, of which a pass moves two
/// thirds of the bytes.
template <class Key>
void sort_some(const Tensor& t, bool descending, const Selection& selection, int64_t first, int64_t lines,
               int64_t* indices) {
  const Device device = t.device();
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  const int64_t length = t.size(-1), count = lines * length, begin = first * length, wanted = selection.count();
  const int bits = key_bits(t.dtype()), line_bits = bits_of(lines - 1);
  const bool together = bits + line_bits <= int(8 * sizeof(Key));
  const KeyOf key{t.data(), t.dtype(), descending};
  auto keys = std::make_unique<Scratch<Key>>(count, device);
  auto items = std::make_unique<Scratch<Item>>(count, device);
  each(count, MakeKeys<Key>{key, begin, length, together && line_bits > 0 ? bits : 0, keys->data(), items->data()},
       device);
  radix_sort(keys, items, count, 0, together ? bits + line_bits : bits, device, stream);
  if (!together) {  // stable: within a line the order stays
    each(count, LineKeys<Key>{items->data(), length, keys->data()}, device);
    radix_sort(keys, items, count, 0, line_bits, device, stream);
  }
  each(lines * wanted, TakePlaces{key, items->data(), begin, length, wanted, selection, indices + first * wanted},
       device);
}

}  // namespace

void sort_lines(const Tensor& lines, bool descending, const Selection& selection, const Tensor& indices) {
  const int64_t length = lines.size(-1), count = lines.numel() / length, at_once = kMostItems / length;
  ORDO_CHECK(length <= kMostItems, ValueError, "sort", "on CUDA lines have at most {} elements, not {}", kMostItems,
             length);
  const ordo::cuda::DeviceScope scope(lines.device());
  const auto sort = key_bits(lines.dtype()) <= 32 ? sort_some<uint32_t> : sort_some<uint64_t>;
  for (int64_t first = 0; first < count; first += at_once)
    sort(lines, descending, selection, first, std::min(at_once, count - first), indices.data<int64_t>());
}

}  // namespace ordo::kernels::cuda
