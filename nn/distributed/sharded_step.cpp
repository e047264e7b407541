#include <ordo/nn/distributed/sharded_step.h>

#include <algorithm>
#include <cstring>

#include <ordo/autograd/autograd.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/shape/cat.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/distributed/collectives.h>
#include <ordo/engine/run/determinism.h>
#include <ordo/engine/run/event.h>
#include <ordo/engine/run/generator_scope.h>
#include <ordo/engine/run/philox.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/distributed/ordered_reduce.h>

namespace ordo::detail {

using distributed::CallHeader;
using distributed::PartRange;
using distributed::ReduceOp;
using distributed::TreeFold;
using distributed::TreeNode;

// A message's latency does not count beside its bytes; on devices it has two groups of messages and a kernel.
static int64_t bucket_bytes(Device device) { return int64_t(device.is_cuda() ? 32 : 8) << 20; }
constexpr uint64_t kShardStream = 0x5ad0000000000000u;  // shares no numbers with streams that programs number from 0

static CallHeader header_of(const char* op, DType dtype, int64_t count) {
  CallHeader header;
  std::strncpy(header.op, op, sizeof header.op - 1);
  header.element = int(dtype);
  header.level = int(determinism());
  header.dims = 1;
  header.sizes[0] = count;
  return header;
}

static Tensor sum_of(Tensor left, const Tensor& right) {
  const NoGrad guard;
  return left.add_(right);
}

static uint64_t word(uint32_t high, uint32_t low) { return uint64_t(high) << 32 | low; }

/// The numbers that a shard draws.
static Generator generator_of(const GeneratorState& step, int64_t shard) {
  const PhiloxBlock a = philox(step.seed, step.stream ^ kShardStream, step.offset);
  const PhiloxBlock b = philox(word(a.v[0], a.v[1]), word(a.v[2], a.v[3]), uint64_t(shard));
  return Generator(word(b.v[0], b.v[1]), word(b.v[2], b.v[3]));
}

/// Gradients that travel together: of one dtype, on one device.
struct ShardedStep::Bucket {
  std::vector<size_t> parameters;
  std::vector<int64_t> offsets;
  int64_t count = 0;
  TensorOptions options;

