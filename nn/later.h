// Sub-modules that are declared first and made in the constructor's body.
//
//   struct Net : nn::Module {
//     nn::Later<nn::Linear> fc{"fc"};
//     explicit Net(int64_t width) { fc = add("fc", nn::Linear(width, 10)); }
//     Tensor forward(const Tensor& x) override { return fc(x); }
//   };
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <ordo/nn/module.h>

namespace ordo::nn {

/// Internal: the error of a Later that has not been assigned.
[[noreturn]] void throw_not_made(const std::string& name);

/// A module of class M, once it is assigned.
///
/// Throws: operator(), * and ->, ValueError with the name when it is not.
/// PyTorch: torch::nn::Linear fc{nullptr}.
template <class M>
class Later {
 public:
  /// The name is for errors.
  explicit Later(std::string name) : name_(std::move(name)) {}
  /// Is from now on a handle of `module`.
  Later& operator=(const M& module) & {
    module_.emplace(module);
    return *this;
  }

  bool has_value() const { return module_.has_value(); }
  M& operator*() {
    if (!module_) throw_not_made(name_);
    return *module_;
  }
  M* operator->() { return &**this; }
  template <class... Arguments>
  decltype(auto) operator()(Arguments&&... arguments) {
    return (**this)(std::forward<Arguments>(arguments)...);
  }

 private:
  std::string name_;
  std::optional<M> module_;
};

}  // namespace ordo::nn
