// Recurrent networks, and single steps of them.
//
//   nn::LSTM lstm(64, 128, {.num_layers = 2});
//   auto [output, h, c] = lstm(embedded);
//   nn::LSTMCell cell(64, 128);
//   auto [h, c] = cell(x);
//   std::tie(h, c) = cell(next, h, c);
#pragma once

#include <utility>

#include <ordo/autograd/ops/functional/recurrent.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

struct RecurrentModuleOptions {
  int64_t num_layers = 1;
  bool bias = true;
  bool batch_first = false;
  double dropout = 0;  ///< between layers, while training
  bool bidirectional = false;
  int64_t proj_size = 0;  ///< of LSTM: elements of h after a projection; 0: none
};

/// What the three share.
class RecurrentModule : public ModuleBase {
 public:
  /// Draws new initial values.
  void reset_parameters();
  /// In the order of their names, as RNN has them.
  const std::vector<Parameter>& weights() const { return weights_; }
  std::string description() const override;

 protected:
  /// `gates`: rows of a weight for each element of the state.
  RecurrentModule(const char* name, int64_t gates, int64_t input_size, int64_t hidden_size,
                  RecurrentModuleOptions options);
  TensorList weight_list() const;
  RecurrentOptions call_options(const Tensor& lengths) const;
  /// `size`: elements of the state.
  Tensor state_or_zeros(const Tensor& state, const Tensor& input, int64_t size) const;
  int64_t hidden_size() const { return hidden_size_; }
  int64_t output_size() const { return options_.proj_size > 0 ? options_.proj_size : hidden_size_; }  ///< of h

 private:
  const char* name_;
  int64_t hidden_size_;
  RecurrentModuleOptions options_;
  std::vector<Parameter> weights_;
};

/// What an RNN applies to the sum of its products.
enum class RecurrentNonlinearity : unsigned char { tanh, relu };

/// Layers of a recurrent network: rnn_tanh or rnn_relu, gru, lstm, which have the formulas and say what lengths mean.
///
/// Shapes: input [T, B, input_size]; states [num_layers * directions, B, hidden_size], zeros where none are given;
/// output [T, B, hidden_size * directions]. With batch_first, input and output are [B, T, ...]. With proj_size, h has
/// that many elements in place of hidden_size.
/// Parameters: "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0", with proj_size "weight_hr_l0", those
/// of the reverse direction with "_reverse", then those of layer 1; all U(-1/sqrt(hidden_size), 1/sqrt(hidden_size)).
/// Throws: ValueError when a size or num_layers is not positive, dropout is outside of [0, 1], or proj_size outside of
/// [0, hidden_size) or given to another than LSTM; forward as the function.
/// PyTorch: torch.nn.RNN, torch.nn.GRU, torch.nn.LSTM.
class RNN : public RecurrentModule {
 public:
  RNN(int64_t input_size, int64_t hidden_size, RecurrentModuleOptions options = {},
      RecurrentNonlinearity nonlinearity = RecurrentNonlinearity::tanh);
  RecurrentResult forward(const Tensor& input, const Tensor& h0 = {}, const Tensor& lengths = {});
  RecurrentResult operator()(const Tensor& input, const Tensor& h0 = {}, const Tensor& lengths = {}) {
    return run_forward([&] { return forward(input, h0, lengths); });
  }
  std::string description() const override;

 private:
  RecurrentNonlinearity nonlinearity_;
};

/// As RNN, with the formulas of gru.
struct GRU : RecurrentModule {
  GRU(int64_t input_size, int64_t hidden_size, RecurrentModuleOptions options = {});
  RecurrentResult forward(const Tensor& input, const Tensor& h0 = {}, const Tensor& lengths = {});
  RecurrentResult operator()(const Tensor& input, const Tensor& h0 = {}, const Tensor& lengths = {}) {
    return run_forward([&] { return forward(input, h0, lengths); });
  }
};

/// As RNN, with the formulas of lstm.
struct LSTM : RecurrentModule {
  LSTM(int64_t input_size, int64_t hidden_size, RecurrentModuleOptions options = {});
  LstmResult forward(const Tensor& input, const Tensor& h0 = {}, const Tensor& c0 = {}, const Tensor& lengths = {});
  LstmResult operator()(const Tensor& input, const Tensor& h0 = {}, const Tensor& c0 = {}, const Tensor& lengths = {}) {
    return run_forward([&] { return forward(input, h0, c0, lengths); });
  }
};

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
  RecurrentCell(const char* name, int64_t gates, int64_t input_size, int64_t hidden_size, RecurrentCellOptions options);
  Tensor state_or_zeros(const Tensor& state, const Tensor& input) const;
  Tensor of_input(const Tensor& input) const;  ///< [..., gates * hidden_size]
  Tensor of_state(const Tensor& state) const;

 private:
  const char* name_;
  int64_t hidden_size_;
};

/// One step of a recurrent network, with the formulas of rnn_tanh or rnn_relu, gru, lstm.
///
/// Shapes: input [B, input_size] or [input_size]; states [B, hidden_size] or [hidden_size], zeros where none are given.
/// Parameters: "weight_ih" [gates * hidden_size, input_size], "weight_hh" [gates * hidden_size, hidden_size],
/// "bias_ih", "bias_hh" [gates * hidden_size], with 1, 3 and 4 gates; all U(-1/sqrt(hidden_size), 1/sqrt(hidden_size)).
/// Throws: ValueError when a size is not positive; ShapeError for inputs and states that do not fit; else as linear.
/// PyTorch: torch.nn.RNNCell, torch.nn.GRUCell, torch.nn.LSTMCell.
class RNNCell : public RecurrentCell {
 public:
  RNNCell(int64_t input_size, int64_t hidden_size, RecurrentCellOptions options = {},
          RecurrentNonlinearity nonlinearity = RecurrentNonlinearity::tanh);
  Tensor forward(const Tensor& input, const Tensor& h = {});
  Tensor operator()(const Tensor& input, const Tensor& h = {}) {
    return run_forward([&] { return forward(input, h); });
  }

 private:
  RecurrentNonlinearity nonlinearity_;
};

/// As RNNCell, with the formulas of gru.
struct GRUCell : RecurrentCell {
  GRUCell(int64_t input_size, int64_t hidden_size, RecurrentCellOptions options = {});
  Tensor forward(const Tensor& input, const Tensor& h = {});
  Tensor operator()(const Tensor& input, const Tensor& h = {}) {
    return run_forward([&] { return forward(input, h); });
  }
};

/// As RNNCell, with the formulas of lstm. forward gives the new h and c.
struct LSTMCell : RecurrentCell {
  LSTMCell(int64_t input_size, int64_t hidden_size, RecurrentCellOptions options = {});
  std::pair<Tensor, Tensor> forward(const Tensor& input, const Tensor& h = {}, const Tensor& c = {});
  std::pair<Tensor, Tensor> operator()(const Tensor& input, const Tensor& h = {}, const Tensor& c = {}) {
    return run_forward([&] { return forward(input, h, c); });
  }
};

}  // namespace ordo::nn