  // Of the step under way.
  std::optional<TreeFold<Tensor>> sums;  // over own shards
  size_t arrived = 0;                    // of the last shard's gradients
  Tensor result;
  std::future<void> under_way;
};

/// What a parameter's hook knows. It stays with the parameter; the step may be gone.
struct ShardedStep::Shared {
  ShardedStep* step;
};

/// Of a shard: which parameters got a gradient, which buffers changed, and the loss.
struct ShardedStep::Record {
  std::vector<uint8_t> gradients, changed;
  Tensor loss = {};  // undefined without rows
};

std::vector<double> values_of(const TensorList& tensors) {
  if (tensors.empty()) return {};
  const NoGrad guard;
  TensorList parts;
  for (const Tensor& t : tensors) parts.push_back(kernels::to(t, tensors[0].device(), float64).flatten());
  return cat(parts, 0).to_vector<double>();
}

ShardedStep::ShardedStep(nn::ModuleBase& model, TensorList parameters, distributed::Group group)
    : group_(std::move(group)),
      members_(distributed::member_state_of("DataParallel", group_)),
      model_(model),
      parameters_(std::move(parameters)),
      shared_(std::make_shared<Shared>(Shared{this})) {
  make_buckets();
  if (members_.size() == 1) return;
  for (size_t i = 0; i < parameters_.size(); ++i)
    register_post_accumulate_grad_hook(parameters_[i], [shared = shared_, i](const Tensor&) {
      if (shared->step) shared->step->arrived(i);
    });
}

void ShardedStep::follow(std::unique_ptr<ShardedStep>& step, nn::ModuleBase& model, const TensorList& parameters,
                         const distributed::Group& group) {
  TensorList now;
  for (const Tensor& p : parameters)
    if (p.requires_grad()) now.push_back(p);
  const auto is_same = [](const Tensor& a, const Tensor& b) { return a.is_same(b); };
  if (step && std::equal(now.begin(), now.end(), step->parameters_.begin(), step->parameters_.end(), is_same)) return;
  step = nullptr;
  step = std::make_unique<ShardedStep>(model, std::move(now), group);
}

ShardedStep::~ShardedStep() {
  shared_->step = nullptr;
  for (Bucket& bucket : buckets_)
    if (bucket.under_way.valid()) bucket.under_way.wait();
}

// A backward pass reaches the last parameters first.
void ShardedStep::make_buckets() {
  bucket_of_.resize(parameters_.size());
  for (size_t i = parameters_.size(); i-- > 0;) {
    const Tensor& p = parameters_[i];
    Bucket* last = buckets_.empty() ? nullptr : &buckets_.back();
    if (!last || last->options.dtype != p.dtype() || last->options.device != p.device() ||
        last->count * int64_t(size_of(p.dtype())) + int64_t(p.nbytes()) > bucket_bytes(p.device())) {
      last = &buckets_.emplace_back();
      last->options = p.options();
    }
    bucket_of_[i] = buckets_.size() - 1;
    last->parameters.push_back(i);
    last->offsets.push_back(last->count);
    last->count += p.numel();
  }
}

int64_t ShardedStep::rows_of(int64_t shard) const {
  return std::clamp<int64_t>(rows_ - shard * shard_rows_, 0, shard_rows_);
}

// -- a step -----------------------------------------------------------------------------------------------------------

void ShardedStep::begin(int64_t rows, int64_t shard_rows, int64_t shards) {
  rows_ = rows, shard_rows_ = shard_rows, shards_ = shards;
  own_ = distributed::shards_of(shards, members_.rank, members_.size());
  draws_ = default_generator().reserve(1);
  for (Bucket& bucket : buckets_) {
    bucket.sums.emplace(shards_, own_);
    bucket.arrived = 0;
    bucket.result = Tensor();
  }
  launched_ = 0;
  overlapping_ = false;
  buffers_.clear(), before_.clear();
  for (const auto& buffer : model_.named_buffers()) {
    buffers_.push_back(buffer.tensor);
    before_.push_back(kernels::clone(buffer.tensor));
  }
  integers_.assign(buffers_.size(), Tensor());
  versions_.assign(buffers_.size(), 0);
  buffer_sums_.emplace(shards_, own_);
  records_.clear();
}

void ShardedStep::run(int64_t shard, const std::function<Tensor()>& loss) {
  begin_shard();
  if (loss) {
    Generator generator = generator_of(draws_, shard);
    const GeneratorScope scope(generator);
    const Tensor value = loss();
    expect_defined("Trainer", value, "loss");
    ORDO_CHECK(value.numel() == 1, ShapeError, "Trainer", "the loss must have one element, but has sizes {}",
               value.sizes());
    records_.back().loss = value.detach();
    overlapping_ = shard + 1 == own_.last;
    (value * (double(rows_of(shard)) / double(rows_))).backward();
    overlapping_ = false;
  }
  end_shard(shard);
}

// Each shard finds the buffers as they were before the step.
void ShardedStep::begin_shard() {
  Record& record = records_.emplace_back();
  record.gradients.assign(parameters_.size(), 0);
  record.changed.assign(buffers_.size(), 0);
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (records_.size() > 1 && records_[records_.size() - 2].changed[i]) kernels::copy_(buffers_[i], before_[i]);
    versions_[i] = buffers_[i].impl()->storage->version();
  }
}

void ShardedStep::end_shard(int64_t shard) {
  Record& record = records_.back();
  for (size_t i = 0; i < parameters_.size(); ++i) record.gradients[i] |= parameters_[i].grad().defined();
  for (Bucket& bucket : buckets_)
    if (size_t(&bucket - buckets_.data()) >= launched_) collect(bucket, shard);
  for (Tensor p : parameters_) p.zero_grad();
  if (shard + 1 == own_.last)
    while (launched_ < buckets_.size()) launch(buckets_[launched_++]);

  // Running averages are added up with the rows that they have seen.
  const double rows = double(rows_of(shard));
  TensorList parts;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const Tensor& buffer = buffers_[i];
    record.changed[i] = buffer.impl()->storage->version() != versions_[i];
    if (is_floating(buffer.dtype())) {
      const NoGrad guard;
      const Tensor flat = kernels::to(buffer, buffers_[0].device(), float64).flatten();
      parts.push_back(record.changed[i] ? flat * rows : full_like(flat, -0.0));
    } else if (record.changed[i] && !integers_[i].defined()) {
      integers_[i] = kernels::clone(buffer);
    }
  }
  if (!parts.empty()) buffer_sums_->push({0, shard}, cat(parts, 0), sum_of);
}

// -- gradients --------------------------------------------------------------------------------------------------------

void ShardedStep::arrived(size_t parameter) {
  if (!overlapping_) return;
  ++buckets_[bucket_of_[parameter]].arrived;
  while (launched_ < buckets_.size() && buckets_[launched_].arrived == buckets_[launched_].parameters.size()) {
    Bucket& bucket = buckets_[launched_++];
    for (const size_t i : bucket.parameters) records_.back().gradients[i] = 1;
    collect(bucket, own_.last - 1);
    launch(bucket);
  }
}

