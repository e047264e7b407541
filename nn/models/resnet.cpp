#include <ordo/nn/models/resnet.h>

#include <nlohmann/json.hpp>

#include <ordo/autograd/ops/functional/pooling.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/unary.h>
#include <ordo/engine/calls/check.h>
#include <ordo/nn/layers/resampling.h>

namespace ordo::models {

static ResNetConfig checked(ResNetConfig c) {
  ORDO_CHECK(!c.depths.empty() && c.depths.size() == c.hidden_sizes.size(), ValueError, "ResNet",
             "needs a depth for each of hidden_sizes, not {} for {}", c.depths.size(), c.hidden_sizes.size());
  std::vector<int64_t> sizes{c.num_channels, c.embedding_size, int64_t(c.labels.size())};
  sizes.insert(sizes.end(), c.depths.begin(), c.depths.end());
  for (const int64_t size : c.hidden_sizes) sizes.push_back(c.bottleneck ? size / 4 : size);
  for (const int64_t size : sizes) ORDO_CHECK(size > 0, ValueError, "ResNet", "needs positive sizes, not {}", size);
  return c;
}

ResNetConvolution::ResNetConvolution(int64_t in, int64_t out, int64_t kernel, int64_t stride, bool activation)
    : convolution(
          add("convolution", nn::Conv2d(in, out, kernel, {.stride = stride, .padding = kernel / 2, .bias = false}))),
      normalization(add("normalization", nn::BatchNorm2d(out))),
      activation(activation) {}

Tensor ResNetConvolution::forward(const Tensor& x) {
  const Tensor y = normalization(convolution(x));
  return activation ? relu(y) : y;
}

ResNetLayer::ResNetLayer(const ResNetConfig& c, int64_t in, int64_t out, int64_t stride)
    : shortcut(add("shortcut", in != out || stride != 1 ? std::optional(ResNetConvolution(in, out, 1, stride, false))
                                                        : std::nullopt)),
      layer(add("layer", nn::Sequential())) {
  if (c.bottleneck) {
    const int64_t inner = out / 4, early = c.downsample_in_bottleneck ? stride : 1;
    layer.push_back(ResNetConvolution(in, inner, 1, early));
    layer.push_back(ResNetConvolution(inner, inner, 3, stride / early));
    layer.push_back(ResNetConvolution(inner, out, 1, 1, false));
  } else {
    layer.push_back(ResNetConvolution(in, out, 3, stride));
    layer.push_back(ResNetConvolution(out, out, 3, 1, false));
  }
}

Tensor ResNetLayer::forward(const Tensor& x) { return relu(layer(x) + (shortcut ? (*shortcut)(x) : x)); }

ResNetBody::Embedder::Embedder(const ResNetConfig& c)
    : embedder(add("embedder", ResNetConvolution(c.num_channels, c.embedding_size, 7, 2))) {}
ResNetBody::Stage::Stage() : layers(add("layers", nn::Sequential())) {}
ResNetBody::Encoder::Encoder(const ResNetConfig& c) : stages(add("stages", nn::ModuleList<Stage>())) {
  int64_t in = c.embedding_size;
  for (size_t i = 0; i < c.depths.size(); ++i) {
    Stage stage;
    for (int64_t k = 0; k < c.depths[i]; ++k, in = c.hidden_sizes[i])
      stage.layers.push_back(
          ResNetLayer(c, in, c.hidden_sizes[i], k == 0 && (i > 0 || c.downsample_in_first_stage) ? 2 : 1));
    stages.push_back(stage);
  }
}
ResNetBody::ResNetBody(const ResNetConfig& c)
    : embedder(add("embedder", Embedder(c))), encoder(add("encoder", Encoder(c))) {}

ResNet::ResNet(const ResNetConfig& c)
    : config(checked(c)),
      resnet(add("resnet", ResNetBody(config))),
      classifier(add("classifier", nn::Sequential{nn::Flatten(), nn::Linear(config.hidden_sizes.back(),
                                                                            int64_t(config.labels.size()))})) {}

Tensor ResNet::forward(const Tensor& images) {
  Tensor x = max_pool2d(resnet.embedder.embedder(images), 3, {.stride = 2, .padding = 1});
  for (ResNetBody::Stage& stage : resnet.encoder.stages) x = stage.layers(x);
  return classifier(adaptive_avg_pool2d(x, 1));
}

std::string ResNet::config_json() const {
  nlohmann::ordered_json json = {{"architectures", {"ResNetForImageClassification"}},
                                 {"model_type", "resnet"},
                                 {"num_channels", config.num_channels},
                                 {"embedding_size", config.embedding_size},
                                 {"hidden_sizes", config.hidden_sizes},
                                 {"depths", config.depths},
                                 {"layer_type", config.bottleneck ? "bottleneck" : "basic"},
                                 {"hidden_act", "relu"},
                                 {"downsample_in_first_stage", config.downsample_in_first_stage},
                                 {"downsample_in_bottleneck", config.downsample_in_bottleneck}};
  for (size_t i = 0; i < config.labels.size(); ++i) json["id2label"][std::to_string(i)] = config.labels[i];
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ordo::models
