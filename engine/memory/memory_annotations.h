// Tells the checkers which part of a block of memory is in use: the caching allocators round requests up and keep freed
// blocks, which hides overruns and uses after free from them. Empty in other builds. Internal.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define ORDO_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ORDO_ADDRESS_SANITIZER 1
#endif
#endif
#if ORDO_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#elif ORDO_RACE_CHECKER
#include <ordo/simulators/emulator/checker.h>
#endif

namespace ordo::detail {

/// Of the block of block_bytes at p the first `bytes` may be used, the rest may not.
inline void note_allocated([[maybe_unused]] void* p, [[maybe_unused]] size_t bytes,
                           [[maybe_unused]] size_t block_bytes) {
#if ORDO_ADDRESS_SANITIZER
  ASAN_UNPOISON_MEMORY_REGION(p, bytes);
  ASAN_POISON_MEMORY_REGION(static_cast<char*>(p) + bytes, block_bytes - bytes);
#elif ORDO_RACE_CHECKER
  cuda::emulator::checker::device_block(p, bytes, block_bytes);
#endif
}

/// Nothing of the block may be used until it is allocated again. May be noted twice: on its way to the cache, and from
/// there to the system.
inline void note_freed([[maybe_unused]] void* p, [[maybe_unused]] size_t block_bytes) {
#if ORDO_ADDRESS_SANITIZER
  ASAN_POISON_MEMORY_REGION(p, block_bytes);
#elif ORDO_RACE_CHECKER
  cuda::emulator::checker::device_block(p, 0, block_bytes);
#endif
}

}  // namespace ordo::detail
