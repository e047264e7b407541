#include <ordo/autograd/autograd.h>
#include <ordo/autograd/tape.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/run/philox.h>

namespace ordo {

/// Weights for the outputs, fixed and away from zero, so that no gradient is hidden by cancellation.
static Tensor weights_for(const Tensor& t) {
  std::vector<double> w(size_t(t.numel()));
  for (size_t i = 0; i < w.size(); ++i) {
    const PhiloxBlock block = philox(0x6f72646f, 0, i);
    w[i] = (0.5 + block.v[0] * 0x1p-32) * (block.v[1] & 1u ? 1 : -1);
  }
  return from_vector(w, t.sizes(), t.options());
}

static double weighted_sum(const Tensor& t, const std::vector<double>& weights) {
  const auto values = t.to_vector<double>();
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += values[i] * weights[i];
  return sum;
}

static std::string check_first_order(const std::function<Tensor(const TensorList&)>& f, const TensorList& inputs,
                                     const GradcheckOptions& options, std::string_view what) {
  TensorList wanted;
  std::vector<size_t> which;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined() || !inputs[i].requires_grad()) continue;
    ORDO_CHECK(inputs[i].dtype() == float64, DTypeError, "gradcheck", "input {} is {}; finite differences need float64",
               i, inputs[i].dtype());
    wanted.push_back(inputs[i]);
    which.push_back(i);
  }
  ORDO_CHECK(!wanted.empty(), ValueError, "gradcheck", "no input requires a gradient");
  const Tensor out = f(inputs);
  if (!out.requires_grad()) return fmt::format("{}: the result does not depend on the inputs", what);
  const Tensor weights = weights_for(out);
  const auto w = weights.to_vector<double>();
  const TensorList analytic = grad({out}, wanted, {weights});
  NoGrad guard;
  for (size_t k = 0; k < wanted.size(); ++k) {
    const auto values = wanted[k].to_vector<double>();
    const auto got = analytic[k].defined() ? analytic[k].to_vector<double>() : std::vector<double>(values.size(), 0.0);
    for (size_t i = 0; i < values.size(); ++i) {
      double side[2];
      for (int s = 0; s < 2; ++s) {
        auto moved = values;
        moved[i] += s ? -options.eps : options.eps;
        TensorList changed = inputs;
        changed[which[k]] = from_vector(moved, wanted[k].sizes(), wanted[k].options());
        side[s] = weighted_sum(f(changed), w);
      }
      const double numeric = (side[0] - side[1]) / (2 * options.eps);
      if (!(std::abs(numeric - got[i]) <= options.atol + options.rtol * std::abs(numeric)))
        return fmt::format("{}: gradient of input {} at element {} is {}, finite differences give {}", what, which[k],
                           i, got[i], numeric);
    }
  }
  return "";
}

std::string gradcheck(const std::function<Tensor(const TensorList&)>& f, const TensorList& inputs,
                      GradcheckOptions options) {
  std::string error = check_first_order(f, inputs, options, "first order");
  if (!error.empty() || !options.second_order) return error;
  // The gradient, weighted, as a function of the inputs and of the weights.
  TensorList all = inputs;
  const Tensor out = no_grad([&] { return f(inputs); });
  all.push_back(weights_for(out).set_requires_grad());
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (!inputs[k].defined() || !inputs[k].requires_grad()) continue;
    bool reached = true;
    const auto gradient = [&](const TensorList& in) {
      const GradMode on(true);
      TensorList leaves(in.begin(), in.end() - 1);
      Tensor x = leaves[k];
      if (!x.requires_grad()) x.set_requires_grad();
      Tensor g = in.back();
      const Tensor dx = grad({f(leaves)}, {x}, {g}, true, true)[0];
      reached = dx.defined() && dx.requires_grad();
      return dx.defined() ? dx : zeros_like(x);
    };
    gradient(all);
    if (!reached) continue;  // f is linear in nothing: its gradient is constant
    error = check_first_order(gradient, all, options, fmt::format("second order, input {}", k));
    if (!error.empty()) return error;
  }
  return "";
}

}  // namespace ordo
