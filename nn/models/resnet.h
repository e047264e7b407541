// ResNet: convolutions whose results are added to what they read.
//
//   const auto model = models::open_resnet("checkpoints/resnet-50");   // nn/models/open.h
//   const Tensor scores = (*model)(images);                            // [N, 3, H, W] -> [N, labels]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ordo/nn/layers/convolution.h>
#include <ordo/nn/layers/linear.h>
#include <ordo/nn/layers/normalization.h>
#include <ordo/nn/module_list.h>

namespace ordo::models {

/// The names of config.json. These are ResNet-50's; ResNet-18 has basic layers, 2 of each of 64, 128, 256
/// and 512 channels.
struct ResNetConfig {
  int64_t num_channels = 3, embedding_size = 64;
  std::vector<int64_t> hidden_sizes{256, 512, 1024, 2048}, depths{3, 4, 6, 3};
  bool bottleneck = true;  ///< layer_type: three convolutions a layer, of a quarter of the channels; else two
  bool downsample_in_first_stage = false;
  bool downsample_in_bottleneck = false;  ///< the stride is in a layer's first convolution, not in the 3 by 3 one
  std::vector<std::string> labels = std::vector<std::string>(1000);  ///< id2label
};

/// Parameters and Throws of these parts: as ResNet.
struct ResNetConvolution : nn::Module {
  ResNetConvolution(int64_t in, int64_t out, int64_t kernel, int64_t stride = 1, bool activation = true);
  Tensor forward(const Tensor& x) override;
  nn::Conv2d convolution;
  nn::BatchNorm2d normalization;
  bool activation;
};

/// The result of the convolutions, added to the input or, where sizes differ, to a 1 by 1 convolution of the input.
struct ResNetLayer : nn::Module {
  ResNetLayer(const ResNetConfig& config, int64_t in, int64_t out, int64_t stride);
  Tensor forward(const Tensor& x) override;
  std::optional<ResNetConvolution> shortcut;
  nn::Sequential layer;
};

/// The part that files call "resnet".
struct ResNetBody : nn::ModuleBase {
  explicit ResNetBody(const ResNetConfig& config);
  struct Embedder : nn::ModuleBase {
    explicit Embedder(const ResNetConfig& config);
    ResNetConvolution embedder;
  } embedder;
  struct Stage : nn::ModuleBase {
    Stage();
    nn::Sequential layers;
  };
  struct Encoder : nn::ModuleBase {
    explicit Encoder(const ResNetConfig& config);
    nn::ModuleList<Stage> stages;
  } encoder;
};

/// ResNet with a score for each label.
///
/// Shapes: images [N, num_channels, H, W]; scores [N, labels].
/// Parameters: those of the files, "resnet.embedder.embedder.convolution.weight", ..., "classifier.1.bias".
/// Throws: ValueError when a size is not positive, or there are not as many depths as hidden_sizes.
/// Determinism: that of conv2d and batch_norm.
/// Source: He, Zhang, Ren, Sun, "Deep Residual Learning for Image Recognition", 2016.
/// PyTorch: transformers.ResNetForImageClassification.
struct ResNet : nn::Module {
  explicit ResNet(const ResNetConfig& config = {});
  Tensor forward(const Tensor& images) override;
  /// The text of config.json, as transformers reads it.
  std::string config_json() const;

  const ResNetConfig config;
  ResNetBody resnet;
  nn::Sequential classifier;
};

}  // namespace ordo::models
