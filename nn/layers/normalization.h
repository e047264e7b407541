// BatchNorm1d, 2d, 3d: y = (x - mean) / sqrt(var + eps) * weight + bias, per channel
//   x, y [N, C] or [N, C, L], [N, C, H, W], [N, C, D, H, W]; "weight", "bias" [C], starting as 1 and 0; mean and var
//   over all dimensions but C.
// While training, mean and (biased) var are the batch's, and the buffers follow with the unbiased variance:
//   running = (1 - momentum) running + momentum batch;   "running_mean", "running_var", "num_batches_tracked"
// In evaluation mode they are the buffers'.
//
//   nn::BatchNorm2d norm(16);
//   Tensor y = norm(conv(x));
//
// Normalisation that needs no batch: LayerNorm, RMSNorm, GroupNorm, InstanceNorm1d, 2d, 3d and LocalResponseNorm
// compute what layer_norm, rms_norm, group_norm, instance_norm and local_response_norm do. "weight" and "bias" start as
// 1 and 0.
//
//   nn::Sequential model{nn::Linear(64, 64), nn::LayerNorm(64)};
#pragma once

#include <initializer_list>
#include <optional>

#include <ordo/autograd/ops/functional/normalization.h>
#include <ordo/nn/layers/layer.h>
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

struct LayerNormOptions {
  double eps = 1e-5;
  bool elementwise_affine = true;  ///< with weight and bias
  bool bias = true;
};

class LayerNorm : public Module {
 public:
  explicit LayerNorm(Dims normalized_shape, LayerNormOptions options = {});
  explicit LayerNorm(std::initializer_list<int64_t> normalized_shape, LayerNormOptions options = {})
      : LayerNorm(Dims(normalized_shape), options) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

  Parameter weight, bias;  ///< of the normalized_shape; undefined where left out

 private:
  Dims shape_;
  double eps_;
};

struct RMSNormOptions {
  std::optional<double> eps = {};  ///< default: the dtype's epsilon
  bool elementwise_affine = true;  ///< with a weight
};

class RMSNorm : public Module {
 public:
  explicit RMSNorm(Dims normalized_shape, RMSNormOptions options = {});
  explicit RMSNorm(std::initializer_list<int64_t> normalized_shape, RMSNormOptions options = {})
      : RMSNorm(Dims(normalized_shape), options) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

  Parameter weight;  ///< of the normalized_shape; undefined unless affine

 private:
  Dims shape_;
  std::optional<double> eps_;
};

struct GroupNormOptions {
  double eps = 1e-5;
  bool affine = true;  ///< with weight and bias
};

class GroupNorm : public Module {
 public:
  /// ValueError unless both are positive and num_groups divides the channels.
  GroupNorm(int64_t num_groups, int64_t channels, GroupNormOptions options = {});
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

  Parameter weight, bias;  ///< [channels]; undefined unless affine

 private:
  int64_t groups_, channels_;
  double eps_;
};

struct InstanceNormOptions {
  double eps = 1e-5;
  double momentum = 0.1;
  bool affine = false;               ///< with weight and bias
  bool track_running_stats = false;  ///< with running values, which are used in evaluation mode
};

/// Over N spatial dimensions, with or without a batch: [N, C, spatial...] or [C, spatial...].
template <int N>
class InstanceNorm : public NormWithStatistics<InstanceNormOptions> {
 public:
  explicit InstanceNorm(int64_t channels, InstanceNormOptions options = {});
  /// ShapeError for other inputs.
  Tensor forward(const Tensor& input) override;
};
using InstanceNorm1d = InstanceNorm<1>;
using InstanceNorm2d = InstanceNorm<2>;
using InstanceNorm3d = InstanceNorm<3>;

struct LocalResponseNormOptions {
  double alpha = 1e-4;
  double beta = 0.75;
  double k = 1;
};

class LocalResponseNorm : public Layer<local_response_norm, LocalResponseNormOptions, int64_t> {
 public:
  explicit LocalResponseNorm(int64_t size, LocalResponseNormOptions options = {}) : Layer(size, options) {}
  std::string description() const override { return describe("LocalResponseNorm", "alpha", "beta", "k"); }
};

}  // namespace ordo::nn
