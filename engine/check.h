// ORDO_CHECK(condition, ShapeError, "op", "format", args...): throws `[op] message` when the condition is false.
// Inside of a public operation that has an OperationName, that one is named instead of `op`.
// Internal: public headers do not include it.
#pragma once

#ifdef __CUDACC__
#define FMT_USE_CONSTEXPR 1  // fmt 9 takes nvcc for a compiler without it
#endif
#include <fmt/format.h>

#include <string_view>

#include <ordo/engine/device.h>
#include <ordo/engine/dims.h>
#include <ordo/engine/dtype.h>
#include <ordo/engine/error.h>
#include <ordo/engine/operation_name.h>

template <>
struct fmt::formatter<ordo::Dims> : fmt::formatter<std::string> {
  auto format(const ordo::Dims& d, fmt::format_context& c) const {
    return fmt::formatter<std::string>::format(d.str(), c);
  }
};
template <>
struct fmt::formatter<ordo::DType> : fmt::formatter<std::string_view> {
  auto format(ordo::DType t, fmt::format_context& c) const {
    return fmt::formatter<std::string_view>::format(ordo::name(t), c);
  }
};
template <>
struct fmt::formatter<ordo::Device> : fmt::formatter<std::string> {
  auto format(ordo::Device d, fmt::format_context& c) const { return fmt::formatter<std::string>::format(d.str(), c); }
};

namespace ordo::detail {
template <class E, class... Args>
[[noreturn, gnu::cold, gnu::noinline]] void fail(std::string_view op, fmt::format_string<Args...> format,
                                                 Args&&... args) {
  throw E(fmt::format("[{}] ", named_operation(op)) + fmt::format(format, std::forward<Args>(args)...));
}
}  // namespace ordo::detail

#define ORDO_CHECK(condition, ErrorType, op, ...)               \
  do {                                                          \
    if (!(condition)) [[unlikely]]                              \
      ::ordo::detail::fail<::ordo::ErrorType>(op, __VA_ARGS__); \
  } while (false)
