// Shared memory: a heap block for each variable and resident block, so that AddressSanitizer sees its ends.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include <ordo/simulators/emulator/checker.h>
#include <ordo/simulators/emulator/threads.h>

namespace ordo::cuda::emulator {

void fill_garbage(void* data, size_t bytes, uint64_t seed) {
  Random random(seed);
  for (size_t i = 0; i < bytes; i += 8) {
    const uint64_t v = random.next();
    std::memcpy(static_cast<char*>(data) + i, &v, std::min<size_t>(8, bytes - i));
  }
}

void* shared_variable(const void* tag, size_t bytes, size_t alignment) {
  const checker::Pause pause;
  Block& b = *g_launch.current->block;
  for (SharedVariable& v : b.shared) {
    if (v.tag != tag) continue;
    if (v.block != b.number) {  // left by a block that has ended
      fill_garbage(v.data, bytes, g_launch.random.next());
      checker::shared_memory(v.data, bytes);
      v.block = b.number;
    }
    return v.data;
  }
  void* p = nullptr;
  if (posix_memalign(&p, std::max<size_t>(alignment, 16), bytes + 2 * checker::kRedZone) != 0) throw std::bad_alloc();
  p = static_cast<char*>(p) + checker::kRedZone;
  fill_garbage(p, bytes, g_launch.random.next());
  checker::shared_memory(p, bytes);
  b.shared.push_back({tag, p, bytes, b.number});
  return p;
}

void* dynamic_shared() {
  static const char tag = 0;
  return shared_variable(&tag, g_launch.shared_bytes, 16);
}

void free_shared(Block& block) noexcept {
  for (SharedVariable& v : block.shared) {
    checker::forget_memory(v.data, v.bytes);
    std::free(static_cast<char*>(v.data) - checker::kRedZone);
  }
  block.shared.clear();
}

}  // namespace ordo::cuda::emulator
