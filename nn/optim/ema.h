// EMA: an exponential moving average of weights, which often does better than the weights themselves.
//
//   optim::EMA average(model.parameters(), {.decay = 0.999});
//   ... optimizer.step(); average.update(); ...
//   average.swap();    // the model now has the averages
//   validate(model);
//   average.swap();    // and its own weights again
#pragma once

#include <ordo/nn/named_tensor.h>

namespace ordo::optim {

struct EMAOptions {
  double decay = 0.999;
  /// The first averages use min(decay, (1 + updates) / (10 + updates)), so that they forget the first weights sooner.
  bool warm_up = false;
};

class EMA {
 public:
  /// The averages begin as copies of the parameters. ValueError when there are none or decay is not in [0, 1].
  explicit EMA(TensorList parameters, EMAOptions options = {});

  /// average = average + (1 - decay) (parameter - average).
  void update();
  /// Exchanges the parameters' values with the averages.
  void swap();
  const TensorList& averages() const { return averages_; }

  nn::NamedTensorList state_dict() const;
  void load_state_dict(const nn::NamedTensorList& state) { prepare_state_dict(state)(); }
  nn::Commit prepare_state_dict(const nn::NamedTensorList& state);

 private:
  TensorList parameters_, averages_;
  EMAOptions options_;
  int64_t updates_ = 0;
};

}  // namespace ordo::optim
