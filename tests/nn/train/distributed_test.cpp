// Trainings of several processes, here threads: whoever computes which shards, the files are the same bytes.
#include <algorithm>

#include "tests/nn/train/toy_run.h"
#include "tests/support/expect_contains.h"
#include "tests/support/folder_test_base.h"
#include "tests/support/op_samples.h"
#include "tests/support/thread_job.h"

namespace ordo::test::distributed_test {
namespace {

class TrainerOfSeveral : public FolderTest {
 protected:
  static data::DataLoader loader_of(int64_t workers = 0, int64_t rows = 60, int64_t batch = 20) {
    Generator generator(5);
    const Tensor inputs = randn({rows, 6}, {}, &generator);
    return {inputs, argmax(inputs.slice(1, 0, 3), 1), {.batch_size = batch, .shuffle = true, .workers = workers}};
  }
  /// The toy run with batches of several rows a shard, as its batch normalisation wants it.
  static std::string train(const TrainerOptions& options, int64_t until = -1, int64_t workers = 0) {
    ToyRun run(options);
    data::DataLoader loader = loader_of(workers);
    return text_of(run.go_to(until, loader));
  }
  /// Without a name nothing is written.
  TrainerOptions options_of(const std::string& name, bool resume = false, int64_t shard_rows = 14) const {
    TrainerOptions o = toy_options(name.empty() ? "" : path(name), resume);
    o.shard_rows = shard_rows;
    if (resume) o.randomness->seed = 77;
    return o;
  }
  /// What every rank's f returns, which is the same.
  static std::string in_job(int ranks, const std::function<std::string()>& f) {
    std::vector<std::string> texts(static_cast<size_t>(ranks));
    run_job(ranks, [&](int rank) { texts[size_t(rank)] = f(); });
    for (const std::string& text : texts) EXPECT_EQ(text, texts[0]);
    return texts[0];
  }
  static std::string in_job(int ranks, const TrainerOptions& options, int64_t until = -1, int64_t workers = 0) {
    return in_job(ranks, [&] { return train(options, until, workers); });
  }
  const std::vector<std::string> files{"log.jsonl", "best.safetensors", "step-000000000006.safetensors"};

  TrainerOfSeveral() { set_determinism(Determinism::device_to_device); }
  ~TrainerOfSeveral() override { set_determinism(before_); }

