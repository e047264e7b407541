// Schedules: what the learning rate is multiplied by, in closed form of the number of steps made before.
//
//   const optim::Schedule schedule = optim::warmup(500, optim::cosine(9500));
//   for (int64_t step = 0; step < 10000; ++step) {
//     ...
//     optimizer.set_lr_factor(schedule(step));
//     optimizer.step();
//   }
//
// A schedule remembers nothing, so a resumed run needs the number of its step only. Its bits are the same on every
// machine. Steps are numbered from 0; those after the last keep its factor.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <ordo/nn/named_tensor.h>

namespace ordo::optim {

/// The factor of a step.
///
/// Throws: ValueError when the step is negative. The functions that make schedules: ValueError when a number is out of
/// its range.
using Schedule = std::function<double(int64_t step)>;

/// `factor` at every step.
///
/// PyTorch: torch.optim.lr_scheduler.ConstantLR without an end.
Schedule constant(double factor = 1);
/// gamma^(step / every), rounded down.
///
/// PyTorch: torch.optim.lr_scheduler.StepLR.
Schedule step_decay(int64_t every, double gamma = 0.1);
/// gamma^(number of milestones <= step). The milestones ascend.
///
/// PyTorch: torch.optim.lr_scheduler.MultiStepLR.
Schedule multi_step(const std::vector<int64_t>& milestones, double gamma = 0.1);
/// gamma^step.
///
/// PyTorch: torch.optim.lr_scheduler.ExponentialLR.
Schedule exponential(double gamma);
/// From 1 at step 0 to `last` at step `steps`, along half a cosine: last + (1 - last) (1 + cos(pi step / steps)) / 2.
///
/// PyTorch: torch.optim.lr_scheduler.CosineAnnealingLR.
/// Source: Loshchilov, Hutter, "SGDR: stochastic gradient descent with warm restarts", 2017.
Schedule cosine(int64_t steps, double last = 0);

/// cosine(steps, last) again and again, each time `factor` times as long as before.
///
/// PyTorch: torch.optim.lr_scheduler.CosineAnnealingWarmRestarts.
/// Source: as cosine.
Schedule cosine_restarts(int64_t steps, int64_t factor = 1, double last = 0);
/// (1 - step / steps)^power until step `steps`, then 0.
///
/// PyTorch: torch.optim.lr_scheduler.PolynomialLR.
Schedule polynomial(int64_t steps, double power = 1);

struct OneCycleOptions {
  double rise = 0.3;         ///< the part of the steps before the peak
  double first = 0.04;       ///< the factor at step 0
  double last = 0.04 / 1e4;  ///< the factor at step `steps` - 1
};
/// Along half a cosine up to 1 and along another one down.
///
/// PyTorch: torch.optim.lr_scheduler.OneCycleLR, without its momentum.
/// Source: Smith, Topin, "Super-convergence: very fast training of neural networks using large learning rates", 2019.
Schedule one_cycle(int64_t steps, OneCycleOptions options = {});
/// From `first` at step 0 evenly up to 1 at step `steps`; from there on `then`, whose step 0 that is.
///
/// PyTorch: torch.optim.lr_scheduler.LinearLR, then SequentialLR.
Schedule warmup(int64_t steps, Schedule then = constant(), double first = 0);

struct PlateauOptions {
  double gamma = 0.1;       ///< the factor is multiplied by it
  int64_t patience = 10;    ///< after more than so many values in a row that are no better than the best
  double threshold = 1e-4;  ///< better: by more than this part of the best
  int64_t cooldown = 0;     ///< values that count for nothing after a reduction
  double least = 0;         ///< of the factor
  bool larger_is_better = false;
};
/// A factor that falls when a metric stops getting better.
///   optim::Plateau plateau({.patience = 3});
///   optimizer.set_lr_factor(plateau.update(validation_loss));
///
/// Throws: ValueError when a number is out of its range.
/// PyTorch: torch.optim.lr_scheduler.ReduceLROnPlateau with relative thresholds.
class Plateau {
 public:
  explicit Plateau(PlateauOptions options = {});
  /// The factor after this value of the metric. A NaN is no better than anything.
  double update(double metric);
  double factor() const { return factor_; }

  nn::NamedTensorList state_dict() const;
  void load_state_dict(const nn::NamedTensorList& state) { prepare_state_dict(state)(); }
  nn::Commit prepare_state_dict(const nn::NamedTensorList& state);

 private:
  PlateauOptions options_;
  double factor_ = 1, best_;
  int64_t bad_ = 0, cooling_ = 0;
};

}  // namespace ordo::optim
