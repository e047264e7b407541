#include <ordo/autograd/view_history.h>

#include <ordo/autograd/backward_pass.h>
#include <ordo/engine/calls/check.h>

namespace ordo {
namespace {

int64_t past_last(const Layout& l) {
  int64_t last = l.offset;
  for (int i = 0; i < l.sizes.size(); ++i) {
    if (l.sizes[i] == 0) return l.offset;
    last += (l.sizes[i] - 1) * l.strides[i];
  }
  return last + 1;
}

/// Memory with the layout of `base`, whose first element is the base's first: `whole` shows all of it.
struct BaseMemory {
  Tensor whole;
  int64_t shift;  // from offsets in the base's storage to offsets here

  BaseMemory(const Layout& base, const TensorOptions& options)
      : whole(zeros({past_last(base) - base.offset}, options)), shift(-base.offset) {}
  Tensor part(const Layout& l) const { return views::as_strided(whole, l.sizes, l.strides, l.offset + shift); }
};

// A view that repeats elements (expand) has strides of zero there: its gradient is summed over them first, and comes
// back with size one.
Layout without_repeats(Layout l) {
  for (int i = 0; i < l.sizes.size(); ++i)
    if (l.strides[i] == 0 && l.sizes[i] > 1) l.sizes[i] = 1;
  return l;
}

Tensor to_base(const Tensor& part, const Layout& base, const Layout& view);

/// The elements of `whole`, which has the base's shape, that the view shows.
Tensor from_base(const Tensor& whole, const Layout& base, const Layout& view) {
  const OpCall call("view", whole, base.sizes, view.sizes, view.strides, view.offset - base.offset);
  Tensor out = no_grad([&] {
    const BaseMemory memory(base, whole.options());
    memory.part(base).copy_(whole);
    return memory.part(view).clone();
  });
  return record(call, std::move(out), {whole}, [=](const Tensor& grad) { return to_base(grad, base, view); });
}

/// Its adjoint: zeros in the base's shape, but `part` where the view shows.
Tensor to_base(const Tensor& part, const Layout& base, const Layout& view) {
  const OpCall call("view_backward", part, base.sizes, view.sizes, view.strides, view.offset - base.offset);
  Tensor out = no_grad([&] {
    const BaseMemory memory(base, part.options());
    const Layout once = without_repeats(view);
    memory.part(once).copy_(sum_to(part, once.sizes));
    return memory.part(base).clone();
  });
  return record(call, std::move(out), {part}, [=](const Tensor& grad) { return from_base(grad, base, view); });
}

/// `whole` with `part` in the place of what the view shows, which repeats no element; undefined: zeros.
Tensor replace_in_base(const Tensor& whole, const Tensor& part, const Layout& base, const Layout& view) {
  const OpCall call("view_backward", whole, part, base.sizes, view.sizes, view.strides, view.offset - base.offset);
  Tensor out = no_grad([&] {
    const BaseMemory memory(base, whole.options());
    memory.part(base).copy_(whole);
    Tensor shown = memory.part(view);
    part.defined() ? shown.copy_(part) : shown.zero_();
    return memory.part(base).clone();
  });
  return record(call, std::move(out), {whole, part}, [=](const Tensor& grad) -> TensorList {
    return {replace_in_base(grad, Tensor(), base, view), from_base(grad, base, view)};
  });
}

}  // namespace

void mark_view(Tensor& result, const Tensor& input) {
  const TensorImpl& from = *input.impl();
  if (is_behind_base(from)) follow_base(from);
  TensorImpl& view = *result.impl();
  view.base = from.base ? from.base : input.impl_ptr();
  view.untracked = from.untracked || !grad_enabled();
  view.followed = view.base->autograd ? view.base->autograd->edge.node.get() : nullptr;
}

void follow_base(const TensorImpl& t) {
  auto& view = const_cast<TensorImpl&>(t);
  const TensorImpl& base = *view.base;
  const char* op = "view";
  ORDO_CHECK(
      !view.autograd || !view.autograd->requires_grad, AutogradError, op,
      "this view of shape {} is a leaf that requires a gradient, but \"{}\" changed the tensor that it is a view "
      "of in place, and was recorded; clone() the view first",
      view.sizes, view.storage->last_change());
  const Layout from(base), shown(view);
  ORDO_CHECK(shown.offset >= from.offset && past_last(shown) <= past_last(from), AutogradError, op,
             "the tensor that this is a view of changed its size since");
  const GradMode on(true);
  const Tensor whole(view.base);
  auto meta = std::make_shared<AutogradMeta>();
  meta->edge =
      record_edge("view", {whole}, [=](const Tensor& grad) -> TensorList { return {to_base(grad, from, shown)}; });
  view.autograd = std::move(meta);
  view.followed = base.autograd->edge.node.get();
}

BackwardFunction on_base(const TensorImpl& view, const TensorImpl& base, BackwardFunction backward) {
  return [base = Layout(base), view = Layout(view), backward = std::move(backward)](const Tensor& grad) -> TensorList {
    TensorList grads = backward(from_base(grad, base, view));
    grads[0] = replace_in_base(grad, grads[0], base, view);
    return grads;
  };
}

}  // namespace ordo
