#include <ordo/nn/data/data_loader.h>

#include <algorithm>
#include <utility>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/device_check.h>
#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/calls/op_scope.h>
#include <ordo/engine/distributed/reduction_tree.h>
#include <ordo/engine/memory/device_copies.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/data/prefetcher.h>
#include <ordo/nn/state/entries.h>

namespace ordo::data {

struct DataLoader::Progress {
  int64_t epoch = 0;
  GeneratorState drawn_from;  // the order, by a sampler that drew
  Order order;                // which threads read; what follows is the consumer's
  int64_t delivered = 0;
  bool under_way = false;  // until the last batch was left
};

class DataLoader::Run {
 public:
  explicit Run(const DataLoader& loader)
      : progress(loader.progress_), loader_(loader), batches_(loader.size()), first_batch_(progress->delivered) {
    const DataLoaderOptions& o = loader_.options_;
    const TensorList& rows = loader_.rows_;
    const bool on_cpu = std::all_of(rows.begin(), rows.end(), [](const Tensor& t) { return t.is_cpu(); });
    if (const int64_t left = batches_ - first_batch_; left > 0)
      parts_ = ((left - 1) / loader_.batches_at_a_time_ + 1) * loader_.parts_at_a_time();
    if (o.workers > 0 && on_cpu && parts_ > 0)  // a device copies rows in its own order
      prefetcher_.emplace([this](int64_t i) { return make(i); }, 0, parts_, o.workers,
                          o.prefetch.value_or(2 * o.workers), loader_.copies_);
  }

  Batch batch(int64_t index) {
    NoGrad guard;
    const OpCall call("DataLoader", OpEvent::Role::batch, index_of(index), first_of(index), count_of(index));
    Batch batch{call.done(prefetcher_ ? prefetcher_->take(index) : make(index))};
    if (const auto& device = loader_.options_.device)
      for (Tensor& t : batch.tensors)
        if (t.defined()) t = t.to(*device);  // where no worker has
    progress->delivered = std::min(batches_, batch_of(index + 1));
    return batch;
  }
  int64_t parts_left(int64_t index) const { return parts_ - index; }

  const std::shared_ptr<Progress> progress;

 private:
  /// Counted from the beginning of the epoch.
  int64_t index_of(int64_t index) const {
    return first_batch_ / loader_.batches_at_a_time_ * loader_.parts_at_a_time() + index;
  }
  /// The first of the batches that part `index` is of.
  int64_t batch_of(int64_t index) const {
    return first_batch_ + index / loader_.parts_at_a_time() * loader_.batches_at_a_time_;
  }
  /// Where part `index` begins, and with `end` where it ends, among the epoch's rows.
  int64_t border_of(int64_t index, int64_t end) const {
    const int64_t batch_size = loader_.options_.batch_size, batch = batch_of(index);
    const int64_t first = batch * batch_size,
                  last = std::min(batches_, batch + loader_.batches_at_a_time_) * batch_size;
    const int64_t part = loader_.first_part_ + index % loader_.parts_at_a_time() + end;
    return std::min({first + part * loader_.part_rows_, last, progress->order.size()});
  }
  int64_t first_of(int64_t index) const { return border_of(index, 0); }
  int64_t count_of(int64_t index) const { return border_of(index, 1) - first_of(index); }

  TensorList make(int64_t index) const {
    std::optional<ordo::detail::OpScope> scope;  // in workers, too, whose order is none
    if (ordo::detail::op_listened()) scope.emplace(std::make_shared<const std::string>(ordo::detail::kLoaderScope));
    const int64_t count = count_of(index);
    if (count == 0) return {};
    const std::vector<int64_t> indices = progress->order.indices(first_of(index), count);
    if (!progress->order.in_memory()) loader_.expect_indices(indices);
    const Collate& collate = loader_.options_.collate;
    if (!loader_.rows_.empty() && !collate) {
      TensorList batch;
      for (const Tensor& t : loader_.rows_) batch.push_back(take_rows(t, indices.data(), count));
      return batch;
    }
    std::vector<Sample> samples;
    for (int64_t i : indices) samples.push_back(loader_.dataset_->get_in_epoch(i, progress->epoch));
    return collate ? collate(samples) : stack_samples(samples);
  }

