// Loaders with threads: the same batches, states and exceptions as without, and no thread left behind.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "tests/nn/data/continues.h"

namespace ordo::test::workers_test {
namespace {

struct Threads {
  std::mutex mutex;
  std::condition_variable changed;
  int inside = 0, most = 0;
  std::atomic<int> calls = 0;
};

/// Sample i: i and i + 1000 epoch, 2 x 3 numbers of them, and three of their squares. Throws for sample `bad`.
struct Numbers : data::Dataset {
  explicit Numbers(int64_t n, int64_t bad = -1) : n(n), bad(bad) {}
  int64_t size() const override { return n; }
  data::Sample get(int64_t i) const override { return get_in_epoch(i, 0); }
  data::Sample get_in_epoch(int64_t i, int64_t epoch) const override {
    ++threads->calls;
    if (i == bad) throw std::runtime_error("sample " + std::to_string(i) + " is bad");
    const Tensor numbers = full({2, 3}, double(i + 1000 * epoch));
    return {from_vector<int64_t>({i}, {}), numbers, numbers[0] * numbers[0]};
  }
  int64_t n, bad;
  std::shared_ptr<Threads> threads = std::make_shared<Threads>();
};

struct Setting {
  int64_t workers;
  std::optional<int64_t> prefetch;
};
const std::vector<Setting> kSettings{{0, {}}, {1, {}}, {1, 1}, {3, {}}, {3, 1}, {3, 2}, {2, 100}};

data::DataLoaderOptions with(const Setting& s, data::DataLoaderOptions options = {}) {
  options.workers = s.workers;
  options.prefetch = s.prefetch;
  return options;
}

TEST(Workers, order_bits_and_states_are_those_without) {
  const auto run = [](const Setting& s, bool in_memory, bool collate) {
    data::DataLoaderOptions options =
        with(s, {.batch_size = 4, .shuffle = true, .drop_last = collate, .generator = Generator(7)});
    if (collate)
      options.collate = [](const std::vector<data::Sample>& samples) {
        TensorList firsts;
        for (const auto& sample : samples) firsts.push_back(sample[0]);
        return firsts;
      };
    data::Handle<const data::Dataset> set = Numbers(23);
    if (in_memory) set = data::TensorDataset({test_values({23, 5}), test_values({23}), test_values({23, 2, 2})});
    data::DataLoader loader(set, options);
    Batches all;
    for (int e = 0; e < 3; ++e) {
      for (const data::Batch& batch : loader) {
        all.push_back(text_of(batch));
        for (const auto& [name, tensor] : loader.state_dict()) all.back() += name + text_of(tensor);
      }
      for (const auto& [name, tensor] : loader.state_dict()) all.back() += name + text_of(tensor);
    }
    return all;
  };
  for (bool in_memory : {false, true})
    for (bool collate : {false, true}) {
      const Batches expected = run(kSettings[0], in_memory, collate);
      EXPECT_EQ(expected.size(), collate ? 15u : 18u);
      for (const Setting& s : kSettings) EXPECT_EQ(run(s, in_memory, collate), expected) << s.workers;
    }
}

TEST(Workers, sets_learn_the_epoch) {
  for (const Setting& s : kSettings) {
    data::DataLoader loader(Numbers(3), with(s, {.batch_size = 3}));
    for (int64_t e = 0; e < 3; ++e)
      for (const data::Batch& batch : loader)
        EXPECT_EQ(batch[1].select(1, 0).select(1, 0).to_vector<float>(),
                  (std::vector<float>{float(1000 * e), float(1 + 1000 * e), float(2 + 1000 * e)}));
    EXPECT_EQ(loader.epochs(), 3);
  }
}

TEST(Workers, resumes_at_every_batch_with_other_workers) {
  for (size_t k = 0; k < kSettings.size(); ++k) {
    SCOPED_TRACE(k);
    expect_continues([&](bool resumed) {
      return data::DataLoader(Numbers(11),
                              with(kSettings[(k + (resumed ? 2 : 0)) % kSettings.size()],
                                   {.batch_size = 3, .shuffle = true, .generator = Generator(resumed ? 99 : 5)}));
    });
  }
}

TEST(Workers, an_exception_arrives_at_its_batch_and_the_loader_goes_on) {
  for (bool in_collate : {false, true})
    for (const Setting& s : kSettings) {
      data::DataLoaderOptions options = with(s, {.batch_size = 2});
      if (in_collate)
        options.collate = [](const std::vector<data::Sample>& samples) {
          for (const auto& sample : samples)
            if (sample[0].item<int64_t>() == 5) throw std::runtime_error("sample 5 is bad");
          return data::stack_samples(samples);
        };
      data::DataLoader loader(Numbers(10, in_collate ? -1 : 5), options);
      for (int e = 0; e < 2; ++e) {
        int64_t delivered = 0;
        try {
          for (const data::Batch& batch : loader) delivered += batch.size() / 2;
          FAIL() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
          EXPECT_STREQ(error.what(), "sample 5 is bad");
        }
        EXPECT_EQ(delivered, 2);
        EXPECT_EQ(loader.delivered(), 2);
      }
      std::vector<int64_t> firsts;  // whoever catches it may skip the batch
      for (auto it = loader.begin(); it != loader.end(); ++it) try {
          firsts.push_back((*it)[0][0].item<int64_t>());
        } catch (const std::runtime_error&) {
          firsts.push_back(-1);
          EXPECT_THROW(*it, std::runtime_error) << "and asking again throws again";
        }
      EXPECT_EQ(firsts, (std::vector<int64_t>{0, 2, -1, 6, 8}));
    }
}

TEST(Workers, leaving_a_loop_ends_the_threads) {
  for (const Setting& s : kSettings) {
    const Numbers set(1000);
    const auto threads = set.threads;
    {
      data::DataLoader loader(set, with(s, {.batch_size = 2}));
      for (const data::Batch& batch : loader) {
        EXPECT_EQ(batch.size(), 2);
        break;
      }
      const int after_break = threads->calls;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      EXPECT_EQ(threads->calls, after_break) << "a thread still works";
      auto it = loader.begin();
      *++it;
      EXPECT_EQ(epoch_of(loader).size(), 500u) << "while another iterator lives";
      EXPECT_EQ((*++it)[0].to_vector<int64_t>(), (std::vector<int64_t>{4, 5}));
    }
    EXPECT_EQ(threads.use_count(), 2) << "someone still holds the set";
  }
}

TEST(Workers, batches_are_made_ahead_but_not_more_than_asked) {
  const Numbers set(40);
  data::DataLoader loader(set, {.batch_size = 1, .workers = 2, .prefetch = 3});
  auto it = loader.begin();
  for (int64_t k = 0; k < 36; ++k, ++it) {
    *it;
    while (set.threads->calls < k + 4) std::this_thread::yield();  // what is ahead is made without being asked for
    std::this_thread::yield();
    EXPECT_EQ(set.threads->calls, k + 4);
  }
}

/// get() waits until two threads are inside: with one worker an epoch would take as long as the limit allows, and the
/// count stay at one.
struct Meeting : Numbers {
  using Numbers::Numbers;
  data::Sample get(int64_t i) const override {
    std::unique_lock lock(threads->mutex);
    threads->most = std::max(threads->most, ++threads->inside);
    threads->changed.notify_all();
    threads->changed.wait_for(lock, std::chrono::seconds(5), [&] { return threads->most >= 2; });
    --threads->inside;
    return {from_vector<int64_t>({i}, {})};
  }
  data::Sample get_in_epoch(int64_t i, int64_t) const override { return get(i); }
};

TEST(Workers, two_are_inside_of_get_at_a_time) {
  const Meeting set(8);
  data::DataLoader loader(set, {.batch_size = 2, .workers = 2});
  EXPECT_EQ(epoch_of(loader).size(), 4u);
  EXPECT_EQ(set.threads->most, 2);
}

TEST(Workers, have_the_consumers_determinism_and_record_nothing) {
  struct Asks : data::Dataset {
    int64_t size() const override { return 4; }
    data::Sample get(int64_t) const override {
      Tensor leaf = ones({1}, {.requires_grad = true});
      return {full({1}, double(int(determinism()))), leaf * 2};
    }
  };
  for (int64_t workers : {0, 2}) {
    const DeterminismGuard level(Determinism::device_to_device);
    data::DataLoader loader(Asks(), {.batch_size = 2, .workers = workers});
    for (auto [levels, products] : loader) {
      EXPECT_EQ(levels.to_vector<float>(), std::vector<float>(2, float(int(Determinism::device_to_device))));
      EXPECT_FALSE(products.requires_grad());
    }
  }
}

TEST(Workers, rows_on_a_device_are_copied_there) {
  const Tensor rows = test_values({9, 2});
  for (Device device : test_devices()) {
    data::DataLoader loader(rows.to(device), rows.to(device), {.batch_size = 4, .workers = 2});
    int64_t row = 0;
    for (auto [inputs, targets] : loader) {
      EXPECT_EQ(inputs.device(), device);
      EXPECT_EQ(bytes_of(inputs), bytes_of(rows.narrow(0, row, inputs.size(0)).contiguous()));
      EXPECT_EQ(bytes_of(targets), bytes_of(inputs));
      row += inputs.size(0);
    }
    EXPECT_EQ(row, 9);
  }
}

TEST(Workers, collation_says_what_does_not_fit) {
  struct Growing : data::Dataset {
    int64_t size() const override { return 3; }
    data::Sample get(int64_t i) const override { return {zeros({i + 1})}; }
  };
  for (int64_t workers : {0, 2}) {
    data::DataLoader loader(Growing(), {.batch_size = 3, .workers = workers});
    EXPECT_ORDO_ERROR(*loader.begin(), ShapeError, "[DataLoader] stacks tensors of one shape, but tensor 0 has sizes");
  }
  EXPECT_ORDO_ERROR(data::stack_samples({}), ValueError, "at least one sample");
  EXPECT_ORDO_ERROR(data::stack_samples({{ones({1})}, {}}), ValueError,
                    "sample 0 of the batch has 1 and sample 1 has 0");
  EXPECT_ORDO_ERROR(data::stack_samples({{ones({1})}, {ones({1}, {int64})}}), DTypeError, "tensor 0 is float32");
  EXPECT_EQ(data::stack_samples({{zeros({0, 2})}, {zeros({0, 2})}})[0].sizes(), (Dims{2, 0, 2}));
}

TEST(Workers, batches_by_element) {
  data::DataLoader loader(Numbers(4), {.batch_size = 2});
  const data::Batch batch = *loader.begin();
  EXPECT_EQ(batch.size(), 2);
  EXPECT_EQ(batch.tensors.size(), 3u);
  EXPECT_EQ(batch[2].sizes(), (Dims{2, 3}));
  EXPECT_ORDO_ERROR(batch[3], IndexError, "tensor 3 of a batch of 3 tensors");
  EXPECT_ORDO_ERROR(batch.get<0>(), ValueError, "this one has 3; use batch[k]");
}

TEST(Workers, impossible_options) {
  EXPECT_ORDO_ERROR(data::DataLoader(Numbers(4), {.workers = -1}), ValueError, "workers");
  EXPECT_ORDO_ERROR(data::DataLoader(Numbers(4), {.workers = INT64_MAX}), ValueError, "workers");
  EXPECT_ORDO_ERROR(data::DataLoader(Numbers(4), {.prefetch = 0}), ValueError, "prefetch");
  EXPECT_ORDO_ERROR(data::DataLoader(Numbers(4), {.shuffle = true, .sampler = data::SequentialSampler()}), ValueError,
                    "a sampler or shuffle");
  EXPECT_ORDO_ERROR(data::DataLoader(std::shared_ptr<const data::Dataset>()), ValueError, "null");
  EXPECT_ORDO_ERROR(data::TensorDataset({}), ValueError, "at least one tensor");
  EXPECT_ORDO_ERROR(data::TensorDataset({ones({2})}).get(2), IndexError, "sample 2 of a set of 2");
}

}  // namespace
}  // namespace ordo::test::workers_test
