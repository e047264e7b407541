// Autocast: products in a 16-bit dtype, everything that adds up in float32.
//
//   optim::AdamW optimizer(model.parameters());          // of float32
//   {
//     const amp::Autocast guard(bfloat16);                // this scope, this thread
//     loss = cross_entropy(model(images), labels);
//   }
//   loss.backward();                                      // gradients of the parameters are float32
//
// In its scope, float32 and 16-bit arguments are converted to
//   dtype    by matrix products (matmul, mm, bmm, linear, addmm, baddbmm, addbmm, tensordot, einsum, and what is
//            made of them), convolutions, transposed ones too, scaled_dot_product_attention, rnn_tanh, rnn_relu, gru
//            and lstm
//   float32  by softmax, log_softmax and logsumexp; sum, mean, prod, var, std, norm, dot and their kin; cumsum, cumprod
//            and logcumsumexp; index_add, scatter_add and embedding_bag, not in place; normalisations; losses;
//            distances; grid_sample; prelu: those that are of a 16-bit dtype
// Other operations take what they get. float64 and integers are never converted. Conversions round to nearest, ties to
// even, and are recorded, so that a gradient arrives in the dtype of what was converted: float32 for parameters of
// float32, which stay what the optimiser changes. A backward pass, in the scope or outside, converts nothing itself:
// each gradient has the dtype of what it is the gradient of.
//
// bfloat16 has float32's range and needs nothing else. float16 does not: its small gradients vanish unless the loss is
// scaled, which amp::GradScaler (nn/optim/grad_scaler.h) does. Determinism is that of the operations.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo::amp {

/// Several may end in any order, as those of DeterminismGuard.
class Autocast {
 public:
  /// dtype: bfloat16 or float16 (DTypeError). Not enabled: nothing is converted, also inside another Autocast.
  explicit Autocast(DType dtype = bfloat16, bool enabled = true);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
};

/// Whether an Autocast is in force on this thread, and its dtype; float32 where none is.
bool autocast_enabled();
DType autocast_dtype();

}  // namespace ordo::amp

// -- for operations ---------------------------------------------------------------------------------------------------
// The first line of a function of products, and of one that adds up:
//
//   if (detail::lowers(a, b)) return matmul(detail::lower(a), detail::lower(b));
//   if (detail::raises(input)) return softmax(detail::raise(input), dim);

namespace ordo::detail {

/// Whether an Autocast is in force that converts this argument, or one of these; undefined ones never.
bool lowers_one(const Tensor& t);
bool lowers_one(const TensorList& list);
bool raises_one(const Tensor& t);
template <class... T>
bool lowers(const T&... arguments) {
  return amp::autocast_enabled() && (lowers_one(arguments) || ...);
}
template <class... T>
bool raises(const T&... arguments) {
  return amp::autocast_enabled() && (raises_one(arguments) || ...);
}
/// What the argument is converted to: itself where it needs no conversion.
Tensor lower(const Tensor& t);
TensorList lower(const TensorList& list);
Tensor raise(const Tensor& t);

}  // namespace ordo::detail
