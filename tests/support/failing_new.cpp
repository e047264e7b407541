#include "tests/support/failing_new.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include <ordo/ordo.h>
#include "tests/support/memory_caching.h"

namespace ordo::test {
namespace {

std::atomic<int64_t> g_live{0}, g_count{0}, g_first{INT64_MAX}, g_last{0};
std::atomic<bool> g_counts{false};
std::atomic<const void*> g_place{nullptr};  // that asked last for what failed by another error

bool fails() {
  if (!g_counts.load(std::memory_order_relaxed)) return false;
  const int64_t number = ++g_count;
  return number >= g_first && number <= g_last;
}

/// As the language describes it: the handler is called until there is memory, or until it throws.
template <class Give>
void* allocate(const void* place, const Give& give) {
  const bool failing = fails();
  for (;;) {
    if (void* const p = failing ? nullptr : give()) {
      g_live.fetch_add(1, std::memory_order_relaxed);
      return p;
    }
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    try {
      handler();
    } catch (const OutOfMemoryError&) {
      throw;
    } catch (...) {
      g_place = place;
      throw;
    }
  }
}

void deallocate(void* p) {
  if (!p) return;
  g_live.fetch_sub(1, std::memory_order_relaxed);
  std::free(p);
}

/// While it lives, the allocations of all threads are numbered from 1, and those that are told to fail do.
class FailingNew {
 public:
  enum class Which { none, one, all_from };
  explicit FailingNew(Which which = Which::none, int64_t number = 0) {
    g_count = 0;
    g_place = nullptr;
    g_first = which == Which::none ? INT64_MAX : number;
    g_last = which == Which::all_from ? INT64_MAX : number;
    g_counts = true;
  }
  ~FailingNew() { g_counts = false; }
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;
};

struct Left {
  double result;
  int64_t allocations;
  size_t tensors;
  int64_t live;
};

double run(const std::function<double()>& program) {
  manual_seed(1);
  return program();
}

Left run_whole(const std::function<double()>& program) {
  Left left{};
  {
    const FailingNew counts;
    left.result = run(program);
    left.allocations = g_count;
  }
  empty_cache();
  left.tensors = memory_stats().allocated_bytes;
  left.live = g_live;
  return left;
}

std::string run_failing(const std::function<double()>& program, FailingNew::Which which, int64_t n, double expected) {
  enum { ended, out_of_memory, bad_alloc, another } end = ended;
  double result = 0;
  char what[200] = "";
  {
    const FailingNew failing(which, n);
    try {
      result = run(program);
    } catch (const OutOfMemoryError&) {
      end = out_of_memory;
    } catch (const std::bad_alloc&) {
      end = bad_alloc;
    } catch (const std::exception& error) {
      end = another;
      std::strncpy(what, error.what(), sizeof what - 1);
    }
  }
  if (end == out_of_memory || (end == ended && result == expected)) return "";
  Dl_info at{}, own{};
  ::dladdr(g_place, &at);
  ::dladdr(reinterpret_cast<const void*>(&sum_of), &own);
  if (end == bad_alloc && at.dli_fbase == own.dli_fbase) return "";  // the program's own allocation
  const std::string place = fmt::format("{}+{:#x} of {}", at.dli_sname ? at.dli_sname : "?",
                                        uintptr_t(g_place.load()) - uintptr_t(at.dli_fbase), at.dli_fname);
  if (end == ended) return fmt::format("the result is {}, not {}; {} asked for it", result, expected, place);
  return fmt::format("{} {}; {} asked for it", end == bad_alloc ? "std::bad_alloc" : "another error:", what, place);
}

}  // namespace

double sum_of(const Tensor& t) {
  const Tensor values = t.detach().to(cpu).to(float64).contiguous();
  const double* p = values.data<double>();
  double sum = 0;
  for (int64_t i = 0; i < values.numel(); ++i)
    if (p[i] == p[i]) sum += double(i + 1) * p[i];
  return sum;
}

std::string fail_each_allocation(const std::function<double()>& program, int64_t times,
                                 const std::function<void()>& before_each_run) {
  using Which = FailingNew::Which;
  const auto whole = [&] {
    if (before_each_run) before_each_run();
    return run_whole(program);
  };
  for (const Which which : {Which::one, Which::all_from}) {
    // What is not kept is asked for again, and so fails, too.
    const MemoryCachingScope caching(which == Which::one);
    whole();  // what is made once is made
    Left expected = whole();
    for (int64_t n = 1; n <= expected.allocations; n += 1 + expected.allocations / times) {
      const auto what = [&] {
        return fmt::format("allocation {} of {}{}: ", n, expected.allocations,
                           which == Which::one ? "" : " and all after it");
      };
      if (before_each_run) before_each_run();
      if (const std::string failure = run_failing(program, which, n, expected.result); !failure.empty())
        return what() + failure;
      const Left now = whole();
      if (now.result != expected.result)
        return fmt::format("{}the next run gives {}, not {}", what(), now.result, expected.result);
      if (now.tensors != expected.tensors)
        return fmt::format("{}tensors have {} bytes, not {}", what(), now.tensors, expected.tensors);
      if (now.live > expected.live) {  // lost, or kept for the next time
        run_failing(program, which, n, expected.result);
        const Left again = whole();
        if (again.live > now.live) return fmt::format("{}{} blocks are lost", what(), again.live - now.live);
        expected.live = again.live;
      }
    }
  }
  return "";
}

}  // namespace ordo::test

// The others are made of these; under a sanitizer, which has some of its own, those for arrays come in pairs from it.
void* operator new(size_t bytes) {
  return ordo::test::allocate(__builtin_return_address(0), [=] { return std::malloc(bytes ? bytes : 1); });
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  const auto a = size_t(alignment);
  return ordo::test::allocate(__builtin_return_address(0),
                              [=] { return std::aligned_alloc(a, (bytes + a - 1) / a * a); });
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (...) {
    return nullptr;
  }
}
void* operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes, alignment);
  } catch (...) {
    return nullptr;
  }
}
void operator delete(void* p) noexcept { ordo::test::deallocate(p); }
void operator delete(void* p, size_t) noexcept { ordo::test::deallocate(p); }
void operator delete(void* p, std::align_val_t) noexcept { ordo::test::deallocate(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { ordo::test::deallocate(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { ordo::test::deallocate(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { ordo::test::deallocate(p); }
