// A run that was stopped after any step and resumed ends as if it had not been, to the byte; and without any part of
// its checkpoint it does not.
#include <filesystem>

#include "tests/nn/train/toy_run.h"
#include "tests/support/folder_test_base.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::resume_test {
namespace {

namespace fs = std::filesystem;

class TrainerResume : public FolderTest {
 protected:
  static constexpr int64_t kSteps = 3 * ToyRun::kStepsPerEpoch;

  /// As a new process would start: nothing in memory, and other random numbers, which the checkpoint must replace.
  static std::unique_ptr<ToyRun> continued(const std::string& folder, int threads) {
    set_num_threads(threads);
    TrainerOptions options = toy_options(folder, true);
    options.randomness->seed = 77;
    return std::make_unique<ToyRun>(options);
  }
  std::string whole(const std::string& name) const { return text_of(ToyRun(toy_options(path(name))).go()); }

 private:
  const DeterminismGuard guard_{Determinism::run_to_run};
  ThreadsScope threads_;
};

TEST_F(TrainerResume, after_any_step_with_the_same_bytes) {
  const std::string expected = whole("whole");
  for (int64_t stop = 1; stop <= kSteps; ++stop) {
    const std::string folder = path("run" + std::to_string(stop));
    const TrainResult first = ToyRun(toy_options(folder)).go_to(stop);
    EXPECT_EQ(first.end, stop < kSteps ? TrainEnd::stopped : TrainEnd::finished);
    EXPECT_EQ(first.steps, stop);
    // Twice in a row.
    const TrainResult second = continued(folder, 1)->go_to(stop + 2);
    EXPECT_EQ(second.steps, std::min(stop + 2, kSteps));
    EXPECT_EQ(text_of(continued(folder, 2)->go()), expected) << stop;
    EXPECT_EQ(text_of(continued(folder, 1)->go()), expected) << "resumed at its end";
    expect_same_files("whole", "run" + std::to_string(stop),
                      {"log.jsonl", "best.safetensors", "step-000000000009.safetensors"});
  }
}

TEST_F(TrainerResume, a_longer_run_goes_on_where_a_shorter_one_ended) {
  const std::string expected = whole("whole");
  TrainerOptions shorter = toy_options(path("run"));
  shorter.epochs = 0;
  shorter.steps = 4;  // in the middle of an epoch
  EXPECT_EQ(ToyRun(shorter).go().end, TrainEnd::finished);
  EXPECT_EQ(text_of(continued(path("run"), 2)->go()), expected);
}

TEST_F(TrainerResume, a_loader_that_draws_from_the_default_generator) {
  const auto go = [&](const std::string& name, bool resume, int64_t until) {
    TrainerOptions options = toy_options(path(name), resume);
    if (resume) options.randomness->seed = 77;
    ToyRun run(options);
    data::DataLoader loader(run.rows(), run.classes(), {.batch_size = 4, .shuffle = true});
    return text_of(run.go_to(until, loader));
  };
  const std::string expected = go("whole", false, -1);
  go("run", false, 5);
  EXPECT_EQ(go("run", true, -1), expected);
}

/// What may be forgotten: all entries whose names begin so take the values that they had after step 1. Where none does,
/// the run ends as it should.
class TrainerForgets : public TrainerResume, public testing::WithParamInterface<const char*> {};

constexpr const char* kNothing = "nothing";

TEST_P(TrainerForgets, and_ends_otherwise) {
  const std::string expected = whole("whole");
  ToyRun(toy_options(path("run"))).go_to(1);
  const auto early = load_safetensors(path("run/step-000000000001.safetensors")).tensors;
  continued(path("run"), 1)->go_to(5);
  const std::string file = path("run/step-000000000005.safetensors");
  const auto late = load_safetensors(file).tensors;
  const std::string prefix = GetParam();
  nn::NamedTensorList mixed;
  for (const auto& entry : late)
    if (!entry.name.starts_with(prefix)) mixed.push_back(entry);
  for (const auto& entry : early)
    if (entry.name.starts_with(prefix)) mixed.push_back(entry);
  ASSERT_EQ(mixed.size(), late.size()) << "entries that are there after both steps";
  save_safetensors(file, mixed);
  std::string ended;
  try {
    ended = text_of(continued(path("run"), 1)->go());
  } catch (const Error& error) {  // what it noticed
    ended = error.what();
  }
  const bool same = ended == expected && read(path("run/log.jsonl")) == read(path("whole/log.jsonl"));
  EXPECT_EQ(same, prefix == kNothing) << ended;
}

INSTANTIATE_TEST_SUITE_P(parts, TrainerForgets,
                         testing::Values(kNothing, "model.0.weight", "model.1.running_mean",
                                         "optimizer.state.0.momentum_buffer", "loader.delivered", "loader.order",
                                         "loader.generator", "generator", "average.", "plateau.", "trainer.steps",
                                         "trainer.batches", "trainer.loss_sum", "trainer.log_bytes", "trainer.best",
                                         "trainer.weights"),
                         [](const auto& info) {
                           std::string text = info.param;
                           for (char& c : text)
                             if (c == '.') c = '_';
                           return text;
                         });

}  // namespace
}  // namespace ordo::test::resume_test