// x + -0 is x, whatever x is.
void ShardedStep::collect(Bucket& bucket, int64_t shard) {
  const Tensor flat = result({bucket.count}, bucket.options.dtype, bucket.options.device);
  for (size_t k = 0; k < bucket.parameters.size(); ++k) {
    const Tensor& p = parameters_[bucket.parameters[k]];
    const Tensor part = views::view(views::narrow(flat, 0, bucket.offsets[k], p.numel()), p.sizes());
    if (const Tensor grad = p.grad(); grad.defined())
      kernels::copy_(part, grad);
    else
      kernels::fill_(part, -0.0);
  }
  bucket.sums->push({0, shard}, flat, sum_of);
}

void ShardedStep::launch(Bucket& bucket) {
  auto& sums = bucket.sums->nodes();
  if (members_.size() == 1) {
    bucket.result = sums[0].second;
    return;
  }
  CallHeader header = header_of("gradients", bucket.options.dtype, bucket.count);
  const DType dtype = bucket.options.dtype;
  // Half types are none of MPI's.
  const bool library = !deterministic() && (dtype == float32 || dtype == float64);
  header.library = library;
  if (library)
    for (size_t i = 1; i < sums.size(); ++i) sum_of(sums[0].second, sums[i].second);
  cuda::Event added;
  added.record(bucket.options.device);
  bucket.under_way = members_.submit([this, &bucket, header, library, dtype, added] {
    distributed::GroupState& all = members_;
    distributed::DeviceTransport* const devices = distributed::meet(all, header, bucket.options.device);
    added.wait();
    auto& nodes = bucket.sums->nodes();
    for (auto& [node, sum] : nodes) sum.impl()->storage->use_in_order();
    if (!devices)
      for (auto& [node, sum] : nodes) sum = kernels::to(sum, cpu, dtype);
    bucket.result = nodes[0].second;
    void* const result = bucket.result.data();
    if (!library)
      kernels::ordered_all_reduce(all, kernels::over_parts("gradients", dtype, shards_, all.size()),
                                  kernels::scratch_nodes(nodes), result, bucket.count);
    else if (devices)
      devices->all_reduce(result, size_t(bucket.count), dtype, ReduceOp::sum);
    else
      all.reduce(result, size_t(bucket.count), int(dtype), ReduceOp::sum);
    if (devices) devices->watch("gradients");
  });
}

void ShardedStep::finish() {
  const std::vector<Record> records = exchange_records();
  set_gradients(records);
  set_buffers(records);
}

std::vector<double> ShardedStep::loss_and(const TensorList& others) {
  TensorList numbers;
  for (const Record& record : records_)
    if (record.loss.defined()) numbers.push_back(record.loss);
  numbers.insert(numbers.end(), others.begin(), others.end());
  const std::vector<double> values = values_of(numbers);
  auto next = values.begin();
  std::vector<double> own;  // of each shard
  for (const Record& record : records_) own.push_back(record.loss.defined() ? *next++ : 0);
  const auto* const bytes = reinterpret_cast<const char*>(own.data());
  const std::vector<char> all = exchange("losses", {bytes, bytes + own.size() * sizeof(double)}, sizeof(double));
  std::vector<double> sums(static_cast<size_t>(shards_));
  std::memcpy(sums.data(), all.data(), all.size());
  TreeFold<double> fold{shards_};  // the shards' values, added up in the tree
  for (int64_t shard = 0; shard < shards_; ++shard) {
    const int64_t rows = rows_of(shard);
    fold.push({0, shard}, rows > 0 ? sums[size_t(shard)] * double(rows) : -0.0,
              [](double left, double right) { return left + right; });
  }
  std::vector<double> result{fold.nodes()[0].second / double(rows_)};
  result.insert(result.end(), next, values.end());
  return result;
}

std::vector<char> ShardedStep::exchange(const char* what, const std::vector<char>& own, size_t bytes) {
  if (members_.size() == 1) return own;
  std::vector<char> all(size_t(shards_) * bytes);
  std::copy(own.begin(), own.end(), all.begin() + own_.first * int64_t(bytes));
  std::vector<size_t> sizes;
  for (int r = 0; r < members_.size(); ++r)
    sizes.push_back(size_t(distributed::shards_of(shards_, r, members_.size()).count()) * bytes);
  members_.run([&] {
    distributed::meet(members_, header_of(what, float64, int64_t(bytes)));
    distributed::all_gather(members_, what, all.data(), sizes);
  });
  return all;
}

std::vector<ShardedStep::Record> ShardedStep::exchange_records() {
  if (members_.size() == 1) return records_;
  std::vector<char> own;
  for (const Record& record : records_) {
    own.insert(own.end(), record.gradients.begin(), record.gradients.end());
    own.insert(own.end(), record.changed.begin(), record.changed.end());
  }
  const std::vector<char> all = exchange("records", own, parameters_.size() + buffers_.size());
  std::vector<Record> records;
  for (auto at = all.begin(); at != all.end();) {
    const auto changed = at + int64_t(parameters_.size()), end = changed + int64_t(buffers_.size());
    records.push_back({{at, changed}, {changed, end}});
    at = end;
  }
  return records;
}

