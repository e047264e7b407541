// The destination that many items have, by a sample of them. Internal to atomic_cpu.h and exact_cpu.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ordo::kernels::cpu::accumulate_detail {

/// The destination of more than an eighth of the sampled items, or -1. The sample consists of lines of neighbouring
/// items, because a cache line costs what an item does.
template <class Items>
int64_t hot_destination(const Items& items) {
  constexpr int64_t kSampled = 512, kLine = 8;
  const int64_t lines = std::min(kSampled / kLine, items.count / 128);
  std::vector<int64_t> sample;
  for (int64_t line = 0; line < lines; ++line)
    for (int64_t i = items.count / lines * line, last = i + kLine; i < last; ++i)
      if (const int64_t d = items.destination(i); d >= 0) sample.push_back(d);
  std::sort(sample.begin(), sample.end());
  const size_t many = sample.size() / 8;
  for (size_t k = many; k > 0 && k < sample.size(); ++k)
    if (sample[k] == sample[k - many]) return sample[k];
  return -1;
}

}  // namespace ordo::kernels::cpu::accumulate_detail
