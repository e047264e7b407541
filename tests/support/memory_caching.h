// Whether the allocators keep freed blocks, until the end of a scope: for tests of that, which run under tools that
// turn it off, too.
#pragma once

#include <ordo/engine/memory/memory.h>

namespace ordo::test {

class MemoryCachingScope {
 public:
  explicit MemoryCachingScope(bool on) : before_(detail::set_memory_caching(on)) {}
  ~MemoryCachingScope() { detail::set_memory_caching(before_); }
  MemoryCachingScope(const MemoryCachingScope&) = delete;
  MemoryCachingScope& operator=(const MemoryCachingScope&) = delete;

 private:
  bool before_;
};

}  // namespace ordo::test
