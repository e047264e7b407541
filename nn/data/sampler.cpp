#include <ordo/nn/data/sampler.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/engine/run/philox.h>
#include <ordo/nn/data/draws.h>
#include <ordo/nn/state/entries.h>

namespace ordo::data {

namespace {

/// `n` numbers of 64 bits from a generator.
class Words {
 public:
  Words(Generator& generator, int64_t n) : state_(generator.reserve((uint64_t(n) + 1) / 2)) {}
  uint64_t operator[](int64_t i) const {
    const PhiloxBlock block = philox(state_.seed, state_.stream, state_.offset + uint64_t(i) / 2);
    return uint64_t(block.v[i % 2 * 2]) << 32 | block.v[i % 2 * 2 + 1];
  }
  /// Number i on 0 .. n - 1: the high word of the product is uniform up to 2^-64 n.
  int64_t below(int64_t n, int64_t i) const {
    return int64_t(static_cast<unsigned __int128>((*this)[i]) * uint64_t(n) >> 64);
  }
  double uniform(int64_t i) const { return double((*this)[i] >> 11) * 0x1p-53; }

 private:
  GeneratorState state_;
};

std::vector<int64_t> counted(const char* op, int64_t rows) {
  auto order = checked::vector<int64_t>(op, rows);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

std::vector<int64_t> permutation(int64_t n, Generator& generator) {
  ORDO_CHECK(n >= 0, ValueError, "permutation", "n must not be negative, but is {}", n);
  auto order = counted("permutation", n);
  const Words words(generator, n);
  for (int64_t i = n - 1; i > 0; --i) std::swap(order[size_t(i)], order[size_t(words.below(i + 1, i))]);
  return order;
}

namespace {

/// keyed_permutation() with a block of random numbers as its key.
struct KeyedPermutation {
  uint64_t n, seed, stream;
  int half;  // of the bits of a number

  KeyedPermutation(int64_t size, const GeneratorState& state, uint64_t block)
      : n(uint64_t(size)), half((std::bit_width(n == 0 ? 0 : n - 1) + 1) / 2) {
    const PhiloxBlock key = philox(state.seed, state.stream, state.offset + block);
    seed = uint64_t(key.v[0]) << 32 | key.v[1];
    stream = uint64_t(key.v[2]) << 32 | key.v[3];
  }
  int64_t operator()(int64_t i) const {
    const uint64_t mask = (uint64_t(1) << half) - 1;
    uint64_t x = uint64_t(i);
    do {
      uint64_t left = x >> half, right = x & mask;
      for (uint64_t round = 0; round < 6; ++round) {
        const uint64_t mixed = left ^ (philox(seed, stream, round << 32 | right).v[0] & mask);
        left = std::exchange(right, mixed);
      }
      x = left << half | right;
    } while (x >= n);
    return int64_t(x);
  }
};

}  // namespace

Order keyed_permutation(int64_t n, Generator& generator) {
  ORDO_CHECK(n >= 0, ValueError, "keyed_permutation", "n must not be negative, but is {}", n);
  return {n, KeyedPermutation(n, generator.reserve(1), 0)};
}

Order::Order(std::vector<int64_t> indices)
    : size_(int64_t(indices.size())), indices_(std::make_shared<const std::vector<int64_t>>(std::move(indices))) {}

std::vector<int64_t> Order::indices(int64_t first, int64_t count) const {
  auto all = checked::vector<int64_t>("Sampler", count);
  for (int64_t i = 0; i < count; ++i) all[size_t(i)] = (*this)[first + i];
  return all;
}

nn::Commit Sampler::prepare_state_dict(const nn::NamedTensorList& state) {
  nn::Entries("Sampler", state).finish();
  return [] {};
}

std::vector<int64_t> SequentialSampler::indices(int64_t rows, int64_t, Generator&) { return counted("Sampler", rows); }

Order SequentialSampler::order(int64_t rows, int64_t, Generator&) {
  return {rows, [](int64_t i) { return i; }};
}

RandomSampler::RandomSampler(RandomSamplerOptions options) : options_(options) {
  ORDO_CHECK(options.num_samples >= 0, ValueError, "RandomSampler", "needs num_samples of at least 0, not {}",
             options.num_samples);
}

int64_t RandomSampler::size(int64_t rows) const {
  return options_.num_samples == 0 || rows == 0 ? rows : options_.num_samples;
}

std::vector<int64_t> RandomSampler::indices(int64_t rows, int64_t epoch, Generator& generator) {
  const Order drawn = order(rows, epoch, generator);
  return drawn.in_memory() ? *drawn.in_memory() : drawn.indices(0, drawn.size());
}

Order RandomSampler::order(int64_t rows, int64_t, Generator& generator) {
  const int64_t n = size(rows);
  if (options_.replacement) {
    const Words words(generator, n);
    return {n, [words, rows](int64_t i) { return words.below(rows, i); }};
  }
  if (rows > kRowsShuffledInMemory) {
    const GeneratorState keys = generator.reserve(uint64_t((n + rows - 1) / rows));
    return {n, [keys, rows](int64_t i) { return KeyedPermutation(rows, keys, uint64_t(i / rows))(i % rows); }};
  }
  if (n == rows) return permutation(rows, generator);
  auto order = checked::vector<int64_t>("RandomSampler", n);
  for (int64_t done = 0; done < n; done += rows) {
    const auto part = permutation(rows, generator);
    std::copy_n(part.begin(), std::min(rows, n - done), order.begin() + done);
  }
  return order;
}

WeightedRandomSampler::WeightedRandomSampler(std::vector<double> weights, int64_t num_samples, bool replacement)
    : rows_(int64_t(weights.size())), num_samples_(num_samples), replacement_(replacement) {
  const char* op = "WeightedRandomSampler";
  ORDO_CHECK(num_samples >= 1, ValueError, op, "needs num_samples of at least 1, not {}", num_samples);
  int64_t possible = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    ORDO_CHECK(weights[i] >= 0 && std::isfinite(weights[i]), ValueError, op,
               "needs weights that are finite and not negative, but weight {} is {}", i, weights[i]);
    possible += weights[i] > 0;
  }
  for (leaves_ = 1; leaves_ < rows_;) leaves_ *= 2;
  tree_ = checked::vector<double>(op, 2 * leaves_);
  std::copy(weights.begin(), weights.end(), tree_.begin() + leaves_);
  for (size_t node = size_t(leaves_) - 1; node > 0; --node) tree_[node] = tree_[2 * node] + tree_[2 * node + 1];
  ORDO_CHECK(tree_[1] > 0 && std::isfinite(tree_[1]), ValueError, op,
             "needs weights with a finite sum above 0, but it is {}", tree_[1]);
  ORDO_CHECK(replacement || possible >= num_samples, ValueError, op,
             "cannot draw {} samples without replacement: only {} weights are above 0", num_samples, possible);
}

std::vector<int64_t> WeightedRandomSampler::indices(int64_t rows, int64_t, Generator& generator) {
  ORDO_CHECK(rows == rows_, ValueError, "WeightedRandomSampler", "has {} weights for a set of {} samples", rows_, rows);
  auto order = checked::vector<int64_t>("WeightedRandomSampler", num_samples_);
  std::vector<double> own;
  if (!replacement_) own = tree_;
  const std::vector<double>& tree = replacement_ ? tree_ : own;
  const Words words(generator, num_samples_);
  for (int64_t i = 0; i < num_samples_; ++i) {
    double u = words.uniform(i) * tree[1];
    size_t node = 1;
    while (node < size_t(leaves_)) {
      const double left = tree[2 * node], right = tree[2 * node + 1];
      // Rounding may leave u at the sum of both; a part without weight is never entered.
      const bool go_left = right == 0 || (left > 0 && u < left);
      if (!go_left) u -= left;
      node = 2 * node + !go_left;
    }
    order[size_t(i)] = int64_t(node) - leaves_;
    if (replacement_) continue;
    own[node] = 0;
    for (node /= 2; node > 0; node /= 2) own[node] = own[2 * node] + own[2 * node + 1];
  }
  return order;
}

DistributedSampler::DistributedSampler(DistributedSamplerOptions options) : options_(options) {
  ORDO_CHECK(options.world_size >= 1 && options.rank >= 0 && options.rank < options.world_size, ValueError,
             "DistributedSampler", "needs a rank from 0 to world_size - 1, given rank {} of {}", options.rank,
             options.world_size);
}

int64_t DistributedSampler::size(int64_t rows) const {
  return rows / options_.world_size + (!options_.drop_last && rows % options_.world_size != 0);
}

std::vector<int64_t> DistributedSampler::indices(int64_t rows, int64_t epoch, Generator&) {
  Generator shared(options_.seed, Draws::kDistributed ^ uint64_t(epoch));
  const auto all = options_.shuffle ? permutation(rows, shared) : counted("Sampler", rows);
  auto own = checked::vector<int64_t>("DistributedSampler", size(rows));
  for (size_t i = 0; i < own.size(); ++i)
    own[i] = all[size_t((int64_t(i) * options_.world_size + options_.rank) % rows)];
  return own;
}

}  // namespace ordo::data
