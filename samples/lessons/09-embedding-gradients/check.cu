#include <algorithm>

#include "check.h"
#include "exercise.h"

void lesson::check() {
  constexpr int kTokens = 1500, kHot = 3;
  std::vector<int> words = random_indices(kTokens, kWords, 10);
  const std::vector<int> chance = random_indices(kTokens, 10, 11);
  for (int t = 0; t < kTokens; ++t)
    if (chance[size_t(t)] > 0) words[size_t(t)] = kHot;
  const std::vector<float> gradients = random_floats(kTokens, 10);
  std::vector<int> order, begin{0};
  std::vector<float> rule(kWords);  // the sums in the order of rule 1
  for (int w = 0; w < kWords; ++w) {
    for (int t = 0; t < kTokens; ++t)
      if (words[size_t(t)] == w) order.push_back(t);
    float total = 0;
    for (size_t group = size_t(begin.back()); group < order.size(); group += kGroup) {
      float sum = gradients[size_t(order[group])];
      for (size_t k = group + 1; k < std::min(group + kGroup, order.size()); ++k) sum += gradients[size_t(order[k])];
      total += sum;
    }
    rule[size_t(w)] = total;
    begin.push_back(int(order.size()));
  }
  const Reference reference = reference_sums(words, gradients, kWords);
  say("Word " + std::to_string(kHot) + " has " + std::to_string(begin[kHot + 1] - begin[kHot]) + " of " +
      std::to_string(kTokens) + " tokens.");
  DeviceArray<float> token_gradient(gradients);
  DeviceArray<int> starts(begin), sorted(order);
  const Runs runs = run_schedules([&] {
    DeviceArray<float> row_gradient(kWords);
    embedding_backward(token_gradient, starts, sorted, kTokens, row_gradient);
    return row_gradient.values();
  });
  expect_close(runs, reference.sums, reference.tolerance);
  expect_one_result(runs);
  expect_float_atomics(runs, 0);
  for (int w = 0; w < kWords; ++w)
    if (runs.first()[size_t(w)] != rule[size_t(w)])
      fail("GROUPS", "the sum of word " + std::to_string(w) + " is " + bits_text(runs.first()[size_t(w)]) +
                         ", which is right but for rounding; in groups of 64 it is " + bits_text(rule[size_t(w)]) +
                         "." + written_at(runs, 0, size_t(w)));
  expect_shared_work(runs, 400);
}
