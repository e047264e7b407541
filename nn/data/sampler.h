// Which samples an epoch visits, and in what order.
//
//   data::DataLoader loader(train, {.batch_size = 64, .sampler = data::WeightedRandomSampler(weights, 1000)});
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <ordo/engine/run/generator.h>
#include <ordo/nn/data/handle.h>
#include <ordo/nn/named_tensor.h>

namespace ordo::data {

/// The order of an epoch: indices in memory, or a function of the place, which takes none.
class Order {
 public:
  Order() = default;
  Order(std::vector<int64_t> indices);
  /// `at(i)` gives index i of `size`, always the same one; several threads may call it at a time.
  Order(int64_t size, std::function<int64_t(int64_t)> at) : size_(size), at_(std::move(at)) {}
  int64_t size() const { return size_; }
  int64_t operator[](int64_t i) const { return indices_ ? (*indices_)[size_t(i)] : at_(i); }
  /// Null for a function.
  const std::vector<int64_t>* in_memory() const { return indices_.get(); }
  /// `count` indices from number `first` on.
  ///
  /// Throws: OutOfMemoryError.
  std::vector<int64_t> indices(int64_t first, int64_t count) const;

 private:
  int64_t size_ = 0;
  std::shared_ptr<const std::vector<int64_t>> indices_;
  std::function<int64_t(int64_t)> at_;
};

/// What all samplers are: for each epoch, a list of indices of samples.
///
/// Determinism: what a sampler of this library returns depends on its construction, the number of the epoch and the
/// generator's state only, so a loader that continues within an epoch draws the same order again.
/// PyTorch: torch.utils.data.Sampler.
class Sampler {
 public:
  virtual ~Sampler() = default;
  /// How many indices an epoch of a set of `rows` samples has.
  virtual int64_t size(int64_t rows) const { return rows; }
  /// They, each in 0 .. rows - 1. Random numbers come from `generator`, which is the loader's.
  virtual std::vector<int64_t> indices(int64_t rows, int64_t epoch, Generator& generator) = 0;
  /// The order of indices(), as loaders read it. For samplers of more indices than memory holds.
  virtual Order order(int64_t rows, int64_t epoch, Generator& generator) { return indices(rows, epoch, generator); }
  // A sampler whose indices depend on more than the above (losses seen so far, say) saves that here. Its loader then
  // saves the order of the epoch that is under way, too.
  virtual nn::NamedTensorList state_dict() const { return {}; }
  virtual nn::Commit prepare_state_dict(const nn::NamedTensorList& state);
};

/// 0, 1, ...; what a loader has without `shuffle`.
///
/// PyTorch: torch.utils.data.SequentialSampler.
struct SequentialSampler : Sampler {
  std::vector<int64_t> indices(int64_t rows, int64_t epoch, Generator& generator) override;
  Order order(int64_t rows, int64_t epoch, Generator& generator) override;
};

struct RandomSamplerOptions {
  bool replacement = false;
  int64_t num_samples = 0;  ///< 0: as many as there are rows
};

/// A new permutation in every epoch, which is what a loader has with `shuffle`; with replacement, each index is drawn
/// by itself. Without replacement, more indices than rows are several permutations one after another. Each index is
/// computed when its batch is made, except for permutations of up to kRowsShuffledInMemory rows, which take 8 bytes a
/// row. Those of more rows are keyed_permutation().
///
/// Throws: ValueError when num_samples is negative.
/// PyTorch: torch.utils.data.RandomSampler.
class RandomSampler : public Sampler {
 public:
  explicit RandomSampler(RandomSamplerOptions options = {});
  int64_t size(int64_t rows) const override;
  std::vector<int64_t> indices(int64_t rows, int64_t epoch, Generator& generator) override;
  Order order(int64_t rows, int64_t epoch, Generator& generator) override;

 private:
  RandomSamplerOptions options_;
};

/// `num_samples` indices, index i with probability weights[i] / sum(weights); without replacement, the same among those
/// that are left.
///
/// Throws: ValueError when weights are negative, not finite or all 0, num_samples is below 1, without replacement fewer
/// weights are above 0 than num_samples, or the set has another number of rows than there are weights.
/// Determinism: draws walk down a tree of sums in double, so equal weights and generators give equal indices on every
/// machine.
/// PyTorch: torch.utils.data.WeightedRandomSampler.
class WeightedRandomSampler : public Sampler {
 public:
  WeightedRandomSampler(std::vector<double> weights, int64_t num_samples, bool replacement = true);
  int64_t size(int64_t) const override { return num_samples_; }
  std::vector<int64_t> indices(int64_t rows, int64_t epoch, Generator& generator) override;

 private:
  std::vector<double> tree_;  // node k is the sum of nodes 2k and 2k + 1; leaf i is node leaves_ + i
  int64_t leaves_, rows_, num_samples_;
  bool replacement_;
};

struct DistributedSamplerOptions {
  int64_t rank = 0;        ///< this process
  int64_t world_size = 1;  ///< of so many
  bool shuffle = true;
  uint64_t seed = 0;  ///< the same in every process
  bool drop_last = false;
};

/// One process's share: indices rank, rank + world_size, ... of an order that is the same in every process. Each has
/// equally many: the order is first filled up with indices from its beginning, or cut with drop_last, to a multiple of
/// world_size.
///
/// Throws: ValueError unless 0 <= rank < world_size.
/// Determinism: the order depends on (seed, epoch), not on the loader's generator.
/// PyTorch: torch.utils.data.DistributedSampler.
class DistributedSampler : public Sampler {
 public:
  explicit DistributedSampler(DistributedSamplerOptions options);
  int64_t size(int64_t rows) const override;
  std::vector<int64_t> indices(int64_t rows, int64_t epoch, Generator& generator) override;

 private:
  DistributedSamplerOptions options_;
};

/// The numbers 0 to n - 1 in a random order that depends on the generator's state only.
///
/// Throws: ValueError when n is negative.
/// PyTorch: torch.randperm.
std::vector<int64_t> permutation(int64_t n, Generator& generator);

/// Of up to so many rows RandomSampler keeps permutation() in memory.
inline constexpr int64_t kRowsShuffledInMemory = int64_t(1) << 32;
/// A permutation of 0 to n - 1 that is computed index by index: six rounds of a Feistel network on the least even
/// number of bits that hold n - 1, repeated until the result is below n. Its functions are Philox with a key of one
/// block from the generator. Not all n! permutations occur.
///
/// Throws: ValueError when n is negative.
/// Source: Black, Rogaway, "Ciphers with arbitrary finite domains", 2002, the cycle-walking cipher.
Order keyed_permutation(int64_t n, Generator& generator);

}  // namespace ordo::data
