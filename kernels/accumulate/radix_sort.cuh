// A stable radix sort whose memory is its own: CUB's. Takes long to compile. Included by few .cu files.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <ordo/engine/cuda/cub.h>
#include <ordo/engine/memory/memory.h>

namespace ordo::kernels::cuda {

/// Sorts `count` pairs by the bits [first_bit, last_bit) of their keys.
template <class Key, class Value>
void radix_sort(std::unique_ptr<Scratch<Key>>& keys, std::unique_ptr<Scratch<Value>>& values, int64_t count,
                int first_bit, int last_bit, Device device, cudaStream_t stream) {
  // With two buffers for each the sort needs no copies of its own; which of them it ends in, it says at once.
  auto other_keys = std::make_unique<Scratch<Key>>(count, device);
  auto other_values = std::make_unique<Scratch<Value>>(count, device);
  cub::DoubleBuffer<Key> key_buffers(keys->data(), other_keys->data());
  cub::DoubleBuffer<Value> value_buffers(values->data(), other_values->data());
  const auto sort = [&](void* temporary, size_t& bytes) {
    ordo::cuda::check(cub::DeviceRadixSort::SortPairs(temporary, bytes, key_buffers, value_buffers, count, first_bit,
                                                      last_bit, stream),
                      "radix sort");
  };
  size_t bytes = 0;
  sort(nullptr, bytes);
  const Scratch<char> temporary(int64_t(bytes ? bytes : 1), device);
  sort(temporary.data(), bytes);
  if (key_buffers.Current() != keys->data()) std::swap(keys, other_keys);
  if (value_buffers.Current() != values->data()) std::swap(values, other_values);
}

}  // namespace ordo::kernels::cuda
