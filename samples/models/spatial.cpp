// A spatial transformer: a network that first straightens turned and shifted digits, then reads them. Jaderberg et al.,
// "Spatial transformer networks", 2015.
#include "samples/models/example.h"

namespace examples {
namespace {

struct Net : nn::Module {
  explicit Net(Scale s)
      : where_to(add("where_to", nn::Sequential{nn::Conv2d(1, s.of(8), 7), nn::MaxPool2d(2), nn::ReLU(),
                                                nn::Conv2d(s.of(8), s.of(10), 5), nn::MaxPool2d(2), nn::ReLU(),
                                                nn::Flatten(), nn::Linear(s.of(10) * 3 * 3, 32), nn::ReLU()})),
        place(add("place", nn::Linear(32, 6))),
        read(add("read", nn::Sequential{nn::Conv2d(1, s.of(16), 5), nn::MaxPool2d(2), nn::ReLU(),
                                        nn::Conv2d(s.of(16), s.of(32), 5), nn::MaxPool2d(2), nn::ReLU(), nn::Flatten(),
                                        nn::Linear(s.of(32) * 4 * 4, 10)})) {
    // It begins with the identity: every digit where it is.
    nn::init::zeros_(place.weight);
    place.bias.set_requires_grad(false);
    place.bias.copy_(tensor({1.0, 0.0, 0.0, 0.0, 1.0, 0.0}));
    place.bias.set_requires_grad(true);
  }
  Tensor forward(const Tensor& images) override {
    const Tensor theta = place(where_to(images)).reshape({-1, 2, 3});
    return read(grid_sample(images, affine_grid(theta, images.sizes())));
  }
  nn::Sequential where_to;
  nn::Linear place;
  nn::Sequential read;
};

class Spatial : public Example {
 public:
  explicit Spatial(Scale scale) : net_(scale) {}
  nn::ModuleBase& model() override { return net_; }

  TensorList draw(int64_t rows, uint64_t seed) const override {
    const auto set = data::synthetic_digits(rows, seed);
    Generator random(seed, 1);
    const auto number = [&](double most) { return (rand({rows}, {}, &random) * 2 - 1) * most; };
    const Tensor angle = number(0.8), dx = number(0.3), dy = number(0.3);
    const Tensor theta = stack({cos(angle), sin(angle) * -1, dx, sin(angle), cos(angle), dy}, 1).reshape({rows, 2, 3});
    return {grid_sample(set.images, affine_grid(theta, set.images.sizes())), set.labels};
  }

  Tensor loss(const TensorList& batch) override { return cross_entropy(net_(batch[0]), batch[1]); }
  double score(const TensorList& batch) override { return part_of(net_(batch[0]).argmax(1) == batch[1]); }

 private:
  Net net_;
};

}  // namespace

extern const Entry kSpatial = {
    "spatial",
    "a spatial transformer that straightens turned digits and reads them",
    "accuracy",
    4096,
    64,
    1e-3,
    [](Scale scale) -> std::unique_ptr<Example> { return std::make_unique<Spatial>(scale); }};

}  // namespace examples
