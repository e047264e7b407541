// ORDO_CHECK(condition, ShapeError, "op", "format", args...): throws `[op] message` when the condition is false.
// Inside of a public operation that has an OperationName, that one is named instead of `op`.
// Internal: public headers do not include it.
#pragma once

#ifdef __CUDACC__
#define FMT_USE_CONSTEXPR 1  // fmt 9 takes nvcc for a compiler without it
#endif
#include <fmt/core.h>

#include <string>
#include <string_view>

#include <ordo/engine/calls/error.h>
#include <ordo/engine/calls/operation_name.h>
#include <ordo/engine/tensor/device.h>
#include <ordo/engine/tensor/dims.h>
#include <ordo/engine/tensor/dtype.h>

namespace ordo::detail {
/// `{}` of a type of ours, whose format() is compiled once, in check.cpp: <fmt/format.h>, which it needs, takes longer
/// to compile than most files here.
template <class T>
struct PlainFormatter {
  constexpr auto parse(fmt::format_parse_context& c) { return c.begin(); }
  fmt::format_context::iterator format(const T& value, fmt::format_context& c) const;
};
}  // namespace ordo::detail
template <>
struct fmt::formatter<ordo::Dims> : ordo::detail::PlainFormatter<ordo::Dims> {};
template <>
struct fmt::formatter<ordo::DType> : ordo::detail::PlainFormatter<ordo::DType> {};
template <>
struct fmt::formatter<ordo::Device> : ordo::detail::PlainFormatter<ordo::Device> {};

namespace ordo::detail {
/// "[op] message"
std::string error_message(std::string_view op, fmt::string_view format, fmt::format_args args);

template <class E, class... Args>
[[noreturn, gnu::cold, gnu::noinline]] void fail(std::string_view op, fmt::format_string<Args...> format,
                                                 Args&&... args) {
  throw E(error_message(op, format, fmt::make_format_args(args...)));
}
}  // namespace ordo::detail

#define ORDO_CHECK(condition, ErrorType, op, ...)               \
  do {                                                          \
    if (!(condition)) [[unlikely]]                              \
      ::ordo::detail::fail<::ordo::ErrorType>(op, __VA_ARGS__); \
  } while (false)
