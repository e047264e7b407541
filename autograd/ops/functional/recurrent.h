// Recurrent networks: rnn_tanh, rnn_relu, gru, lstm. ValueError for an undefined tensor.
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
/// `lengths`: sequence b ends after lengths[b] steps, in [0, T]. Its output is 0 from there on, its h and c are those
/// of its last step, and the reverse direction begins there, as with PyTorch's packed sequences, but in any order of
/// lengths.
///
/// Shapes: input [T, B, I], with batch_first [B, T, I], and h0 [num_layers * directions, B, H] -> output [T, B, H *
/// directions] or [B, T, ...], and h like h0. weights of each layer, and of each of its directions: W [H, I], V [H, H]
/// and, with has_biases, b [H] and d [H]; I is H * directions from the second layer on. lengths [B].
/// Dtypes: floating, one for all; lengths int64 or int32.
/// Throws: ShapeError when sizes do not fit; DTypeError when dtypes are others; DeviceError when tensors are on
/// different devices, or lengths not on the CPU; ValueError when a length is outside of [0, T], num_layers below 1,
/// dropout outside of [0, 1], or the number of weights another.
/// Determinism: as linear, of whose products it is made; ordering rule 9.
/// Gradient: of input, h0, c0 and weights; a second one through the steps computed anew.
/// PyTorch: torch.rnn_tanh and torch.rnn_relu.
RecurrentResult rnn_tanh(const Tensor& input, const Tensor& h0, const TensorList& weights,
                         RecurrentOptions options = {});
RecurrentResult rnn_relu(const Tensor& input, const Tensor& h0, const TensorList& weights,
                         RecurrentOptions options = {});

/// A recurrent network with r = sigmoid(..), z = sigmoid(..), n = tanh(W x + b + r (V h + d)), h' = (h - n) z + n.
///
/// Shapes: as rnn_tanh, with weights [3 H, ...] for r, z and n.
/// Dtypes, Throws, Determinism, Gradient: as rnn_tanh.
/// PyTorch: torch.gru.
RecurrentResult gru(const Tensor& input, const Tensor& h0, const TensorList& weights, RecurrentOptions options = {});

/// A recurrent network with gates i, f, g and o, all sigmoid but g, which is tanh: c' = f c + i g, h' = o tanh(c'); or,
/// where each layer and direction has one more weight R, h' = R (o tanh(c')).
///
/// Shapes: as rnn_tanh, with weights [4 H, ...] for i, f, g and o; c0 and c like h0. With R [P, H], the last weight, h
/// has P elements: h0 [..., P], V [4 H, P], output [T, B, P * directions].
/// Dtypes, Throws, Determinism, Gradient: as rnn_tanh.
/// PyTorch: torch.lstm.
LstmResult lstm(const Tensor& input, const Tensor& h0, const Tensor& c0, const TensorList& weights,
                RecurrentOptions options = {});

}  // namespace ordo
