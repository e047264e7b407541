// Speech-like recognition: frames that show one symbol after the other, each for a while and noisily, become the
// symbols, by convolution, a GRU and ctc_loss.
#include "samples/models/example.h"

namespace examples {
namespace {

constexpr int64_t kSymbols = 10, kFeatures = 16, kFrames = 48, kMost = 8;  // symbol 0 is the blank

struct Net : nn::ModuleOf<Net> {
  explicit Net(Scale scale)
      : conv(add("conv", nn::Conv1d(kFeatures, scale.of(48), 5, {.padding = 2}))),
        gru(add("gru", nn::GRU(scale.of(48), scale.of(48), {.bidirectional = true}))),
        head(add("head", nn::Linear(2 * scale.of(48), kSymbols))) {}
  /// [N, features, T] -> log-probabilities [T, N, symbols]
  Tensor forward(const Tensor& frames) {
    return log_softmax(head(gru(relu(conv(frames)).permute({2, 0, 1})).output), 2);
  }
  nn::Conv1d conv;
  nn::GRU gru;
  nn::Linear head;
};

class Ctc : public Example {
 public:
  explicit Ctc(Scale scale) : net_(scale) {}
  nn::ModuleBase& model() override { return net_; }

  TensorList draw(int64_t rows, uint64_t seed) const override {
    Generator sounds(0x50a7d), random(seed);  // the sounds are those of every set
    const Tensor sound = randn({kSymbols, kFeatures}, {}, &sounds);
    const Tensor symbols = randint(1, kSymbols, {rows, kMost}, {int64}, &random);
    const Tensor lengths = randint(2, kMost + 1, {rows}, {int64}, &random);
    // Symbol i lasts from 3 to 5 frames, then 1 is silent.
    const Tensor ends = cumsum(randint(4, 7, {rows, kMost}, {int64}, &random), 1);
    const Tensor place = arange(kFrames).reshape({1, kFrames, 1});
    const Tensor number = (place >= ends.unsqueeze(1)).sum(Dims{2});  // of the symbol that a frame belongs to
    const Tensor silent = logical_or((place == ends.unsqueeze(1) - 1).any(2), number >= lengths.unsqueeze(1));
    const Tensor shown = gather(symbols, 1, clamp(number, 0, kMost - 1)) * logical_not(silent).to(int64);
    const Tensor clean = sound.index({shown}) * (shown != 0).unsqueeze(2);
    const Tensor frames = clean + 0.5 * randn({rows, kFrames, kFeatures}, {}, &random);
    return {frames.transpose(1, 2).contiguous(), symbols, lengths};
  }

  Tensor loss(const TensorList& batch) override {
    const Tensor frames = full({batch[0].size(0)}, kFrames, int64);
    return ctc_loss(net_(batch[0]), batch[1], frames, batch[2]);
  }

  /// The part of sequences that greedy decoding reads without an error.
  double score(const TensorList& batch) override {
    const Tensor best = net_(batch[0]).argmax(2).t().cpu();
    const auto symbols = batch[1].to_vector<int64_t>(), lengths = batch[2].to_vector<int64_t>();
    int64_t right = 0;
    for (int64_t i = 0; i < best.size(0); ++i) {
      std::vector<int64_t> read;
      int64_t before = 0;
      for (int64_t symbol : best.select(0, i).to_vector<int64_t>()) {
        if (symbol != 0 && symbol != before) read.push_back(symbol);
        before = symbol;
      }
      const auto first = symbols.begin() + i * kMost;
      right += read == std::vector<int64_t>(first, first + lengths[size_t(i)]);
    }
    return double(right) / double(best.size(0));
  }

 private:
  Net net_;
};

}  // namespace

extern const Entry kCtc = {"ctc",
                           "a convolution and a GRU that read symbols off noisy frames, by ctc_loss",
                           "sequences without an error",
                           4096,
                           32,
                           3e-3,
                           [](Scale scale) -> std::unique_ptr<Example> { return std::make_unique<Ctc>(scale); }};

}  // namespace examples
