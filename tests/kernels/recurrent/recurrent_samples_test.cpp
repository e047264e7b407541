#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::recurrent_samples_test {
namespace {

enum class Kind { rnn_tanh, rnn_relu, gru, lstm };

struct Shape {
  int64_t steps, rows, inputs, width;
  RecurrentOptions options = {};
  std::vector<int64_t> lengths = {};
  int64_t projected = 0;  // lstm: elements of h; 0: as many as of c
  int64_t of_h() const { return projected > 0 ? projected : width; }
};

int64_t gates_of(Kind kind) { return kind == Kind::lstm ? 4 : kind == Kind::gru ? 3 : 1; }
int64_t directions_of(const Shape& s) { return s.options.bidirectional ? 2 : 1; }
/// The states come first among the inputs after x.
size_t first_weight(Kind kind) { return kind == Kind::lstm ? 3 : 2; }

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

/// A matrix times a vector, and bias.
std::vector<double> product(const std::vector<double>& w, const std::vector<double>& v,
                            const std::vector<double>& bias) {
  std::vector<double> out(w.size() / v.size());
  for (size_t r = 0; r < out.size(); ++r) {
    out[r] = bias.empty() ? 0 : bias[r];
    for (size_t k = 0; k < v.size(); ++k) out[r] += w[r * v.size() + k] * v[k];
  }
  return out;
}

/// Sequence after sequence: its outputs, then all states of the layers; laid out as results() does.
std::vector<double> reference(Kind kind, const Shape& s, const TensorList& in) {
  const int64_t directions = directions_of(s), slots = s.options.num_layers * directions, H = s.width, P = s.of_h();
  const size_t plain = s.options.has_biases ? 4 : 2, each = plain + (s.projected > 0 ? 1 : 0);
  std::vector<std::vector<double>> tensors;
  for (const Tensor& t : in) tensors.push_back(t.to_vector<double>());
  std::vector<double> output(size_t(s.steps * s.rows * directions * P)), last_h(size_t(slots * s.rows * P)),
      last_c(size_t(slots * s.rows * H));
  for (int64_t b = 0; b < s.rows; ++b) {
    const int64_t length = s.lengths.empty() ? s.steps : s.lengths[size_t(b)];
    std::vector<std::vector<double>> x(static_cast<size_t>(length));
    for (int64_t t = 0; t < length; ++t)
      for (int64_t i = 0; i < s.inputs; ++i) {
        const int64_t at = s.options.batch_first ? b * s.steps + t : t * s.rows + b;
        x[size_t(t)].push_back(tensors[0][size_t(at * s.inputs + i)]);
      }
    for (int64_t l = 0; l < s.options.num_layers; ++l) {
      std::vector<std::vector<double>> y(static_cast<size_t>(length), std::vector<double>(size_t(directions * P)));
      for (int64_t d = 0; d < directions; ++d) {
        const int64_t slot = l * directions + d;
        const auto* w = &tensors[first_weight(kind) + size_t(slot) * each];
        const std::vector<double> none, &b_ih = s.options.has_biases ? w[2] : none,
                                        &b_hh = s.options.has_biases ? w[3] : none;
        const auto state_of = [&](const std::vector<double>& all, int64_t size) {
          const auto begin = all.begin() + (slot * s.rows + b) * size;
          return std::vector<double>(begin, begin + size);
        };
        std::vector<double> h = state_of(tensors[1], P), c = kind == Kind::lstm ? state_of(tensors[2], H) : none;
        for (int64_t k = 0; k < length; ++k) {
          const auto t = size_t(d ? length - 1 - k : k);
          const auto xs = product(w[0], x[t], b_ih), hs = product(w[1], h, b_hh);
          h.resize(size_t(H));
          for (size_t j = 0; j < size_t(H); ++j) {
            const auto part = [&](size_t g) { return xs[g * size_t(H) + j] + hs[g * size_t(H) + j]; };
            if (kind == Kind::lstm) {
              c[j] = sigmoid_of(part(1)) * c[j] + sigmoid_of(part(0)) * std::tanh(part(2));
              h[j] = sigmoid_of(part(3)) * std::tanh(c[j]);
            } else if (kind == Kind::gru) {
              const double r = sigmoid_of(part(0)), z = sigmoid_of(part(1));
              const double n = std::tanh(xs[2 * size_t(H) + j] + r * hs[2 * size_t(H) + j]);
              h[j] = (1 - z) * n + z * h[j];
            } else {
              h[j] = kind == Kind::rnn_tanh ? std::tanh(part(0)) : std::max(part(0), 0.0);
            }
          }
          if (s.projected > 0) h = product(w[plain], h, none);
          std::copy(h.begin(), h.end(), y[t].begin() + d * P);
        }
        std::copy(h.begin(), h.end(), last_h.begin() + (slot * s.rows + b) * P);
        std::copy(c.begin(), c.end(), last_c.begin() + (slot * s.rows + b) * H);
      }
      x = y;
    }
    for (int64_t t = 0; t < length; ++t)
      for (int64_t j = 0; j < directions * P; ++j) {
        const int64_t at = s.options.batch_first ? b * s.steps + t : t * s.rows + b;
        output[size_t(at * directions * P + j)] = x[size_t(t)][size_t(j)];
      }
  }
  output.insert(output.end(), last_h.begin(), last_h.end());
  if (kind == Kind::lstm) output.insert(output.end(), last_c.begin(), last_c.end());
  return output;
}

Tensor results(Kind kind, const Shape& s, const TensorList& in) {
  RecurrentOptions options = s.options;
  if (!s.lengths.empty()) options.lengths = from_vector<int64_t>(s.lengths, {s.rows});
  const TensorList weights(in.begin() + int64_t(first_weight(kind)), in.end());
  TensorList parts;
  if (kind == Kind::lstm) {
    const LstmResult r = lstm(in[0], in[1], in[2], weights, options);
    parts = {r.output, r.h, r.c};
  } else {
    const auto f = kind == Kind::gru ? gru : kind == Kind::rnn_tanh ? rnn_tanh : rnn_relu;
    const RecurrentResult r = f(in[0], in[1], weights, options);
    parts = {r.output, r.h};
  }
  for (Tensor& t : parts) t = t.reshape({-1});
  return cat(parts, 0);
}

TensorList inputs_of(Kind kind, const Shape& s) {
  const int64_t directions = directions_of(s), slots = s.options.num_layers * directions,
                rows = gates_of(kind) * s.width;
  uint64_t stream = 0;
  const auto values = [&](const Dims& sizes, double most) { return test_values(sizes, stream++, -most, most); };
  TensorList in{s.options.batch_first ? values({s.rows, s.steps, s.inputs}, 2)
                                      : values({s.steps, s.rows, s.inputs}, 2)};
  for (size_t k = 1; k < first_weight(kind); ++k) in.push_back(values({slots, s.rows, k == 1 ? s.of_h() : s.width}, 1));
  for (int64_t slot = 0; slot < slots; ++slot) {
    in.push_back(values({rows, slot < directions ? s.inputs : directions * s.of_h()}, 0.7));
    in.push_back(values({rows, s.of_h()}, 0.7));
    for (int k = 0; k < 2 && s.options.has_biases; ++k) in.push_back(values({rows}, 0.5));
    if (s.projected > 0) in.push_back(values({s.projected, s.width}, 0.7));
  }
  return in;
}

Sample sample(Kind kind, const char* label, const Shape& s) {
  return {.label = label,
          .inputs = inputs_of(kind, s),
          .run = [=](const TensorList& in) { return results(kind, s, in); },
          .reference = [=](const TensorList& in) { return reference(kind, s, in); },
          .gradient = s.steps * s.rows * s.width <= 60,
          .second_order = s.steps * s.rows * s.width <= 12,
          .tolerance = 32};
}

/// Without the last states, and so with one dimension for the sequences.
Sample output_alone(Kind kind) {
  const Shape s{3, 4, 5, 6};
  Sample all = sample(kind, "output alone", s);
  all.run = [kind](const TensorList& in) {
    const TensorList weights(in.begin() + int64_t(first_weight(kind)), in.end());
    if (kind == Kind::lstm) return lstm(in[0], in[1], in[2], weights).output;
    const auto f = kind == Kind::gru ? gru : kind == Kind::rnn_tanh ? rnn_tanh : rnn_relu;
    return f(in[0], in[1], weights, {}).output;
  };
  all.reference = [=](const TensorList& in) {
    std::vector<double> values = reference(kind, s, in);
    values.resize(size_t(s.steps * s.rows * s.width));
    return values;
  };
  return all;
}

std::vector<Sample> samples(Kind kind) {
  std::vector<Sample> all{
      output_alone(kind),
      sample(kind, "one step", {1, 2, 3, 2}),
      sample(kind, "steps", {3, 2, 2, 3}),
      sample(kind, "two layers", {3, 1, 2, 2, {.num_layers = 2}}),
      sample(kind, "both directions", {2, 2, 3, 2, {.bidirectional = true}}),
      sample(kind, "all of it", {2, 1, 2, 2, {.num_layers = 2, .bidirectional = true, .batch_first = true}}),
      sample(kind, "no biases", {2, 2, 2, 2, {.has_biases = false}}),
      sample(kind, "lengths", {4, 3, 2, 1, {}, {2, 4, 0}}),
      sample(kind, "lengths, both directions", {3, 3, 2, 2, {.num_layers = 2, .bidirectional = true}, {3, 0, 2}}),
      sample(kind, "no sequences", {3, 0, 2, 2}),
      sample(kind, "no steps", {0, 2, 2, 2}),
      sample(kind, "wide", {5, 7, 20, 33}),
  };
  if (kind != Kind::lstm) return all;
  all.push_back(sample(kind, "projected", {2, 2, 2, 3, {}, {}, 2}));
  all.push_back(sample(kind, "projected, without biases", {2, 1, 2, 2, {.has_biases = false}, {}, 1}));
  all.push_back(sample(kind, "projected, all of it",
                       {3, 2, 2, 2, {.num_layers = 2, .bidirectional = true, .batch_first = true}, {2, 3}, 1}));
  return all;
}
std::vector<Sample> of_size(Kind kind, int64_t n) {
  return {
      sample(kind, "sequences", {2, n, 2, 3}), sample(kind, "steps", {std::min<int64_t>(n, 300), 2, 1, 2}),
      sample(kind, "both, with lengths", {2, n, 1, 1, {.bidirectional = true}, std::vector<int64_t>(size_t(n), 1)})};
}

Tensor small(Kind kind, RecurrentOptions options, Device d) {
  const Shape s{2, 1, 2, 2};
  TensorList in = inputs_of(kind, s);
  for (Tensor& t : in) t = t.to(d);
  return results(kind, {s.steps, s.rows, s.inputs, s.width, options}, in);
}
// clang-format off
#define ORDO_RECURRENT_SAMPLES(op)                       \
  ORDO_OP_SAMPLES(op) { return samples(Kind::op); }      \
  ORDO_OP_SIZES(op) { return of_size(Kind::op, n); }     \
  ORDO_OP_INTEGER(op, "num_layers", small(Kind::op, {.num_layers = v}, d)); \
  ORDO_OP_INTEGER(op, "lengths", small(Kind::op, {.lengths = from_vector<int64_t>({v}, {1})}, d));
// clang-format on
ORDO_RECURRENT_SAMPLES(rnn_tanh)
ORDO_RECURRENT_SAMPLES(rnn_relu)
ORDO_RECURRENT_SAMPLES(gru)
ORDO_RECURRENT_SAMPLES(lstm)

TEST(Recurrent, refuses) {
  const Shape s{2, 3, 2, 2};
  const TensorList in = inputs_of(Kind::lstm, s), w(in.begin() + 3, in.end());
  EXPECT_ORDO_ERROR(lstm(in[0], in[1], in[2], w, {.dropout = 1.5}), ValueError, "dropout");
  const auto with_lengths = [&](std::vector<int64_t> lengths) {
    return lstm(in[0], in[1], in[2], w, {.lengths = from_vector<int64_t>(lengths, {int64_t(lengths.size())})}).h;
  };
  EXPECT_ORDO_ERROR(with_lengths({1, 2}), ShapeError, "lengths");
}

// What lies behind the end of a sequence does not matter, to results and gradients.
TEST(Recurrent, padding_does_not_matter) {
  Shape s{4, 2, 2, 3, {.bidirectional = true}};
  s.lengths = {2, 4};
  TensorList in = inputs_of(Kind::gru, s);
  Tensor other = in[0].clone();
  other.narrow(0, 2, 2).select(1, 0).fill_(1e3);
  EXPECT_EQ(bytes_of(results(Kind::gru, s, in)), bytes_of(results(Kind::gru, s, [&] {
              TensorList changed = in;
              changed[0] = other;
              return changed;
            }())));
  in[0].set_requires_grad();
  sum(results(Kind::gru, s, in)).backward();
  EXPECT_EQ(sum(in[0].grad().narrow(0, 2, 2).select(1, 0) != 0).item<int64_t>(), 0);
}

TEST(Recurrent, dropout_between_layers_only) {
  const Shape s{2, 2, 2, 3, {.num_layers = 2, .dropout = 1, .train = true}};
  const TensorList in = inputs_of(Kind::rnn_tanh, s);
  const TensorList w(in.begin() + 2, in.end());
  manual_seed(1);
  const RecurrentResult r = rnn_tanh(in[0], in[1], w, s.options);
  // The second layer sees zeros: its result is that of an input of zeros.
  const TensorList second(w.begin() + 4, w.end());
  const RecurrentResult of_zeros = rnn_tanh(zeros({2, 2, 3}, {float64}), in[1].narrow(0, 1, 1), second);
  EXPECT_EQ(bytes_of(r.output), bytes_of(of_zeros.output));
  EXPECT_EQ(bytes_of(rnn_tanh(in[0], in[1], w, {.num_layers = 2, .dropout = 1}).output),
            bytes_of(rnn_tanh(in[0], in[1], w, {.num_layers = 2}).output));
}

}  // namespace
}  // namespace ordo::test::recurrent_samples_test
