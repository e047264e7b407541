#include <ordo/nn/data/data_loader.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/index_select.h>
#include <ordo/engine/check.h>
#include <ordo/engine/checked.h>
#include <ordo/engine/op_call.h>
#include <ordo/engine/parallel.h>
#include <ordo/engine/philox.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/nn/state/entries.h>

namespace ordo::data {

std::vector<int64_t> permutation(int64_t n, Generator& generator) {
  ORDO_CHECK(n >= 0, ValueError, "permutation", "n must not be negative, but is {}", n);
  auto order = checked::vector<int64_t>("permutation", n);
  std::iota(order.begin(), order.end(), 0);
  const GeneratorState state = generator.reserve((uint64_t(n) + 1) / 2);
  for (int64_t i = n - 1; i > 0; --i) {
    const PhiloxBlock block = philox(state.seed, state.stream, state.offset + uint64_t(i) / 2);
    const uint64_t random = uint64_t(block.v[i % 2 * 2]) << 32 | block.v[i % 2 * 2 + 1];
    // The high word of random * (i + 1) is uniform on 0..i up to 2^-64 (i + 1).
    std::swap(order[size_t(i)], order[size_t(static_cast<unsigned __int128>(random) * uint64_t(i + 1) >> 64)]);
  }
  return order;
}

namespace {

Tensor take_rows(const Tensor& t, const int64_t* rows, int64_t count) {
  if (!t.is_cpu()) {
    const Tensor index = from_vector(std::vector<int64_t>(rows, rows + count), {count});
    return index_select(t, 0, index.to(t.device()));
  }
  Dims sizes = t.sizes();
  sizes[0] = count;
  Tensor taken = detail::result(sizes, t.dtype(), t.device());
  if (taken.numel() == 0) return taken;
  const size_t bytes = taken.nbytes() / size_t(count);
  const char* from = static_cast<const char*>(t.data());
  char* to = static_cast<char*>(taken.data());
  parallel_for(0, count, int64_t(1 + 65536 / bytes), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) std::memcpy(to + size_t(i) * bytes, from + size_t(rows[i]) * bytes, bytes);
  });
  return taken;
}

}  // namespace

DataLoader::DataLoader(Tensor inputs, Tensor targets, DataLoaderOptions options) : options_(std::move(options)) {
  detail::expect_defined("DataLoader", inputs, "inputs");
  detail::expect_defined("DataLoader", targets, "targets");
  ORDO_CHECK(inputs.dim() > 0 && targets.dim() > 0 && inputs.size(0) == targets.size(0), ShapeError, "DataLoader",
             "needs as many inputs as targets, given {} and {}", inputs.sizes(), targets.sizes());
  ORDO_CHECK(options_.batch_size >= 1, ValueError, "DataLoader", "needs a batch size of at least 1, not {}",
             options_.batch_size);
  NoGrad guard;
  inputs_ = inputs.detach().contiguous();
  targets_ = targets.detach().contiguous();
}

int64_t DataLoader::size() const {
  const int64_t n = inputs_.size(0), per_batch = options_.batch_size;
  return n / per_batch + (!options_.drop_last && n % per_batch != 0);
}

void DataLoader::draw_order(Generator generator) {
  const int64_t n = inputs_.size(0);
  if (options_.shuffle) {
    drawn_from_ = generator.state();
    order_ = permutation(n, generator);
  } else if (order_.empty()) {
    order_ = checked::vector<int64_t>("DataLoader", n);
    std::iota(order_.begin(), order_.end(), 0);
  }
}

DataLoader::Iterator DataLoader::begin() {
  if (!std::exchange(resumed_, false)) {
    draw_order(options_.generator ? *options_.generator : default_generator());
    delivered_ = 0;
  }
  const int64_t first = delivered_;
  leave(first);
  return {this, first};
}

void DataLoader::leave(int64_t next) { under_way_ = next < size(); }

Batch DataLoader::batch(int64_t index) {
  NoGrad guard;
  const int64_t first = index * options_.batch_size;
  const int64_t count = std::min(options_.batch_size, int64_t(order_.size()) - first);
  const OpCall call("DataLoader", index, first, count);
  const Batch batch{call.done(take_rows(inputs_, order_.data() + first, count)),
                    call.done(take_rows(targets_, order_.data() + first, count))};
  delivered_ = index + 1;
  return batch;
}

nn::NamedTensorList DataLoader::state_dict() const {
  nn::NamedTensorList all{nn::state_of("rows", inputs_.size(0)), nn::state_of("batch_size", options_.batch_size),
                          nn::state_of("delivered", delivered_), nn::state_of("under_way", int64_t(under_way_)),
                          nn::state_of("order", drawn_from_)};
  if (options_.generator) all.push_back(nn::state_of("generator", options_.generator->state()));
  return all;
}

nn::Commit DataLoader::prepare_state_dict(const nn::NamedTensorList& state) {
  nn::Entries given("DataLoader", state);
  const int64_t rows = given.take_integer("rows"), batch_size = given.take_integer("batch_size");
  const int64_t delivered = given.take_integer("delivered"), under_way = given.take_integer("under_way");
  const GeneratorState order = given.take_generator("order");
  const GeneratorState next = options_.generator ? given.take_generator("generator") : GeneratorState();
  given.finish();
  ORDO_CHECK(rows == inputs_.size(0) && batch_size == options_.batch_size, ValueError, "DataLoader",
             "the state is that of {} rows in batches of {}, this loader has {} rows in batches of {}", rows,
             batch_size, inputs_.size(0), options_.batch_size);
  ORDO_CHECK(delivered >= 0 && delivered <= size(), ValueError, "DataLoader",
             "{} batches were delivered, but this loader has {}", delivered, size());
  ORDO_CHECK(under_way == 0 || under_way == 1, ValueError, "DataLoader", "'under_way' must be 0 or 1, not {}",
             under_way);
  return [=, this] {
    Generator drawn;
    drawn.set_state(order);
    if (under_way) draw_order(drawn);
    if (options_.generator) options_.generator->set_state(next);
    drawn_from_ = order;
    delivered_ = delivered;
    under_way_ = resumed_ = under_way == 1;
  };
}

}  // namespace ordo::data
