// Normalisation as modules.
//
//   nn::BatchNorm2d norm(16);
//   Tensor y = norm(conv(x));
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
  NormWithStatistics(const char* name, int64_t channels, Options options);
  const char* name_;
  int64_t channels_;
  Options options_;
};

/// y = (x - mean) / sqrt(var + eps) * weight + bias, per channel. While training, mean and biased variance are the
/// batch's, and the buffers follow with the unbiased variance: running = (1 - momentum) running + momentum batch. In
/// evaluation mode they are the buffers'.
///
/// Shapes: [N, C, spatial...] with N spatial dimensions; BatchNorm1d also [N, C].
/// Parameters: "weight" and "bias" [C], 1 and 0; buffers "running_mean" 0 and "running_var" 1 [C],
/// "num_batches_tracked" 0.
/// Throws: ValueError when there are no channels; ShapeError for other inputs; else as batch_norm.
/// PyTorch: torch.nn.BatchNorm1d, 2d, 3d.
template <int N>
struct BatchNorm : NormWithStatistics<BatchNormOptions> {
  explicit BatchNorm(int64_t channels, BatchNormOptions options = {});
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

/// layer_norm over the last dimensions, which are normalized_shape.
///
/// Shapes, Dtypes: as layer_norm.
/// Parameters: "weight" and "bias" of normalized_shape, 1 and 0.
/// Throws: forward as layer_norm.
/// PyTorch: torch.nn.LayerNorm.
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

/// rms_norm over the last dimensions, which are normalized_shape.
///
/// Shapes, Dtypes: as rms_norm.
/// Parameters: "weight" of normalized_shape, 1.
/// Throws: forward as rms_norm.
/// PyTorch: torch.nn.RMSNorm.
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

/// group_norm over each of num_groups groups of channels.
///
/// Shapes: [N, C, ...].
/// Parameters: "weight" and "bias" [C], 1 and 0.
/// Throws: ValueError when a size is not positive or num_groups does not divide the channels; forward as group_norm.
/// PyTorch: torch.nn.GroupNorm.
class GroupNorm : public Module {
 public:
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

/// instance_norm over N spatial dimensions, with or without a batch. Running values, where tracked, take part as in
/// BatchNorm.
///
/// Shapes: [N, C, spatial...] or [C, spatial...].
/// Parameters: if affine, "weight" and "bias" [C], 1 and 0; if tracked, the buffers of BatchNorm.
/// Throws: ValueError when there are no channels; ShapeError for other inputs; else as instance_norm.
/// PyTorch: torch.nn.InstanceNorm1d, 2d, 3d.
template <int N>
struct InstanceNorm : NormWithStatistics<InstanceNormOptions> {
  explicit InstanceNorm(int64_t channels, InstanceNormOptions options = {});
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

/// local_response_norm over `size` neighbouring channels.
///
/// Shapes, Dtypes, Throws: as local_response_norm.
/// PyTorch: torch.nn.LocalResponseNorm.
struct LocalResponseNorm : Layer {
  explicit LocalResponseNorm(int64_t size, LocalResponseNormOptions options = {});
};

}  // namespace ordo::nn
