#include <ordo/nn/models/generate.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/math/activations.h>
#include <ordo/autograd/ops/shape/cat.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/run/philox.h>

namespace ordo::models {
namespace {

using Prompts = std::vector<std::vector<int64_t>>;

/// Chooses tokens of a request.
class Choice {
 public:
  Choice(const GenerateOptions& options, int64_t request) : o_(options), request_(uint64_t(request)) {}

  int64_t operator()(const float* log_probabilities, int64_t vocabulary, int64_t position) const {
    const float* const p = log_probabilities;
    if (o_.temperature == 0) return std::max_element(p, p + vocabulary) - p;
    std::vector<int64_t> order(static_cast<size_t>(vocabulary));
    std::iota(order.begin(), order.end(), 0);
    const auto comes_first = [&](int64_t a, int64_t b) { return p[a] != p[b] ? p[a] > p[b] : a < b; };
    if (o_.top_k > 0 && o_.top_k < vocabulary) {
      std::nth_element(order.begin(), order.begin() + o_.top_k, order.end(), comes_first);
      order.resize(size_t(o_.top_k));
    }
    std::sort(order.begin(), order.end(), comes_first);
    std::vector<double> sums;  // of weights, from the most probable on
    for (const int64_t token : order)
      sums.push_back((sums.empty() ? 0 : sums.back()) +
                     std::exp((double(p[token]) - double(p[order[0]])) / o_.temperature));
    const auto reaches = [&](double part) {
      return std::min(std::upper_bound(sums.begin(), sums.end(), part), sums.end() - 1) - sums.begin();
    };
    const double all = o_.top_p < 1 ? sums[size_t(reaches(o_.top_p * sums.back()))] : sums.back();
    return order[size_t(reaches(uniform(position) * all))];
  }

 private:
  /// In [0, 1).
  double uniform(int64_t position) const {
    constexpr uint64_t kStream = 0x7e87000000000000u;  // shares no numbers with streams that programs number from 0
    const PhiloxBlock block = philox(o_.seed, kStream ^ request_, uint64_t(position));
    return double((uint64_t(block.v[0]) << 32 | block.v[1]) >> 11) * 0x1p-53;
  }
  const GenerateOptions& o_;
  uint64_t request_;
};

Tensor matrix_of(const Prompts& rows, Device device) {
  std::vector<int64_t> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return from_vector(all, {int64_t(rows.size()), int64_t(rows[0].size())}).to(device);
}

/// What the texts so far have come to: their state, and the logits [N, vocabulary] of the next tokens.
struct Begun {
  TextState state;
  Tensor logits;
};

Begun begin(LanguageModel& model, const Prompts& prompts, Device device) {
  Begun b{model.begin(), {}};
  const auto shorter = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  const auto [least, most] = std::minmax_element(prompts.begin(), prompts.end(), shorter);
  if (least->size() == most->size()) {
    b.logits = model.next(matrix_of(prompts, device), b.state);
    return b;
  }
  // Each by itself, then put together so that all end at one place.
  const auto length = int64_t(most->size());
  TensorList logits;
  std::vector<TextState> states;
  std::vector<int64_t> padding;
  for (const auto& prompt : prompts) {
    states.push_back(model.begin());
    logits.push_back(model.next(matrix_of({prompt}, device), states.back()));
    padding.push_back(length - int64_t(prompt.size()));
  }
  b.logits = cat(logits, 0);
  b.state.padding = from_vector(padding, {int64_t(padding.size())}).to(device);
  for (size_t layer = 0; layer < b.state.caches.size(); ++layer) {
    const auto together = [&](Tensor (nn::KeyValueCache::*part)() const) {
      TensorList all;
      for (size_t i = 0; i < states.size(); ++i) {
        const Tensor t = (states[i].caches[layer].*part)();
        Dims sizes = t.sizes();
        sizes[2] = padding[i];
        all.push_back(cat({zeros(sizes, t.options()), t}, 2));
      }
      return cat(all, 0);
    };
    b.state.caches[layer].append(together(&nn::KeyValueCache::keys), together(&nn::KeyValueCache::values));
  }
  return b;
}

void check(const LanguageModel& model, const Prompts& prompts, const GenerateOptions& o) {
  const char* const op = "generate";
  ORDO_CHECK(!model.is_training(), ValueError, op, "the model is in training mode; eval() ends that");
  ORDO_CHECK(!prompts.empty(), ValueError, op, "needs a prompt");
  for (const auto& prompt : prompts)
    ORDO_CHECK(!prompt.empty(), ValueError, op, "needs at least one token in each prompt");
  ORDO_CHECK(o.max_new_tokens >= 1, ValueError, op, "needs max_new_tokens of at least 1, not {}", o.max_new_tokens);
  ORDO_CHECK(o.temperature >= 0 && std::isfinite(o.temperature), ValueError, op,
             "needs a temperature of at least 0, not {}", o.temperature);
  ORDO_CHECK(o.top_k >= 0 && o.top_p > 0 && o.top_p <= 1, ValueError, op,
             "needs top_k of at least 0 and top_p in (0, 1], not {} and {}", o.top_k, o.top_p);
  ORDO_CHECK(o.requests.empty() || o.requests.size() == prompts.size(), ValueError, op,
             "has {} prompts and {} numbers of requests", prompts.size(), o.requests.size());
}

}  // namespace

std::vector<Generated> generate(LanguageModel& model, const Prompts& prompts, const GenerateOptions& options) {
  const ordo::detail::LibraryCall call;
  check(model, prompts, options);
  const NoGrad guard;
  const Device device = model.parameters()[0].device();
  Begun text = begin(model, prompts, device);
  std::vector<Generated> results(prompts.size());
  std::vector<bool> ended(prompts.size());
  const int64_t vocabulary = model.vocabulary();
  for (int64_t k = 0; k < options.max_new_tokens; ++k) {
    const std::vector<float> scores = log_softmax(text.logits.to(float32), -1).to(cpu).to_vector<float>();
    Prompts next;
    for (size_t i = 0; i < prompts.size(); ++i) {
      const float* const row = scores.data() + int64_t(i) * vocabulary;
      const auto request = options.requests.empty() ? int64_t(i) : options.requests[i];
      const int64_t token = Choice(options, request)(row, vocabulary, int64_t(prompts[i].size()) + k);
      ORDO_CHECK(ended[i] || !std::isnan(row[token]), ValueError, "generate", "the logits of prompt {} have NaNs", i);
      next.push_back({token});
      if (ended[i]) continue;
      results[i].tokens.push_back(token);
      results[i].log_probabilities.push_back(row[token]);
      ended[i] = std::find(options.stop.begin(), options.stop.end(), token) != options.stop.end();
    }
    if (k + 1 == options.max_new_tokens || std::find(ended.begin(), ended.end(), false) == ended.end()) break;
    text.logits = model.next(matrix_of(next, device), text.state);
  }
  return results;
}

}  // namespace ordo::models
