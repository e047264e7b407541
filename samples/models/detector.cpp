// A detection head: features of an image, cut out at proposed boxes by roi_align, tell what is in each box and how far
// the box is off. Girshick, "Fast R-CNN", 2015; He et al., "Mask R-CNN", 2017.
#include "samples/models/example.h"

namespace examples {
namespace {

constexpr int64_t kSize = 48, kBoxes = 6, kClasses = 3;  // nothing, disc, square

struct Net : nn::ModuleOf<Net> {
  explicit Net(Scale s)
      : features(
            add("features", nn::Sequential{nn::Conv2d(1, s.of(16), 3, {.padding = 1}), nn::ReLU(),
                                           nn::Conv2d(s.of(16), s.of(32), 3, {.stride = 2, .padding = 1}), nn::ReLU(),
                                           nn::Conv2d(s.of(32), s.of(32), 3, {.padding = 1}), nn::ReLU()})),
        hidden(add("hidden", nn::Linear(s.of(32) * 5 * 5, s.of(64)))),
        what(add("what", nn::Linear(s.of(64), kClasses))),
        off(add("off", nn::Linear(s.of(64), 4))) {}
  /// Scores [n * boxes, classes] and corrections [n * boxes, 4] of boxes [n, boxes, 4] as (x1, y1, x2, y2).
  std::pair<Tensor, Tensor> forward(const Tensor& images, const Tensor& boxes) {
    const int64_t n = images.size(0);
    const Tensor number = repeat_interleave(arange(n).to(images.device(), images.dtype()), boxes.size(1)).unsqueeze(1);
    const Tensor rois = cat({number, boxes.flatten(0, 1)}, 1);
    const Tensor cut = roi_align(features(images), rois, {5, 5}, 0.5, 2, true);
    const Tensor h = relu(hidden(cut.flatten(1)));
    return {what(h), off(h)};
  }
  nn::Sequential features;
  nn::Linear hidden, what, off;
};

class Detector : public Example {
 public:
  explicit Detector(Scale scale) : net_(scale) {}
  nn::ModuleBase& model() override { return net_; }

  /// Images with two objects; proposals, of which 0, 1 and 2, 3 lie near an object; what is in them; the objects'
  /// boxes.
  TensorList draw(int64_t rows, uint64_t seed) const override {
    Generator random(seed);
    const auto number = [&](const Dims& sizes, double low, double high) {
      return rand(sizes, {}, &random) * (high - low) + low;
    };
    // One object in the upper half and one in the lower.
    const Tensor cx = number({rows, 2}, 10, 38), r = number({rows, 2}, 5, 9);
    const Tensor cy = number({rows, 2}, 10, 13) + tensor({0.0, 25.0});
    const Tensor kind = randint(1, kClasses, {rows, 2}, {int64}, &random);
    const Tensor y = arange(kSize).to(float32).reshape({1, 1, kSize, 1}), x = y.transpose(2, 3);
    const auto spread = [](const Tensor& t) { return t.unsqueeze(2).unsqueeze(3); };
    const Tensor dx = (x - spread(cx)).abs(), dy = (y - spread(cy)).abs();
    const Tensor disc = dx * dx + dy * dy < spread(r * r), square = maximum(dx, dy) < spread(r * 0.89);
    const Tensor shown = where(spread(kind) == 1, disc, square).any(1).to(float32);
    const Tensor images = shown + randn({rows, kSize, kSize}, {}, &random) * 0.2;
    const Tensor truth = stack({cx - r, cy - r, cx + r, cy + r}, 2);
    const Tensor near = repeat_interleave(truth, 2, 1) + number({rows, 4, 4}, -2.5, 2.5);
    // The others lie between the halves, where nothing is.
    const Tensor left = number({rows, 2}, 2, 34), top = number({rows, 2}, 22, 24);
    const Tensor empty = stack({left, top, left + number({rows, 2}, 8, 12), top + 4}, 2);
    return {images.unsqueeze(1), cat({near, empty}, 1),
            cat({repeat_interleave(kind, 2, 1), zeros({rows, 2}, int64)}, 1),
            cat({repeat_interleave(truth, 2, 1), empty}, 1)};
  }

  Tensor loss(const TensorList& batch) override {
    const auto [scores, off] = net_(batch[0], batch[1]);
    const Tensor classes = batch[2].flatten(), object = (classes > 0).to(float32).unsqueeze(1);
    const Tensor wanted = (batch[3] - batch[1]).flatten(0, 1);
    return cross_entropy(scores, classes) + smooth_l1_loss(off * object, wanted * object) * 4;
  }

  /// The part of boxes whose contents are named rightly, and that, where there is an object, end a pixel from it or
  /// less.
  double score(const TensorList& batch) override {
    const auto [scores, off] = net_(batch[0], batch[1]);
    const Tensor classes = batch[2].flatten();
    const Tensor far = (batch[1].flatten(0, 1) + off - batch[3].flatten(0, 1)).abs().mean({1});
    return part_of(logical_and(scores.argmax(1) == classes, logical_or(classes == 0, far < 1)));
  }

 private:
  Net net_;
};

}  // namespace

extern const Entry kDetector = {
    "detector",
    "a detection head on roi_align that names and corrects boxes",
    "boxes that are right",
    2048,
    16,
    1e-3,
    [](Scale scale) -> std::unique_ptr<Example> { return std::make_unique<Detector>(scale); }};

}  // namespace examples
