// A bound on every single allocation, so that sizes nobody has memory for are refused at once.
#pragma once

#include <limits>

#include <ordo/engine/calls/checked.h>

namespace ordo::test {

class MemoryLimit {
 public:
  explicit MemoryLimit(size_t bytes) { detail::set_memory_limit(bytes); }
  ~MemoryLimit() { detail::set_memory_limit(std::numeric_limits<size_t>::max()); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

}  // namespace ordo::test
