#include <ordo/engine/memory/out_of_memory.h>

#include <new>
#include <string>
#include <utility>

#include <ordo/engine/calls/error.h>
#include <ordo/engine/calls/operation_name.h>
#include <ordo/engine/memory/memory.h>

namespace ordo {

constinit thread_local int detail::library_calls = 0;

namespace {

constinit thread_local bool t_writes_message ORDO_INITIAL_EXEC = false;

/// Made while there is memory. Throwing a copy takes none.
const OutOfMemoryError& error_without_name() {
  static const auto& error = *new OutOfMemoryError("[memory] the system has no memory left. Free tensors");
  return error;
}

std::string message(const char* op) {
  return std::string("[") + op + "] the system has no memory left. Free tensors, or use smaller batches";
}

std::new_handler g_handler_before = nullptr;

void handle_failed_allocation() {
  if (detail::operation_in_force || detail::library_calls > 0) {
    if (detail::release_cached_memory()) return;
    detail::throw_out_of_memory();
  }
  if (!g_handler_before) throw std::bad_alloc();
  g_handler_before();
}

[[maybe_unused]] const bool g_installed = [] {
  (void)error_without_name();
  g_handler_before = std::set_new_handler(handle_failed_allocation);
  return true;
}();

}  // namespace

void detail::throw_out_of_memory() {
  // The message needs memory, too: where there is none for it, this is called again.
  if (!operation_in_force || std::exchange(t_writes_message, true)) throw error_without_name();
  struct Written {
    ~Written() { t_writes_message = false; }
  } const written;
  throw OutOfMemoryError(message(operation_in_force));
}

}  // namespace ordo
