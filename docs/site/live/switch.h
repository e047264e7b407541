// The training of the site's first screen: a bag of embeddings, whose gradient of the table is a sum into places by the
// library's accumulate engine. All else is added in one fixed order. Shared by the page (switch.cpp, on the emulated
// GPU) and by the test that computes the same weights on the CPU.
#pragma once

#include <cstdint>
#include <vector>

#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/math/math.h>

namespace ordo::site {

inline constexpr int kBags = 64, kLength = 12, kWords = 48, kWidth = 8, kClasses = 4, kItems = kBags * kLength;
inline constexpr int kSteps = 160;
inline constexpr float kRate = 63.f, kGain = 4.f;  // so large that a difference in a last bit grows

/// Of each bag: its words and its class.
struct Data {
  std::vector<int> words, classes;
};
/// What is trained: a row of kWidth numbers for each word, and kWidth x kClasses weights.
struct Model {
  std::vector<float> table, weights;
};

/// splitmix64.
inline uint64_t mixed(uint64_t i) {
  uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}
inline Data make_data() {
  Data d;
  for (int i = 0; i < kItems; ++i) d.words.push_back(int(mixed(uint64_t(i)) % kWords));
  for (int b = 0; b < kBags; ++b) d.classes.push_back(int(mixed(uint64_t(b) + 100000) % kClasses));
  return d;
}
inline Model make_model() {
  const auto numbers = [](int count, uint64_t from) {
    std::vector<float> v;
    for (int i = 0; i < count; ++i) v.push_back(float(mixed(from + uint64_t(i)) >> 40) / 8388608.f - 1.f);
    return v;
  };
  return {numbers(kWords * kWidth, 200000), numbers(kWidth * kClasses, 300000)};
}

/// Forward and backward of one bag: its hidden values, the gradients of its logits and of its words' rows, its loss.
ORDO_HD void bag_step(int bag, const int* words, const int* classes, const float* table, const float* weights,
                      float* hidden, float* logit_gradient, float* row_gradient, float* loss) {
  float logits[kClasses] = {};
  for (int j = 0; j < kWidth; ++j) {
    float sum = 0;
    for (int k = 0; k < kLength; ++k) sum += table[words[bag * kLength + k] * kWidth + j];
    const float h = math::tanh(sum * (kGain / kLength));
    hidden[bag * kWidth + j] = h;
    for (int c = 0; c < kClasses; ++c) logits[c] += h * weights[j * kClasses + c];
  }
  float largest = logits[0], total = 0;
  for (int c = 1; c < kClasses; ++c) largest = logits[c] > largest ? logits[c] : largest;
  for (int c = 0; c < kClasses; ++c) total += math::exp(logits[c] - largest);
  for (int c = 0; c < kClasses; ++c)
    logit_gradient[bag * kClasses + c] =
        (math::exp(logits[c] - largest) / total - (c == classes[bag] ? 1.f : 0.f)) / float(kBags);
  loss[bag] = math::log(total) - (logits[classes[bag]] - largest);
  for (int j = 0; j < kWidth; ++j) {
    float sum = 0;
    for (int c = 0; c < kClasses; ++c) sum += weights[j * kClasses + c] * logit_gradient[bag * kClasses + c];
    const float h = hidden[bag * kWidth + j];
    row_gradient[bag * kWidth + j] = sum * (1 - h * h) * (kGain / kLength);
  }
}

/// One weight's step: its gradient is added in the order of the bags.
ORDO_HD void weight_step(int i, const float* hidden, const float* logit_gradient, float* weights) {
  float sum = 0;
  for (int b = 0; b < kBags; ++b)
    sum += hidden[b * kWidth + i / kClasses] * logit_gradient[b * kClasses + i % kClasses];
  weights[i] -= kRate / 8 * sum;
}

/// Items of the accumulate engine: each word of each bag sends its bag's gradient to its row of the table.
struct WordGradients {
  using value_type = float;
  int64_t count;
  const int* words;
  const float* row_gradient;
  ORDO_HD int64_t destination(int64_t item) const { return words[item]; }
  ORDO_HD float value(int64_t item, int64_t column) const { return row_gradient[item / kLength * kWidth + column]; }
};

}  // namespace ordo::site
