// Stand-ins for CUB's device-wide functions, with their two-call protocol for temporary storage. They keep CUB's
// contract, not its speed: radix sorts are stable and look only at the bits they are given; a floating-point scan adds
// in an order drawn from the seed, because CUB promises none. Outputs must not overlap inputs.
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <vector>

#include <ordo/engine/cuda/emulator/emulator.h>

namespace ordo::cuda::emulator {

/// True when the call only asked for the size. Otherwise the scratch is checked and overwritten.
bool cub_size_query(void* temp, size_t& bytes, size_t need);
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
  cub_expect_disjoint(in, order.size() * sizeof(T), out, order.size() * sizeof(T));
  for (size_t i = 0; i < order.size(); ++i) out[i] = in[order[i]];
}

/// Tiles that look back over as many finished neighbours as happened to be ready, as CUB's do.
template <class In, class Out>
void scan(In in, Out out, size_t n, bool inclusive) {
  using T = typename std::iterator_traits<In>::value_type;
  if constexpr (!std::is_floating_point_v<T>) {
    T sum{};
    for (size_t i = 0; i < n; ++i) {
      const T v = in[i];
      out[i] = inclusive ? T(sum + v) : sum;
      sum = T(sum + v);
    }
  } else {
    constexpr size_t kTile = 128;
    uint64_t state = options().seed * 0x9e3779b97f4a7c15ull + n + 1;
    std::vector<T> totals, prefixes{T{}};
    for (size_t at = 0, tile = 0; at < n; at += kTile, ++tile) {
      if (tile) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const size_t back = 1 + state % std::min<size_t>(tile, 8);
        T window = totals[tile - 1];
        for (size_t b = 2; b <= back; ++b) window = totals[tile - b] + window;
        prefixes.push_back(prefixes[tile - back] + window);
      }
      T sum{};
      for (size_t i = at; i < std::min(n, at + kTile); ++i) {
        const T v = in[i];
        out[i] = prefixes[tile] + (inclusive ? T(sum + v) : sum);
        sum += v;
      }
      totals.push_back(sum);
    }
  }
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
                               cudaStream_t = nullptr) {
    return sort(temp, bytes, keys_in, keys_out, values_in, values_out, size_t(n), begin_bit, end_bit, false);
  }
  template <class K, class V, class N>
  static cudaError_t SortPairs(void* temp, size_t& bytes, DoubleBuffer<K>& keys, DoubleBuffer<V>& values, N n,
                               int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t = nullptr) {
    const cudaError_t status = sort(temp, bytes, keys.Current(), keys.Alternate(), values.Current(), values.Alternate(),
                                    size_t(n), begin_bit, end_bit, false);
    if (temp) keys.selector ^= 1, values.selector ^= 1;
    return status;
  }
  template <class K, class V, class N>
  static cudaError_t SortPairsDescending(void* temp, size_t& bytes, const K* keys_in, K* keys_out, const V* values_in,
                                         V* values_out, N n, int begin_bit = 0, int end_bit = sizeof(K) * 8,
                                         cudaStream_t = nullptr) {
    return sort(temp, bytes, keys_in, keys_out, values_in, values_out, size_t(n), begin_bit, end_bit, true);
  }
  template <class K, class N>
  static cudaError_t SortKeys(void* temp, size_t& bytes, const K* keys_in, K* keys_out, N n, int begin_bit = 0,
                              int end_bit = sizeof(K) * 8, cudaStream_t = nullptr) {
    using namespace ordo::cuda::emulator;
    if (cub_size_query(temp, bytes, size_t(n) * sizeof(K) + 256)) return cudaSuccess;
    copy_in_order(keys_in, keys_out, sorted_order(keys_in, size_t(n), begin_bit, end_bit, false));
    return cudaSuccess;
  }

 private:
  template <class K, class V>
  static cudaError_t sort(void* temp, size_t& bytes, const K* keys_in, K* keys_out, const V* values_in, V* values_out,
                          size_t n, int begin_bit, int end_bit, bool descending) {
    using namespace ordo::cuda::emulator;
    if (cub_size_query(temp, bytes, n * (sizeof(K) + sizeof(V)) + 256)) return cudaSuccess;
    const std::vector<size_t> order = sorted_order(keys_in, n, begin_bit, end_bit, descending);
    copy_in_order(keys_in, keys_out, order);
    copy_in_order(values_in, values_out, order);
    return cudaSuccess;
  }
};

struct DeviceScan {
  template <class In, class Out, class N>
  static cudaError_t ExclusiveSum(void* temp, size_t& bytes, In in, Out out, N n, cudaStream_t = nullptr) {
    if (ordo::cuda::emulator::cub_size_query(temp, bytes, 256)) return cudaSuccess;
    ordo::cuda::emulator::scan(in, out, size_t(n), false);
    return cudaSuccess;
  }
  template <class In, class Out, class N>
  static cudaError_t InclusiveSum(void* temp, size_t& bytes, In in, Out out, N n, cudaStream_t = nullptr) {
    if (ordo::cuda::emulator::cub_size_query(temp, bytes, 256)) return cudaSuccess;
    ordo::cuda::emulator::scan(in, out, size_t(n), true);
    return cudaSuccess;
  }
};

struct DeviceRunLengthEncode {
  template <class In, class Unique, class Counts, class Runs, class N>
  static cudaError_t Encode(void* temp, size_t& bytes, In in, Unique unique, Counts counts, Runs runs, N n,
                            cudaStream_t = nullptr) {
    if (ordo::cuda::emulator::cub_size_query(temp, bytes, 256)) return cudaSuccess;
    N found = 0;
    for (N i = 0; i < n;) {
      N end = i + 1;
      while (end < n && in[end] == in[i]) ++end;
      unique[found] = in[i];
      counts[found++] = end - i;
      i = end;
    }
    *runs = found;
    return cudaSuccess;
  }
};

struct DeviceSelect {
  template <class In, class Flags, class Out, class Count, class N>
  static cudaError_t Flagged(void* temp, size_t& bytes, In in, Flags flags, Out out, Count count, N n,
                             cudaStream_t = nullptr) {
    if (ordo::cuda::emulator::cub_size_query(temp, bytes, 256)) return cudaSuccess;
    N found = 0;
    for (N i = 0; i < n; ++i)
      if (flags[i]) out[found++] = in[i];
    *count = found;
    return cudaSuccess;
  }
  template <class In, class Out, class Count, class N, class Select>
  static cudaError_t If(void* temp, size_t& bytes, In in, Out out, Count count, N n, Select select,
                        cudaStream_t = nullptr) {
    if (ordo::cuda::emulator::cub_size_query(temp, bytes, 256)) return cudaSuccess;
    N found = 0;
    for (N i = 0; i < n; ++i)
      if (select(in[i])) out[found++] = in[i];
    *count = found;
    return cudaSuccess;
  }
};

}  // namespace cub
