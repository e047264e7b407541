// How much of attention a device computes at a time. Internal to attention.cpp of the operations.
#pragma once

#include <cstdint>

#include <ordo/engine/run/launch_tuning.h>
#include <ordo/engine/tensor/device.h>

namespace ordo::kernels {

struct AttentionPlan {
  int64_t scores;   ///< of a block: on the CPU as many as stay in the cache, on a GPU a small part of its memory
  int64_t queries;  ///< of a block, at least
  int64_t many;     ///< scores, whose memory is worth computing them twice where gradients are recorded
  bool always;      ///< also fewer, where there is neither mask nor gradient
  bool shortens;    ///< blocks leave out the keys that their queries may not look at
};

inline AttentionPlan attention_plan(Device device) {
  const auto tuned = [](int bits) { return ordo::cuda::tuned_size(int64_t(1) << bits); };
  if (device.is_cuda())
    return {.scores = tuned(25), .queries = 256, .many = tuned(27), .always = false, .shortens = false};
  return {.scores = tuned(20), .queries = 64, .many = tuned(28), .always = true, .shortens = true};
}

}  // namespace ordo::kernels
