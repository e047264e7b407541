// DataLoader: a data set in batches, in a new random order in every epoch.
//
//   data::DataLoader loader(train, {.batch_size = 64, .shuffle = true, .generator = Generator(3)});
//   for (int epoch = 0; epoch < 5; ++epoch)
//     for (auto [images, labels] : loader) ...
//
// The order depends on the generator's seed and on the number of epochs begun, never on device or threads.
#pragma once

#include <iterator>
#include <optional>

#include <ordo/engine/generator.h>
#include <ordo/nn/data/dataset.h>

namespace ordo::data {

struct Batch {
  Tensor inputs, targets;
  int64_t size() const { return inputs.size(0); }
};

struct DataLoaderOptions {
  int64_t batch_size = 1;
  bool shuffle = false;
  bool drop_last = false;                   ///< leaves out a last batch that is smaller than the others
  std::optional<Generator> generator = {};  ///< default: default_generator()
};

class DataLoader {
 public:
  /// Row i of `inputs` belongs to row i of `targets`. ShapeError when their numbers differ, ValueError for a batch size
  /// below 1.
  DataLoader(Tensor inputs, Tensor targets, DataLoaderOptions options = {});
  explicit DataLoader(const Dataset& dataset, DataLoaderOptions options = {})
      : DataLoader(dataset.images, dataset.labels, std::move(options)) {}

  int64_t size() const;  ///< number of batches in an epoch

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Batch;
    using difference_type = int64_t;
    using pointer = const Batch*;
    using reference = Batch;
    Batch operator*() const { return loader_->batch(index_); }  ///< a copy of the batch's rows
    Iterator& operator++() { return ++index_, *this; }
    void operator++(int) { ++index_; }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    friend class DataLoader;
    Iterator(const DataLoader* loader, int64_t index) : loader_(loader), index_(index) {}
    const DataLoader* loader_;
    int64_t index_;
  };

  Iterator begin();  ///< starts a new epoch, and with it a new order
  Iterator end() { return {this, size()}; }

 private:
  Batch batch(int64_t index) const;
  Tensor inputs_, targets_;
  DataLoaderOptions options_;
  std::vector<int64_t> order_;
};

/// The numbers 0 to n - 1 in a random order that depends on the generator's state only.
std::vector<int64_t> permutation(int64_t n, Generator& generator);

}  // namespace ordo::data
