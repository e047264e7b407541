// Locks for the rows of an output that several threads add to. Internal to accumulate_cpu.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace ordo::kernels::cpu::accumulate_detail {

/// Holds the lock of a destination, which it may share with others far away, until the end of its scope.
class RowLock {
 public:
  explicit RowLock(int64_t destination) : flag_(flags_[uint64_t(destination) % kFlags].taken) {
    for (int tries = 0; flag_.test_and_set(std::memory_order_acquire); ++tries)
      if (tries > 100) std::this_thread::yield();  // its holder may be waiting for this core
  }
  ~RowLock() { flag_.clear(std::memory_order_release); }
  RowLock(const RowLock&) = delete;
  RowLock& operator=(const RowLock&) = delete;

 private:
  static constexpr int kFlags = 1024;
  struct alignas(64) Flag {
    std::atomic_flag taken;
  };
  static inline Flag flags_[kFlags];
  std::atomic_flag& flag_;
};

}  // namespace ordo::kernels::cpu::accumulate_detail
