// A data set in batches.
//
//   data::DataLoader loader(train, {.batch_size = 64, .shuffle = true, .generator = Generator(3), .workers = 2});
//   for (int epoch = 0; epoch < 5; ++epoch)
//     for (auto [images, labels] : loader) ...
//
// Whoever loads the state of a loader continues with the batch after the last one that was delivered, with any number
// of workers:
//
//   loader.load_state_dict(saved);
//   for (auto [images, labels] : loader) ...    // the rest of that epoch
#pragma once

#include <iterator>
#include <memory>
#include <optional>

#include <ordo/engine/run/generator.h>
#include <ordo/nn/data/batch.h>
#include <ordo/nn/data/dataset.h>
#include <ordo/nn/data/handle.h>
#include <ordo/nn/data/sampler.h>
#include <ordo/nn/named_tensor.h>

namespace ordo::detail {
class DeviceCopies;
}

namespace ordo::data {

struct DataLoaderOptions {
  int64_t batch_size = 1;
  bool shuffle = false;
  bool drop_last = false;                   ///< leaves out a last batch that is smaller than the others
  std::optional<Generator> generator = {};  ///< default: default_generator()
  Handle<Sampler> sampler = {};             ///< default: a RandomSampler with `shuffle`, else a SequentialSampler
  Collate collate = {};                     ///< default: stack_samples
  int64_t workers = 0;                      ///< threads that make batches; 0: the consumer makes them
  std::optional<int64_t> prefetch = {};     ///< batches made ahead of the consumer; default: two for each worker
  std::optional<Device> device = {};        ///< where batches are delivered; default: where they are made
};

/// A data set in batches, with `shuffle` in a new random order in every epoch. Its state can be saved while an epoch is
/// under way. With a `device`, workers also copy each batch there, through pinned memory and on streams of their own,
/// while the consumer computes; its work on a batch waits for that copy alone.
///
/// Throws: ValueError when one that was moved from is used, save for destroying it, and for giving it another one;
/// constructors, ValueError when the batch size is below 1, workers are outside of 0 .. 1024, prefetch is below 1, or a
/// sampler is given with shuffle, DeviceError when the device is not there.
/// Determinism: the order depends on the generator's seed and on the number of epochs begun, never on device or
/// threads.
/// PyTorch: torch.utils.data.DataLoader, with pin_memory and to(device, non_blocking).
class DataLoader {
 public:
  /// Keeps the set: a copy of what is given by value, which shares its tensors' memory.
  explicit DataLoader(Handle<const Dataset> dataset, DataLoaderOptions options = {});
  /// Row i of `inputs` belongs to row i of `targets`.
  ///
  /// Throws: ShapeError when their numbers differ.
  DataLoader(Tensor inputs, Tensor targets, DataLoaderOptions options = {});
  DataLoader(DataLoader&&) noexcept;
  DataLoader& operator=(DataLoader&&) noexcept;
  ~DataLoader();

  int64_t size() const;  ///< number of batches in an epoch
  /// The rows of a batch, 0 .. size() - 1: the batch size, or fewer in the last one.
  ///
  /// Throws: IndexError when there is no such batch.
  int64_t rows_of(int64_t batch) const;

  /// From the next begin() on, `batches` batches at a time are one sequence of rows, which comes in parts of `rows`
  /// rows, each a batch of its own: parts first .. last - 1, one after the other; the others are not made. A part
  /// without rows is a batch without tensors. size() and delivered() go on counting whole batches. So processes share
  /// batches.
  ///
  /// Throws: ValueError unless rows >= 1, 1 <= batches <= 2^40 and 0 <= first < last <= 65536.
  void deliver_parts(int64_t rows, int64_t first, int64_t last, int64_t batches = 1);
  /// From the next begin() on, whole batches come.
  void deliver_batches() { deliver_parts(options_.batch_size, 0, 1); }

 private:
  class Run;        // an epoch from the batch where it began, with its threads
  struct Progress;  // of the epoch that is under way

 public:
  /// The threads belong to the iterator: they end when it is destroyed, as after a `break`.
  ///
  /// Throws: IndexError when one at the end is read or moved on.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Batch;
    using difference_type = int64_t;
    using pointer = const Batch*;
    using reference = Batch;
    /// A copy of the batch's rows.
    ///
    /// Throws: what get() or collate threw for this batch; the iterator can go on with the next one then.
    Batch operator*() const;
    Iterator& operator++();
    void operator++(int) { ++*this; }
    bool operator==(const Iterator& other) const { return left() == other.left(); }

   private:
    friend class DataLoader;
    explicit Iterator(std::shared_ptr<Run> run = nullptr) : run_(std::move(run)) {}
    Run& run() const;
    int64_t left() const;
    std::shared_ptr<Run> run_;  // null at the end
    int64_t index_ = 0;         // of the part, from begin() on
  };

  /// Starts a new epoch, and with it a new order; after load_state_dict() it goes on with the epoch that was under way.
  ///
  /// Throws: ValueError, IndexError when a sampler returns too few indices, too many, or such that are none.
  Iterator begin();
  Iterator end() {
    size();  // an error where it was moved from
    return Iterator();
  }

  /// The number of batches delivered in the epoch that is under way; 0 between epochs. An epoch that a `break` left is
  /// under way until the next begin().
  int64_t delivered() const;
  /// The number of epochs begun. Samplers and sets know the first one as epoch 0.
  int64_t epochs() const { return epochs_; }
  /// "rows", "batch_size" and "samples", the set's size and the sampler's; "epochs", "delivered" and "under_way";
  /// "order" and "generator", the generators' states [3] from which the current order was drawn and the next one will
  /// be. The latter is there only if the loader has a generator of its own; the default one is the program's to save. A
  /// sampler with a state has it as "sampler.NAME", and within an epoch its order as "indices". Batches that workers
  /// have made but nobody has got do not count.
  nn::NamedTensorList state_dict() const;
  /// Copies a state in.
  ///
  /// Throws: ValueError when it is that of a loader of other rows or batches, or of one with a generator where this has
  /// none.
  void load_state_dict(const nn::NamedTensorList& state) { prepare_state_dict(state)(); }
  /// load_state_dict() in two parts: checks now, changes when the result is called.
  nn::Commit prepare_state_dict(const nn::NamedTensorList& state);

 private:
  DataLoader(const DataLoader&) = default;  // for Run
  std::shared_ptr<Progress> drawn(int64_t epoch, Generator generator) const;
  void expect_order(const Order& order) const;
  void expect_indices(const std::vector<int64_t>& indices) const;
  int64_t samples() const;  // of an epoch
  int64_t parts_at_a_time() const { return last_part_ - first_part_; }
  Handle<const Dataset> dataset_;                       // null in what was moved from
  TensorList rows_;                                     // of a set in memory
  std::shared_ptr<ordo::detail::DeviceCopies> copies_;  // of workers, to another device
  DataLoaderOptions options_;
  std::shared_ptr<Progress> progress_;  // null before the first epoch
  int64_t epochs_ = 0;
  int64_t part_rows_, first_part_ = 0, last_part_ = 1, batches_at_a_time_ = 1;
  bool resumed_ = false;  // the next begin() goes on with progress_
};

}  // namespace ordo::data
