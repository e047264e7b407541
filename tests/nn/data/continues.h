// Loaders that are stopped within an epoch, and others that go on from their state.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/support/op_samples.h"

namespace ordo::test {

using Batches = std::vector<std::string>;

inline std::string text_of(const Tensor& t) {
  const auto bytes = bytes_of(t);
  return t.sizes().str() + ":" + std::string(bytes.begin(), bytes.end()) + ";";
}
inline std::string text_of(const data::Batch& batch) {
  std::string all;
  for (const Tensor& t : batch.tensors) all += text_of(t);
  return all;
}
/// The batches of an epoch, or its first `stop`.
inline Batches epoch_of(data::DataLoader& loader, int64_t stop = -1) {
  Batches all;
  for (const data::Batch& batch : loader) {
    all.push_back(text_of(batch));
    if (loader.delivered() == stop) break;
  }
  return all;
}

/// A loader make(false) is stopped after each number of batches of its second epoch. From its state make(true), which
/// may have another seed and has begun an epoch, goes on with the batches of a loader that nobody stopped.
inline void expect_continues(const std::function<data::DataLoader(bool resumed)>& make) {
  data::DataLoader whole = make(false);
  Batches expected[3];
  for (Batches& epoch : expected) epoch = epoch_of(whole);
  for (int64_t stop = 0; stop <= whole.size(); ++stop) {
    data::DataLoader loader = make(false);
    epoch_of(loader);
    nn::NamedTensorList state = loader.state_dict();
    GeneratorState drawn = default_generator().state();
    Batches seen;
    if (stop > 0)
      for (const data::Batch& batch : loader) {
        seen.push_back(text_of(batch));
        state = loader.state_dict();
        drawn = default_generator().state();
        if (loader.delivered() == stop) break;
      }
    data::DataLoader resumed = make(true);
    epoch_of(resumed, 1);
    resumed.load_state_dict(state);
    default_generator().set_state(drawn);
    EXPECT_EQ(resumed.delivered(), stop);
    for (const std::string& batch : epoch_of(resumed)) seen.push_back(batch);
    EXPECT_EQ(seen, expected[1]) << stop;
    EXPECT_EQ(epoch_of(resumed), expected[2]) << stop;
  }
}

}  // namespace ordo::test
