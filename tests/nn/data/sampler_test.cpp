// Samplers: how often and in which order indices come, and that loaders continue with them.
#include <algorithm>
#include <cmath>
#include <set>

#include <ordo/engine/run/philox.h>
#include <ordo/nn/state/entries.h>
#include "tests/nn/data/continues.h"
#include "tests/support/memory_limit.h"

namespace ordo::test::sampler_test {
namespace {

using Indices = std::vector<int64_t>;

Indices drawn(data::Sampler&& sampler, int64_t rows, uint64_t seed = 1, int64_t epoch = 0) {
  Generator generator(seed);
  const Indices indices = sampler.indices(rows, epoch, generator);
  EXPECT_EQ(int64_t(indices.size()), sampler.size(rows));
  return indices;
}

Indices batches_of(data::DataLoader& loader, int64_t stop = -1) {
  Indices all;
  for (const data::Batch& batch : loader) {
    for (int64_t i : batch[0].to_vector<int64_t>()) all.push_back(i);
    if (loader.delivered() == stop) break;
  }
  return all;
}

TEST(Samplers, random_with_and_without_replacement) {
  const Indices with = drawn(data::RandomSampler({.replacement = true, .num_samples = 60000}), 6);
  std::map<int64_t, int> count;
  for (int64_t i : with) ++count[i];
  ASSERT_EQ(count.size(), 6u);
  for (const auto& [i, n] : count) EXPECT_NEAR(n, 10000, 6 * 91) << "six standard deviations";
  const Indices without = drawn(data::RandomSampler({.num_samples = 25}), 10);
  for (int64_t begin : {0, 10, 20}) {
    const auto end = std::min<int64_t>(begin + 10, 25);
    EXPECT_EQ(int64_t(std::set(without.begin() + begin, without.begin() + end).size()), end - begin);
  }
  Generator generator(1);
  EXPECT_EQ(drawn(data::RandomSampler(), 10), data::permutation(10, generator));
  EXPECT_TRUE(drawn(data::RandomSampler({.num_samples = 3}), 0).empty());
}

TEST(Samplers, a_keyed_permutation_is_one) {
  for (int64_t n : {0, 1, 2, 3, 5, 64, 65, 1000, 4097}) {
    Generator generator{uint64_t(n)};
    const data::Order order = data::keyed_permutation(n, generator);
    Indices all = order.indices(0, n), sorted = all;
    std::sort(sorted.begin(), sorted.end());
    for (int64_t i = 0; i < n; ++i) EXPECT_EQ(sorted[size_t(i)], i) << n;
    if (n >= 64) {
      EXPECT_NE(all, data::keyed_permutation(n, generator).indices(0, n)) << "the next one";
    }
    EXPECT_EQ(all, order.indices(0, n));
    EXPECT_EQ(order.in_memory(), nullptr);
  }
  // Each of 6 orders of 3 numbers comes equally often.
  std::map<Indices, int> count;
  Generator generator(2);
  for (int k = 0; k < 60000; ++k) ++count[data::keyed_permutation(3, generator).indices(0, 3)];
  EXPECT_EQ(count.size(), 6u);
  for (const auto& [order, times] : count) EXPECT_NEAR(times, 10000, 6 * 91) << "six standard deviations";
  EXPECT_ORDO_ERROR(data::keyed_permutation(-1, generator), ValueError, "[keyed_permutation] n must not be negative");
}

/// More numbers than memory holds: sample i is i.
struct Numbers : data::Dataset {
  static constexpr int64_t kSize = 10'000'000'000;
  int64_t size() const override { return kSize; }
  data::Sample get(int64_t i) const override { return {from_vector<int64_t>({i}, {})}; }
};

TEST(Samplers, draw_ten_thousand_million_samples_without_memory_for_them) {
  const MemoryLimit limit(1 << 20);  // a batch takes 8 KiB
  const std::vector<std::function<data::Handle<data::Sampler>()>> samplers{
      [] { return data::RandomSampler(); }, [] { return data::RandomSampler({.replacement = true}); },
      [] { return data::RandomSampler({.num_samples = 3 * Numbers::kSize}); },
      [] { return data::SequentialSampler(); }};
  for (size_t k = 0; k < samplers.size(); ++k) {
    const auto loader = [&](uint64_t seed) {
      return data::DataLoader(Numbers(), {.batch_size = 1000, .generator = Generator(seed), .sampler = samplers[k]()});
    };
    data::DataLoader whole = loader(1), stopped = loader(1), resumed = loader(2);
    const Indices all = batches_of(whole, 20), part = batches_of(stopped, 15);
    resumed.load_state_dict(stopped.state_dict());
    EXPECT_EQ(batches_of(resumed, 20), Indices(all.begin() + 15000, all.end()));
    double mean = 0;
    for (int64_t i : all) {
      ASSERT_TRUE(i >= 0 && i < Numbers::kSize);
      mean += double(i) / 20000;
    }
    if (k == 3) {
      EXPECT_EQ(all.back(), 19999);
    } else {
      // Uniform numbers have a standard deviation of size / sqrt(12).
      EXPECT_NEAR(mean / Numbers::kSize, 0.5, 6 / std::sqrt(12.0 * 20000));
    }
    if (k != 1) {
      EXPECT_EQ(std::set(all.begin(), all.end()).size(), 20000u);
    }
    EXPECT_EQ(whole.size(), (k == 2 ? 3 : 1) * Numbers::kSize / 1000);
  }
  // The second permutation of several differs from the first.
  Generator generator(1);
  const data::Order order =
      data::RandomSampler({.num_samples = 2 * Numbers::kSize}).order(Numbers::kSize, 0, generator);
  EXPECT_NE(order[0], order[Numbers::kSize]);
  EXPECT_ORDO_ERROR(data::RandomSampler({.replacement = true}).indices(Numbers::kSize, 0, generator), OutOfMemoryError,
                    "");
}

TEST(Samplers, orders_of_fewer_samples_stay_what_they_were) {
  Generator generator(7), same(7);
  const Indices got = data::RandomSampler({.replacement = true}).indices(1000, 0, generator);
  const GeneratorState state = same.reserve(500);
  EXPECT_EQ(generator.state(), same.state());
  for (int64_t i = 0; i < 1000; ++i) {
    const PhiloxBlock block = philox(state.seed, state.stream, state.offset + uint64_t(i) / 2);
    const uint64_t word = uint64_t(block.v[i % 2 * 2]) << 32 | block.v[i % 2 * 2 + 1];
    EXPECT_EQ(got[size_t(i)], int64_t(static_cast<unsigned __int128>(word) * 1000 >> 64));
  }
  const Indices expected = data::permutation(1000, same);
  EXPECT_EQ(data::RandomSampler().indices(1000, 0, generator), expected);
  Generator again(9);
  EXPECT_EQ(data::permutation(8, again), (Indices{0, 2, 4, 3, 7, 5, 6, 1}));
}

TEST(Samplers, weights_are_probabilities) {
  const std::vector<double> weights{1, 0, 2, 5, 0, 0, 2};  // sum 10
  std::map<int64_t, int> count;
  for (int64_t i : drawn(data::WeightedRandomSampler(weights, 100000), 7)) ++count[i];
  for (size_t i = 0; i < weights.size(); ++i) {
    const double p = weights[i] / 10;
    EXPECT_NEAR(count[int64_t(i)], 1e5 * p, 6 * std::sqrt(1e5 * p * (1 - p))) << i;
  }
}

TEST(Samplers, weights_without_replacement) {
  // Of 1, 2 and 3 the pair in this order has probability w_i / 6 * w_j / (6 - w_i).
  std::map<Indices, int> count;
  Generator generator(3);
  data::WeightedRandomSampler sampler({1, 2, 3}, 2, false);
  for (int k = 0; k < 60000; ++k) ++count[sampler.indices(3, 0, generator)];
  EXPECT_EQ(count.size(), 6u);
  for (const auto& [pair, n] : count) {
    const double a = double(pair[0] + 1), b = double(pair[1] + 1), p = a / 6 * b / (6 - a);
    EXPECT_NEAR(n, 60000 * p, 6 * std::sqrt(60000 * p * (1 - p)));
  }
  Indices all = drawn(data::WeightedRandomSampler({0, 1e-300, 1e300, 3, 0}, 3, false), 5);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (Indices{1, 2, 3}));
}

TEST(Samplers, shares_of_processes_cover_everything) {
  for (int64_t rows : {0, 1, 7, 12, 13})
    for (int64_t world : {1, 3, 4, 20})
      for (bool drop_last : {false, true}) {
        std::vector<Indices> shares;
        for (int64_t rank = 0; rank < world; ++rank)
          shares.push_back(drawn(data::DistributedSampler({rank, world, true, 5, drop_last}), rows, uint64_t(rank), 2));
        Indices together;  // as they take turns
        for (size_t i = 0; i < shares[0].size(); ++i)
          for (const Indices& share : shares) together.push_back(share.at(i));
        const int64_t n = drop_last ? rows / world * world : (rows + world - 1) / world * world;
        ASSERT_EQ(int64_t(together.size()), n);
        const auto whole = std::min(rows, n);
        EXPECT_EQ(int64_t(std::set(together.begin(), together.begin() + whole).size()), whole) << "no index twice";
        for (int64_t i = rows; i < n; ++i) EXPECT_EQ(together[size_t(i)], together[size_t(i - rows)]);
      }
  EXPECT_EQ(drawn(data::DistributedSampler({.rank = 1, .world_size = 3, .shuffle = false}), 8), (Indices{1, 4, 7}));
  EXPECT_EQ(drawn(data::DistributedSampler({.rank = 2, .world_size = 3, .shuffle = false}), 8), (Indices{2, 5, 0}));
  const auto in_epoch = [](int64_t epoch) { return drawn(data::DistributedSampler({}), 50, 1, epoch); };
  EXPECT_NE(in_epoch(0), in_epoch(1));
  EXPECT_EQ(in_epoch(1), in_epoch(1));
}

/// Visits rows 0 .. n - 1 from an offset that grows with every epoch, and that its owner may change.
struct Turning : data::Sampler {
  explicit Turning(int64_t offset) : offset(std::make_shared<int64_t>(offset)) {}
  Indices indices(int64_t rows, int64_t, Generator&) override {
    Indices all;
    for (int64_t i = 0; i < rows; ++i) all.push_back((i + *offset) % rows);
    ++*offset;
    return all;
  }
  nn::NamedTensorList state_dict() const override { return {nn::state_of("offset", *offset)}; }
  nn::Commit prepare_state_dict(const nn::NamedTensorList& state) override {
    nn::Entries given("Turning", state);
    const int64_t value = given.take<int64_t>("offset");
    given.finish();
    return [=, this] { *offset = value; };
  }
  std::shared_ptr<int64_t> offset;
};

TEST(Samplers, loaders_continue_with_them) {
  const std::vector<double> weights(10, 1.0);
  const std::vector<std::function<data::Handle<data::Sampler>()>> samplers{
      [&] { return data::WeightedRandomSampler(weights, 8); }, [] { return data::RandomSampler({.num_samples = 7}); },
      [] { return data::DistributedSampler({.rank = 1, .world_size = 2}); }, [] { return Turning(3); }};
  for (const auto& sampler : samplers)
    expect_continues([&](bool resumed) {
      return data::DataLoader(data::TensorDataset({arange(0, 10, 1, {.dtype = int64})}),
                              {.batch_size = 2, .generator = Generator(resumed ? 9 : 1), .sampler = sampler()});
    });
}

TEST(Samplers, a_samplers_state_may_change_within_an_epoch) {
  const Turning turning(3);
  data::DataLoader loader(data::TensorDataset({arange(0, 5, 1, {.dtype = int64})}), {.sampler = turning});
  EXPECT_EQ(batches_of(loader, 2), (Indices{3, 4}));
  *turning.offset = 1;
  data::DataLoader resumed(data::TensorDataset({arange(0, 5, 1, {.dtype = int64})}), {.sampler = Turning(0)});
  resumed.load_state_dict(loader.state_dict());
  EXPECT_EQ(batches_of(resumed), (Indices{0, 1, 2}));
  EXPECT_EQ(batches_of(resumed), (Indices{1, 2, 3, 4, 0}));
  auto state = loader.state_dict();
  for (auto& entry : state)
    if (entry.name == "indices") entry.tensor = from_vector<int64_t>({0, 1, 2, 3, 7}, {5});
  EXPECT_ORDO_ERROR(resumed.load_state_dict(state), IndexError, "index 7 for a set of 5 samples");
}

TEST(Samplers, wrong_arguments_and_results) {
  using data::WeightedRandomSampler;
  EXPECT_ORDO_ERROR(WeightedRandomSampler({1, -1}, 1), ValueError, "weight 1 is -1");
  EXPECT_ORDO_ERROR(WeightedRandomSampler({1, NAN}, 1), ValueError, "weight 1 is nan");
  EXPECT_ORDO_ERROR(WeightedRandomSampler({0, 0}, 1), ValueError, "above 0");
  EXPECT_ORDO_ERROR(WeightedRandomSampler({}, 1), ValueError, "above 0");
  EXPECT_ORDO_ERROR(WeightedRandomSampler({1e308, 1e308}, 1), ValueError, "finite sum");
  EXPECT_ORDO_ERROR(WeightedRandomSampler({1}, 0), ValueError, "num_samples");
  EXPECT_ORDO_ERROR(WeightedRandomSampler({1, 0}, 2, false), ValueError, "only 1 weights are above 0");
  EXPECT_ORDO_ERROR(drawn(WeightedRandomSampler({1, 0}, 2), 3), ValueError, "2 weights for a set of 3 samples");
  EXPECT_ORDO_ERROR(data::RandomSampler({.num_samples = -1}), ValueError, "num_samples");
  EXPECT_ORDO_ERROR(data::DistributedSampler({.rank = 2, .world_size = 2}), ValueError, "rank 2 of 2");
  EXPECT_ORDO_ERROR(data::DistributedSampler({.rank = -1, .world_size = 2}), ValueError, "rank -1 of 2");
  struct Wrong : data::Sampler {
    explicit Wrong(Indices indices) : all(std::move(indices)) {}
    Indices indices(int64_t, int64_t, Generator&) override { return all; }
    Indices all;
  };
  const auto begin = [](Indices indices) {
    data::DataLoader(ones({2}), ones({2}), {.sampler = Wrong(std::move(indices))}).begin();
  };
  EXPECT_ORDO_ERROR(begin({0}), ValueError, "returned 1 indices, but its size is 2");
  EXPECT_ORDO_ERROR(begin({0, 2}), IndexError, "index 2 for a set of 2 samples");
  EXPECT_ORDO_ERROR(begin({-1, 0}), IndexError, "index -1");
}

}  // namespace
}  // namespace ordo::test::sampler_test