void ShardedStep::set_gradients(const std::vector<Record>& records) {
  for (Bucket& bucket : buckets_) {
    if (bucket.under_way.valid()) {
      const OpCall call("gradients", bucket.count);  // in a trace: the same in every process
      bucket.under_way.get();
      bucket.result = call.done(kernels::to(bucket.result, bucket.options.device, bucket.options.dtype));
    }
    for (size_t k = 0; k < bucket.parameters.size(); ++k) {
      const size_t i = bucket.parameters[k];
      Tensor p = parameters_[i];
      const bool any = std::any_of(records.begin(), records.end(), [i](const Record& r) { return r.gradients[i]; });
      if (any) p.set_grad(views::view(views::narrow(bucket.result, 0, bucket.offsets[k], p.numel()), p.sizes()));
    }
    bucket.sums.reset();
  }
}

// -- buffers ----------------------------------------------------------------------------------------------------------

void ShardedStep::set_buffers(const std::vector<Record>& records) {
  const NoGrad guard;
  std::vector<double> rows(buffers_.size(), 0);  // that the buffer has seen
  std::vector<int> owner(buffers_.size(), -1);   // of the first shard that changed it
  for (int r = 0; r < members_.size(); ++r) {
    const PartRange range = distributed::shards_of(shards_, r, members_.size());
    for (int64_t s = range.first; s < range.last; ++s)
      for (size_t i = 0; i < buffers_.size(); ++i) {
        if (!records[size_t(s)].changed[i]) continue;
        if (owner[i] < 0) owner[i] = r;
        rows[i] += double(rows_of(s));
      }
  }
  set_averages(owner, rows);
  for (int r = 0; r < members_.size(); ++r) set_counts(owner, r);
  // Counted, so that a backward pass which needs the old values notices.
  for (size_t i = 0; i < buffers_.size(); ++i)
    if (owner[i] >= 0) buffers_[i].impl()->storage->changed_by("gradients");
}

// Floating ones: what changed, as one array.
void ShardedStep::set_averages(const std::vector<int>& owner, const std::vector<double>& rows) {
  std::vector<std::pair<int64_t, size_t>> changed;  // offset in the sums, buffer
  int64_t offset = 0, count = 0;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!is_floating(buffers_[i].dtype())) continue;
    if (owner[i] >= 0) changed.emplace_back(offset, i), count += buffers_[i].numel();
    offset += buffers_[i].numel();
  }
  if (count == 0) return;
  std::vector<std::pair<TreeNode, Tensor>> parts;
  for (const auto& [node, sum] : buffer_sums_->nodes()) {
    TensorList pieces;
    for (const auto& [at, i] : changed) pieces.push_back(sum.narrow(0, at, buffers_[i].numel()));
    const Tensor changes = cat(pieces, 0);
    parts.emplace_back(node, members_.size() == 1 ? changes : kernels::to(changes, cpu, float64));
  }
  const Tensor& total = parts[0].second;
  if (members_.size() > 1)
    members_.run([&] {
      distributed::GroupState& all = members_;
      distributed::meet(all, header_of("buffers", float64, count));
      kernels::ordered_all_reduce(all, kernels::over_parts("buffers", float64, shards_, all.size()),
                                  kernels::scratch_nodes(parts), total.data(), count);
    });
  int64_t at = 0;
  for (const auto& [unused, i] : changed) {
    const int64_t n = buffers_[i].numel();
    kernels::copy_(buffers_[i], (total.narrow(0, at, n) / rows[i]).view(buffers_[i].sizes()));
    at += n;
  }
}

// Others count, and count the same in every shard: the first one's, which its process sends as one array.
void ShardedStep::set_counts(const std::vector<int>& owner, int sender) {
  std::vector<size_t> counts;
  TensorList values;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (is_floating(buffers_[i].dtype()) || owner[i] != sender) continue;
    counts.push_back(i);
    const Tensor& value = integers_[i].defined() ? integers_[i] : before_[i];
    values.push_back(kernels::to(value, buffers_[0].device(), int64).flatten());
  }
  if (counts.empty()) return;
  Tensor all = cat(values, 0);
  if (members_.size() > 1) {
    all = kernels::to(all, cpu, int64);
    members_.run([&] {
      distributed::meet(members_, header_of("buffers", int64, all.numel()));
      distributed::broadcast(members_, "buffers", all.data(), all.nbytes(), sender);
    });
  }
  int64_t at = 0;
  for (const size_t i : counts) {
    kernels::copy_(buffers_[i], views::view(views::narrow(all, 0, at, buffers_[i].numel()), buffers_[i].sizes()));
    at += buffers_[i].numel();
  }
}

}  // namespace ordo::detail
