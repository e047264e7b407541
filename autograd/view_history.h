// Views and in-place changes. A view knows its base, the tensor whose memory it shows. A recorded in-place change of a
// view is one of its base; when the base's history has changed, its views take theirs from the base anew, at their next
// use. Internal.
#pragma once

#include <ordo/autograd/tape.h>

namespace ordo {

/// Where a tensor's elements lie in its storage.
struct Layout {
  Dims sizes, strides;
  int64_t offset = 0;
  explicit Layout(const TensorImpl& t) : sizes(t.sizes), strides(t.strides), offset(t.offset) {}
};

/// Makes `result`, on the memory of `input`, one of its views.
void mark_view(Tensor& result, const Tensor& input);
/// Whether `t` is a view whose base has got another history since.
inline bool is_behind_base(const TensorImpl& t) {
  return t.base && !t.untracked && t.followed != (t.base->autograd ? t.base->autograd->edge.node.get() : nullptr);
}
/// Gives such a view the history that its base has now. Const, as a lazy value is: what the handle shows stays the
/// same.
void follow_base(const TensorImpl& t);

/// The backward function of an in-place change of a view as one of its base: `backward` sees the view's part of the
/// gradient, and what it returns for the old content takes the place of that part.
BackwardFunction on_base(const TensorImpl& view, const TensorImpl& base, BackwardFunction backward);

/// For views: as record, and marks the result as a view of the input.
template <class F>
Tensor record_view(const OpCall& call, Tensor result, const Tensor& input, F&& backward) {
  mark_view(result, input);
  return record(call, std::move(result), {input}, std::forward<F>(backward));
}

}  // namespace ordo
