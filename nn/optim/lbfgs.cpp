#include <ordo/nn/optim/lbfgs.h>

#include <algorithm>
#include <cmath>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/linalg/matmul.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/shape/cat.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/nn/optim/optimizer_checks.h>
#include <ordo/nn/state/entries.h>

namespace ordo::optim {

static double dot_of(const Tensor& a, const Tensor& b) { return dot(a, b).item(); }
static double largest(const Tensor& t) { return t.numel() == 0 ? 0 : t.abs().max().item(); }

/// Where the cubic through two points with these values and slopes is least, within [low, high].
static double cubic_minimum(double x1, double f1, double slope1, double x2, double f2, double slope2, double low,
                            double high) {
  const double d1 = slope1 + slope2 - 3 * (f1 - f2) / (x1 - x2), square = d1 * d1 - slope1 * slope2;
  if (!(square >= 0)) return (low + high) / 2;
  const double d2 = std::sqrt(square);
  const double least = x1 <= x2 ? x2 - (x2 - x1) * ((slope2 + d2 - d1) / (slope2 - slope1 + 2 * d2))
                                : x1 - (x1 - x2) * ((slope1 + d2 - d1) / (slope1 - slope2 + 2 * d2));
  return std::min(std::max(least, low), high);
}

LBFGS::LBFGS(const TensorList& parameters, LBFGSOptions options) : Optimizer("LBFGS"), options_(options) {
  const ordo::detail::LibraryCall library;
  const char* op = "LBFGS";
  detail::expect_enumerator(op, options.line_search, LineSearch::strong_wolfe,
                            "a line search: there are none and strong_wolfe");
  expect_at_least_0(op, "max_iter", double(options.max_iter));
  expect_at_least_0(op, "max_eval", double(options.max_eval.value_or(0)));
  expect_at_least_0(op, "a tolerance of the gradient", options.tolerance_grad);
  expect_at_least_0(op, "a tolerance of changes", options.tolerance_change);
  ORDO_CHECK(options.history_size >= 1, ValueError, op, "needs a history_size of at least 1, not {}",
             options.history_size);
  add_group(parameters, options.lr);
  expect_parameters();
  const Tensor& first = parameters_[0];
  for (const Tensor& p : parameters_)
    ORDO_CHECK(p.dtype() == first.dtype() && p.device() == first.device(), ValueError, op,
               "takes parameters of one dtype on one device, not of {} on {} and of {} on {}", first.dtype(),
               first.device(), p.dtype(), p.device());
}

void LBFGS::update(size_t, const Tensor&) {
  detail::fail<ValueError>("LBFGS", "computes the loss several times: call step([&] {{ ...; return loss; }})");
}

Tensor LBFGS::flat_grad() const {
  TensorList all;
  for (const Tensor& p : parameters_) {
    const Tensor grad = p.grad();
    all.push_back(wide(grad.defined() ? grad.detach() : zeros_like(p)).reshape({p.numel()}));
  }
  return cat(all);
}

/// The parameters become `from` + t d.
void LBFGS::move(double t, const TensorList& from) {
  const OpCall call("LBFGS", OpEvent::Role::step, parameters_, from, state_.direction, t);
  int64_t begin = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = from[i];
    const Tensor part = state_.direction.narrow(0, begin, p.numel()).view(p.sizes());
    parameters_[i].copy_(wide(p) + part * t);
    begin += p.numel();
  }
  call.done(parameters_);
}

