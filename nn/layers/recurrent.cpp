#include <ordo/nn/layers/recurrent.h>

#include <cmath>

#include <fmt/format.h>
#include <ordo/autograd/ops/linalg/matmul.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/unary.h>
#include <ordo/autograd/ops/shape/cat.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/description.h>
#include <ordo/nn/init.h>

namespace ordo::nn {

RecurrentModule::RecurrentModule(const char* name, int64_t gates, int64_t input_size, int64_t hidden_size,
                                 RecurrentModuleOptions options)
    : name_(name), hidden_size_(hidden_size), options_(options) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(input_size > 0 && hidden_size > 0, ValueError, name, "needs positive sizes, not {} and {}", input_size,
             hidden_size);
  ORDO_CHECK(options.num_layers > 0, ValueError, name, "needs a positive number of layers, not {}", options.num_layers);
  ORDO_CHECK(options.dropout >= 0 && options.dropout <= 1, ValueError, name, "dropout = {} must lie in [0, 1]",
             options.dropout);
  ORDO_CHECK(options.proj_size == 0 || gates == 4, ValueError, name, "has no proj_size; LSTM has");
  ORDO_CHECK(options.proj_size >= 0 && options.proj_size < hidden_size, ValueError, name,
             "proj_size = {} must lie in [0, {}), below hidden_size", options.proj_size, hidden_size);
  const int64_t directions = options.bidirectional ? 2 : 1, rows = checked::mul(name, gates, hidden_size);
  checked::expect_room<Tensor>(name, options.num_layers);
  for (int64_t l = 0; l < options.num_layers; ++l)
    for (int64_t d = 0; d < directions; ++d) {
      const int64_t columns = l == 0 ? input_size : checked::mul(name, directions, output_size());
      const auto add = [&](const char* what, const Dims& sizes) {
        weights_.emplace_back(add_parameter(fmt::format("{}_l{}{}", what, l, d ? "_reverse" : ""), zeros(sizes)));
      };
      add("weight_ih", {rows, columns});
      add("weight_hh", {rows, output_size()});
      if (options.bias) {
        add("bias_ih", {rows});
        add("bias_hh", {rows});
      }
      if (options.proj_size > 0) add("weight_hr", {options.proj_size, hidden_size});
    }
  reset_parameters();
}

void RecurrentModule::reset_parameters() {
  const double bound = 1 / std::sqrt(double(hidden_size_));
  for (const Parameter& w : weights_) init::uniform_(w, -bound, bound);
}

std::string RecurrentModule::description() const {
  return Description(name_, weights_[0].size(1), hidden_size_)
      .with_options(options_, "num_layers", "bias", "batch_first", "dropout", "bidirectional", "proj_size");
}

TensorList RecurrentModule::weight_list() const { return {weights_.begin(), weights_.end()}; }

RecurrentOptions RecurrentModule::call_options(const Tensor& lengths) const {
  return {.has_biases = options_.bias,
          .num_layers = options_.num_layers,
          .dropout = options_.dropout,
          .train = is_training(),
          .bidirectional = options_.bidirectional,
          .batch_first = options_.batch_first,
          .lengths = lengths};
}

Tensor RecurrentModule::state_or_zeros(const Tensor& state, const Tensor& input, int64_t size) const {
  const ordo::detail::LibraryCall library;
  if (state.defined()) return state;
  detail::expect_defined(name_, input, "input");
  ORDO_CHECK(input.dim() == 3, ShapeError, name_, "input must have three dimensions, not {}", input.sizes());
  const int64_t slots = options_.num_layers * (options_.bidirectional ? 2 : 1);
  return zeros({slots, input.size(options_.batch_first ? 0 : 1), size}, input.options());
}

RNN::RNN(int64_t input_size, int64_t hidden_size, RecurrentModuleOptions options, RecurrentNonlinearity nonlinearity)
    : RecurrentModule("RNN", 1, input_size, hidden_size, options), nonlinearity_(nonlinearity) {
  detail::expect_enumerator("RNN", nonlinearity, RecurrentNonlinearity::relu,
                            "a nonlinearity: there are tanh and relu");
}
std::string RNN::description() const {
  std::string text = RecurrentModule::description();
  if (nonlinearity_ == RecurrentNonlinearity::relu) text.insert(text.size() - 1, ", nonlinearity=relu");
  return text;
}
RecurrentResult RNN::forward(const Tensor& input, const Tensor& h0, const Tensor& lengths) {
  const ordo::detail::LibraryCall library;
  const auto f = nonlinearity_ == RecurrentNonlinearity::tanh ? rnn_tanh : rnn_relu;
  return f(input, state_or_zeros(h0, input, hidden_size()), weight_list(), call_options(lengths));
}

GRU::GRU(int64_t input_size, int64_t hidden_size, RecurrentModuleOptions options)
    : RecurrentModule("GRU", 3, input_size, hidden_size, options) {}
