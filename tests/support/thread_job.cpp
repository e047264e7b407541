#include "tests/support/thread_job.h"

#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <ordo/engine/distributed/world.h>
#include <ordo/engine/run/generator_scope.h>
#include <ordo/kernels/distributed/fold.h>

namespace ordo::test {
namespace {

using distributed::ReduceOp;
using distributed::Transport;
using distributed::World;

struct EndedByAnother : DistributedError {
  using DistributedError::DistributedError;
};

std::string g_last_message;

struct Mail {
  std::mutex mutex;
  std::map<std::tuple<int, int, int>, std::deque<std::vector<char>>> boxes;  // from, to, tag
  std::string message;
  bool ended = false;
};

class ThreadTransport : public Transport {
 public:
  ThreadTransport(Mail& mail, int rank, int size, std::function<void(int)> at_end)
      : mail_(mail), rank_(rank), size_(size), at_end_(std::move(at_end)) {}
  const char* name() const override { return "threads"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool concurrent() const override { return true; }

  Request send(const void* data, size_t bytes, int to, int tag) override {
    const char* const from = static_cast<const char*>(data);
    const std::lock_guard lock(mail_.mutex);
    mail_.boxes[{rank_, to, tag}].emplace_back(from, from + bytes);
    return keep({});
  }
  Request receive(void* data, size_t bytes, int from, int tag) override {
    Receive* const request = keep({data, bytes, false});
    const std::lock_guard own(mutex_);
    waiting_[{from, tag}].push_back(request);
    return request;
  }
  bool test(Request request) override {
    auto* mine = static_cast<Receive*>(request);
    if (forget_done(mine)) return true;
    {
      const std::lock_guard lock(mail_.mutex);
      if (mail_.ended) throw EndedByAnother(mail_.message);
      const std::lock_guard own(mutex_);
      for (auto& [place, requests] : waiting_) {
        auto& box = mail_.boxes[{place.first, rank_, place.second}];
        while (!requests.empty() && !box.empty()) {  // in the order in which they were posted
          Receive& next = *requests.front();
          if (box.front().size() != next.bytes) throw DistributedError("a message of another size");
          std::memcpy(next.data, box.front().data(), next.bytes);
          next.done = true;
          requests.pop_front();
          box.pop_front();
        }
      }
    }
    if (forget_done(mine)) return true;
    std::this_thread::yield();
    return false;
  }

  // From the first rank to the last, which is not the tree's order.
  void reduce(void* data, size_t count, int element, ReduceOp op, const std::vector<int>& ranks, int group) override {
    const size_t bytes = count * size_of(DType(element));
    const int tag = 1000000 + group;
    const auto wait = [this](Request request) {
      while (!test(request)) {
      }
    };
    if (rank_ != ranks[0]) {
      wait(send(data, bytes, ranks[0], tag));
      return wait(receive(data, bytes, ranks[0], tag));
    }
    std::vector<char> other(bytes);
    for (size_t i = 1; i < ranks.size(); ++i) {
      wait(receive(other.data(), bytes, ranks[i], tag));
      kernels::cpu::fold(op, DType(element), {{0, 1}}, {static_cast<char*>(data), other.data()}, data, int64_t(count));
    }
    for (size_t i = 1; i < ranks.size(); ++i) wait(send(data, bytes, ranks[i], tag));
  }

  void abort(const char* message, bool) override {
    const std::lock_guard lock(mail_.mutex);
    if (!mail_.ended) mail_.message = message;
    mail_.ended = true;
  }
  void finish() override {
    if (at_end_) at_end_(rank_);
  }

 private:
  struct Receive {
    void* data = nullptr;
    size_t bytes = 0;
    bool done = true;
  };
  bool forget_done(Receive* request) {
    const std::lock_guard own(mutex_);
    return request->done && requests_.erase(request) > 0;
  }
  Receive* keep(Receive request) {
    auto kept = std::make_unique<Receive>(request);
    Receive* const address = kept.get();
    const std::lock_guard own(mutex_);
    requests_.emplace(address, std::move(kept));
    return address;
  }

  Mail& mail_;
  const int rank_, size_;
  const std::function<void(int)> at_end_;
  std::mutex mutex_;  // of what follows; where both are needed, the mail's comes first
  std::map<std::pair<int, int>, std::deque<Receive*>> waiting_;  // from, tag
  std::map<Request, std::unique_ptr<Receive>> requests_;         // under way, also when the job ends before they do
};

}  // namespace

void run_job(int ranks, const std::function<void(int)>& f, ThreadJobOptions options) {
  Mail mail;
  std::vector<std::exception_ptr> errors(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      World world(std::make_unique<ThreadTransport>(mail, rank, ranks, options.at_end), options.timeout_seconds);
      const World::Scope scope(world);
      Generator generator;
      const ordo::detail::GeneratorScope draws(generator);
      try {
        f(rank);
        world.finish();
      } catch (...) {
        errors[size_t(rank)] = std::current_exception();
        world.end_job("an error that nobody reported");
      }
    });
  for (std::thread& thread : threads) thread.join();
  g_last_message = mail.message;
  std::exception_ptr told;
  for (const std::exception_ptr& error : errors) {
    if (!error) continue;
    try {
      std::rethrow_exception(error);
    } catch (const EndedByAnother&) {
      told = error;
    }
  }
  if (told) std::rethrow_exception(told);
}

std::string last_job_message() { return g_last_message; }

}  // namespace ordo::test
