// Recurrent networks: rnn_tanh, rnn_relu, gru, lstm.
#pragma once

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// What torch.lstm and its like take beside tensors.
struct RecurrentOptions {
  bool has_biases = true;
  int64_t num_layers = 1;
  double dropout = 0;  ///< between layers while training; draws from default_generator()
  bool train = false;
  bool bidirectional = false;
  bool batch_first = false;
  Tensor lengths = {};  ///< of each sequence; undefined: T
};

/// h of every step of the last layer, and h (lstm: and c) of every layer after its last step.
struct RecurrentResult {
  Tensor output, h;
};
struct LstmResult {
  Tensor output, h, c;
};

/// Layers of h' = tanh(W x + b + V h + d), or of the same with relu. A step adds the input's part and the state's, each
/// with its bias.
///
/// Shapes: input [T, B, I], with batch_first [B, T, I]; h0 [num_layers * directions, B, H]. weights of each layer, and
/// of each of its directions: W [H, I], V [H, H] and, with has_biases, b [H] and d [H]; from the second layer on I is H
/// * directions. output [T, B, H * directions], or [B, T, ...]; h as h0. lengths [B], on the CPU: sequence b ends after
/// lengths[b] steps, in [0, T]. Its output is 0 from there on, its h is that of its last step, and the reverse
/// direction begins there, as with PyTorch's packed sequences, but in any order of lengths.
/// Dtypes: floating, one for all; lengths int64 or int32.
/// Throws: ShapeError, DTypeError, DeviceError when tensors do not fit; ValueError when a length is not in [0, T],
/// num_layers is below 1, or dropout not in [0, 1].
/// Determinism: as linear; at device_to_device products follow ordering rule 3. The gradient of V is one product over
/// (step, sequence), in row-major order; that of d is one sum by rule 2.
/// Gradient: of input, h0 and weights.
/// PyTorch: torch.rnn_tanh, torch.rnn_relu.
RecurrentResult rnn_tanh(const Tensor& input, const Tensor& h0, const TensorList& weights,
                         RecurrentOptions options = {});
RecurrentResult rnn_relu(const Tensor& input, const Tensor& h0, const TensorList& weights,
                         RecurrentOptions options = {});

/// Layers of r = sigmoid(..), z = sigmoid(..), n = tanh(W x + b + r (V h + d)), h' = (h - n) z + n.
///
/// Shapes: as rnn_tanh, with weights [3 H, ...] for r, z and n.
/// Dtypes, Throws, Determinism, Gradient: as rnn_tanh.
/// PyTorch: torch.gru.
RecurrentResult gru(const Tensor& input, const Tensor& h0, const TensorList& weights, RecurrentOptions options = {});

/// Layers of c' = f c + i g, h' = o tanh(c'), where i, f, o are sigmoids and g is a tanh, each of W x + b + V h + d.
///
/// Shapes: as rnn_tanh, with weights [4 H, ...] for i, f, g and o; c0 and c as h0.
/// Dtypes, Throws, Determinism: as rnn_tanh.
/// Gradient: of input, h0, c0 and weights.
/// PyTorch: torch.lstm.
LstmResult lstm(const Tensor& input, const Tensor& h0, const Tensor& c0, const TensorList& weights,
                RecurrentOptions options = {});

}  // namespace ordo
