// Stand-ins for CUB's device-wide functions, with their two-call protocol for temporary storage. They keep CUB's
// contract, not its speed: radix sorts are stable and look only at the bits they are given. Scans and ReduceByKey of
// anything but integers associate in another way at every call, drawn from the seed: CUB says that scans "are not
// deterministic for pseudo-associative operators", which are + and * of float, double, __half and __nv_bfloat16, and
// ReduceByKey promises run-to-run results that it does not give once a run spans tiles (NVIDIA/cccl#9995). Outputs must
// not overlap inputs.
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <vector>

#include <ordo/simulators/emulator/emulator.h>
#include <ordo/simulators/emulator/streams.h>

namespace ordo::cuda::emulator {

/// True when the call only asked for the size. Otherwise the scratch is checked.
bool cub_size_query(void* temp, size_t& bytes, size_t need);
/// Queues a call, which overwrites its scratch.
cudaError_t queue_collective(void* temp, size_t bytes, cudaStream_t stream, std::function<void()> work);
/// Counts a call whose association is its own, and draws it.
uint64_t float_collective_seed();
/// Throws CudaError when the ranges overlap.
void cub_expect_disjoint(const void* in, size_t in_bytes, const void* out, size_t out_bytes);

/// The bits [begin, end) of a key, in the order in which radix sort compares them.
template <class K>
uint64_t key_bits(K key, int begin, int end) {
  uint64_t bits = to_bits(key);
  const uint64_t top = uint64_t(1) << (sizeof(K) * 8 - 1);
  if constexpr (std::is_floating_point_v<K>)
    bits = bits & top ? ~bits & (top | (top - 1)) : bits | top;
  else if constexpr (std::is_signed_v<K>)
    bits ^= top;
  return end - begin >= 64 ? bits : (bits >> begin) & ((uint64_t(1) << (end - begin)) - 1);
}

/// Where each element of the sorted sequence comes from.
template <class K>
std::vector<size_t> sorted_order(const K* keys, size_t n, int begin, int end, bool descending) {
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const uint64_t ka = key_bits(keys[a], begin, end), kb = key_bits(keys[b], begin, end);
    return descending ? kb < ka : ka < kb;
  });
  return order;
}

template <class T>
void copy_in_order(const T* in, T* out, const std::vector<size_t>& order) {
  for (size_t i = 0; i < order.size(); ++i) out[i] = in[order[i]];
}

/// Values whose sums depend on the association.
template <class T>
inline constexpr bool kRounds = !std::is_integral_v<T>;
inline constexpr size_t kCollectiveTile = 128;

/// How many finished neighbours a tile looks back over: as many as happened to be ready.
inline size_t look_back(uint64_t& state, size_t tiles) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return 1 + state % std::min<size_t>(tiles, 8);
}

template <class In, class Out>
void scan(In in, Out out, size_t n, bool inclusive, uint64_t seed) {
  using T = typename std::iterator_traits<In>::value_type;
  std::vector<T> totals, prefixes{T{}};
  uint64_t state = seed | 1;
  const size_t tile_size = kRounds<T> ? kCollectiveTile : n;
  for (size_t at = 0, tile = 0; at < n; at += tile_size, ++tile) {
    if (tile) {
      const size_t back = look_back(state, tile);
      T window = totals[tile - 1];
      for (size_t b = 2; b <= back; ++b) window = T(totals[tile - b] + window);
      prefixes.push_back(T(prefixes[tile - back] + window));
    }
    T sum{};
    for (size_t i = at; i < std::min(n, at + tile_size); ++i) {
      const T v = in[i];
      out[i] = T(prefixes[tile] + (inclusive ? T(sum + v) : sum));
      sum = T(sum + v);
    }
    totals.push_back(sum);
  }
}

