// Dropout. In evaluation mode the input passes unchanged; random numbers come from default_generator().
//
//   nn::Sequential model{nn::Linear(100, 100), nn::ReLU(), nn::Dropout(0.2)};
#pragma once

#include <ordo/nn/module.h>

namespace ordo::nn {

/// What the dropouts share.
class DropoutBase : public Module {
 public:
  std::string description() const override;

 protected:
  DropoutBase(const char* name, double p);
  const char* name_;
  double p_;
};

/// While training, every element becomes 0 with probability p and is divided by 1 - p otherwise.
///
/// Throws: ValueError unless 0 <= p <= 1; forward as dropout.
/// PyTorch: torch.nn.Dropout.
struct Dropout : DropoutBase {
  explicit Dropout(double p = 0.5) : DropoutBase("Dropout", p) {}
  Tensor forward(const Tensor& input) override;
};

/// Dropout of whole channels, over N spatial dimensions.
///
/// Shapes: [N, C, spatial...] or [C, spatial...].
/// Dtypes: floating.
/// Throws: ValueError unless 0 <= p <= 1; ShapeError, DTypeError for other inputs.
/// PyTorch: torch.nn.Dropout1d, 2d, 3d.
template <int N>
struct ChannelDropout : DropoutBase {
  explicit ChannelDropout(double p = 0.5);
  Tensor forward(const Tensor& input) override;
};
using Dropout1d = ChannelDropout<1>;
using Dropout2d = ChannelDropout<2>;
using Dropout3d = ChannelDropout<3>;

/// While training, every element becomes selu(-infinity) with probability p. All are then scaled and shifted, so that
/// what SELU gives keeps its mean and variance.
///
/// Dtypes: floating.
/// Throws: ValueError unless 0 <= p <= 1; DTypeError for other inputs while training.
/// PyTorch: torch.nn.AlphaDropout.
/// Source: Klambauer et al., "Self-normalizing neural networks", 2017.
struct AlphaDropout : DropoutBase {
  explicit AlphaDropout(double p = 0.5) : DropoutBase("AlphaDropout", p) {}
  Tensor forward(const Tensor& input) override;
};

}  // namespace ordo::nn
