// DataLoader: a data set in batches, in a new random order in every epoch.
//
//   data::DataLoader loader(train, {.batch_size = 64, .shuffle = true, .generator = Generator(3)});
//   for (int epoch = 0; epoch < 5; ++epoch)
//     for (auto [images, labels] : loader) ...
//
// The order depends on the generator's seed and on the number of epochs begun, never on device or threads.
//
// A loader's state can be saved while an epoch is under way. Whoever loads it continues with the batch after the last
// one that was delivered:
//
//   loader.load_state_dict(saved);
//   for (auto [images, labels] : loader) ...    // the rest of that epoch
#pragma once

#include <iterator>
#include <optional>

#include <ordo/engine/generator.h>
#include <ordo/nn/data/dataset.h>
#include <ordo/nn/named_tensor.h>

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
    Iterator& operator++() { return loader_->leave(++index_), *this; }
    void operator++(int) { ++*this; }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    friend class DataLoader;
    Iterator(DataLoader* loader, int64_t index) : loader_(loader), index_(index) {}
    DataLoader* loader_;
    int64_t index_;
  };

  /// Starts a new epoch, and with it a new order; after load_state_dict() it goes on with the epoch that was under way.
  Iterator begin();
  Iterator end() { return {this, size()}; }

  /// The number of batches delivered in the epoch that is under way; 0 between epochs. An epoch that a `break` left is
  /// under way until the next begin().
  int64_t delivered() const { return under_way_ ? delivered_ : 0; }
  /// "rows" and "batch_size"; "delivered" and "under_way"; "order" and "generator", the generators' states [3] from
  /// which the current order was drawn and the next one will be. The latter is there only if the loader has a generator
  /// of its own; the default one is the program's to save.
  nn::NamedTensorList state_dict() const;
  /// ValueError for the state of a loader of other rows or batches, or of one with a generator where this has none.
  void load_state_dict(const nn::NamedTensorList& state) { prepare_state_dict(state)(); }
  /// The same in two parts: checks now, changes when the result is called.
  nn::Commit prepare_state_dict(const nn::NamedTensorList& state);

 private:
  Batch batch(int64_t index);
  void leave(int64_t next);
  void draw_order(Generator generator);
  Tensor inputs_, targets_;
  DataLoaderOptions options_;
  std::vector<int64_t> order_;
  GeneratorState drawn_from_;  // the order
  int64_t delivered_ = 0;
  bool under_way_ = false;  // an epoch, from begin() until its last batch was left
  bool resumed_ = false;    // and the next begin() goes on with it
};

/// The numbers 0 to n - 1 in a random order that depends on the generator's state only.
std::vector<int64_t> permutation(int64_t n, Generator& generator);

}  // namespace ordo::data