/// Reduces [begin, end) by `op`, tile by tile; the tiles' results are combined in windows of random width.
template <class In, class Op>
auto reduce_run(In in, size_t begin, size_t end, Op op, uint64_t& state) {
  using T = typename std::iterator_traits<In>::value_type;
  std::vector<T> tiles;
  for (size_t at = begin; at < end;) {
    const size_t last = std::min(end, (at / kCollectiveTile + 1) * kCollectiveTile);
    T sum = in[at];
    for (size_t i = at + 1; i < last; ++i) sum = T(op(sum, in[i]));
    tiles.push_back(sum);
    at = last;
  }
  T sum = tiles[0];
  for (size_t at = 1; at < tiles.size();) {
    const size_t last = at + (kRounds<T> ? look_back(state, tiles.size() - at) : 1);
    T window = tiles[at];
    for (size_t i = at + 1; i < last; ++i) window = T(op(window, tiles[i]));
    sum = T(op(sum, window));
    at = last;
  }
  return sum;
}

}  // namespace ordo::cuda::emulator

namespace cub {

template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {};
  int selector = 0;
  DoubleBuffer() = default;
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};

struct DeviceRadixSort {
  template <class K, class V, class N>
  static cudaError_t SortPairs(void* temp, size_t& bytes, const K* keys_in, K* keys_out, const V* values_in,
                               V* values_out, N n, int begin_bit = 0, int end_bit = sizeof(K) * 8,
                               cudaStream_t stream = nullptr) {
    return sort(temp, bytes, keys_in, keys_out, values_in, values_out, size_t(n), begin_bit, end_bit, false, stream);
  }
  template <class K, class V, class N>
  static cudaError_t SortPairs(void* temp, size_t& bytes, DoubleBuffer<K>& keys, DoubleBuffer<V>& values, N n,
                               int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = nullptr) {
    const cudaError_t status = sort(temp, bytes, keys.Current(), keys.Alternate(), values.Current(), values.Alternate(),
                                    size_t(n), begin_bit, end_bit, false, stream);
    if (temp) keys.selector ^= 1, values.selector ^= 1;
    return status;
  }
  template <class K, class V, class N>
  static cudaError_t SortPairsDescending(void* temp, size_t& bytes, const K* keys_in, K* keys_out, const V* values_in,
                                         V* values_out, N n, int begin_bit = 0, int end_bit = sizeof(K) * 8,
                                         cudaStream_t stream = nullptr) {
    return sort(temp, bytes, keys_in, keys_out, values_in, values_out, size_t(n), begin_bit, end_bit, true, stream);
  }
  template <class K, class N>
  static cudaError_t SortKeys(void* temp, size_t& bytes, const K* keys_in, K* keys_out, N n, int begin_bit = 0,
                              int end_bit = sizeof(K) * 8, cudaStream_t stream = nullptr) {
    using namespace ordo::cuda::emulator;
    if (cub_size_query(temp, bytes, size_t(n) * sizeof(K) + 256)) return cudaSuccess;
    cub_expect_disjoint(keys_in, size_t(n) * sizeof(K), keys_out, size_t(n) * sizeof(K));
    return queue_collective(temp, bytes, stream, [=] {
      copy_in_order(keys_in, keys_out, sorted_order(keys_in, size_t(n), begin_bit, end_bit, false));
    });
  }

 private:
  template <class K, class V>
  static cudaError_t sort(void* temp, size_t& bytes, const K* keys_in, K* keys_out, const V* values_in, V* values_out,
                          size_t n, int begin_bit, int end_bit, bool descending, cudaStream_t stream) {
    using namespace ordo::cuda::emulator;
    if (cub_size_query(temp, bytes, n * (sizeof(K) + sizeof(V)) + 256)) return cudaSuccess;
    cub_expect_disjoint(keys_in, n * sizeof(K), keys_out, n * sizeof(K));
    cub_expect_disjoint(values_in, n * sizeof(V), values_out, n * sizeof(V));
    return queue_collective(temp, bytes, stream, [=] {
      const std::vector<size_t> order = sorted_order(keys_in, n, begin_bit, end_bit, descending);
      copy_in_order(keys_in, keys_out, order);
      copy_in_order(values_in, values_out, order);
    });
  }
};

