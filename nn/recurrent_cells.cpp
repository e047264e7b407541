#include <ordo/nn/recurrent_cells.h>

#include <cmath>

#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/cat.h>
#include <ordo/autograd/ops/matmul.h>
#include <ordo/autograd/ops/unary.h>
#include <ordo/engine/check.h>
#include <ordo/engine/checked.h>
#include <ordo/engine/enumerator.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/nn/description.h>
#include <ordo/nn/init.h>

namespace ordo::nn {

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

Tensor RecurrentCell::of_input(const Tensor& input) const { return linear(input, weight_ih, bias_ih); }
Tensor RecurrentCell::of_state(const Tensor& state) const { return linear(state, weight_hh, bias_hh); }

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