 private:
  const Determinism before_ = determinism();
};

TEST_F(TrainerOfSeveral, any_number_of_processes_gives_the_same_bytes) {
  const std::pair<int64_t, std::vector<int>> cases[] = {{14, {1, 2, 3}}, {5, {2, 4, 5, 8}}};  // rows, and processes
  for (const auto& [rows, processes] : cases) {
    const std::string alone = "alone" + std::to_string(rows), expected = train(options_of(alone, false, rows));
    for (const int ranks : processes) {
      const std::string name = alone + "." + std::to_string(ranks);
      EXPECT_EQ(in_job(ranks, options_of(name, false, rows)), expected) << ranks;
      expect_same_files(alone, name, files);
    }
    EXPECT_NE(train(options_of("whole" + alone, false, 40)), expected)
        << "the rows of a shard are a part of the program";
  }
}

TEST_F(TrainerOfSeveral, an_epochs_last_step_is_settled_once) {
  const auto lines = [&](const std::string& name, int64_t rows) {
    train(options_of(name, false, rows));
    const std::string log = read(path(name) + "/log.jsonl");
    return std::count(log.begin(), log.end(), '\n');
  };
  const auto whole = lines("whole", 40);
  EXPECT_GT(whole, 0);
  EXPECT_EQ(lines("shards", 14), whole) << "steps, epochs and validations";
}

TEST_F(TrainerOfSeveral, the_number_may_change_at_every_resume) {
  const std::string expected = train(options_of("whole", false, 5));
  in_job(8, options_of("run", false, 5), 2);
  in_job(3, options_of("run", true, 5), 4);
  in_job(5, options_of("run", true, 5), 5);
  TrainerOptions last = options_of("run", true);
  last.shard_rows = {};  // the checkpoint says it
  EXPECT_EQ(train(last), expected);
  expect_same_files("whole", "run", files);
  TrainerOptions other = options_of("run", true, 4);
  EXPECT_ORDO_ERROR(train(other), ValueError, "is of a run with shards of 5 rows, this one has 4");
}

TEST_F(TrainerOfSeveral, each_keeps_a_part_of_the_optimizers_state) {
  const std::string expected = train(options_of("alone"));
  TrainerOptions parts = options_of("parts");
  parts.shard_optimizer = true;
  in_job(3, parts, 3);
  parts = options_of("parts", true);
  parts.shard_optimizer = true;
  in_job(2, parts, 5);
  EXPECT_EQ(in_job(3, parts), expected);
  expect_same_files("alone", "parts", files);
}

TEST_F(TrainerOfSeveral, every_device_gives_the_same_weights) {
  const auto weights = [&](int ranks, Device device) {
    return in_job(ranks, [&] {
      TrainerOptions options = options_of("");
      options.monitor = "";
      options.plateau = {};
      options.validate_every = {};
      ToyRun run(options);
      run.model.to(device);
      data::DataLoader loader = loader_of();
      return run.trainer
          .fit(run.model, run.optimizer, loader,
               [device](auto& model, const data::Batch& batch) {
                 return cross_entropy(model(batch[0].to(device)), batch[1].to(device));
               })
          .weights;
    });
  };
  for (const Device device : test_devices()) {
    EXPECT_EQ(weights(1, device), weights(1, cpu));
    EXPECT_EQ(weights(3, device), weights(1, cpu));
  }
}

TEST_F(TrainerOfSeveral, at_not_guaranteed_the_grouping_shows) {
  set_determinism(Determinism::not_guaranteed);
  const std::string two = in_job(2, options_of("two", false, 5)), five = in_job(5, options_of("five", false, 5));
  EXPECT_NE(two, five);
}

TEST_F(TrainerOfSeveral, workers_change_nothing) {
  EXPECT_EQ(in_job(2, options_of("other"), -1, 2), train(options_of("alone")));
}

// Steps of 60 rows and of 20: batches, accumulated batches and processes are only how the rows come.
TEST_F(TrainerOfSeveral, a_step_has_the_same_bits_in_any_batches) {
  using Parts = std::vector<std::pair<int64_t, int64_t>>;  // rows of a batch, batches of a step
  for (const Parts& parts :
       {Parts{{60, 1}, {30, 2}, {20, 3}, {9, 7}, {1, 60}}, Parts{{20, 1}, {10, 2}, {4, 5}, {1, 20}}}) {
    std::string expected;
    for (const auto& [batch, accumulate] : parts)
      for (const int ranks : {1, 2, 3, 4}) {
        const std::string text = in_job(ranks, [&, batch = batch, accumulate = accumulate] {
          TrainerOptions options = options_of("", false, 5);
          options.accumulate = accumulate;
          ToyRun run(options);
          data::DataLoader loader = loader_of(0, 60, batch);
          return text_of(run.go(loader));
        });
        if (expected.empty()) expected = text;
        EXPECT_EQ(text, expected) << accumulate << " batches of " << batch << ", " << ranks << " processes";
      }
  }
}

// A validation and callbacks have the loader's whole batches; and an eighth of 20 rows leaves a process without work.
TEST_F(TrainerOfSeveral, a_run_may_validate_on_its_own_loader) {
  for (const int ranks : {1, 8}) {
    in_job(ranks, [] {
      Trainer trainer({.epochs = 2, .accumulate = 2, .progress = false});
      manual_seed(1);
      nn::Sequential model{nn::Linear(6, 3)};
      optim::SGD optimizer(model.parameters(), {.lr = 0.1});
      data::DataLoader loader = loader_of();
      trainer.validate(model, loader, {{"loss", nn::CrossEntropyLoss()}});
      const TrainResult result = trainer.fit(model, optimizer, loader, nn::CrossEntropyLoss());
      const double loss = evaluate(model, loader, {{"loss", nn::CrossEntropyLoss()}})[0].value;
      EXPECT_NEAR(result.metrics[0].value, loss, 1e-6) << "in another order";
      return result.weights;
    });
  }
}

TEST_F(TrainerOfSeveral, accumulated_batches_are_shards) {
  TrainerOptions options = options_of("");
  options.shard_rows = {};
  options.accumulate = 2;
  TrainerOptions other = options_of("", false, 10);
  other.accumulate = 1;
  const auto text = [](const TrainerOptions& o, int64_t batch) {
    ToyRun run(o);
    data::DataLoader loader = loader_of(0, 60, batch);
    return text_of(run.go(loader));
  };
  EXPECT_EQ(text(options, 10), text(other, 20));
}

TEST_F(TrainerOfSeveral, shards_may_be_without_rows) {
  const auto weights = [&](int ranks) {
    return in_job(ranks, [&] {
      TrainerOptions options = options_of("", false, 3);
      options.monitor = "";
      options.plateau = {};
      Trainer trainer(options);
      nn::Sequential model{nn::Linear(6, 8), nn::Dropout(0.2), nn::Linear(8, 3)};
      optim::Adam optimizer(model.parameters());
      data::DataLoader loader = loader_of(0, 23, 10);  // 10, 10, 3
      return text_of(trainer.fit(model, optimizer, loader, nn::CrossEntropyLoss()));
    });
  };
  const std::string expected = weights(1);
  for (const int ranks : {2, 5, 7}) EXPECT_EQ(weights(ranks), expected) << ranks;
}

TEST_F(TrainerOfSeveral, a_loss_that_is_not_finite_ends_all_of_them) {
  const auto fit = [&](int rank) {
    ToyRun run(options_of("bad"));
    data::DataLoader loader = loader_of();
    run.trainer.fit(run.model, run.optimizer, loader, [rank](const Tensor& out, const Tensor& targets) {
      return cross_entropy(out, targets) * (rank == 1 ? INFINITY : 1.0);
    });
  };
  EXPECT_ORDO_ERROR(run_job(2, fit), ValueError, "the loss of step 1 (epoch 1, batch 1) is inf");
}

TEST_F(TrainerOfSeveral, more_shards_than_a_step_can_have) {
  EXPECT_ORDO_ERROR(Trainer({.epochs = 1, .shard_rows = 0}), ValueError, "needs shard_rows of at least 1, not 0");
  ToyRun run(options_of("", false, 1));
  data::DataLoader loader = loader_of(0, 70000, 40000);
  EXPECT_ORDO_ERROR(run.go(loader), ValueError, "has shards of 1 rows, 70000 a step; at most 65536 are possible");
}

TEST_F(TrainerOfSeveral, what_does_not_fit_is_named) {
  const auto message = [&](const std::function<void(int, TrainerOptions&)>& change) {
    try {
      run_job(3, [&](int rank) {
        TrainerOptions options = options_of("");
        change(rank, options);
        train(options);
      });
    } catch (const Error&) {
    }
    return last_job_message();
  };
  EXPECT_CONTAINS(message([](int rank, TrainerOptions& o) { o.randomness->seed = rank == 1 ? 5 : 6; }), "seed 6");
  EXPECT_CONTAINS(message([](int rank, TrainerOptions& o) { o.shard_rows = 5, o.accumulate = rank == 2 ? 1 : 2; }),
                  "accumulate 1");
  EXPECT_CONTAINS(message([](int, TrainerOptions& o) { o.shard_rows = 20; }), "3 processes cannot share 2 shards");
}

TEST_F(TrainerOfSeveral, a_process_that_throws_ends_the_job_and_names_itself) {
  const auto fit = [&](int rank) {
    ToyRun run(options_of("run"));
    data::DataLoader loader = loader_of();
    run.trainer.on(On::step_end, [rank](Trainer& t) {
      if (rank == 1 && t.status().step == 3) throw ValueError("[callback] gives up");
    });
    run.go(loader);
  };
  EXPECT_ORDO_ERROR(run_job(3, fit), ValueError, "[callback] gives up");
  EXPECT_EQ(last_job_message(), "[ordo] rank 1 of 3: [callback] gives up\n");
  EXPECT_EQ(in_job(2, options_of("run", true)), train(options_of("whole")));
}

TEST_F(TrainerOfSeveral, ranks_may_have_seeds_of_their_own) {
  std::vector<std::string> texts(2);
  std::vector<uint64_t> seeds(2);
  run_job(2, [&](int rank) {
    TrainerOptions options = options_of("");
    options.randomness->diff_rank_seed = true;
    ToyRun run(options);
    data::DataLoader loader = loader_of();
    texts[size_t(rank)] = run.go(loader).weights;
    seeds[size_t(rank)] = run.trainer.randomness().rank_seed;
  });
  EXPECT_EQ(texts[0], texts[1]) << "the weights are rank 0's all the same";
  EXPECT_NE(seeds[0], seeds[1]);
}

TEST(LoaderParts, are_the_rows_of_whole_batches) {
  const auto loader_of = [](int64_t workers) {
    return data::DataLoader(data::TensorDataset({arange(17)}),
                            {.batch_size = 5, .shuffle = true, .generator = Generator(3), .workers = workers});
  };
  std::vector<int64_t> whole;
  data::DataLoader all = loader_of(0);
  for (const data::Batch& batch : all)
    for (const int64_t v : batch[0].to_vector<int64_t>()) whole.push_back(v);
  for (const int64_t workers : {0, 2}) {
    std::vector<std::vector<int64_t>> of_batch(4);
    for (const auto& [first, last] : {std::pair<int64_t, int64_t>{0, 1}, {1, 3}}) {
      data::DataLoader part = loader_of(workers);
      part.deliver_parts(2, first, last);
      int64_t i = 0;
      for (const data::Batch& batch : part) {
        const size_t index = size_t(i++ / (last - first));
        if (batch.tensors.empty()) continue;
        for (const int64_t v : batch[0].to_vector<int64_t>()) of_batch[index].push_back(v);
      }
      EXPECT_EQ(i, 4 * (last - first));
    }
    std::vector<int64_t> together;
    for (const auto& rows : of_batch) together.insert(together.end(), rows.begin(), rows.end());
    EXPECT_EQ(together, whole);
  }
  data::DataLoader loader = loader_of(0);
  EXPECT_EQ(loader.rows_of(0), 5);
  EXPECT_EQ(loader.rows_of(3), 2);
  EXPECT_ORDO_ERROR(loader.deliver_parts(3, 2, 2), ValueError, "cannot deliver parts 2 to 2;");
}

}  // namespace
}  // namespace ordo::test::distributed_test