RecurrentResult GRU::forward(const Tensor& input, const Tensor& h0, const Tensor& lengths) {
  const ordo::detail::LibraryCall library;
  return gru(input, state_or_zeros(h0, input, hidden_size()), weight_list(), call_options(lengths));
}

LSTM::LSTM(int64_t input_size, int64_t hidden_size, RecurrentModuleOptions options)
    : RecurrentModule("LSTM", 4, input_size, hidden_size, options) {}
LstmResult LSTM::forward(const Tensor& input, const Tensor& h0, const Tensor& c0, const Tensor& lengths) {
  const ordo::detail::LibraryCall library;
  return lstm(input, state_or_zeros(h0, input, output_size()), state_or_zeros(c0, input, hidden_size()), weight_list(),
              call_options(lengths));
}

RecurrentCell::RecurrentCell(const char* name, int64_t gates, int64_t input_size, int64_t hidden_size,
                             RecurrentCellOptions options)
    : name_(name), hidden_size_(hidden_size) {
  ORDO_CHECK(input_size > 0 && hidden_size > 0, ValueError, name, "needs positive sizes, not {} and {}", input_size,
             hidden_size);
  const int64_t rows = checked::mul(name, gates, hidden_size);
  weight_ih = add_parameter("weight_ih", zeros({rows, input_size}));
  weight_hh = add_parameter("weight_hh", zeros({rows, hidden_size}));
  if (options.bias) {
    bias_ih = add_parameter("bias_ih", zeros({rows}));
    bias_hh = add_parameter("bias_hh", zeros({rows}));
  }
  reset_parameters();
}

void RecurrentCell::reset_parameters() {
  const double bound = 1 / std::sqrt(double(hidden_size_));
  for (const Tensor& t : parameters()) init::uniform_(t, -bound, bound);
}

std::string RecurrentCell::description() const {
  return Description(name_, weight_ih.size(1), hidden_size_).with("bias", bias_ih.defined(), true);
}

Tensor RecurrentCell::state_or_zeros(const Tensor& state, const Tensor& input) const {
  detail::expect_defined(name_, input, "input");
  ORDO_CHECK(input.dim() == 1 || input.dim() == 2, ShapeError, name_,
             "takes inputs [B, input_size] or [input_size], not {}", input.sizes());
  Dims sizes = input.sizes();
  sizes[sizes.size() - 1] = hidden_size_;
  if (!state.defined()) return zeros(sizes, input.options());
  ORDO_CHECK(state.sizes() == sizes, ShapeError, name_, "a state must have sizes {}, not {}", sizes, state.sizes());
  return state;
}

// By the layers' rule.
Tensor RecurrentCell::of_input(const Tensor& input) const {
  const MatmulAlgorithmGuard products(Algorithm::automatic);
  return linear(input, weight_ih, bias_ih);
}
Tensor RecurrentCell::of_state(const Tensor& state) const {
  const MatmulAlgorithmGuard products(Algorithm::automatic);
  return linear(state, weight_hh, bias_hh);
}

RNNCell::RNNCell(int64_t input_size, int64_t hidden_size, RecurrentCellOptions options,
                 RecurrentNonlinearity nonlinearity)
    : RecurrentCell("RNNCell", 1, input_size, hidden_size, options), nonlinearity_(nonlinearity) {
  detail::expect_enumerator("RNNCell", nonlinearity, RecurrentNonlinearity::relu,
                            "a nonlinearity: there are tanh and relu");
}
Tensor RNNCell::forward(const Tensor& input, const Tensor& h) {
  const Tensor sum = of_state(state_or_zeros(h, input)) + of_input(input);
  return nonlinearity_ == RecurrentNonlinearity::tanh ? tanh(sum) : relu(sum);
}

GRUCell::GRUCell(int64_t input_size, int64_t hidden_size, RecurrentCellOptions options)
    : RecurrentCell("GRUCell", 3, input_size, hidden_size, options) {}
Tensor GRUCell::forward(const Tensor& input, const Tensor& h) {
  const Tensor state = state_or_zeros(h, input);
  const TensorList x = chunk(of_input(input), 3, -1), hidden = chunk(of_state(state), 3, -1);
  const Tensor n = tanh(x[2] + sigmoid(x[0] + hidden[0]) * hidden[2]);
  return (state - n) * sigmoid(x[1] + hidden[1]) + n;
}

LSTMCell::LSTMCell(int64_t input_size, int64_t hidden_size, RecurrentCellOptions options)
    : RecurrentCell("LSTMCell", 4, input_size, hidden_size, options) {}
std::pair<Tensor, Tensor> LSTMCell::forward(const Tensor& input, const Tensor& h, const Tensor& c) {
  const Tensor cell = state_or_zeros(c, input);
  const TensorList part = chunk(of_state(state_or_zeros(h, input)) + of_input(input), 4, -1);
  const Tensor next = sigmoid(part[1]) * cell + sigmoid(part[0]) * tanh(part[2]);
  return {sigmoid(part[3]) * tanh(next), next};
}

}  // namespace ordo::nn
