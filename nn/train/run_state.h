// RunState: what a Trainer's run knows of its past, as a part of its checkpoints. Internal to nn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ordo/nn/named_tensor.h>
#include <ordo/nn/train/metrics.h>

namespace ordo::detail {

struct RunState {
  int64_t epochs = 0;  // finished
  int64_t steps = 0;
  int64_t batches = 0;   // of the epoch under way
  double loss_sum = 0;   // of its batches
  double loss = 0;       // mean of the last epoch that was finished
  double last_loss = 0;  // of the last step
  double best = 0;       // of the metric that is watched
  int64_t validations = 0;
  int64_t worse = 0;  // validations since the best
  int64_t log_bytes = 0;
  uint64_t seed = 0;
  int64_t shards = 1;                // of a batch
  NamedNumbers metrics;              // of the last validation
  std::vector<std::string> weights;  // sha256 after each epoch

  nn::NamedTensorList state_dict() const;
  nn::Commit prepare_state_dict(const nn::NamedTensorList& state);
};

}  // namespace ordo::detail
