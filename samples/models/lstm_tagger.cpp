// A bidirectional LSTM that tags the words of sentences of different lengths. The tag of a word depends on the word
// before and on the one after it.
#include "samples/models/example.h"

namespace examples {
namespace {

constexpr int64_t kWords = 200, kTags = 8, kLongest = 24;

struct Net : nn::ModuleOf<Net> {
  explicit Net(Scale scale)
      : words(add("words", nn::Embedding(kWords, scale.of(64)))),
        lstm(add("lstm", nn::LSTM(scale.of(64), scale.of(64), {.batch_first = true, .bidirectional = true}))),
        head(add("head", nn::Linear(2 * scale.of(64), kTags))) {}
  Tensor forward(const Tensor& sentences, const Tensor& lengths) {
    return head(lstm(words(sentences), {}, {}, lengths.cpu()).output);  // where lstm reads lengths
  }
  nn::Embedding words;
  nn::LSTM lstm;
  nn::Linear head;
};

class LstmTagger : public Example {
 public:
  explicit LstmTagger(Scale scale) : net_(scale) {}
  nn::ModuleBase& model() override { return net_; }

  TensorList draw(int64_t rows, uint64_t seed) const override {
    Generator random(seed);
    const Tensor words = randint(kWords, {rows, kLongest}, {int64}, &random);
    const Tensor lengths = randint(4, kLongest + 1, {rows}, {int64}, &random);
    // Of the words' classes (number mod 4): twice the one before, and one for a greater one after.
    const Tensor classes = words % 4, before = roll(classes, 1, 1), after = roll(classes, -1, 1);
    return {words, lengths, before * 2 + (after > classes).to(int64)};
  }

  Tensor loss(const TensorList& batch) override {
    const Tensor scores = net_(batch[0], batch[1]);
    return cross_entropy(scores.flatten(0, 1), tags(batch).flatten(), {.ignore_index = kNone});
  }
  double score(const TensorList& batch) override {
    const Tensor right = net_(batch[0], batch[1]).argmax(2) == batch[2], inside = tags(batch) != kNone;
    return double(logical_and(right, inside).sum().item()) / double(inside.sum().item());
  }

 private:
  static constexpr int64_t kNone = -100;
  /// Those of a sentence's words but the first and the last, whose neighbours are not all there.
  Tensor tags(const TensorList& batch) {
    const Tensor place = arange(kLongest).to(batch[0].device()), last = batch[1].unsqueeze(1) - 1;
    return where(logical_and(place > 0, place < last), batch[2], full_like(batch[2], kNone));
  }
  Net net_;
};

}  // namespace

extern const Entry kLstmTagger = {
    "lstm_tagger",
    "a bidirectional LSTM that tags words of drawn sentences of different lengths",
    "tags that are right",
    4096,
    32,
    5e-3,
    [](Scale scale) -> std::unique_ptr<Example> { return std::make_unique<LstmTagger>(scale); }};

}  // namespace examples
