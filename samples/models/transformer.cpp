// A transformer that writes text letter by letter. The text is drawn: sums and their results, which it must learn to
// add.
#include "samples/models/text_transformer.h"

namespace examples {
namespace {

constexpr int64_t kLetters = 13, kLength = 15;  // 0-9, '+', '=', ' '

class Transformer : public Example {
 public:
  explicit Transformer(Scale scale) : net_(kLetters, kLength, scale.of(64), 2) {}
  nn::ModuleBase& model() override { return net_; }

  /// "  7+ 58= 65 ..." with the result's digits backwards, as one adds by hand.
  TensorList draw(int64_t rows, uint64_t seed) const override {
    Generator random(seed);
    const Tensor a = randint(1000, {rows}, {int64}, &random), b = randint(1000, {rows}, {int64}, &random), c = a + b;
    const auto digit = [](const Tensor& n, int64_t unit) { return floor_divide(n, unit) % 10; };
    const auto letter = [&](int64_t number) { return full({rows}, number, int64); };
    return {stack(
        {digit(a, 100), digit(a, 10), digit(a, 1), letter(10), digit(b, 100), digit(b, 10), digit(b, 1), letter(11),
         digit(c, 1), digit(c, 10), digit(c, 100), digit(c, 1000), letter(12), letter(12), letter(12), letter(12)},
        1)};
  }

  /// Of the letters after the sign '='.
  Tensor loss(const TensorList& batch) override {
    return cross_entropy(scores(batch).flatten(0, 1), results(batch).flatten());
  }
  double score(const TensorList& batch) override { return part_of((scores(batch).argmax(2) == results(batch)).all(1)); }

 private:
  Tensor scores(const TensorList& batch) { return net_(batch[0].narrow(1, 0, kLength)).narrow(1, 7, kLength - 7); }
  static Tensor results(const TensorList& batch) { return batch[0].narrow(1, 8, kLength - 7); }
  TextTransformer net_;
};

}  // namespace

extern const Entry kTransformer = {
    "transformer",
    "a transformer that learns to add, letter by letter",
    "sums that are right",
    20000,
    64,
    2e-3,
    [](Scale scale) -> std::unique_ptr<Example> { return std::make_unique<Transformer>(scale); }};

}  // namespace examples
