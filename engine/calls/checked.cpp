#include <ordo/engine/calls/checked.h>

#include <atomic>
#include <limits>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/operation_name.h>

namespace ordo {

namespace {
std::atomic<size_t> g_limit{std::numeric_limits<size_t>::max()};
}  // namespace

constinit thread_local const char* detail::operation_in_force = nullptr;

// Here because lessons, which do without the library, are linked with this file.
std::string detail::error_message(std::string_view op, fmt::string_view format, fmt::format_args args) {
  return fmt::format("[{}] ", named_operation(op)) + fmt::vformat(format, args);
}

void detail::set_memory_limit(size_t bytes) { g_limit = bytes; }
size_t detail::memory_limit() { return g_limit.load(std::memory_order_relaxed); }

namespace checked {

int64_t add(const char* op, int64_t a, int64_t b) {
  int64_t sum;
  ORDO_CHECK(!__builtin_add_overflow(a, b, &sum), ShapeError, op,
             "the sum of {} and {} does not fit 64 bits: no tensor is that large", a, b);
  return sum;
}

int64_t mul(const char* op, int64_t a, int64_t b) {
  int64_t product;
  ORDO_CHECK(!__builtin_mul_overflow(a, b, &product), ShapeError, op,
             "the product of {} and {} does not fit 64 bits: no tensor is that large", a, b);
  return product;
}

void throw_out_of_memory(const char* op, int64_t count, size_t element_size) {
  const detail::OperationName name(op);  // for the error where there is no memory for the message either
  detail::fail<OutOfMemoryError>(op, "the host has no memory for {} elements of {} bytes", count, element_size);
}

void expect_allowed(const char* op, int64_t count, size_t element_size) {
  int64_t bytes;
  if (count < 0 || __builtin_mul_overflow(count, int64_t(element_size), &bytes) ||
      size_t(bytes) > detail::memory_limit())
    throw_out_of_memory(op, count, element_size);
}

}  // namespace checked
}  // namespace ordo
