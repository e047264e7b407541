// Parts of sets, and sets one after another.
//
//   auto parts = data::random_split(train, {50000, 10000}, Generator(1));
//   data::DataLoader loader(parts[0], {.batch_size = 64, .shuffle = true});
#pragma once

#include <vector>

#include <ordo/engine/run/generator.h>
#include <ordo/nn/data/dataset.h>
#include <ordo/nn/data/handle.h>

namespace ordo::data {

/// Sample i is sample indices[i] of the set, with the random numbers that it has there.
///
/// Throws: IndexError when the set does not have an index, or there is no sample i; ValueError for a null pointer.
/// PyTorch: torch.utils.data.Subset.
class Subset : public Dataset {
 public:
  Subset(Handle<const Dataset> dataset, std::vector<int64_t> indices);
  int64_t size() const override { return int64_t(indices_.size()); }
  Sample get(int64_t i) const override { return get_in_epoch(i, 0); }
  Sample get_in_epoch(int64_t i, int64_t epoch) const override;
  const std::vector<int64_t>& indices() const { return indices_; }

 private:
  Handle<const Dataset> dataset_;
  std::vector<int64_t> indices_;
};

/// The samples of the first set, then those of the second, and so on.
///
/// Throws: ValueError when there is no set, or for a null pointer; IndexError when there is no sample i.
/// PyTorch: torch.utils.data.ConcatDataset.
class ConcatDataset : public Dataset {
 public:
  explicit ConcatDataset(std::vector<Handle<const Dataset>> datasets);
  int64_t size() const override { return ends_.back(); }
  Sample get(int64_t i) const override { return get_in_epoch(i, 0); }
  Sample get_in_epoch(int64_t i, int64_t epoch) const override;

 private:
  std::vector<Handle<const Dataset>> datasets_;
  std::vector<int64_t> ends_;  // of each set's samples among all
};

/// Disjoint parts of these lengths, drawn from the generator.
///
/// Throws: ValueError unless they are not negative and together as long as the set, and for a null pointer.
/// PyTorch: torch.utils.data.random_split.
std::vector<Subset> random_split(Handle<const Dataset> dataset, const std::vector<int64_t>& lengths,
                                 Generator generator = default_generator());

}  // namespace ordo::data
