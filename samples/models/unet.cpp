// A U-Net that marks discs and squares in noisy pictures: reflection padding, a transposed convolution, bilinear
// upsampling. Ronneberger et al., "U-Net: convolutional networks for biomedical image segmentation", 2015.
#include "samples/models/example.h"

namespace examples {
namespace {

constexpr int64_t kSize = 32, kClasses = 3;  // ground, disc, square

nn::Sequential block(int64_t in, int64_t out) {
  return nn::Sequential{nn::ReflectionPad2d(1), nn::Conv2d(in, out, 3),  nn::BatchNorm2d(out), nn::ReLU(),
                        nn::ReflectionPad2d(1), nn::Conv2d(out, out, 3), nn::BatchNorm2d(out), nn::ReLU()};
}

struct Net : nn::Module {
  explicit Net(Scale s)
      : outer(add("outer", block(1, s.of(16)))),
        middle(add("middle", block(s.of(16), s.of(32)))),
        inner(add("inner", block(s.of(32), s.of(64)))),
        up1(add("up1", nn::ConvTranspose2d(s.of(64), s.of(32), 2, {.stride = 2}))),
        back1(add("back1", block(2 * s.of(32), s.of(32)))),
        up2(add("up2", nn::Conv2d(s.of(32), s.of(16), 1))),
        back2(add("back2", block(2 * s.of(16), s.of(16)))),
        head(add("head", nn::Conv2d(s.of(16), kClasses, 1))) {}
  Tensor forward(const Tensor& x) override {
    const Tensor a = outer(x), b = middle(max_pool2d(a, 2)), c = inner(max_pool2d(b, 2));
    const Tensor d = back1(cat({b, up1(c)}, 1));
    const Tensor wide = interpolate(d, {.scale_factor = {2.0}, .mode = InterpolateMode::bilinear});
    return head(back2(cat({a, up2(wide)}, 1)));
  }
  nn::Sequential outer, middle, inner;
  nn::ConvTranspose2d up1;
  nn::Sequential back1;
  nn::Conv2d up2;
  nn::Sequential back2;
  nn::Conv2d head;
};

class UNet : public Example {
 public:
  explicit UNet(Scale scale) : net_(scale) {}
  nn::ModuleBase& model() override { return net_; }

  TensorList draw(int64_t rows, uint64_t seed) const override {
    Generator random(seed);
    const Tensor y = arange(kSize).to(float32).reshape({1, kSize, 1}), x = y.transpose(1, 2);
    const auto number = [&](double low, double high) { return rand({rows, 1, 1}, {}, &random) * (high - low) + low; };
    const Tensor dy = y - number(6, 26), dx = x - number(6, 26), ey = (y - number(6, 26)).abs(),
                 ex = (x - number(6, 26)).abs();
    const Tensor disc = dy * dy + dx * dx < square(number(3, 8)), half = number(3, 7);
    const Tensor box = logical_and(ey < half, ex < half);
    const Tensor classes = where(box, full({rows, kSize, kSize}, 2, int64), disc.to(int64));
    const Tensor noise = randn({rows, kSize, kSize}, {}, &random) * 0.3;
    // Discs and squares are about as bright: their form tells them apart.
    return {((classes > 0).to(float32) * number(0.8, 1.2) + noise).unsqueeze(1), classes};
  }

  Tensor loss(const TensorList& batch) override { return cross_entropy(net_(batch[0]), batch[1]); }
  double score(const TensorList& batch) override { return part_of(net_(batch[0]).argmax(1) == batch[1]); }

 private:
  Net net_;
};

}  // namespace

extern const Entry kUNet = {"unet",
                            "a U-Net that marks discs and squares in noisy pictures",
                            "pixels that are right",
                            1024,
                            16,
                            2e-3,
                            [](Scale scale) -> std::unique_ptr<Example> { return std::make_unique<UNet>(scale); }};

}  // namespace examples
