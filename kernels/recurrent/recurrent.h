// One layer of a recurrent network in one direction: every step after the product with the input's weights. Plain: no
// autograd.
#pragma once

#include <ordo/engine/devices.h>
#include <ordo/engine/tensor.h>

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

/// What a step computes from, and where to; null where there is none. All contiguous.
struct RecurrentStep {
  Recurrence kind;
  DType dtype;
  Device device;
  int64_t rows, width, step;
  const void *x, *hidden;           ///< [B, G H]: the parts of the input and of the state before
  const void *h_before, *c_before;  ///< [B, H]
  void *h, *c, *gates, *inner;
  const int64_t* lengths;
};
struct RecurrentStepBack {
  Recurrence kind;
  DType dtype;
  Device device;
  int64_t rows, width, step;
  const void *h, *c, *h_before, *c_before, *gates, *inner;
  const void *grad_h, *grad_c;  ///< what arrives at this step's states from outside
  const void* product;          ///< [B, H]: from the step after it, by way of its gates
  void* rest;                   ///< [B, H]: the same, by other ways; in: of the step after, out: of this one
  void* carried_c;              ///< [B, H]: of c, likewise
  void *grad_x, *grad_hidden;   ///< [B, G H]: the two are one where there is no inner
  const int64_t* lengths;
};
ORDO_DEVICES(void, recurrent_step, const RecurrentStep& step)
ORDO_DEVICES(void, recurrent_step_back, const RecurrentStepBack& step)

}  // namespace ordo::kernels