/// d = -H g, by the two loops of algorithm 7.4.
void LBFGS::set_direction(const Tensor& grad) {
  Curvature& s = state_;
  if (++s.iterations == 1) {
    s.direction = grad.neg();
    return;
  }
  const Tensor change = grad - s.grad, step = s.direction * s.t;
  if (const double product = dot_of(change, step); product > 1e-10) {
    if (int64_t(s.steps.size()) == options_.history_size) {
      s.steps.erase(s.steps.begin());
      s.changes.erase(s.changes.begin());
      s.reciprocal.erase(s.reciprocal.begin());
    }
    s.steps.push_back(step);
    s.changes.push_back(change);
    s.reciprocal.push_back(1 / product);
    s.scale = product / dot_of(change, change);
  }
  const size_t n = s.steps.size();
  std::vector<double> alpha(n);
  Tensor d = grad.neg();
  for (size_t i = n; i-- > 0;) {
    alpha[i] = dot_of(s.steps[i], d) * s.reciprocal[i];
    d = d - s.changes[i] * alpha[i];
  }
  d = d * s.scale;
  for (size_t i = 0; i < n; ++i) d = d + s.steps[i] * (alpha[i] - dot_of(s.changes[i], d) * s.reciprocal[i]);
  s.direction = d;
}

/// A point that fulfils the strong Wolfe conditions, or the best one that so many evaluations find.
LBFGS::LinePoint LBFGS::wolfe_point(const std::function<LinePoint(double)>& at, double t, const LinePoint& start,
                                    int64_t evaluations) const {
  const auto too_high = [&](const LinePoint& p) { return p.loss > start.loss + 1e-4 * p.t * start.slope; };
  const auto flat = [&](const LinePoint& p) { return std::abs(p.slope) <= -0.9 * start.slope; };
  // First further and further, until a point with both conditions lies between two.
  LinePoint before = start, point = at(t);
  int64_t made = 0;
  std::optional<std::pair<LinePoint, LinePoint>> between;
  for (; made < evaluations; ++made) {
    if (too_high(point) || (made > 1 && point.loss >= before.loss)) between = {before, point};
    if (!between && flat(point)) return point;
    if (!between && point.slope >= 0) between = {before, point};
    if (between) break;
    const double next = cubic_minimum(before.t, before.loss, before.slope, point.t, point.loss, point.slope,
                                      point.t + 0.01 * (point.t - before.t), point.t * 10);
    before = std::exchange(point, at(next));
  }
  if (!between) between = {start, point};
  // Then closer and closer. `low` has the lower loss.
  auto& [a, b] = *between;
  LinePoint *low = &a, *high = &b;
  if (a.loss > b.loss) std::swap(low, high);
  const double reach = largest(state_.direction);
  for (bool near_end = false; made < evaluations && !(std::abs(b.t - a.t) * reach < options_.tolerance_change);
       ++made) {
    const double left = std::min(a.t, b.t), right = std::max(a.t, b.t), margin = 0.1 * (right - left);
    double next = cubic_minimum(a.t, a.loss, a.slope, b.t, b.loss, b.slope, left, right);
    // A trial near an end is moved inwards if the last one was near, too.
    const bool near = std::min(right - next, next - left) < margin,
               moved = near && (near_end || next >= right || next <= left);
    if (moved) next = std::abs(next - right) < std::abs(next - left) ? right - margin : left + margin;
    near_end = near && !moved;
    const LinePoint trial = at(next);
    if (too_high(trial) || trial.loss >= low->loss) {
      *high = trial;
      low = &a, high = &b;
      if (a.loss > b.loss) std::swap(low, high);
      continue;
    }
    const bool done = flat(trial);
    if (!done && trial.slope * (high->t - low->t) >= 0) *high = *low;
    *low = trial;
    if (done) break;
  }
  return *low;
}

