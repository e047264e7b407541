#include <ordo/engine/cuda/emulator/shadow.h>

#if ORDO_RACE_CHECKER
#include <array>
#include <memory>
#include <unordered_map>

namespace ordo::cuda::emulator::checker {

namespace {
constexpr uintptr_t kPageBits = 12;
constexpr size_t kMostPages = 2048;
struct Page {
  Cell cells[(1 << kPageBits) / 4];
};
std::unordered_map<uintptr_t, std::unique_ptr<Page>> g_pages;
struct Recent {
  uintptr_t key = 0;
  Page* page = nullptr;
};
std::array<Recent, 1024> g_recent;

Page* find_page(uintptr_t key, bool make) {
  Recent& recent = g_recent[key % g_recent.size()];
  if (recent.page && recent.key == key) return recent.page;
  auto at = g_pages.find(key);
  if (at == g_pages.end()) {
    if (!make) return nullptr;
    at = g_pages.emplace(key, std::make_unique<Page>()).first;
  }
  recent = {key, at->second.get()};
  return recent.page;
}
constexpr uintptr_t cell_index(uintptr_t a) { return (a & ((uintptr_t(1) << kPageBits) - 1)) / 4; }
}  // namespace

Cell& cell_at(uintptr_t a, uint64_t launch) {
  Cell& c = find_page(a >> kPageBits, true)->cells[cell_index(a)];
  if (c.launch != launch) {
    c = Cell{};
    c.launch = launch;
  }
  return c;
}

void forget_accesses(const void* p, size_t bytes) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(p) & ~uintptr_t(3), end = reinterpret_cast<uintptr_t>(p) + bytes;
  for (uintptr_t a = begin; a < end; a += 4)
    if (Page* page = find_page(a >> kPageBits, false)) page->cells[cell_index(a)].launch = 0;
}

void trim_cells() {
  if (g_pages.size() <= kMostPages) return;
  g_pages.clear();
  g_recent = {};
}

}  // namespace ordo::cuda::emulator::checker
#endif
