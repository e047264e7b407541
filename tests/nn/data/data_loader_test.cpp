// DataLoader: every row once per epoch, in an order that the seed decides.
#include <algorithm>

#include "tests/nn/data/continues.h"

namespace ordo::test::data_loader_test {
namespace {

Tensor numbers(int64_t n, Device device = cpu) { return arange(n).to(device); }

/// The targets of one epoch, having checked that inputs and targets belong together.
std::vector<int64_t> epoch(data::DataLoader& loader, std::vector<int64_t>* sizes = nullptr) {
  std::vector<int64_t> all;
  for (auto [inputs, targets] : loader) {
    EXPECT_EQ(inputs.to(int64).to_vector<int64_t>(), targets.to_vector<int64_t>());
    for (int64_t t : targets.to_vector<int64_t>()) all.push_back(t);
    if (sizes) sizes->push_back(targets.size(0));
  }
  return all;
}

data::DataLoader loader_of(int64_t n, data::DataLoaderOptions options, Device device = cpu) {
  return {numbers(n, device).to(float32), numbers(n, device), options};
}

TEST(DataLoader, in_order) {
  auto loader = loader_of(7, {.batch_size = 3});
  std::vector<int64_t> sizes;
  EXPECT_EQ(loader.size(), 3);
  EXPECT_EQ(epoch(loader, &sizes), numbers(7).to_vector<int64_t>());
  EXPECT_EQ(sizes, (std::vector<int64_t>{3, 3, 1}));
  auto dropping = loader_of(7, {.batch_size = 3, .drop_last = true});
  EXPECT_EQ(dropping.size(), 2);
  EXPECT_EQ(epoch(dropping), numbers(6).to_vector<int64_t>());
  auto large = loader_of(7, {.batch_size = 100});
  EXPECT_EQ(epoch(large).size(), 7u);
  auto none = loader_of(0, {.batch_size = 3, .shuffle = true});
  EXPECT_TRUE(epoch(none).empty());
}

TEST(DataLoader, a_new_seeded_permutation_every_epoch) {
  std::vector<int64_t> expected[3];
  for (Device device : test_devices()) {
    auto loader = loader_of(1000, {.batch_size = 64, .shuffle = true, .generator = Generator(3)}, device);
    for (auto& known : expected) {
      auto order = epoch(loader);
      if (known.empty()) known = order;
      EXPECT_EQ(order, known) << device.str();
      std::sort(order.begin(), order.end());
      EXPECT_EQ(order, numbers(1000).to_vector<int64_t>());
    }
  }
  EXPECT_NE(expected[0], expected[1]);
  EXPECT_NE(expected[1], expected[2]);
  auto other = loader_of(1000, {.batch_size = 64, .shuffle = true, .generator = Generator(4)});
  EXPECT_NE(epoch(other), expected[0]);
}

TEST(DataLoader, default_generator_follows_manual_seed) {
  auto loader = loader_of(100, {.shuffle = true});
  manual_seed(11);
  const auto first = epoch(loader), second = epoch(loader);
  manual_seed(11);
  EXPECT_EQ(epoch(loader), first);
  EXPECT_EQ(epoch(loader), second);
}

TEST(DataLoader, rows_of_any_shape_and_copies) {
  const Tensor inputs = test_values({10, 2, 3}).to(float32);
  data::DataLoader loader(inputs, numbers(10), {.batch_size = 4, .shuffle = true, .generator = Generator(1)});
  for (const data::Batch& batch : loader) {
    EXPECT_EQ(batch[0].sizes(), (Dims{batch.size(), 2, 3}));
    for (int64_t i = 0; i < batch.size(); ++i)
      EXPECT_EQ(bytes_of(batch[0][i]), bytes_of(inputs[batch[1][i].item<int64_t>()]));
    Tensor own = batch[0];
    own.fill_(0);
  }
  EXPECT_EQ(bytes_of(inputs), bytes_of(test_values({10, 2, 3}).to(float32)));
}

TEST(DataLoader, continues_where_its_state_was_taken) {
  for (bool own : {true, false})
    for (bool shuffle : {true, false}) {
      SCOPED_TRACE(std::string(own ? "own generator" : "default generator") + (shuffle ? ", shuffled" : ""));
      expect_continues([&](bool resumed) {
        const uint64_t seed = resumed ? 99 : 1;
        manual_seed(seed);
        const auto generator = own ? std::optional(Generator(seed)) : std::nullopt;
        return loader_of(10, {.batch_size = 3, .shuffle = shuffle, .generator = generator});
      });
    }
}

TEST(DataLoader, states_of_other_loaders) {
  auto loader = loader_of(10, {.batch_size = 3});
  auto state = loader.state_dict();
  EXPECT_ORDO_ERROR(loader_of(10, {.batch_size = 4}).load_state_dict(state), ValueError,
                    "the state is that of 10 rows in batches of 3, this loader has 10 rows in batches of 4");
  EXPECT_ORDO_ERROR(loader_of(11, {.batch_size = 3}).load_state_dict(state), ValueError, "this loader has 11 rows");
  EXPECT_ORDO_ERROR(loader_of(10, {.batch_size = 3, .generator = Generator(1)}).load_state_dict(state), ValueError,
                    "missing: 'generator'");
  state[2].tensor = from_vector<int64_t>({5}, {});
  EXPECT_ORDO_ERROR(loader.load_state_dict(state), ValueError, "5 batches were delivered, but this loader has 4");
  state[2].tensor = zeros({});
  EXPECT_ORDO_ERROR(loader.load_state_dict(state), DTypeError, "'delivered' must be int64, not float32");
}

TEST(DataLoader, permutations_are_uniform) {
  // Each of the 24 orders of four numbers, 100 times in expectation; six standard deviations are 59.
  Generator generator(5);
  std::map<std::vector<int64_t>, int> count;
  for (int i = 0; i < 2400; ++i) ++count[data::permutation(4, generator)];
  EXPECT_EQ(count.size(), 24u);
  for (const auto& [order, n] : count) EXPECT_NEAR(n, 100, 59);
  EXPECT_TRUE(data::permutation(0, generator).empty());
}

TEST(DataLoader, batches_that_are_not_there) {
  auto loader = loader_of(10, {.batch_size = 4});
  EXPECT_EQ(loader.rows_of(2), 2);
  EXPECT_ORDO_ERROR(loader.rows_of(3), IndexError, "[DataLoader] has no batch 3; there are 3");
  EXPECT_ORDO_ERROR(loader.rows_of(99), IndexError, "no batch 99");
  EXPECT_ORDO_ERROR(loader.rows_of(-1), IndexError, "no batch -1");
  EXPECT_ORDO_ERROR(loader.rows_of(INT64_MAX), IndexError, "no batch");
  EXPECT_ORDO_ERROR(*loader.end(), IndexError, "[DataLoader] the iterator is at the end");
  EXPECT_ORDO_ERROR(++loader.end(), IndexError, "at the end");
  auto it = loader.begin();
  for (; it != loader.end(); ++it) (void)*it;
  EXPECT_ORDO_ERROR(*it, IndexError, "at the end");
  EXPECT_ORDO_ERROR(++it, IndexError, "at the end");
  auto none = loader_of(0, {});
  EXPECT_ORDO_ERROR(*none.begin(), IndexError, "at the end");
}

TEST(DataLoader, one_that_was_moved_from_says_so) {
  auto from = loader_of(10, {.batch_size = 4});
  auto it = from.begin();
  const auto state = from.state_dict();
  auto to = std::move(from);
  EXPECT_ORDO_ERROR(from.size(), ValueError, "[DataLoader] this loader was moved from");
  EXPECT_ORDO_ERROR(from.rows_of(0), ValueError, "moved from");
  EXPECT_ORDO_ERROR(from.begin(), ValueError, "moved from");
  EXPECT_ORDO_ERROR(from.end(), ValueError, "moved from");
  EXPECT_ORDO_ERROR(from.state_dict(), ValueError, "moved from");
  EXPECT_ORDO_ERROR(from.load_state_dict(state), ValueError, "moved from");
  EXPECT_EQ(from.delivered(), 0);
  EXPECT_EQ((*it)[1].to_vector<int64_t>(), numbers(4).to_vector<int64_t>()) << "an epoch goes on";
  EXPECT_EQ(epoch(to).size(), 10u);
  from = std::move(to);
  EXPECT_EQ(epoch(from).size(), 10u);
}

TEST(DataLoader, more_parts_than_can_be_counted) {
  auto loader = loader_of(10, {.batch_size = 4});
  EXPECT_ORDO_ERROR(loader.deliver_parts(0, 0, 1), ValueError,
                    "[DataLoader] cannot cut 1 batches into parts of 0 rows");
  EXPECT_ORDO_ERROR(loader.deliver_parts(1, 0, 1, INT64_MAX), ValueError, "cannot cut");
  EXPECT_ORDO_ERROR(loader.deliver_parts(1, 0, INT64_MAX), ValueError, "there are at most 65536");
  loader.deliver_parts(INT64_MAX, 0, 1000);
  int64_t rows = 0, parts = 0;
  for (const data::Batch& batch : loader) rows += batch.tensors.empty() ? 0 : batch.size(), ++parts;
  EXPECT_EQ(rows, 10);
  EXPECT_EQ(parts, 3000);
  loader.deliver_batches();
  EXPECT_EQ(epoch(loader).size(), 10u);
}

TEST(DataLoader, impossible_arguments) {
  EXPECT_ORDO_ERROR(data::DataLoader(zeros({3, 2}), zeros({2})), ShapeError, "[3, 2] and [2]");
  EXPECT_ORDO_ERROR(data::DataLoader(zeros({}), zeros({})), ShapeError, "DataLoader");
  EXPECT_ORDO_ERROR(data::DataLoader(Tensor(), zeros({2})), ValueError, "DataLoader");
}

}  // namespace
}  // namespace ordo::test::data_loader_test
