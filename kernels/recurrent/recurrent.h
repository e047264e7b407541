// One layer of a recurrent network in one direction: every step after the product with the input's weights. Plain: no
// autograd.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

enum class Recurrence : unsigned char { rnn_tanh, rnn_relu, gru, lstm };

/// How many rows of a weight belong to one element of the state.
constexpr int64_t gates_of(Recurrence kind) { return kind == Recurrence::lstm ? 4 : kind == Recurrence::gru ? 3 : 1; }

/// Of T steps, B sequences, states of H elements, and G = gates_of(kind). All of one floating dtype and device.
struct RecurrentArguments {
  Recurrence kind;
  Tensor x;        ///< [T, B, G H]: inputs times their weights, and bias
  Tensor h, c;     ///< [B, H]: the states at first; c only of lstm
  Tensor weight;   ///< [G H, H]
  Tensor bias;     ///< [G H] or undefined
  Tensor lengths;  ///< [B], int64, contiguous, or undefined: a sequence keeps its state at steps from its length on
  bool reverse = false;  ///< from the last step to the first
};

struct RecurrentStates {
  Tensor h, c;    ///< [T, B, H]: the states after every step; parts of h_all and c_all
  Tensor before;  ///< [T, B, H]: h before every step
  Tensor c_before;
  Tensor gates;  ///< [T, B, G H] after their activations; undefined for rnn, whose gate is h
  Tensor inner;  ///< [T, B, H], gru's: what r multiplies
};
RecurrentStates recurrent(const RecurrentArguments& arguments);

struct RecurrentGradients {
  Tensor x, h, c, weight, bias;
};
/// Of the gradients of all states; either may be undefined. Steps go backwards; weight's gradient is one product over
/// (step, sequence), bias's one sum in that order.
RecurrentGradients recurrent_backward(const RecurrentArguments& arguments, const RecurrentStates& states,
                                      const Tensor& grad_h, const Tensor& grad_c);

/// A step, or the step back from it to its gradients. Pointers are null where there is nothing; all is contiguous.
struct RecurrentStep {
  Recurrence kind;
  bool back;
  DType dtype;
  Device device;
  int64_t rows, width;
  const int64_t* lengths;
  // Of all steps, [T, ...].
  void *h, *c, *h_before, *c_before, *gates, *inner;  ///< RecurrentStates
  void* x = nullptr;                                  ///< the input's part of the gates, or its gradient
  const void *grad_h = nullptr, *grad_c = nullptr;    ///< what arrives at the states from outside
  // Of this step.
  int64_t step = 0;
  void* hidden = nullptr;         ///< [B, G H]: the part of the state before or, of gru, its gradient
  const void* product = nullptr;  ///< [B, H]: the gradient from the step after it, by way of its gates
  void* rest = nullptr;           ///< [B, H]: the same, by other ways; in: of the step after, out: of this one
  void* carried_c = nullptr;      ///< [B, H]: of c, likewise
};
ORDO_DEVICES(void, recurrent_step, const RecurrentStep& step)

}  // namespace ordo::kernels
