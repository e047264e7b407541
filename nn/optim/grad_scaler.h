// GradScaler: keeps small gradients of float16 from becoming 0. The loss is multiplied by a scale, so that all
// gradients are, and they are divided by it before the step. A step whose gradients are not all finite is left out, and
// the scale falls; after a run of good ones it grows.
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
//
// As torch.amp.GradScaler. bfloat16 needs none.
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

class GradScaler {
 public:
  /// ValueError unless the scale is positive and finite in float32, growth_factor > 1, 0 < backoff_factor < 1 and
  /// growth_interval > 0.
  explicit GradScaler(GradScalerOptions options = {});

  /// loss times the scale; a 16-bit loss becomes float32 first.
  Tensor scale(const Tensor& loss) const;
  /// Divides the gradients of the optimiser's parameters by the scale, in place, and looks whether all are finite: a
  /// test of each element, and of whether all passed, which no order changes. ValueError for a second call before
  /// update(), DTypeError for a gradient of float16: dividing it loses what the scale saved.
  void unscale_(optim::Optimizer& optimizer);
  /// Calls unscale_ unless that was done, then the optimiser's step if all gradients are finite. Otherwise no parameter
  /// and no state of the optimiser changes. Returns whether the step was made. ValueError for a second call before
  /// update().
  bool step(optim::Optimizer& optimizer);
  /// After the steps of all optimisers: the scale times backoff_factor if one was left out, times growth_factor if none
  /// was in growth_interval calls. It does not grow beyond float32's range. ValueError when there was no step.
  void update();

  double get_scale() const { return scale_; }
  /// From the next loss on. ValueError as the constructor.
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
