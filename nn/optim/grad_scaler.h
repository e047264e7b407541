// Training with float16.
//
//   amp::GradScaler scaler;
//   for (auto [images, labels] : loader) {
//     optimizer.zero_grad();
//     const Tensor loss = [&] { const amp::Autocast guard(float16); return cross_entropy(model(images), labels); }();
//     scaler.scale(loss).backward();
//     scaler.unscale_(optimizer);                             // only needed where gradients are used before the step
//     optim::clip_grad_norm_(model.parameters(), 1);
//     scaler.step(optimizer);
//     scaler.update();
//   }
#pragma once

#include <unordered_map>

#include <ordo/nn/named_tensor.h>

namespace ordo::optim {
class Optimizer;
}

namespace ordo::amp {

struct GradScalerOptions {
  double init_scale = 65536;
  double growth_factor = 2;
  double backoff_factor = 0.5;
  int64_t growth_interval = 2000;  ///< so many steps in a row without one left out
  bool enabled = true;             ///< otherwise scale() gives the loss back and step() is the optimiser's
};

/// Keeps small gradients of float16 from becoming 0. The loss is multiplied by a scale, so that all gradients are, and
/// they are divided by it before the step. A step whose gradients are not all finite is left out, and the scale falls;
/// after a run of good ones it grows. bfloat16 needs none.
///
/// Throws: ValueError unless the scale is positive and finite in float32, growth_factor > 1, 0 < backoff_factor < 1 and
/// growth_interval > 0.
/// PyTorch: torch.amp.GradScaler.
class GradScaler {
 public:
  explicit GradScaler(GradScalerOptions options = {});

  /// loss times the scale; a 16-bit loss becomes float32 first.
  ///
  /// Throws: DTypeError when the loss is not floating.
  Tensor scale(const Tensor& loss) const;
  /// Divides the gradients of the optimiser's parameters by the scale, in place, and looks whether all are finite.
  ///
  /// Throws: ValueError when it is called again before update(); DTypeError when a gradient is float16: dividing it
  /// loses what the scale saved.
  /// Determinism: each element is tested, and whether all passed does not depend on an order.
  void unscale_(optim::Optimizer& optimizer);
  /// Calls unscale_ unless that was done, then the optimiser's step if all gradients are finite. Otherwise no parameter
  /// and no state of the optimiser changes. Returns whether the step was made.
  ///
  /// Throws: ValueError when it is called again before update().
  bool step(optim::Optimizer& optimizer);
  /// After the steps of all optimisers: the scale times backoff_factor if one was left out, times growth_factor if none
  /// was in growth_interval calls. It does not grow beyond float32's range.
  ///
  /// Throws: ValueError when there was no step.
  void update();

  double get_scale() const { return scale_; }
  /// From the next loss on.
  ///
  /// Throws: as the constructor.
  void set_scale(double scale);
  bool is_enabled() const { return options_.enabled; }

  /// "scale" and "growth_tracker"; options are not part of it.
  nn::NamedTensorList state_dict() const;
  void load_state_dict(const nn::NamedTensorList& state) { prepare_state_dict(state)(); }
  nn::Commit prepare_state_dict(const nn::NamedTensorList& state);

 private:
  struct Seen {
    bool finite, stepped;
  };
  GradScalerOptions options_;
  double scale_;
  int64_t good_ = 0;                                        // steps since one was left out or the scale grew
  std::unordered_map<const optim::Optimizer*, Seen> seen_;  // since the last update()
};

}  // namespace ordo::amp
