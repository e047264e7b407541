// Times on GPUs, predicted from what the PTX machine has counted and from published figures. Predictions are never
// shown among measurements.
#pragma once

#include <ordo/engine/run/emulation.h>

#include <span>
#include <string>

namespace ordo::bench {

/// Figures of a GPU; gpu_model.cpp has their sources.
struct Gpu {
  std::string name;
  double multiprocessors, gigahertz;
  double dram_GB;           ///< a second, as the data sheet has it
  double atomic_words_G;    ///< that atomics change in a second, where they meet in sectors
  double atomic_sectors_G;  ///< likewise, one word in each
  double hot_word_G;        ///< changes of one word in a second
};
std::span<const Gpu> gpus();

struct Prediction {
  double ms = 0;
  /// What most of the time is for: launches, memory, atomics, one word, instructions or shared memory.
  std::string bound;
};

/// Every kernel takes as long as the slowest of what it needs; one kernel after the other.
Prediction predict(std::span<const cuda::KernelCounts> kernels, const Gpu& gpu);

}  // namespace ordo::bench
