// Where in a model a thread is: the path of the module whose forward runs, "Net.layer2.0.conv1". Modules open a scope
// only while somebody listens (engine/calls/op_call.h). Internal.
#pragma once

#include <atomic>
#include <memory>
#include <string>

namespace ordo::detail {

extern std::atomic<int> op_listeners;
inline bool op_listened() { return op_listeners.load(std::memory_order_relaxed) != 0; }

/// Of the operations that make a loader's batches. They run in worker threads, or where the batch is asked for.
inline constexpr const char* kLoaderScope = "DataLoader.batch";

/// While it lives, the calling thread's operations, and the gradients of what they record, have this path.
class OpScope {
 public:
  using Path = std::shared_ptr<const std::string>;
  /// `owner` is the state of the module that the scope is of; null for other scopes.
  explicit OpScope(Path path, std::shared_ptr<void> owner = {});
  ~OpScope();
  OpScope(const OpScope&) = delete;
  OpScope& operator=(const OpScope&) = delete;

  const Path& path() const { return path_; }
  const std::shared_ptr<void>& owner() const { return owner_; }
  const OpScope* outer() const { return outer_; }
  static const OpScope* innermost();  ///< of the calling thread; null outside of all
  static Path current_path();         ///< its path; null outside of all

 private:
  Path path_;
  std::shared_ptr<void> owner_;
  const OpScope* outer_;
};

}  // namespace ordo::detail