struct DeviceScan {
  template <class In, class Out, class N>
  static cudaError_t ExclusiveSum(void* temp, size_t& bytes, In in, Out out, N n, cudaStream_t stream = nullptr) {
    return scan(temp, bytes, in, out, size_t(n), false, stream);
  }
  template <class In, class Out, class N>
  static cudaError_t InclusiveSum(void* temp, size_t& bytes, In in, Out out, N n, cudaStream_t stream = nullptr) {
    return scan(temp, bytes, in, out, size_t(n), true, stream);
  }

 private:
  template <class In, class Out>
  static cudaError_t scan(void* temp, size_t& bytes, In in, Out out, size_t n, bool inclusive, cudaStream_t stream) {
    using namespace ordo::cuda::emulator;
    if (cub_size_query(temp, bytes, 256)) return cudaSuccess;
    const uint64_t seed = kRounds<typename std::iterator_traits<In>::value_type> ? float_collective_seed() : 0;
    return queue_collective(temp, bytes, stream, [=] { ordo::cuda::emulator::scan(in, out, n, inclusive, seed); });
  }
};

struct DeviceReduce {
  /// One result per run of equal keys.
  template <class Keys, class Unique, class Values, class Out, class Runs, class Op, class N>
  static cudaError_t ReduceByKey(void* temp, size_t& bytes, Keys keys, Unique unique, Values values, Out out, Runs runs,
                                 Op op, N n, cudaStream_t stream = nullptr) {
    using namespace ordo::cuda::emulator;
    if (cub_size_query(temp, bytes, 256)) return cudaSuccess;
    const uint64_t seed = kRounds<typename std::iterator_traits<Values>::value_type> ? float_collective_seed() : 0;
    return queue_collective(temp, bytes, stream, [=] {
      uint64_t state = seed | 1;
      N found = 0;
      for (N i = 0; i < n;) {
        N end = i + 1;
        while (end < n && keys[end] == keys[i]) ++end;
        unique[found] = keys[i];
        out[found++] = reduce_run(values, size_t(i), size_t(end), op, state);
        i = end;
      }
      *runs = found;
    });
  }
};

struct DeviceRunLengthEncode {
  template <class In, class Unique, class Counts, class Runs, class N>
  static cudaError_t Encode(void* temp, size_t& bytes, In in, Unique unique, Counts counts, Runs runs, N n,
                            cudaStream_t stream = nullptr) {
    if (ordo::cuda::emulator::cub_size_query(temp, bytes, 256)) return cudaSuccess;
    return ordo::cuda::emulator::queue_collective(temp, bytes, stream, [=] {
      N found = 0;
      for (N i = 0; i < n;) {
        N end = i + 1;
        while (end < n && in[end] == in[i]) ++end;
        unique[found] = in[i];
        counts[found++] = end - i;
        i = end;
      }
      *runs = found;
    });
  }
};

struct DeviceSelect {
  template <class In, class Flags, class Out, class Count, class N>
  static cudaError_t Flagged(void* temp, size_t& bytes, In in, Flags flags, Out out, Count count, N n,
                             cudaStream_t stream = nullptr) {
    if (ordo::cuda::emulator::cub_size_query(temp, bytes, 256)) return cudaSuccess;
    return ordo::cuda::emulator::queue_collective(temp, bytes, stream, [=] {
      N found = 0;
      for (N i = 0; i < n; ++i)
        if (flags[i]) out[found++] = in[i];
      *count = found;
    });
  }
  template <class In, class Out, class Count, class N, class Select>
  static cudaError_t If(void* temp, size_t& bytes, In in, Out out, Count count, N n, Select select,
                        cudaStream_t stream = nullptr) {
    if (ordo::cuda::emulator::cub_size_query(temp, bytes, 256)) return cudaSuccess;
    return ordo::cuda::emulator::queue_collective(temp, bytes, stream, [=] {
      N found = 0;
      for (N i = 0; i < n; ++i)
        if (select(in[i])) out[found++] = in[i];
      *count = found;
    });
  }
};

}  // namespace cub
