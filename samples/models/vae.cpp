// A variational autoencoder of digits. Kingma, Welling, "Auto-encoding variational Bayes", 2014.
#include "samples/models/example.h"

namespace examples {
namespace {

constexpr int64_t kPixels = 28 * 28, kCode = 16;

struct Net : nn::ModuleOf<Net> {
  explicit Net(Scale s)
      : seen(add("seen", nn::Linear(kPixels, s.of(256)))),
        mean(add("mean", nn::Linear(s.of(256), kCode))),
        log_variance(add("log_variance", nn::Linear(s.of(256), kCode))),
        shown(add("shown", nn::Sequential{nn::Linear(kCode, s.of(256)), nn::ReLU(), nn::Linear(s.of(256), kPixels)})) {}
  /// Pixels as logits, mean and logarithm of the variance; while training the code is drawn, else it is the mean.
  std::tuple<Tensor, Tensor, Tensor> forward(const Tensor& images) {
    const Tensor h = relu(seen(images.flatten(1))), m = mean(h), v = log_variance(h);
    const Tensor code = is_training() ? m + exp(v * 0.5) * randn_like(m) : m;
    return {shown(code), m, v};
  }
  nn::Linear seen, mean, log_variance;
  nn::Sequential shown;
};

class Vae : public Example {
 public:
  explicit Vae(Scale scale) : net_(scale) {}
  nn::ModuleBase& model() override { return net_; }
  TensorList draw(int64_t rows, uint64_t seed) const override {
    return {clamp(data::synthetic_digits(rows, seed).images, 0, 1)};
  }

  /// The bound on -log p(image), for each image.
  Tensor loss(const TensorList& batch) override {
    const auto [pixels, m, v] = net_(batch[0]);
    const Tensor rebuilt = binary_cross_entropy_with_logits(pixels, batch[0].flatten(1), {.reduction = Reduction::sum});
    return (rebuilt - (v + 1 - m * m - exp(v)).sum() * 0.5) / batch[0].size(0);
  }
  /// The part of pixels that are rebuilt on the right side of 1/2.
  double score(const TensorList& batch) override {
    const auto [pixels, m, v] = net_(batch[0]);
    return part_of((pixels > 0) == (batch[0].flatten(1) > 0.5));
  }

 private:
  Net net_;
};

}  // namespace

extern const Entry kVae = {"vae",
                           "a variational autoencoder of digits",
                           "pixels on the right side of 1/2",
                           4096,
                           64,
                           1e-3,
                           [](Scale scale) -> std::unique_ptr<Example> { return std::make_unique<Vae>(scale); }};

}  // namespace examples