  const DataLoader loader_;              // a copy: an iterator outlives its loader, and does not notice its changes
  const int64_t batches_, first_batch_;  // of the epoch, and the first to deliver
  int64_t parts_ = 0;
  std::optional<Prefetcher> prefetcher_;  // the last member: its threads end before what they use
};

DataLoader::DataLoader(Handle<const Dataset> dataset, DataLoaderOptions options)
    : dataset_(std::move(dataset)), options_(std::move(options)), part_rows_(options_.batch_size) {
  const ordo::detail::LibraryCall library;
  const char* op = "DataLoader";
  const DataLoaderOptions& o = options_;
  ORDO_CHECK(dataset_, ValueError, op, "needs a data set, given a null pointer");
  ORDO_CHECK(o.batch_size >= 1, ValueError, op, "needs a batch size of at least 1, not {}", o.batch_size);
  ORDO_CHECK(o.workers >= 0 && o.workers <= 1024, ValueError, op, "needs 0 to 1024 workers, not {}", o.workers);
  ORDO_CHECK(!o.prefetch || *o.prefetch >= 1, ValueError, op, "needs a prefetch of at least 1, not {}", *o.prefetch);
  ORDO_CHECK(!o.sampler || !o.shuffle, ValueError, op, "takes a sampler or shuffle, not both");
  if (o.device) ordo::detail::check_device(op, *o.device);
  if (o.device && o.device->is_cuda() && o.workers > 0)
    copies_ = std::make_shared<ordo::detail::DeviceCopies>(*o.device);
  if (!o.sampler) options_.sampler = o.shuffle ? Handle<Sampler>(RandomSampler()) : SequentialSampler();
  if (TensorList rows = dataset_->rows(); !rows.empty()) {
    const ordo::detail::OperationName name(op);
    rows_ = TensorDataset(std::move(rows)).rows();
  }
}

static TensorDataset pairs(Tensor inputs, Tensor targets) {
  const ordo::detail::OperationName name("DataLoader");
  return TensorDataset({std::move(inputs), std::move(targets)});
}

DataLoader::DataLoader(Tensor inputs, Tensor targets, DataLoaderOptions options)
    : DataLoader(pairs(std::move(inputs), std::move(targets)), std::move(options)) {}

DataLoader::DataLoader(DataLoader&&) noexcept = default;
DataLoader& DataLoader::operator=(DataLoader&&) noexcept = default;
DataLoader::~DataLoader() = default;

int64_t DataLoader::samples() const {
  ORDO_CHECK(dataset_, ValueError, "DataLoader", "this loader was moved from; use the one that it was moved to");
  return options_.sampler->size(dataset_->size());
}

int64_t DataLoader::size() const {
  const int64_t n = samples(), per_batch = options_.batch_size;
  return n / per_batch + (!options_.drop_last && n % per_batch != 0);
}

int64_t DataLoader::rows_of(int64_t batch) const {
  const int64_t batches = size(), per_batch = options_.batch_size;
  ORDO_CHECK(batch >= 0 && batch < batches, IndexError, "DataLoader", "has no batch {}; there are {}", batch, batches);
  return std::min(per_batch, samples() - batch * per_batch);
}

void DataLoader::deliver_parts(int64_t rows, int64_t first, int64_t last, int64_t batches) {
  constexpr int64_t kMost = int64_t(1) << 40;
  ORDO_CHECK(rows >= 1 && batches >= 1 && batches <= kMost, ValueError, "DataLoader",
             "cannot cut {} batches into parts of {} rows", batches, rows);
  ORDO_CHECK(0 <= first && first < last && last <= distributed::kMostShards, ValueError, "DataLoader",
             "cannot deliver parts {} to {}; there are at most {}", first, last, distributed::kMostShards);
  part_rows_ = std::min(rows, kMost), first_part_ = first, last_part_ = last, batches_at_a_time_ = batches;
}

void DataLoader::expect_order(const Order& order) const {
  const int64_t expected = options_.sampler->size(dataset_->size());
  ORDO_CHECK(order.size() == expected, ValueError, "DataLoader", "the sampler returned {} indices, but its size is {}",
             order.size(), expected);
  if (order.in_memory()) expect_indices(*order.in_memory());
}

void DataLoader::expect_indices(const std::vector<int64_t>& indices) const {
  const int64_t rows = dataset_->size();
  for (int64_t i : indices)
    ORDO_CHECK(i >= 0 && i < rows, IndexError, "DataLoader", "the sampler returned index {} for a set of {} samples", i,
               rows);
}

std::shared_ptr<DataLoader::Progress> DataLoader::drawn(int64_t epoch, Generator generator) const {
  auto progress = std::make_shared<Progress>();
  progress->epoch = epoch;
  const GeneratorState before = generator.state();
  progress->order = options_.sampler->order(dataset_->size(), epoch, generator);
  // Sequential loaders save no state of a generator that they do not use.
  if (!(generator.state() == before)) progress->drawn_from = before;
  expect_order(progress->order);
  return progress;
}

DataLoader::Iterator DataLoader::begin() {
  const ordo::detail::LibraryCall library;
  const int64_t batches = size();
  if (!std::exchange(resumed_, false)) {
    progress_ = drawn(epochs_, options_.generator ? *options_.generator : default_generator());
    ++epochs_;
  }
  progress_->under_way = progress_->delivered < batches;
  return Iterator(std::make_shared<Run>(*this));
}

int64_t DataLoader::Iterator::left() const { return run_ ? run_->parts_left(index_) : 0; }

DataLoader::Run& DataLoader::Iterator::run() const {
  ORDO_CHECK(left() > 0, IndexError, "DataLoader", "the iterator is at the end of the epoch, where there is no batch");
  return *run_;
}

Batch DataLoader::Iterator::operator*() const { return run().batch(index_); }

DataLoader::Iterator& DataLoader::Iterator::operator++() {
  const Run& epoch = run();
  epoch.progress->under_way = epoch.parts_left(++index_) > 0;
  return *this;
}

int64_t DataLoader::delivered() const { return progress_ && progress_->under_way ? progress_->delivered : 0; }

nn::NamedTensorList DataLoader::state_dict() const {
  const ordo::detail::LibraryCall library;
  const Progress none, &now = progress_ ? *progress_ : none;
  const int64_t in_epoch = samples(), rows = dataset_->size();
  nn::NamedTensorList all{nn::state_of("rows", rows),
                          nn::state_of("batch_size", options_.batch_size),
                          nn::state_of("delivered", now.delivered),
                          nn::state_of("under_way", int64_t(now.under_way)),
                          nn::state_of("order", now.drawn_from),
                          nn::state_of("samples", in_epoch),
                          nn::state_of("epochs", epochs_)};
  if (options_.generator) all.push_back(nn::state_of("generator", options_.generator->state()));
  const auto sampler = nn::with_prefix("sampler.", options_.sampler->state_dict());
  all.insert(all.end(), sampler.begin(), sampler.end());
  if (!sampler.empty() && now.under_way)
    all.push_back({"indices", from_vector(now.order.indices(0, now.order.size()), {now.order.size()})});
  return all;
}

nn::Commit DataLoader::prepare_state_dict(const nn::NamedTensorList& state) {
  const ordo::detail::LibraryCall library;
  const int64_t own_samples = samples(), own_rows = dataset_->size();
  const bool sampler_has_state = !options_.sampler->state_dict().empty();
  nn::NamedTensorList own;
  for (const auto& entry : state)
    if (!sampler_has_state || !entry.name.starts_with("sampler.")) own.push_back(entry);
  nn::Entries given("DataLoader", own);
  const int64_t rows = given.take<int64_t>("rows"), batch_size = given.take<int64_t>("batch_size");
  const int64_t delivered = given.take<int64_t>("delivered"), under_way = given.take<int64_t>("under_way");
  const int64_t samples = given.take<int64_t>("samples"), epochs = given.take<int64_t>("epochs");
  const GeneratorState order = given.take<GeneratorState>("order");
  const GeneratorState next = options_.generator ? given.take<GeneratorState>("generator") : GeneratorState();
  const Tensor indices = sampler_has_state && under_way ? given.take("indices", {samples}) : Tensor();
  given.finish();
  ORDO_CHECK(rows == own_rows && batch_size == options_.batch_size, ValueError, "DataLoader",
             "the state is that of {} rows in batches of {}, this loader has {} rows in batches of {}", rows,
             batch_size, own_rows, options_.batch_size);
  ORDO_CHECK(samples == own_samples, ValueError, "DataLoader",
             "the state is that of epochs of {} samples, this loader's sampler has {}", samples, own_samples);
  ORDO_CHECK(delivered >= 0 && delivered <= size(), ValueError, "DataLoader",
             "{} batches were delivered, but this loader has {}", delivered, size());
  ORDO_CHECK(under_way == 0 || under_way == 1, ValueError, "DataLoader", "'under_way' must be 0 or 1, not {}",
             under_way);
  ORDO_CHECK(epochs >= under_way, ValueError, "DataLoader", "'epochs' must be at least {}, not {}", under_way, epochs);

  auto progress = std::make_shared<Progress>();
  if (indices.defined()) {
    progress->epoch = epochs - 1;
    progress->order = indices.to(cpu).to_vector<int64_t>();
    expect_order(progress->order);
  } else if (under_way) {
    Generator from;
    from.set_state(order);
    progress = drawn(epochs - 1, from);
  }
  progress->drawn_from = order;
  progress->delivered = delivered;
  progress->under_way = under_way == 1;
  const nn::Commit sampler =
      sampler_has_state ? options_.sampler->prepare_state_dict(nn::within_prefix("sampler.", state)) : [] {};
  return [=, this] {
    sampler();
    if (options_.generator) options_.generator->set_state(next);
    progress_ = progress;
    epochs_ = epochs;
    resumed_ = under_way == 1;
  };
}

}  // namespace ordo::data
