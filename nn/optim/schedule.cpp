#include <ordo/nn/optim/schedule.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/kernels/math/math.h>
#include <ordo/nn/state/entries.h>

namespace ordo::optim {

static void expect_factor(const char* op, const char* what, double factor) {
  ORDO_CHECK(factor >= 0 && std::isfinite(factor), ValueError, op, "needs {} of at least 0, not {}", what, factor);
}

/// By squaring: the C library's pow() differs in the last bit between machines.
static double power(double base, int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2) result *= base;
  return result;
}

/// `factor` of a step, which is checked first.
template <class F>
static Schedule schedule(const char* op, F factor) {
  return [op, factor = std::move(factor)](int64_t step) -> double {
    ORDO_CHECK(step >= 0, ValueError, op, "needs a step of at least 0, not {}", step);
    return factor(step);
  };
}

/// From `from` to `to` along half a cosine, of which `part` of 1 is done.
static double along_cosine(double from, double to, double part) {
  constexpr double kPi = 3.141592653589793;
  return to + (from - to) * ((1 + math::cos(kPi * part)) / 2);
}

Schedule constant(double factor) {
  const ordo::detail::LibraryCall library;
  expect_factor("constant", "a factor", factor);
  return schedule("constant", [=](int64_t) { return factor; });
}

Schedule step_decay(int64_t every, double gamma) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(every >= 1, ValueError, "step_decay", "needs at least 1 step, not {}", every);
  expect_factor("step_decay", "gamma", gamma);
  return schedule("step_decay", [=](int64_t step) { return power(gamma, step / every); });
}

Schedule multi_step(const std::vector<int64_t>& milestones, double gamma) {
  const ordo::detail::LibraryCall library;
  expect_factor("multi_step", "gamma", gamma);
  ORDO_CHECK(std::is_sorted(milestones.begin(), milestones.end()), ValueError, "multi_step",
             "needs milestones in ascending order");
  return schedule("multi_step", [=](int64_t step) {
    return power(gamma, std::upper_bound(milestones.begin(), milestones.end(), step) - milestones.begin());
  });
}

Schedule exponential(double gamma) {
  const ordo::detail::LibraryCall library;
  expect_factor("exponential", "gamma", gamma);
  return schedule("exponential", [=](int64_t step) { return power(gamma, step); });
}

Schedule cosine(int64_t steps, double last) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(steps >= 1, ValueError, "cosine", "needs at least 1 step, not {}", steps);
  expect_factor("cosine", "a last factor", last);
  return schedule("cosine", [=](int64_t step) {
    return step >= steps ? last : along_cosine(1, last, double(step) / double(steps));
  });
}

Schedule cosine_restarts(int64_t steps, int64_t factor, double last) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(steps >= 1 && factor >= 1, ValueError, "cosine_restarts",
             "needs steps and a factor of at least 1, not {} and {}", steps, factor);
  expect_factor("cosine_restarts", "a last factor", last);
  return schedule("cosine_restarts", [=](int64_t step) {
    int64_t length = steps;
    if (factor == 1) step %= length;
    while (step >= length) {
      step -= length;
      if (__builtin_mul_overflow(length, factor, &length)) length = INT64_MAX;
    }
    return along_cosine(1, last, double(step) / double(length));
  });
}

Schedule polynomial(int64_t steps, double power) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(steps >= 1, ValueError, "polynomial", "needs at least 1 step, not {}", steps);
  ORDO_CHECK(power > 0 && std::isfinite(power), ValueError, "polynomial", "needs a power above 0, not {}", power);
  return schedule("polynomial", [=](int64_t step) {
    if (step >= steps) return 0.0;
    const double left = 1 - double(step) / double(steps);
    return power == 1 ? left : math::exp(power * math::log(left));
  });
}

Schedule one_cycle(int64_t steps, OneCycleOptions o) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(steps >= 1, ValueError, "one_cycle", "needs at least 1 step, not {}", steps);
  ORDO_CHECK(o.rise > 0 && o.rise < 1, ValueError, "one_cycle", "needs a rise between 0 and 1, not {}", o.rise);
  expect_factor("one_cycle", "a first factor", o.first);
  expect_factor("one_cycle", "a last factor", o.last);
  const double peak = std::max(0.0, o.rise * double(steps) - 1), end = double(steps - 1);
  return schedule("one_cycle", [=](int64_t step) {
    const double at = std::min(double(step), end);
    if (at < peak) return along_cosine(o.first, 1, at / peak);
    return end > peak ? along_cosine(1, o.last, (at - peak) / (end - peak)) : o.last;
  });
}

Schedule warmup(int64_t steps, Schedule then, double first) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(steps >= 0, ValueError, "warmup", "needs at least 0 steps, not {}", steps);
  ORDO_CHECK(then, ValueError, "warmup", "needs a schedule to go on with");
  expect_factor("warmup", "a first factor", first);
  return schedule("warmup", [=](int64_t step) {
    return step >= steps ? then(step - steps) : first + (1 - first) * (double(step) / double(steps));
  });
}

Plateau::Plateau(PlateauOptions options)
    : options_(options),
      best_(options.larger_is_better ? -std::numeric_limits<double>::infinity()
                                     : std::numeric_limits<double>::infinity()) {
  ORDO_CHECK(options.gamma >= 0 && options.gamma < 1, ValueError, "Plateau", "needs gamma in [0, 1), not {}",
             options.gamma);
  ORDO_CHECK(options.patience >= 0 && options.cooldown >= 0, ValueError, "Plateau",
             "needs a patience and a cooldown of at least 0, not {} and {}", options.patience, options.cooldown);
  ORDO_CHECK(options.threshold >= 0 && options.threshold < 1, ValueError, "Plateau",
             "needs a threshold in [0, 1), not {}", options.threshold);
  expect_factor("Plateau", "a least factor", options.least);
}

double Plateau::update(double metric) {
  const auto& o = options_;
  // Infinite before the first value; PyTorch multiplies, which moves the bar the wrong way for negative metrics.
  const double margin = std::isinf(best_) ? 0 : o.threshold * std::abs(best_);
  const bool better = o.larger_is_better ? metric > best_ + margin : metric < best_ - margin;
  if (better) best_ = metric;
  bad_ = better || cooling_ > 0 ? 0 : bad_ + 1;
  if (cooling_ > 0) --cooling_;
  if (bad_ > o.patience) {
    factor_ = std::max(factor_ * o.gamma, std::min(o.least, factor_));
    cooling_ = o.cooldown;
    bad_ = 0;
  }
  return factor_;
}

nn::NamedTensorList Plateau::state_dict() const {
  const ordo::detail::LibraryCall library;
  return {nn::state_of("factor", factor_), nn::state_of("best", best_), nn::state_of("bad", bad_),
          nn::state_of("cooling", cooling_)};
}

nn::Commit Plateau::prepare_state_dict(const nn::NamedTensorList& state) {
  const ordo::detail::LibraryCall library;
  nn::Entries given("Plateau", state);
  const double factor = given.take<double>("factor"), best = given.take<double>("best");
  const int64_t bad = given.take<int64_t>("bad"), cooling = given.take<int64_t>("cooling");
  given.finish();
  expect_factor("Plateau", "a factor", factor);
  return [=, this] { factor_ = factor, best_ = best, bad_ = bad, cooling_ = cooling; };
}

}  // namespace ordo::optim