Tensor LBFGS::step(const std::function<Tensor()>& closure) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(closure, ValueError, "LBFGS", "needs a function that computes the loss");
  const NoGrad guard;
  expect_used();
  const int64_t most = options_.max_eval.value_or(options_.max_iter * 5 / 4);
  int64_t evaluations = 0;
  const auto evaluate = [&] {
    const GradMode recorded(true);
    ++evaluations;
    return closure();
  };
  const Tensor first = evaluate();
  double loss = first.item();
  Tensor grad = flat_grad();
  if (largest(grad) <= options_.tolerance_grad) return first;
  for (int64_t i = 1; i <= options_.max_iter; ++i) {
    set_direction(grad);
    state_.grad = grad;
    state_.t = lr() * (state_.iterations == 1 ? std::min(1.0, 1 / grad.abs().sum().item()) : 1);
    const double slope = dot_of(grad, state_.direction), before = loss;
    if (slope > -options_.tolerance_change) break;
    TensorList from;
    for (const Tensor& p : parameters_) from.push_back(p.detach().clone());
    if (options_.line_search == LineSearch::strong_wolfe) {
      const auto at = [&](double t) {
        move(t, from);
        const double value = evaluate().item();
        const Tensor there = flat_grad();
        return LinePoint{t, value, there, dot_of(there, state_.direction)};
      };
      const LinePoint found = wolfe_point(at, state_.t, {0, loss, grad, slope}, most - evaluations);
      state_.t = found.t, loss = found.loss, grad = found.grad;
    }
    move(state_.t, from);
    if (i == options_.max_iter) break;
    if (options_.line_search == LineSearch::none) {
      loss = evaluate().item();
      grad = flat_grad();
    }
    if (evaluations >= most || largest(grad) <= options_.tolerance_grad ||
        largest(state_.direction * state_.t) <= options_.tolerance_change ||
        std::abs(loss - before) < options_.tolerance_change)
      break;
  }
  return first;
}

// -- state ------------------------------------------------------------------------------------------------------------

nn::NamedTensorList LBFGS::common_state() const {
  const Curvature& s = state_;
  if (s.iterations == 0) return {};
  const int64_t pairs = int64_t(s.steps.size());
  nn::NamedTensorList all{nn::state_of("state.0.n_iter", s.iterations),
                          nn::state_of("state.0.pairs", pairs),
                          nn::state_of("state.0.t", s.t),
                          nn::state_of("state.0.H_diag", s.scale),
                          {"state.0.d", s.direction},
                          {"state.0.prev_flat_grad", s.grad}};
  if (pairs > 0) {
    all.push_back({"state.0.old_stps", stack(s.steps)});
    all.push_back({"state.0.old_dirs", stack(s.changes)});
    all.push_back({"state.0.ro", from_vector(s.reciprocal, {pairs})});
  }
  return all;
}

nn::Commit LBFGS::prepare_common_state(nn::Entries& given) {
  Curvature loaded;
  if (given.has("state.0.n_iter")) {
    int64_t n = 0;
    for (const Tensor& p : parameters_) n += p.numel();
    const Tensor like = wide(zeros({0}, parameters_[0].options()));
    const auto taken = [&](const char* name, const Dims& sizes) {
      const Tensor value = given.take(name, sizes);
      return value.defined() ? value.to(like.device(), like.dtype()).clone() : value;
    };
    loaded.iterations = given.take<int64_t>("state.0.n_iter");
    loaded.t = given.take<double>("state.0.t");
    loaded.scale = given.take<double>("state.0.H_diag");
    loaded.direction = taken("state.0.d", {n});
    loaded.grad = taken("state.0.prev_flat_grad", {n});
    const auto pairs = given.take<int64_t>("state.0.pairs");
    ORDO_CHECK(pairs >= 0 && pairs <= options_.history_size, ValueError, "LBFGS",
               "'state.0.pairs' must be from 0 to the history_size {}, not {}", options_.history_size, pairs);
    if (pairs > 0) {
      const Tensor steps = taken("state.0.old_stps", {pairs, n}), changes = taken("state.0.old_dirs", {pairs, n});
      if (const Tensor ro = given.take("state.0.ro", {pairs}); ro.defined()) loaded.reciprocal = ro.to_vector<double>();
      for (int64_t i = 0; i < pairs && steps.defined() && changes.defined(); ++i) {
        loaded.steps.push_back(steps[i].clone());
        loaded.changes.push_back(changes[i].clone());
      }
    }
  }
  return [this, loaded] { state_ = loaded; };
}

}  // namespace ordo::optim
