#include <algorithm>
#include <bit>

#include <ordo/engine/calls/check.h>
#include <ordo/kernels/ordering/partition_point.h>
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
    const int64_t numbers = partition_point(0, selection.kind == Selection::Kind::range ? 0 : length,
                                            [&](int64_t k) { return !key.is_nan(begin + sorted[k]); });
    indices[i] = int64_t(sorted[first_place(selection, length, length - numbers) + i % count]) - line * length;
  }
};

// The first few places: a team of threads keeps the least of a piece of a line, by digits of their keys, and puts them in
// order. Round by round, until one piece is left. The first round reads the line once.

constexpr int kSelectThreads = 256, kMostSelected = 256;
constexpr int64_t kSelectPiece = 8;  // keys of a thread

/// Entries of lines: all elements, or those of `items`. Of equal keys the first has the first item.
struct Entries {
  KeyOf key;
  const Item* items;      // null: all
  int64_t length, count;  // of a line: elements, entries

  __device__ int64_t item(int64_t line, int64_t entry) const { return items ? items[line * count + entry] : entry; }
};

template <int kTeam>
__device__ void wait_for_team() {
  kTeam == 32 ? __syncwarp() : __syncthreads();
}

/// The bin in which place `place` (from 1) of 256 bins is, how many are in bins before it, and in it. Each warp.
struct Bin {
  uint32_t digit, before, in;
};
__device__ inline Bin find_bin(const uint32_t* bins, uint32_t place) {
  constexpr int kOfLane = 8;
  const int lane = int(threadIdx.x) % 32;
  const uint32_t* const own = bins + lane * kOfLane;
  uint32_t sum = 0;
  for (int j = 0; j < kOfLane; ++j) sum += own[j];
  uint32_t end = sum;
  for (int distance = 1; distance < 32; distance *= 2) {
    const uint32_t other = __shfl_up_sync(0xffffffffu, end, distance);
    if (lane >= distance) end += other;
  }
  Bin found{0, end - sum, 0};
  const bool here = found.before < place && place <= end;
  if (here) {
    int j = 0;
    while (found.before + own[j] < place) found.before += own[j++];
    found.digit = uint32_t(lane * kOfLane + j), found.in = own[j];
  }
  const int lane_of_it = __ffs(int(__ballot_sync(0xffffffffu, here))) - 1;
  return {__shfl_sync(0xffffffffu, found.digit, lane_of_it), __shfl_sync(0xffffffffu, found.before, lane_of_it),
          __shfl_sync(0xffffffffu, found.in, lane_of_it)};
}

/// The least `wanted` entries of each piece, in order: to `left`, or, where a line is one piece, places `from` to
/// `wanted` to `indices`.
template <class Key, int kTeam>
__global__ void __launch_bounds__(kSelectThreads)
    select_kernel(Entries entries, int64_t pieces, int64_t lines, int wanted, int from, Item* left, int64_t left_count,
                  int64_t* indices) {
  constexpr int kTeams = kSelectThreads / kTeam, kPiece = kTeam * int(kSelectPiece);
  ORDO_SHARED(Key, all_keys, [kTeams * kPiece]);
  ORDO_SHARED(uint32_t, all_bins, [kTeams * 256]);
  ORDO_SHARED(uint16_t, all_kept, [kTeams * kMostSelected]);
  const int thread = int(threadIdx.x) % kTeam, team = int(threadIdx.x) / kTeam;
  Key* const keys = all_keys + team * kPiece;
  uint32_t* const bins = all_bins + team * 256;
  uint16_t* const kept = all_kept + team * kMostSelected;
  ORDO_NO_UNROLL
  for (int64_t at = int64_t(blockIdx.x) * kTeams + team; at < lines * pieces; at += int64_t(gridDim.x) * kTeams) {
    const int64_t line = at / pieces, piece = at - line * pieces, first = piece * kPiece;
    const int n = int(entries.count - first < kPiece ? entries.count - first : kPiece);
    const int most = n < wanted ? n : wanted;
    for (int e = thread; e < n; e += kTeam)
      keys[e] = Key(entries.key(line * entries.length + entries.item(line, first + e)));
    // The digits of the last one that is kept, of its key and then of its place in the piece.
    Key key_digits = 0;
    uint32_t place_digits = 0, place = uint32_t(most);
    int key_shift = 8 * int(sizeof(Key)), place_shift = 16;
    for (bool more = n > most; more;) {
      for (int b = thread; b < 256; b += kTeam) bins[b] = 0;
      const bool of_key = key_shift > 0;
      (of_key ? key_shift : place_shift) -= 8;
      wait_for_team<kTeam>();
      for (int e = thread; e < n; e += kTeam) {
        const Key key = keys[e] >> key_shift;
        const uint32_t e_digits = uint32_t(e) >> place_shift;
        const bool same = of_key ? Key(key >> 8) == key_digits : key == key_digits && e_digits >> 8 == place_digits;
        if (same) atomicAdd(bins + (of_key ? uint32_t(key & 255) : e_digits & 255), 1u);
      }
      wait_for_team<kTeam>();
      const Bin bin = find_bin(bins, place);
      if (of_key)
        key_digits = Key(key_digits << 8 | bin.digit);
      else
        place_digits = place_digits << 8 | bin.digit;
      place -= bin.before;
      more = place < bin.in;  // else all of this bin are kept
      wait_for_team<kTeam>();
    }
    uint32_t& count = bins[0];
    if (thread == 0) count = 0;
    wait_for_team<kTeam>();
    for (int e = thread; e < n; e += kTeam) {
      const Key digits = key_shift < 8 * int(sizeof(Key)) ? Key(keys[e] >> key_shift) : Key(0);
      if (digits < key_digits || (digits == key_digits && uint32_t(e) >> place_shift <= place_digits))
        kept[atomicAdd(&count, 1u)] = uint16_t(e);
    }
    wait_for_team<kTeam>();
    for (int i = thread; i < most; i += kTeam) {
      const int e = kept[i];
      const Key key = keys[e];
      int rank = 0;
      for (int j = 0; j < most; ++j) {
        const int other = kept[j];
        const Key other_key = keys[other];
        rank += other_key < key || (other_key == key && other < e);
      }
      const int64_t item = entries.item(line, first + e);
      if (pieces > 1)
        left[line * left_count + piece * wanted + rank] = Item(item);
      else if (rank >= from)
        indices[line * (wanted - from) + rank - from] = item;
    }
    wait_for_team<kTeam>();
  }
}

