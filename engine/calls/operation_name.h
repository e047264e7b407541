// Which public operation an error names. Operations are made of others; whoever calls one wants to read its name.
#pragma once

#include <string_view>

#include <ordo/engine/memory/initial_exec.h>

namespace ordo::detail {

/// The operation that the calling thread is in; null outside of all.
extern constinit thread_local const char* operation_in_force ORDO_INITIAL_EXEC;

/// While it lives, errors of the calling thread name `op`, unless an outer one lives: the operation called is named,
/// not those that it calls. `op` is a literal.
class OperationName {
 public:
  explicit OperationName(const char* op) : outer_(operation_in_force) {
    if (!outer_) operation_in_force = op;
  }
  /// Within other operations, too: a backward pass's errors name the node that it runs.
  struct Always {};
  OperationName(Always, const char* op) : outer_(operation_in_force) { operation_in_force = op; }
  ~OperationName() { operation_in_force = outer_; }
  OperationName(const OperationName&) = delete;
  OperationName& operator=(const OperationName&) = delete;

 private:
  const char* outer_;
};

/// The name for an error that `op` raises.
inline std::string_view named_operation(std::string_view op) { return operation_in_force ? operation_in_force : op; }

}  // namespace ordo::detail
