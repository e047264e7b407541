// A 3-d convolutional network that sees a few frames of a moving dot and says where it goes. Tran et al., "Learning
// spatiotemporal features with 3D convolutional networks", 2015.
#include "samples/models/example.h"

namespace examples {
namespace {

constexpr int64_t kFrames = 8, kSize = 16, kWays = 8;

class Video : public Example {
 public:
  explicit Video(Scale s)
      : net_{nn::Conv3d(1, s.of(16), 3, {.padding = 1}),
             nn::BatchNorm3d(s.of(16)),
             nn::ReLU(),
             nn::MaxPool3d(2),
             nn::Conv3d(s.of(16), s.of(32), 3, {.padding = 1}),
             nn::BatchNorm3d(s.of(32)),
             nn::ReLU(),
             nn::MaxPool3d(2),
             nn::Flatten(),
             nn::Linear(s.of(32) * 2 * 4 * 4, kWays)} {}
  nn::ModuleBase& model() override { return net_; }

  TensorList draw(int64_t rows, uint64_t seed) const override {
    Generator random(seed);
    const Tensor way = randint(kWays, {rows}, {int64}, &random);
    const Tensor angle = way.to(float32) * (2 * 3.14159265358979 / kWays);
    const Tensor time = (arange(kFrames).to(float32) - 3.5).reshape({1, kFrames});
    const auto at = [&](const Tensor& step) {
      const Tensor start = rand({rows, 1}, {}, &random) * 5 + 5;
      return (start + step.unsqueeze(1) * time * 0.9).reshape({rows, kFrames, 1, 1});
    };
    const Tensor x0 = at(cos(angle)), y0 = at(sin(angle));
    const Tensor y = arange(kSize).to(float32).reshape({1, 1, kSize, 1}), x = y.transpose(2, 3);
    const Tensor dot = exp(((x - x0) * (x - x0) + (y - y0) * (y - y0)) * -0.5);
    return {(dot + randn(dot.sizes(), {}, &random) * 0.4).unsqueeze(1), way};
  }

  Tensor loss(const TensorList& batch) override { return cross_entropy(net_(batch[0]), batch[1]); }
  double score(const TensorList& batch) override { return part_of(net_(batch[0]).argmax(1) == batch[1]); }

 private:
  nn::Sequential net_;
};

}  // namespace

extern const Entry kVideo = {"video",
                             "a 3-d convolutional network that says where a dot moves",
                             "accuracy",
                             2048,
                             32,
                             2e-3,
                             [](Scale scale) -> std::unique_ptr<Example> { return std::make_unique<Video>(scale); }};

}  // namespace examples
