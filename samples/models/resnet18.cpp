// ResNet-18 on pictures of CIFAR-10's form, with random flips and crops. He et al., "Deep residual learning", 2015; the
// first layers are those for small pictures.
#include "samples/models/example.h"

namespace examples {
namespace {

struct Block : nn::Module {
  Block(int64_t in, int64_t out, int64_t stride)
      : conv1(add("conv1", nn::Conv2d(in, out, 3, {.stride = stride, .padding = 1, .bias = false}))),
        bn1(add("bn1", nn::BatchNorm2d(out))),
        conv2(add("conv2", nn::Conv2d(out, out, 3, {.padding = 1, .bias = false}))),
        bn2(add("bn2", nn::BatchNorm2d(out))) {
    if (stride != 1 || in != out)
      shortcut.emplace(add(
          "shortcut", nn::Sequential{nn::Conv2d(in, out, 1, {.stride = stride, .bias = false}), nn::BatchNorm2d(out)}));
  }
  Tensor forward(const Tensor& x) override {
    const Tensor y = bn2(conv2(relu(bn1(conv1(x)))));
    return relu(y + (shortcut ? (*shortcut)(x) : x));
  }
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Conv2d conv2;
  nn::BatchNorm2d bn2;
  std::optional<nn::Sequential> shortcut;
};

nn::Sequential resnet18(Scale scale) {
  const int64_t a = scale.of(64), b = scale.of(128), c = scale.of(256), d = scale.of(512);
  return nn::Sequential{nn::Conv2d(3, a, 3, {.padding = 1, .bias = false}),
                        nn::BatchNorm2d(a),
                        nn::ReLU(),
                        Block(a, a, 1),
                        Block(a, a, 1),
                        Block(a, b, 2),
                        Block(b, b, 1),
                        Block(b, c, 2),
                        Block(c, c, 1),
                        Block(c, d, 2),
                        Block(d, d, 1),
                        nn::AdaptiveAvgPool2d(1),
                        nn::Flatten(),
                        nn::Linear(d, 10)};
}

class ResNet18 : public Example {
 public:
  explicit ResNet18(Scale scale) : net_(resnet18(scale)) {}
  nn::ModuleBase& model() override { return net_; }

  TensorList draw(int64_t rows, uint64_t seed) const override {
    const auto set = data::synthetic_cifar10(rows, seed);
    return {data::normalize(set.images, {0.5}, {0.25}), set.labels};
  }

  Tensor loss(const TensorList& batch) override { return cross_entropy(net_(moved(batch[0])), batch[1]); }
  double score(const TensorList& batch) override { return part_of(net_(batch[0]).argmax(1) == batch[1]); }

 private:
  /// Each picture as it is or mirrored; the batch cut from a frame of four pixels at a random place.
  Tensor moved(const Tensor& images) {
    const Tensor mirrored = flip(images, 3);
    const Tensor chosen = where(bernoulli({images.size(0), 1, 1, 1}, 0.5, images.device()) == 1, images, mirrored);
    const Tensor framed = pad(chosen, {4, 4, 4, 4}, PadMode::reflect), at = randint(9, {2});
    return framed.narrow(2, at.select(0, 0).item<int64_t>(), images.size(2))
        .narrow(3, at.select(0, 1).item<int64_t>(), images.size(3));
  }
  nn::Sequential net_;
};

}  // namespace

extern const Entry kResNet18 = {
    "resnet18",
    "ResNet-18 on drawn pictures in ten classes, flipped and cropped",
    "accuracy",
    1024,
    32,
    1e-3,
    [](Scale scale) -> std::unique_ptr<Example> { return std::make_unique<ResNet18>(scale); }};

}  // namespace examples
