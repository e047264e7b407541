// Which public operation an error names. Operations are made of others; whoever calls one wants to read its name.
#pragma once

#include <string_view>

namespace ordo::detail {

/// The operation that the calling thread is in; null outside of all.
extern constinit thread_local const char* operation_in_force;

/// While it lives, errors of the calling thread name `op`, unless an outer one lives: the operation called is named,
/// not those that it calls. `op` is a literal.
class OperationName {
 public:
  explicit OperationName(const char* op) : outermost_(!operation_in_force) {
    if (outermost_) operation_in_force = op;
  }
  ~OperationName() {
    if (outermost_) operation_in_force = nullptr;
  }
  OperationName(const OperationName&) = delete;
  OperationName& operator=(const OperationName&) = delete;

 private:
  bool outermost_;
};

/// The name for an error that `op` raises.
inline std::string_view named_operation(std::string_view op) { return operation_in_force ? operation_in_force : op; }

}  // namespace ordo::detail
