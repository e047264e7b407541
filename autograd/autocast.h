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

#include <ordo/engine/tensor/tensor.h>

namespace ordo::amp {

/// Until the end of its scope, operations of this thread convert arguments. Several may end in any order.
/// PyTorch: torch.autocast.
class Autocast {
 public:
  /// Not enabled: nothing is converted, also inside another Autocast.
  /// Throws: DTypeError when dtype is neither bfloat16 nor float16.
  explicit Autocast(DType dtype = bfloat16, bool enabled = true);
  ~Autocast();
  Autocast(Autocast&&) = delete;
};

/// Whether an Autocast is in force on this thread, and its dtype; float32 where none is.
/// PyTorch: torch.is_autocast_enabled and torch.get_autocast_dtype.
bool autocast_enabled();
DType autocast_dtype();

}  // namespace ordo::amp

// -- for operations ---------------------------------------------------------------------------------------------------

namespace ordo::detail {

/// How an operation's arguments are converted: those of products to the dtype of Autocast, of what adds up to float32.
enum class Cast : unsigned char { lower, raise };
bool converts(Cast cast, const Tensor& t);
bool converts(Cast cast, const TensorList& list);
template <class T>
bool converts(Cast, const T&) {
  return false;  // no tensor
}
template <class... T>
bool converts_any(Cast cast, const T&... arguments) {
  return amp::autocast_enabled() && (converts(cast, arguments) || ...);
}
/// The argument, converted where it has to be.
Tensor converted(Cast cast, const Tensor& t);
TensorList converted(Cast cast, const TensorList& list);
template <class T>
const T& converted(Cast, const T& other) {
  return other;
}

}  // namespace ordo::detail

/// The first line of an operation that Autocast speaks of, ORDO_AUTOCAST(raise, softmax, input, dim): where it converts
/// an argument, the operation is called again with the converted ones.
#define ORDO_AUTOCAST(rule, function, ...)                                   \
  if (::ordo::detail::converts_any(::ordo::detail::Cast::rule, __VA_ARGS__)) \
  return [&](const auto&... a) { return function(converted(::ordo::detail::Cast::rule, a)...); }(__VA_ARGS__)

/// The first line of such an operation whose OpCall has the arguments of the function: that, and `const OpCall call`.
#define ORDO_AUTOCAST_CALL(rule, function, ...) \
  ORDO_AUTOCAST(rule, function, __VA_ARGS__);   \
  const OpCall call(#function, __VA_ARGS__)
