// What the command prints. Texts of files and of other programs reach a terminal through say() and say_lines() alone.
#pragma once

#include <fmt/format.h>
#include <ordo/engine/tensor/printable.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

/// A text as ordo::printable() shows it; other values as they are.
template <class T>
decltype(auto) shown(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return ordo::printable(value);
  else
    return (value);
}

/// fmt::print with printable texts: only the ends of lines of `format` end lines.
template <class... T>
void say(fmt::format_string<T...> format, T&&... values) {
  fmt::print(fmt::runtime(fmt::string_view(format)), shown(values)...);
}

/// A text of several lines, as it is but for what a terminal would obey.
inline void say_lines(std::string_view text, std::FILE* to = stdout) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    fmt::print(to, "{}{}", ordo::printable(text.substr(0, end)), end == std::string_view::npos ? "" : "\n");
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}
