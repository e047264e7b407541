// Layer: a module that calls a function with what it was made with. Internal to nn.
//
//   class Unfold : public Layer<unfold, UnfoldOptions, Size2> {
//    public:
//     explicit Unfold(Size2 kernel, UnfoldOptions options = {}) : Layer(kernel, options) {}
//     std::string description() const override { return describe("Unfold", "dilation", "padding", "stride"); }
//   };
#pragma once

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <ordo/nn/description.h>
#include <ordo/nn/members.h>
#include <ordo/nn/module.h>

namespace ordo::detail {

/// The one for N dimensions.
template <int N, class F1, class F2, class F3>
constexpr auto of_rank(F1 f1, F2 f2, F3 f3) {
  if constexpr (N == 1)
    return f1;
  else if constexpr (N == 2)
    return f2;
  else
    return f3;
}

/// "MaxPool2d"
template <int N>
std::string name_of_rank(const char* name) {
  return name + std::to_string(N) + "d";
}

}  // namespace ordo::detail

namespace ordo::nn {

struct NoOptions {};

/// `function` of the input, of these values and of `Options`, or, where it takes none, of the members of `Options` in
/// their order. It must not be overloaded: nvcc passes no such function on as a template's argument.
template <auto function, class Options, class... Values>
class Layer : public Module {
 public:
  Tensor forward(const Tensor& input) override {
    constexpr size_t members = ordo::detail::parameter_count(function) - 1 - sizeof...(Values);
    return std::apply(
        [&](const Values&... values) {
          if constexpr (std::is_invocable_v<decltype(function), const Tensor&, const Values&..., const Options&>)
            return function(input, values..., options_);
          else
            return std::apply([&](const auto&... options) { return function(input, values..., options...); },
                              ordo::detail::members_of<members>(options_));
        },
        values_);
  }
  /// The class and the values.
  std::string description() const override { return describe(Module::description()); }

 protected:
  explicit Layer(Values... values, Options options = {})
      : values_(std::move(values)...), options_(std::move(options)) {}

  /// A class, the values, and those options that are not as usual; `names` has all options.
  template <class... Names>
  Description describe(const std::string& name, const Names&... names) const {
    Description text = std::apply([&](const Values&... values) { return Description(name, values...); }, values_);
    if constexpr (sizeof...(Names) > 0) text.with_options(options_, names...);
    return text;
  }

  const std::tuple<Values...> values_;
  const Options options_;
};

}  // namespace ordo::nn