template <class Key, int kTeam>
void select(const Tensor& t, bool descending, const Selection& selection, int64_t* indices) {
  constexpr int64_t kPiece = kTeam * kSelectPiece;
  const Device device = t.device();
  const int64_t length = t.size(-1), lines = t.numel() / length, wanted = selection.to;
  Entries entries{{t.data(), t.dtype(), descending}, nullptr, length, length};
  for (std::unique_ptr<Scratch<Item>> items, left;; items = std::move(left)) {
    const int64_t pieces = (entries.count + kPiece - 1) / kPiece, last = entries.count - (pieces - 1) * kPiece;
    const int64_t left_count = (pieces - 1) * wanted + std::min(wanted, last);
    if (pieces > 1) left = std::make_unique<Scratch<Item>>(lines * left_count, device);
    ordo::cuda::launch(select_kernel<Key, kTeam>, ordo::cuda::grid_for(lines * pieces * kTeam, kSelectThreads),
                       dim3(kSelectThreads), 0, ordo::cuda::current_stream(device), entries, pieces, lines, int(wanted),
                       int(selection.from), pieces > 1 ? left->data() : nullptr, left_count, indices);
    if (pieces == 1) return;
    entries.items = left->data(), entries.count = left_count;
  }
}

/// Whether the first places are found faster than by a sort: putting them in order takes their square of steps.
bool selects(const Selection& selection, int64_t length) {
  return selection.kind == Selection::Kind::range && selection.to <= kMostSelected &&
         selection.to * selection.to <= 128 * length;
}

/// Lines first, ..., first + lines - 1. Elements of 32 bits and less have keys of 32 bits, of which a pass moves two
/// thirds of the bytes.
template <class Key>
void sort_some(const Tensor& t, bool descending, const Selection& selection, int64_t first, int64_t lines,
               int64_t* indices) {
  const Device device = t.device();
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  const int64_t length = t.size(-1), count = lines * length, begin = first * length, wanted = selection.count();
  const int bits = key_bits(t.dtype()), line_bits = int(std::bit_width(uint64_t(lines - 1)));
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
  const bool narrow = key_bits(lines.dtype()) <= 32;
  if (selects(selection, length)) {
    const auto select_lines = length <= 32 * kSelectPiece
                                  ? (narrow ? select<uint32_t, 32> : select<uint64_t, 32>)
                                  : (narrow ? select<uint32_t, kSelectThreads> : select<uint64_t, kSelectThreads>);
    return select_lines(lines, descending, selection, indices.data<int64_t>());
  }
  const auto sort = narrow ? sort_some<uint32_t> : sort_some<uint64_t>;
  for (int64_t first = 0; first < count; first += at_once)
    sort(lines, descending, selection, first, std::min(at_once, count - first), indices.data<int64_t>());
}

}  // namespace ordo::kernels::cuda
