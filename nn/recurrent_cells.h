// RNNCell, GRUCell and LSTMCell: one step of a recurrent network. ops/recurrent.h has the formulas.
//   input [B, input_size] or [input_size]; states [B, hidden_size] or [hidden_size], zeros where none are given
// Parameters are PyTorch's: "weight_ih" [gates * hidden_size, input_size], "weight_hh" [gates * hidden_size,
// hidden_size], "bias_ih", "bias_hh" [gates * hidden_size]; 1, 3 and 4 gates. They start as U(-1/sqrt(hidden_size),
// 1/sqrt(hidden_size)).
//
//   nn::LSTMCell cell(64, 128);
//   auto [h, c] = cell(x);
//   std::tie(h, c) = cell(next, h, c);
#pragma once

#include <utility>

#include <ordo/nn/recurrent.h>

namespace ordo::nn {

struct RecurrentCellOptions {
  bool bias = true;
};

/// What the three share.
class RecurrentCell : public ModuleBase {
 public:
  std::string description() const override;
  /// Draws new initial values.
  void reset_parameters();

  Parameter weight_ih, weight_hh, bias_ih, bias_hh;  ///< biases are undefined without

 protected:
  /// ValueError unless the sizes are positive.
  RecurrentCell(const char* name, int64_t gates, int64_t input_size, int64_t hidden_size, RecurrentCellOptions options);
  Tensor state_or_zeros(const Tensor& state, const Tensor& input) const;
  Tensor of_input(const Tensor& input) const;  ///< [..., gates * hidden_size]
  Tensor of_state(const Tensor& state) const;

 private:
  const char* name_;
  int64_t hidden_size_;
};

class RNNCell : public RecurrentCell {
 public:
  RNNCell(int64_t input_size, int64_t hidden_size, RecurrentCellOptions options = {},
          RecurrentNonlinearity nonlinearity = RecurrentNonlinearity::tanh);
  Tensor forward(const Tensor& input, const Tensor& h = {});
  Tensor operator()(const Tensor& input, const Tensor& h = {}) {
    const Call running(*this);
    return forward(input, h);
  }

 private:
  RecurrentNonlinearity nonlinearity_;
};

class GRUCell : public RecurrentCell {
 public:
  GRUCell(int64_t input_size, int64_t hidden_size, RecurrentCellOptions options = {});
  Tensor forward(const Tensor& input, const Tensor& h = {});
  Tensor operator()(const Tensor& input, const Tensor& h = {}) {
    const Call running(*this);
    return forward(input, h);
  }
};

class LSTMCell : public RecurrentCell {
 public:
  LSTMCell(int64_t input_size, int64_t hidden_size, RecurrentCellOptions options = {});
  /// The new h and c.
  std::pair<Tensor, Tensor> forward(const Tensor& input, const Tensor& h = {}, const Tensor& c = {});
  std::pair<Tensor, Tensor> operator()(const Tensor& input, const Tensor& h = {}, const Tensor& c = {}) {
    const Call running(*this);
    return forward(input, h, c);
  }
};

}  // namespace ordo::nn
