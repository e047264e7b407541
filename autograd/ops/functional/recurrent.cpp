#include <ordo/autograd/ops/functional/recurrent.h>

#include <ordo/autograd/autograd.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/kernels/recurrent/recurrent.h>

namespace ordo {

ORDO_REGISTER_OPS({"rnn_tanh", "rnn_relu", "gru", "lstm"},
                  {.family = "recurrent",
                   .dtypes = kFloatingTypes,
                   .algorithms = {{Algorithm::library, Determinism::run_to_run},
                                  {Algorithm::direct, Determinism::device_to_device}}});

namespace {

using kernels::Recurrence;

const char* name_of(Recurrence kind) {
  constexpr const char* names[] = {"rnn_tanh", "rnn_relu", "gru", "lstm"};
  return names[int(kind)];
}

/// One layer in one direction, after the product of its inputs with their weights.
struct Layer {
  Recurrence kind;
  Saved x, h, c, weight, bias;
  Tensor lengths;  // nobody else has it
  bool reverse;

  kernels::RecurrentArguments arguments() const {
    return {kind, x.get(), h.get(), c.get(), weight.get(), bias.get(), lengths, reverse};
  }
};

/// h and, of lstm, c after every step, in differentiable operations. `projection` may be undefined.
TensorList composed(const kernels::RecurrentArguments& a, const Tensor& projection = {}) {
  const int64_t steps = a.x.size(0);
  const auto count = static_cast<size_t>(a.x.size(0));
  TensorList states(count), cells(count);
  Tensor h = a.h, c = a.c;
  for (int64_t k = 0; k < steps; ++k) {
    const int64_t t = a.reverse ? steps - 1 - k : k;
    const Tensor x = a.x.select(0, t), hidden = linear(h, a.weight, a.bias);
    Tensor next, next_c;
    if (a.kind == Recurrence::lstm) {
      const TensorList part = chunk(x + hidden, 4, 1);
      const Tensor candidate = tanh(part[2]), taken = sigmoid(part[0]) * candidate;
      next_c = sigmoid(part[1]) * c + taken;
      const Tensor shown = tanh(next_c);
      next = sigmoid(part[3]) * shown;
      if (projection.defined()) next = linear(next, projection);
    } else if (a.kind == Recurrence::gru) {
      const TensorList from_x = chunk(x, 3, 1), from_h = chunk(hidden, 3, 1);
      const Tensor n = tanh(from_x[2] + sigmoid(from_x[0] + from_h[0]) * from_h[2]);
      const Tensor keep = sigmoid(from_x[1] + from_h[1]);
      next = (h - n) * keep + n;
    } else {
      next = a.kind == Recurrence::rnn_tanh ? tanh(x + hidden) : relu(x + hidden);
    }
    if (a.lengths.defined()) {
      const Tensor goes_on = (a.lengths > t).unsqueeze(1);
      next = where(goes_on, next, h);
      if (next_c.defined()) next_c = where(goes_on, next_c, c);
    }
    states[size_t(t)] = h = next;
    if (next_c.defined()) cells[size_t(t)] = c = next_c;
  }
  TensorList out{stack(states, 0)};
  if (a.c.defined()) out.push_back(stack(cells, 0));
  return out;
}

/// h and, of lstm, c after every step: [T, B, H].
TensorList layer(const kernels::RecurrentArguments& a) {
  const OpCall call(name_of(a.kind), a.x, a.h, a.c, a.weight, a.bias, a.lengths, a.reverse);
  const kernels::RecurrentStates states = kernels::recurrent(a);
  TensorList results{views::alias(states.h)};  // what is kept for the backward pass has no history
  if (states.c.defined()) results.push_back(views::alias(states.c));
  const Layer saved{a.kind, Saved(a.x), Saved(a.h), Saved(a.c), Saved(a.weight), Saved(a.bias), a.lengths, a.reverse};
  return record(call, std::move(results), {a.x, a.h, a.c, a.weight, a.bias},
                [saved, states, after = Saved(states.h)](const TensorList& grads) -> TensorList {
                  const kernels::RecurrentArguments a = saved.arguments();
                  const Tensor& grad_h = grads[0];
                  const Tensor grad_c = grads.size() > 1 ? grads[1] : Tensor();
                  if (!grad_enabled()) {
                    after.get();  // throws when the states were changed since
                    kernels::RecurrentGradients g = kernels::recurrent_backward(a, states, grad_h, grad_c);
                    return {g.x, g.h, g.c, g.weight, g.bias};
                  }
                  // To be differentiated again: the gradient of the same states, computed anew.
                  TensorList inputs, wanted, given;
                  std::vector<int> places;
                  const Tensor* all[] = {&a.x, &a.h, &a.c, &a.weight, &a.bias};
                  for (int k = 0; k < 5; ++k)
                    if (all[k]->defined() && all[k]->requires_grad()) inputs.push_back(*all[k]), places.push_back(k);
                  const TensorList outputs = composed(a);
                  for (size_t k = 0; k < outputs.size(); ++k)
                    if (grads[k].defined()) wanted.push_back(outputs[k]), given.push_back(grads[k]);
                  const TensorList found = grad(wanted, inputs, given, true, true);
                  TensorList out(5);
                  for (size_t k = 0; k < places.size(); ++k) out[size_t(places[k])] = found[k];
                  return out;
                });
}

struct States {
  TensorList h, c;  // of every layer and direction
  Tensor output;
};

void expect_sizes(const char* op, const char* what, const Tensor& t, const Dims& sizes) {
  ORDO_CHECK(t.sizes() == sizes, ShapeError, op, "{} must have sizes {}, not {}", what, sizes, t.sizes());
}

States run(Recurrence kind, const Tensor& input, const Tensor& h0, const Tensor& c0, const TensorList& weights,
           const RecurrentOptions& o) {
  const char* op = name_of(kind);
  ordo::detail::expect_defined(op, input, "input", h0, "h0");
  if (kind == Recurrence::lstm) ordo::detail::expect_defined(op, c0, "c0");
  const int64_t directions = o.bidirectional ? 2 : 1, plain = o.has_biases ? 4 : 2;
  const auto has_for_each_layer = [&](int64_t count) {
    return weights.size() % size_t(count * directions) == 0 &&
           int64_t(weights.size()) / (count * directions) == o.num_layers;
  };
  const bool projected = kind == Recurrence::lstm && has_for_each_layer(plain + 1);
  const int64_t each = projected ? plain + 1 : plain;
  ORDO_CHECK(is_floating(input.dtype()), DTypeError, op, "takes floating-point tensors, not {}", input.dtype());
  ORDO_CHECK(input.dim() == 3, ShapeError, op, "input must have three dimensions, {}, not {}",
             o.batch_first ? "[B, T, I]" : "[T, B, I]", input.sizes());
  ORDO_CHECK(o.num_layers >= 1, ValueError, op, "num_layers = {} must be at least 1", o.num_layers);
  ORDO_CHECK(o.dropout >= 0 && o.dropout <= 1, ValueError, op, "dropout = {} must lie in [0, 1]", o.dropout);
  ORDO_CHECK(h0.dim() == 3, ShapeError, op, "h0 must have three dimensions, [layers, B, H], not {}", h0.sizes());
  ORDO_CHECK(has_for_each_layer(each), ValueError, op,
             "needs {} weights for each layer, but there are {} for {} layers", each * directions, weights.size(),
             o.num_layers);
  const auto features_of = [&](const Tensor& weight) {
    return weight.defined() && weight.dim() == 2 ? std::optional(weight.size(1)) : std::nullopt;  // else: below
  };
  if (const auto taken = features_of(weights[0]))
    ORDO_CHECK(input.size(2) == *taken, ShapeError, op, "input has {} features, but the first weight takes {}",
               input.size(2), *taken);
  if (const auto taken = features_of(weights[1]))
    ORDO_CHECK(h0.size(2) == *taken, ShapeError, op, "h0 has {} features, but the weights take {}", h0.size(2), *taken);
  Tensor x = o.batch_first ? input.transpose(0, 1) : input;
  const int64_t steps = x.size(0), rows = x.size(1), width = h0.size(2);
  const int64_t cells = projected && c0.dim() == 3 ? c0.size(2) : width;  // elements of c
  const Dims states{h0.size(0), rows, width};
  ORDO_CHECK(h0.size(0) / directions == o.num_layers && h0.size(0) % directions == 0, ShapeError, op,
             "h0 must have {} x {} layers and directions, not {}", o.num_layers, directions, h0.size(0));
  expect_sizes(op, "h0", h0, states);
  if (c0.defined()) expect_sizes(op, "c0", c0, {h0.size(0), rows, cells});
  const auto expect_alike = [&](const Tensor& t) {
    ordo::detail::expect_same_device(op, input, t);
    ORDO_CHECK(t.dtype() == input.dtype(), DTypeError, op, "all tensors must be {}, as the input is; one is {}",
               input.dtype(), t.dtype());
  };
  expect_alike(h0);
  if (c0.defined()) expect_alike(c0);
  for (const Tensor& w : weights) {
    ordo::detail::expect_defined(op, w, "a weight");
    expect_alike(w);
  }
  Tensor lengths, ended;
  if (o.lengths.defined()) {
    ordo::detail::expect_index_dtype(op, o.lengths);
    ORDO_CHECK(o.lengths.device() == cpu, DeviceError, op, "lengths must be on the CPU, not on {}", o.lengths.device());
    expect_sizes(op, "lengths", o.lengths, {rows});
    for (const int64_t n : o.lengths.to_vector<int64_t>())
      ORDO_CHECK(n >= 0 && n <= steps, ValueError, op, "lengths must lie in [0, {}], but one is {}", steps, n);
    lengths = o.lengths.to(int64).clone().to(input.device());
    ended = logical_not(arange(0, steps, 1, {int64, input.device()}).unsqueeze(1) < lengths).unsqueeze(2);  // [T, B, 1]
  }
  const MatmulAlgorithmGuard products(Algorithm::automatic);  // as the kernels' own
  States s;
  const int64_t gates = kernels::gates_of(kind) * cells;
  for (int64_t l = 0; l < o.num_layers; ++l) {
    if (l > 0 && o.train && o.dropout > 0) x = dropout(x, o.dropout, true);
    TensorList outputs;
    for (int64_t d = 0; d < directions; ++d) {
      const int64_t slot = l * directions + d;
      const Tensor* w = &weights[size_t(slot * each)];
      expect_sizes(op, "the weight of a layer's input", w[0], {gates, x.size(2)});
      expect_sizes(op, "the weight of a layer's state", w[1], {gates, width});
      for (int64_t k = 2; k < plain; ++k) expect_sizes(op, "a bias", w[k], {gates});
      if (projected) expect_sizes(op, "the projection", w[plain], {width, cells});
      const Tensor none, &input_bias = o.has_biases ? w[2] : none, &state_bias = o.has_biases ? w[3] : none;
      const Tensor h = h0.select(0, slot), c = c0.defined() ? c0.select(0, slot) : Tensor();
      if (steps == 0) {
        s.h.push_back(h);
        if (c.defined()) s.c.push_back(c);
        outputs.push_back(zeros({0, rows, width}, input.options()));
        continue;
      }
      const bool reverse = d == 1;
      const kernels::RecurrentArguments a{kind, linear(x, w[0], input_bias), h, c, w[1], state_bias, lengths, reverse};
      const TensorList all = projected ? composed(a, w[plain]) : layer(a);
      const int64_t last = reverse ? 0 : steps - 1;
      s.h.push_back(all[0].select(0, last));
      if (c.defined()) s.c.push_back(all[1].select(0, last));
      outputs.push_back(ended.defined() ? masked_fill(all[0], ended, 0) : all[0]);
    }
    x = directions == 1 ? outputs[0] : cat(outputs, 2);
  }
  s.output = o.batch_first ? x.transpose(0, 1) : x;
  return s;
}

RecurrentResult of_one_state(Recurrence kind, const Tensor& input, const Tensor& h0, const TensorList& weights,
                             const RecurrentOptions& o) {
  const OpCall call(name_of(kind), input, h0, weights, o.has_biases, o.num_layers, o.dropout, o.train, o.bidirectional,
                    o.batch_first, o.lengths);
  const States s = run(kind, input, h0, {}, weights, o);
  const TensorList out = call.done(TensorList{s.output, stack(s.h, 0)});
  return {out[0], out[1]};
}

}  // namespace

#define ORDO_OF_ONE_STATE(name)                                                                                      \
  RecurrentResult name(const Tensor& input, const Tensor& h0, const TensorList& weights, RecurrentOptions options) { \
    ORDO_AUTOCAST(lower, name, input, h0, weights, options);                                                         \
    return of_one_state(Recurrence::name, input, h0, weights, options);                                              \
  }
ORDO_OF_ONE_STATE(rnn_tanh)
ORDO_OF_ONE_STATE(rnn_relu)
ORDO_OF_ONE_STATE(gru)
#undef ORDO_OF_ONE_STATE

LstmResult lstm(const Tensor& input, const Tensor& h0, const Tensor& c0, const TensorList& weights,
                RecurrentOptions options) {
  const detail::LibraryCall library;
  ORDO_AUTOCAST(lower, lstm, input, h0, c0, weights, options);
  const RecurrentOptions& o = options;
  const OpCall call("lstm", input, TensorList{h0, c0}, weights, o.has_biases, o.num_layers, o.dropout, o.train,
                    o.bidirectional, o.batch_first, o.lengths);
  const States s = run(Recurrence::lstm, input, h0, c0, weights, o);
  const TensorList out = call.done(TensorList{s.output, stack(s.h, 0), stack(s.c, 0)});
  return {out[0], out[1], out[2]};
}

}  // namespace ordo
