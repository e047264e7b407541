// Arithmetic on sizes, strides, offsets and counts that does not overflow, and host memory whose size a caller chose.
// Wherever two of them are multiplied or added and a caller's number is among them, it goes through here; products over
// a tensor's own sizes need not, because the rule at the top of tensor.h bounds them. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <vector>

namespace ordo::checked {

/// ShapeError naming `op` unless the result fits int64_t.
int64_t add(const char* op, int64_t a, int64_t b);
int64_t mul(const char* op, int64_t a, int64_t b);

[[noreturn]] void throw_out_of_memory(const char* op, int64_t count, size_t element_size);
/// OutOfMemoryError naming `op` when a single allocation may not have that many bytes (detail::memory_limit).
void expect_allowed(const char* op, int64_t count, size_t element_size);

/// A vector of `count` elements in host memory; OutOfMemoryError naming `op` when there is no room for it.
template <class T>
std::vector<T> vector(const char* op, int64_t count) {
  expect_allowed(op, count, sizeof(T));
  try {
    return std::vector<T>(static_cast<size_t>(count));
  } catch (const std::bad_alloc&) {
    throw_out_of_memory(op, count, sizeof(T));
  } catch (const std::length_error&) {
    throw_out_of_memory(op, count, sizeof(T));
  }
}

/// OutOfMemoryError naming `op` when there is no room for that many; for lists that grow one by one.
template <class T>
void expect_room(const char* op, int64_t count) {
  if (count > 1 << 16) (void)vector<std::byte>(op, count > INT64_MAX / 64 ? INT64_MAX : count * 64);
  static_assert(sizeof(T) <= 64);
}

}  // namespace ordo::checked

namespace ordo::detail {
/// No single allocation, on any device or in a checked::vector, gets more bytes than this: it fails as if memory had
/// run out. For tests with extreme sizes; by default there is no limit.
void set_memory_limit(size_t bytes);
size_t memory_limit();
}  // namespace ordo::detail
