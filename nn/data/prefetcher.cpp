#include <ordo/nn/data/prefetcher.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/check.h>

namespace ordo::data {

Prefetcher::Prefetcher(std::function<TensorList(int64_t)> make, int64_t first, int64_t end, int64_t workers,
                       int64_t ahead, std::shared_ptr<ordo::detail::DeviceCopies> copies)
    : make_(std::move(make)),
      level_(determinism()),
      matmul_algorithm_(matmul_algorithm()),
      end_(end),
      ahead_(ahead),
      copies_(std::move(copies)),
      next_(first),
      taken_(first),
      ready_(size_t(std::max<int64_t>(1, std::min(ahead, end - first)))) {
  try {
    for (int64_t i = 0; i < std::min(workers, end - first); ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The system gives no more threads; those there are do the work, or take() does it.
  } catch (...) {
    stop();
    throw;
  }
}

Prefetcher::~Prefetcher() { stop(); }

void Prefetcher::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Prefetcher::Result Prefetcher::result_of(int64_t i) const {
  Result result{.number = i};
  try {
    TensorList tensors = make_(i);
    for (const Tensor& t : tensors)
      ORDO_CHECK(
          !t.defined() || t.is_cpu(), DeviceError, "DataLoader",
          "workers make batches in CPU memory, but this one is on {}; move it to the device when it is delivered",
          t.device());
    if (copies_)
      result.copied = copies_->queue(tensors);
    else
      result.tensors = std::move(tensors);
  } catch (...) {
    result.error = std::current_exception();
  }
  return result;
}

void Prefetcher::work() {
  const ordo::detail::OperationName name("DataLoader");
  const NoGrad guard;
  const DeterminismGuard level(level_);
  const MatmulAlgorithmGuard products(matmul_algorithm_);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopped_ || next_ >= end_ || next_ < taken_ + ahead_; });
    if (stopped_ || next_ >= end_) return;
    const int64_t i = next_++;
    lock.unlock();
    Result result = result_of(i);
    lock.lock();
    if (i >= taken_) place_of(i) = std::move(result);
    changed_.notify_all();
  }
}

TensorList Prefetcher::take(int64_t i) {
  std::unique_lock lock(mutex_);
  if (i < taken_ || threads_.empty()) {
    lock.unlock();
    TensorList tensors = make_(i);
    return copies_ ? copies_->take(copies_->queue(tensors)) : tensors;
  }
  for (Result& dropped : ready_)
    if (dropped.number < i) dropped = {};
  taken_ = i;
  next_ = std::max(next_, i);
  changed_.notify_all();
  changed_.wait(lock, [&] { return place_of(i).number == i; });
  Result result = std::exchange(place_of(i), {});
  taken_ = i + 1;
  lock.unlock();
  changed_.notify_all();
  if (result.error) std::rethrow_exception(result.error);
  return result.copied ? copies_->take(std::move(*result.copied)) : std::move(result.tensors);
}

}  // namespace ordo::data
