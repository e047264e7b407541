// BatchNorm1d, 2d, 3d: y = (x - mean) / sqrt(var + eps) * weight + bias, per channel
//   x, y [N, C] or [N, C, L], [N, C, H, W], [N, C, D, H, W]; "weight", "bias" [C], starting as 1 and 0; mean and var
//   over all dimensions but C.
// While training, mean and (biased) var are the batch's, and the buffers follow with the unbiased variance:
//   running = (1 - momentum) running + momentum batch;   "running_mean", "running_var", "num_batches_tracked"
// In evaluation mode they are the buffers'.
//
//   nn::BatchNorm2d norm(16);
//   Tensor y = norm(conv(x));
#pragma once

#include <optional>

#include <ordo/nn/module.h>

namespace ordo::nn {

struct BatchNormOptions {
  double eps = 1e-5;
  std::optional<double> momentum = 0.1;  ///< none: the running values are plain averages over all batches
  bool affine = true;                    ///< with weight and bias
  bool track_running_stats = true;       ///< without: the batch's values are used in evaluation mode too
};

/// What BatchNorm and InstanceNorm share.
template <class Options>
class NormWithStatistics : public Module {
 public:
  std::string description() const override;

  Parameter weight, bias;                                 ///< [channels]; undefined unless affine
  Buffer running_mean, running_var, num_batches_tracked;  ///< undefined unless tracked; InstanceNorm's last one stays 0

 protected:
  /// ValueError unless there are channels.
  NormWithStatistics(const char* name, int64_t channels, Options options);
  const char* name_;
  int64_t channels_;
  Options options_;
};

/// Over N spatial dimensions.
template <int N>
class BatchNorm : public NormWithStatistics<BatchNormOptions> {
 public:
  explicit BatchNorm(int64_t channels, BatchNormOptions options = {});
  /// ShapeError unless the input is [N, channels, spatial...].
  Tensor forward(const Tensor& input) override;
};
using BatchNorm1d = BatchNorm<1>;
using BatchNorm2d = BatchNorm<2>;
using BatchNorm3d = BatchNorm<3>;

}  // namespace ordo::nn
