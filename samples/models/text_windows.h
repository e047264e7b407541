// Windows from anywhere in a text; every tenth part of it belongs to the test.
#pragma once

#include <string>

#include "samples/models/example.h"

namespace examples {

class TextWindows {
 public:
  /// Of `text`, numbers of characters or tokens: windows of length + 1.
  TextWindows(const char* of, Tensor text, int64_t length) : text_(std::move(text)), length_(length) {
    if (length < 1) throw ValueError("[" + std::string(of) + "] needs a model of at least two positions");
    if (text_.numel() < 10 * part())
      throw ValueError("[" + std::string(of) + "] needs a text of at least " + std::to_string(10 * part()) + ", not " +
                       std::to_string(text_.numel()) + ", characters or tokens");
  }
  /// [rows, length + 1]
  Tensor draw(int64_t rows, uint64_t seed) const {
    Generator random(seed);
    const bool test = seed == kTestSeed;
    const int64_t parts = text_.numel() / part(), tests = parts / 10;
    const Tensor k = randint(test ? tests : parts - tests, {rows}, {int64}, &random);
    const Tensor from = test ? k * 10 + 9 : k + floor_divide(k, 9);
    const Tensor at = from * part() + randint(part() - length_, {rows}, {int64}, &random);
    return text_.index_select(0, (at.unsqueeze(1) + arange(length_ + 1)).flatten()).view({rows, length_ + 1});
  }
  const Tensor& text() const { return text_; }

 private:
  int64_t part() const { return 16 * length_; }
  Tensor text_;
  int64_t length_;
};

/// The mean loss of each position's next one, or with Reduction::none each one, [rows * length]. `scores_of`: of [rows,
/// length], [rows, length, how many there are].
template <class ScoresOf>
Tensor loss_of_next(const Tensor& windows, ScoresOf&& scores_of, Reduction reduction = Reduction::mean) {
  const int64_t length = windows.size(1) - 1;
  const Tensor scores = scores_of(windows.narrow(1, 0, length));
  return cross_entropy(scores.flatten(0, 1), windows.narrow(1, 1, length).flatten(), {.reduction = reduction});
}

}  // namespace examples
