// What a module says of itself when a model is printed.
//
//   std::string Scale::description() const { return Description("Scale", size_).with("eps", eps_, 1e-5); }
//   // "Scale(8)", or "Scale(8, eps=0.001)"
//   std::string Scale::description() const { return Description("Scale", size_).with_options(options_, "eps"); }
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <ordo/autograd/ops/functional/convolution.h>
#include <ordo/engine/tensor/dims.h>
#include <ordo/engine/tensor/size.h>

namespace ordo::detail {

/// References to the `count` members of `o`, which has no others, in their order.
template <size_t count, class Options>
auto members_of(const Options& o) {
  static_assert(count >= 1 && count <= 7);
  if constexpr (count == 1) {
    const auto& [a] = o;
    return std::tie(a);
  } else if constexpr (count == 2) {
    const auto& [a, b] = o;
    return std::tie(a, b);
  } else if constexpr (count == 3) {
    const auto& [a, b, c] = o;
    return std::tie(a, b, c);
  } else if constexpr (count == 4) {
    const auto& [a, b, c, d] = o;
    return std::tie(a, b, c, d);
  } else if constexpr (count == 5) {
    const auto& [a, b, c, d, e] = o;
    return std::tie(a, b, c, d, e);
  } else if constexpr (count == 6) {
    const auto& [a, b, c, d, e, f] = o;
    return std::tie(a, b, c, d, e, f);
  } else {
    const auto& [a, b, c, d, e, f, g] = o;
    return std::tie(a, b, c, d, e, f, g);
  }
}

}  // namespace ordo::detail

namespace ordo::nn {

/// A module's class and the options that are not as usual.
class Description {
 public:
  /// The class, and values without names.
  template <class... T>
  explicit Description(std::string name, const T&... values) : name_(std::move(name)) {
    (append(text(values)), ...);
  }

  /// name=value
  template <class T>
  Description& with(std::string_view name, const T& value) {
    append(std::string(name) + "=" + text(value));
    return *this;
  }
  /// name=value, unless the value is the usual one.
  template <class T>
  Description& with(std::string_view name, const T& value, const std::type_identity_t<T>& usual) {
    return value == usual ? *this : with(name, value);
  }

  /// All members of a struct of options by their names, but for those that are as in `Options()`.
  template <class Options, class... Names>
  Description& with_options(const Options& options, const Names&... names) {
    const Options usual = {};
    std::apply(
        [&](const auto&... value) {
          std::apply([&](const auto&... standard) { (with(names, value, standard), ...); },
                     ordo::detail::members_of<sizeof...(Names)>(usual));
        },
        ordo::detail::members_of<sizeof...(Names)>(options));
    return *this;
  }

  operator std::string() const { return options_.empty() ? name_ : name_ + "(" + options_ + ")"; }

  // Numbers as they are written in C++; sizes that are all alike as one number.
  static std::string text(bool value) { return value ? "true" : "false"; }
  static std::string text(std::integral auto value) { return std::to_string(value); }
  static std::string text(double value);
  static std::string text(std::string_view value) { return std::string(value); }
  static std::string text(const char* value) { return value; }
  static std::string text(const Dims& value) { return list(value.begin(), value.end()); }
  static std::string text(const std::vector<int64_t>& value) {
    return sizes(value.data(), value.data() + value.size());
  }
  template <int N>
  static std::string text(const Size<N>& value) {
    return sizes(value.begin(), value.end());
  }
  template <int N>
  static std::string text(const ConvPadding<N>& value) {
    return value.is_same() ? "same" : text(value.size());
  }
  template <int N>
  static std::string text(const OptionalSize<N>& value) {
    return text(value.value_or(0));
  }
  template <class T>
  static std::string text(const std::optional<T>& value) {
    return value ? text(*value) : "none";
  }
  template <class E>
  requires std::is_enum_v<E>
  static std::string text(E value) { return std::string(name(value)); }
  /// {1, 2}
  static std::string list(const int64_t* begin, const int64_t* end);
  static std::string list(const double* begin, const double* end);
  /// {1, 2}, or 2 for {2, 2}
  static std::string sizes(const int64_t* begin, const int64_t* end);

 private:
  void append(const std::string& option) { options_ += (options_.empty() ? "" : ", ") + option; }
  std::string name_, options_;
};

}  // namespace ordo::nn
