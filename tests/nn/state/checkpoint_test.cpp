// Checkpoints: all parts or none, the latest and the best. That trainings continue with the same bits:
// tests/nn/train/resume_test.cpp.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

#include "tests/support/file_calls.h"
#include "tests/support/folder_test_base.h"
#include "tests/support/op_samples.h"

namespace ordo::test::checkpoint_test {
namespace {

namespace fs = std::filesystem;
using CheckpointTest = FolderTest;

TEST_F(CheckpointTest, all_parts_or_none) {
  nn::Linear model(2, 3);
  optim::Adam optimizer(model.parameters());
  int64_t step = 7;
  double loss = 0.1;
  Tensor values = ones({2});
  Generator generator(5);
  Checkpoint run;
  run.add("model", model);
  run.add("optimizer", optimizer);
  run.add("step", step);
  run.add("loss", loss);
  run.add("values", values);
  run.add("generator", generator);
  run.save(path("a"));
  const auto weight = bytes_of(model.state_dict()[0].tensor);
  const GeneratorState state = generator.state();

  const auto spoil = [&] {
    NoGrad guard;
    step = 8, loss = 0.2, values.fill_(3), model.state_dict()[0].tensor.fill_(0), generator.reserve(9);
  };
  spoil();
  run.load(path("a"));
  EXPECT_EQ(step, 7);
  EXPECT_EQ(loss, 0.1);
  EXPECT_EQ(values.to_vector<float>(), (std::vector<float>{1, 1}));
  EXPECT_EQ(bytes_of(model.state_dict()[0].tensor), weight);
  EXPECT_EQ(generator.state(), state);

  // Each of these fits but for one part, the last: nothing changes.
  spoil();
  const auto spoilt = [&] { return step == 8 && loss == 0.2 && bytes_of(model.state_dict()[0].tensor) != weight; };
  const auto good = run.state_dict();
  const auto expect_refused = [&](const nn::NamedTensorList& state, const char* what) {
    save_safetensors(path("b"), state);
    EXPECT_ORDO_ERROR(run.load(path("b")), DataError, "[Checkpoint] " + path("b") + ": ");
    EXPECT_ORDO_ERROR(run.load(path("b")), DataError, what);
    EXPECT_TRUE(spoilt()) << what;
  };
  auto other = load_safetensors(path("a")).tensors;
  std::erase_if(other, [](const auto& e) { return e.name == "generator.state"; });
  expect_refused(other, "part 'generator': [Generator] missing: 'state'");
  other.push_back({"generator.state", zeros({2}, {.dtype = int64})});
  expect_refused(other, "part 'generator': [Generator] 'state' has sizes [3], but [2] were given");
  other.back().tensor = zeros({3});
  expect_refused(other, "'state' must be int64, not float32");
  other.back().tensor = zeros({3}, {.dtype = int64});
  other.push_back({"ema.updates", zeros({}, {.dtype = int64})});
  expect_refused(other, "'ema.updates' belongs to no part; load those you want by name");

  run.load(path("b"), {"step", "model"});
  EXPECT_EQ(step, 7);
  EXPECT_EQ(loss, 0.2) << "was not asked for";
  EXPECT_EQ(bytes_of(model.state_dict()[0].tensor), weight);
  EXPECT_ORDO_ERROR(run.load(path("b"), {"ema"}), ValueError, "there is no part 'ema'");
  EXPECT_ORDO_ERROR(run.load(path("absent")), DataError, "no such file");
  EXPECT_ORDO_ERROR(run.add("step", step), ValueError, "the name 'step' is taken");
  EXPECT_ORDO_ERROR(run.add("a.b", step), ValueError, "without dots");
  EXPECT_ORDO_ERROR(run.add("", step), ValueError, "without dots");
  EXPECT_ORDO_ERROR(run.add("none", Tensor()), ValueError, "none");
}

TEST_F(CheckpointTest, a_folder_keeps_the_latest_and_the_best) {
  int64_t step = 0;
  Checkpoint run;
  run.add("step", step);
  write("runs/step-000000000009.safetensors.part", "what a killed run left");
  write("runs/notes.txt", "somebody's");
  std::optional<CheckpointFolder> opened(std::in_place, path("runs"), CheckpointFolderOptions{.keep = 2});
  CheckpointFolder& all = *opened;
  EXPECT_FALSE(fs::exists(path("runs/step-000000000009.safetensors.part")));
  EXPECT_FALSE(all.load_latest(run));
  EXPECT_FALSE(all.latest() || all.best());
  for (step = 1; step <= 5; ++step) all.save(run, step);
  EXPECT_EQ(all.latest(), path("runs/step-000000000005.safetensors"));
  EXPECT_FALSE(fs::exists(path("runs/step-000000000003.safetensors")));
  EXPECT_TRUE(fs::exists(path("runs/step-000000000004.safetensors")));
  EXPECT_TRUE(fs::exists(path("runs/notes.txt")));
  EXPECT_TRUE(all.load_latest(run));
  EXPECT_EQ(step, 5);
  // A run that was set back does not lose what it saves.
  const std::string earlier = all.save(run, 2);
  EXPECT_TRUE(fs::exists(earlier));
  EXPECT_EQ(all.latest(), path("runs/step-000000000005.safetensors"));
  all.save(run, 1000000000000);
  EXPECT_EQ(all.latest(), path("runs/step-1000000000000.safetensors"));

  EXPECT_FALSE(all.save_best(run, NAN));
  step = 10;
  EXPECT_TRUE(all.save_best(run, 0.5));
  step = 11;
  EXPECT_FALSE(all.save_best(run, 0.5));
  EXPECT_TRUE(all.save_best(run, 0.1));
  step = 12;
  EXPECT_ORDO_ERROR(all.save(run, -1), ValueError, "step");
  opened.reset();
  opened.emplace(path("runs"), CheckpointFolderOptions{.keep = 2});
  EXPECT_FALSE(all.save_best(run, 0.1)) << "the best of an earlier run is known";
  opened.reset();
  EXPECT_TRUE(CheckpointFolder(path("runs"), {.larger_is_better = true}).save_best(run, 0.3));
  run.load(path("runs/best.safetensors"));
  EXPECT_EQ(step, 12);
  EXPECT_ORDO_ERROR(CheckpointFolder(path("runs"), {.keep = -1}), ValueError, "keep");
  EXPECT_ORDO_ERROR(CheckpointFolder(path("runs/notes.txt")), DataError, "runs/notes.txt");
}

TEST_F(CheckpointTest, one_run_at_a_time_has_a_folder) {
  int64_t step = 1;
  Checkpoint run;
  run.add("step", step);
  const std::string held = "[CheckpointFolder] " + path("runs") + ": another run has this folder; wait for its end";
  std::optional<CheckpointFolder> first(path("runs"));
  const std::string part = write("runs/step-000000000009.safetensors.part", "what the first run is writing");
  EXPECT_ORDO_ERROR(CheckpointFolder(path("runs")), DataError, held);
  EXPECT_TRUE(fs::exists(part));
  first->save(run, 1);
  std::optional<CheckpointFolder> copy = first;
  first.reset();
  EXPECT_ORDO_ERROR(CheckpointFolder(path("runs")), DataError, held);
  copy.reset();
  EXPECT_TRUE(CheckpointFolder(path("runs")).load_latest(run));
}

TEST_F(CheckpointTest, a_killed_run_has_no_folder) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const CheckpointFolder folder(path("runs"));
    (void)!::write(ready[1], "x", 1);
    for (;;) ::pause();
  }
  char one;
  ASSERT_EQ(::read(ready[0], &one, 1), 1);
  EXPECT_ORDO_ERROR(CheckpointFolder(path("runs")), DataError, "another run has this folder");
  // What follows need not wait until the killed process is gone.
  std::thread killer([child] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::kill(child, SIGKILL);
  });
  EXPECT_NO_THROW(CheckpointFolder(path("runs")));
  killer.join();
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]), ::close(ready[1]);
}

TEST_F(CheckpointTest, a_file_that_goes_at_once_is_an_error) {
  int64_t step = 1;
  Checkpoint run;
  run.add("step", step);
  CheckpointFolder folder(path("runs"), {.keep = 1});
  FileCalls watched;
  watched.after_rename = [](const std::string& path) { fs::remove(path); };
  EXPECT_ORDO_ERROR(folder.save(run, 1), DataError, "step-000000000001.safetensors: it was saved, and is gone");
  watched.after_rename = {};
  const std::string saved = folder.save(run, 2);
  watched.after_rename = [](const std::string& path) { fs::remove(path); };
  EXPECT_ORDO_ERROR(folder.save(run, 3), DataError, "step-000000000003.safetensors: it was saved, and is gone");
  EXPECT_EQ(folder.latest(), saved);
}

}  // namespace
}  // namespace ordo::test::checkpoint_test
