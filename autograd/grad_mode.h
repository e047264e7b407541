// Whether operations are recorded.
#pragma once

namespace ordo {

/// Whether operations of this thread are recorded. PyTorch: torch.is_grad_enabled.
bool grad_enabled();

/// Until the end of its scope, operations of this thread are (not) recorded. Several may end in any order.
/// PyTorch: torch.set_grad_enabled.
class GradMode {
 public:
  explicit GradMode(bool enabled);
  ~GradMode();
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;
};

/// `ordo::NoGrad guard;` or `ordo::no_grad([&] { ... });`. PyTorch: torch.no_grad.
struct NoGrad : GradMode {
  NoGrad() : GradMode(false) {}
};
template <class F>
decltype(auto) no_grad(F&& f) {
  NoGrad guard;
  return f();
}

}  // namespace ordo
