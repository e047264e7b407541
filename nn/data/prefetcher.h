// Threads that make results 0, 1, 2 ... ahead of whoever takes them. Internal to nn/data.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <ordo/engine/memory/device_copies.h>
#include <ordo/engine/run/determinism.h>
#include <ordo/engine/run/matmul_algorithm.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::data {

class Prefetcher {
 public:
  /// make(i) is called for i = first .. end - 1, each at most once, from `workers` threads at a time, never for more
  /// than `ahead` results that nobody has taken. With `copies` the threads also copy results to its device.
  Prefetcher(std::function<TensorList(int64_t)> make, int64_t first, int64_t end, int64_t workers, int64_t ahead,
             std::shared_ptr<ordo::detail::DeviceCopies> copies = nullptr);
  /// Waits for the calls of make that are under way.
  ~Prefetcher();
  Prefetcher(Prefetcher&&) = delete;

  /// Result i, or the exception that making it threw. What lies before i is dropped, and is made again by whoever asks.
  TensorList take(int64_t i);

 private:
  struct Result {
    TensorList tensors = {};  // where `make` left them, or copied
    std::optional<ordo::detail::DeviceCopies::Copied> copied = {};
    std::exception_ptr error = {};
    int64_t number = -1;  // none yet
  };
  Result& place_of(int64_t i) { return ready_[size_t(i) % ready_.size()]; }
  void work();
  void stop();
  Result result_of(int64_t i) const;

  const std::function<TensorList(int64_t)> make_;
  const Determinism level_;  // of the thread that takes the results
  const Algorithm matmul_algorithm_;
  const int64_t end_, ahead_;
  const std::shared_ptr<ordo::detail::DeviceCopies> copies_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t next_;   // that nobody makes yet
  int64_t taken_;  // results before it were taken or dropped
  bool stopped_ = false;
  std::vector<Result> ready_;  // places for as many as can be ahead: threads that find no memory can say so
  std::vector<std::thread> threads_;
};

}  // namespace ordo::data
