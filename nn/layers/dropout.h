// Dropout: while training, every element becomes 0 with probability p and is divided by 1 - p otherwise; in evaluation
// mode the input passes unchanged. Draws from default_generator().
// Dropout1d, 2d, 3d do so with whole channels, of [N, C, spatial...] or [C, spatial...].
// AlphaDropout keeps mean and variance of what SELU gives: dropped elements become selu(-infinity), and all are scaled
// and shifted.  Klambauer et al., "Self-normalizing neural networks", 2017
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
  /// ValueError unless 0 <= p <= 1.
  DropoutBase(const char* name, double p);
  const char* name_;
  double p_;
};

class Dropout : public DropoutBase {
 public:
  /// ValueError unless 0 <= p <= 1.
  explicit Dropout(double p = 0.5) : DropoutBase("Dropout", p) {}
  Tensor forward(const Tensor& input) override;
};

/// Over N spatial dimensions.
template <int N>
class ChannelDropout : public DropoutBase {
 public:
  /// ValueError unless 0 <= p <= 1.
  explicit ChannelDropout(double p = 0.5);
  /// ShapeError for other inputs.
  Tensor forward(const Tensor& input) override;
};
using Dropout1d = ChannelDropout<1>;
using Dropout2d = ChannelDropout<2>;
using Dropout3d = ChannelDropout<3>;

class AlphaDropout : public DropoutBase {
 public:
  /// ValueError unless 0 <= p <= 1.
  explicit AlphaDropout(double p = 0.5) : DropoutBase("AlphaDropout", p) {}
  Tensor forward(const Tensor& input) override;
};

}  // namespace ordo::nn
