// An average of weights.
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

/// An exponential moving average of weights, which often does better than the weights themselves: average = average +
/// (1 - decay) (parameter - average). The averages begin as copies of the parameters.
///
/// Throws: ValueError when there are no parameters or decay is outside of [0, 1].
/// PyTorch: torch.optim.swa_utils.AveragedModel.
class EMA {
 public:
  explicit EMA(TensorList parameters, EMAOptions options = {});

  /// Takes the parameters into the averages.
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
