// What losses that are made of other operations have in common. Internal.
#pragma once

#include <ordo/autograd/autocast.h>
#include <ordo/autograd/ops/functional/losses.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::detail {

/// Options with weights, which Autocast converts beside the other tensors.
template <class Options>
concept WithWeights = requires(const Options& o) {
  o.weight.defined();
};
template <WithWeights Options>
Options converted(Cast cast, const Options& given) {
  Options o = given;
  o.weight = converted(cast, o.weight);
  if constexpr (requires { o.pos_weight; }) o.pos_weight = converted(cast, o.pos_weight);
  return o;
}
template <WithWeights Options>
bool converts(Cast cast, const Options& o) {
  if constexpr (requires { o.pos_weight; }) return converts(cast, o.weight) || converts(cast, o.pos_weight);
  return converts(cast, o.weight);
}

/// A floating input, and an input or a target beside it: defined, on its device, of its dtype and shape.
void expect_like(const char* op, const Tensor& input, const char* input_name, const Tensor& other, const char* name);
/// Labels and counts on the input's device, integers or of its dtype; expect_labels: of its shape, too.
void expect_label_dtype(const char* op, const Tensor& input, const Tensor& target);
void expect_labels(const char* op, const Tensor& input, const Tensor& target);
/// Undefined, or of the input's dtype and device, with sizes that broadcast to the input's.
void expect_weight(const char* op, const Tensor& input, const Tensor& weight, const char* name);
void expect_reduction(const char* op, Reduction reduction, Reduction last = Reduction::sum);
/// A floating input, its labels and the reduction.
void expect_label_loss(const char* op, const Tensor& input, const Tensor& labels, Reduction reduction);

/// The tensor in the dtype that losses of `input` are computed in: float32 for the half types, which are rounded once,
/// at the end; input's otherwise.
Tensor computed(const Tensor& t, const Tensor& input);
/// The losses reduced, and rounded to the input's dtype.
Tensor reduced(const Tensor& losses, Reduction reduction, const Tensor& input);

}  // namespace ordo::detail
