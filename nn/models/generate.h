// Texts that go on.
//
//   const std::vector<models::Generated> texts = models::generate(*model, {{15496, 11}, {464}}, {.max_new_tokens = 20});
//   texts[0].tokens, texts[0].log_probabilities
#pragma once

#include <cstdint>
#include <vector>

#include <ordo/nn/models/language_model.h>

namespace ordo::models {

struct GenerateOptions {
  int64_t max_new_tokens = 20;
  double temperature = 0;          ///< logits are divided by it; 0: the most probable token, of several the first
  int64_t top_k = 0;               ///< draw from so many of the most probable tokens; 0: from all
  double top_p = 1;                ///< and from as few of them as together have this probability
  std::vector<int64_t> stop = {};  ///< tokens after which a text ends
  uint64_t seed = 0;
  std::vector<int64_t> requests = {};  ///< a number for each prompt, by which it draws; default: 0, 1, ...
};

struct Generated {
  std::vector<int64_t> tokens;           ///< new ones; a stop token is the last
  std::vector<float> log_probabilities;  ///< of each, as log_softmax of the model's logits gives them
};

/// Goes on with each prompt. They are computed as one batch.
///
/// Throws: ValueError when there is no prompt, one is empty or too long for the model with its new tokens, options are
/// out of range, the model is in training mode, or logits have NaNs; IndexError when a token is none of the model's.
/// Determinism: what a prompt gets does not depend on the prompts beside it: on the CPU at every level, on CUDA at
/// device_to_device. The number that chooses a token follows from (seed, request, position). Log-probabilities are those
/// of the whole text at once, as in training.
/// PyTorch: transformers.GenerationMixin.generate.
std::vector<Generated> generate(LanguageModel& model, const std::vector<std::vector<int64_t>>& prompts,
                                const GenerateOptions& options = {});

}  // namespace ordo::models
