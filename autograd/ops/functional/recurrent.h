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
  Tensor lengths = {};  ///< see below
};

/// h of every step of the last layer, and h (lstm: and c) of every layer after its last step.
struct RecurrentResult {
  Tensor output, h;
};
struct LstmResult {
  Tensor output, h, c;
};

/// Layers of h' = tanh(W x + b + V h + d), or of the same with relu.
///
///   input    [T, B, I], with batch_first [B, T, I]; floating
///   h0       [num_layers * directions, B, H]
///   weights  of each layer, and of each of its directions: W [H, I], V [H, H] and, with has_biases, b [H] and d [H]; I
///   is
///            H * directions from the second layer on
///   output   [T, B, H * directions], or [B, T, ...]; h [num_layers * directions, B, H]
///
/// `lengths`, int64 or int32 on the CPU, of size [B]: sequence b ends after lengths[b] steps, in [0, T]. Its output is
/// 0 from there on, its h and c are those of its last step, and the reverse direction begins there, as with packed
/// sequences of PyTorch, but in any order of lengths. ShapeError, DTypeError, DeviceError for tensors that do not fit;
/// ValueError for other lengths, num_layers < 1, and dropout outside of [0, 1].
///
/// Determinism: that of `linear`; at device_to_device products follow rule 3 of docs/ordering.md. A step adds the
/// input's part and the state's, each with its bias. The gradient of V is one product over (step, sequence), in
/// row-major order, and that of d one sum by rule 2. As torch.rnn_tanh and torch.rnn_relu.
RecurrentResult rnn_tanh(const Tensor& input, const Tensor& h0, const TensorList& weights,
                         RecurrentOptions options = {});
RecurrentResult rnn_relu(const Tensor& input, const Tensor& h0, const TensorList& weights,
                         RecurrentOptions options = {});

/// The same with weights [3 H, ...] for r, z and n: r = sigmoid(..), z = sigmoid(..), n = tanh(W x + b + r (V h + d)),
/// h' = (h - n) z + n. As torch.gru.
RecurrentResult gru(const Tensor& input, const Tensor& h0, const TensorList& weights, RecurrentOptions options = {});

/// The same with weights [4 H, ...] for i, f, g and o, all sigmoid but g, which is tanh: c' = f c + i g,
/// h' = o tanh(c'). c0 has h0's shape. As torch.lstm.
LstmResult lstm(const Tensor& input, const Tensor& h0, const Tensor& c0, const TensorList& weights,
                RecurrentOptions options = {});

}  // namespace ordo
