// Checkpoints: all parts or none, the latest and the best, and training that continues with the same bits.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/determinism.h>
#include <ordo/engine/error.h>
#include <ordo/engine/parallel.h>
#include <ordo/nn/nn.h>
#include "tests/support/file_calls.h"
#include "tests/support/folder_test_base.h"
#include "tests/support/op_samples.h"

namespace ordo::test {
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

/// A training with everything that can be forgotten: shuffled batches, dropout, batch normalisation, momentum, a
/// schedule, an average, gradients of two batches before each step.
class Training {
 public:
  Training() : train_(data::synthetic_digits(52, 1)) {
    for (const auto& [name, part] : parts_) part();
  }
  void save(const std::string& path) const { checkpoint_.save(path); }
  void load(const std::string& path, const std::string& without = "") {
    if (without.empty()) return checkpoint_.load(path);
    std::vector<std::string> names;
    for (const auto& [name, part] : parts_)
      if (name != without) names.push_back(name);
    checkpoint_.load(path, names);
  }
  /// Goes on to the end, or until so many batches have been seen in all; returns the weights' fingerprint.
  std::string go(int64_t until = INT64_MAX) {
    for (; epoch_ < 2; ++epoch_)
      for (auto [images, labels] : loader_) {
        const Tensor loss = cross_entropy(model_(images), labels);
        loss.backward();
        metric_ += loss.item();
        if (++batches_ % 2 == 0) {
          optimizer_.set_lr_factor(schedule_(batches_ / 2));
          optimizer_.step();
          optimizer_.zero_grad();
          average_.update();
        }
        if (batches_ == until) return "";
      }
    TensorList all = average_.averages();
    for (const auto& entry : model_.state_dict()) all.push_back(entry.tensor);
    all.push_back(scalar_tensor(metric_, {float64}));
    return sha256_hex(all);
  }
  std::vector<std::string> part_names() const {
    std::vector<std::string> names;
    for (const auto& part : parts_) names.push_back(part.first);
    return names;
  }

 private:
  struct Gradients {  // of the batches since the last step
    explicit Gradients(TensorList p) : parameters(std::move(p)) {}
    TensorList parameters;
    nn::NamedTensorList state_dict() const {
      nn::NamedTensorList all;
      for (size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i].grad().defined()) all.push_back({std::to_string(i), parameters[i].grad()});
      return all;
    }
    nn::Commit prepare_state_dict(const nn::NamedTensorList& state) {
      return [this, state] {
        for (Tensor& p : parameters) p.zero_grad();
        for (const auto& [name, gradient] : state) parameters[size_t(std::stoi(name))].set_grad(gradient);
      };
    }
  };
  data::ImageDataset train_;
  nn::Sequential model_{
      nn::Conv2d(1, 4, 3, {.stride = 2}), nn::BatchNorm2d(4), nn::ReLU(), nn::Dropout(0.2), nn::Flatten(),
      nn::Linear(4 * 13 * 13, 10)};
  optim::SGD optimizer_{model_.parameters(), {.lr = 0.05, .momentum = 0.9}};
  optim::EMA average_{model_.parameters(), {.decay = 0.9}};
  optim::Schedule schedule_ = optim::warmup(2, optim::cosine(4, 0.1));
  data::DataLoader loader_{train_, {.batch_size = 8, .shuffle = true, .generator = Generator(3)}};
  Gradients gradients_{model_.parameters()};
  int64_t epoch_ = 0, batches_ = 0;
  double metric_ = 0;
  Checkpoint checkpoint_;
  const std::vector<std::pair<std::string, std::function<void()>>> parts_ = {
      {"model", [this] { checkpoint_.add("model", model_); }},
      {"optimizer", [this] { checkpoint_.add("optimizer", optimizer_); }},
      {"average", [this] { checkpoint_.add("average", average_); }},
      {"loader", [this] { checkpoint_.add("loader", loader_); }},
      {"gradients", [this] { checkpoint_.add("gradients", gradients_); }},
      {"generator", [this] { checkpoint_.add("generator", default_generator()); }},
      {"epoch", [this] { checkpoint_.add("epoch", epoch_); }},
      {"batches", [this] { checkpoint_.add("batches", batches_); }},
      {"metric", [this] { checkpoint_.add("metric", metric_); }}};
};

class Resume : public FolderTest {
 protected:
  static constexpr int64_t kBatches = 2 * 7;  // two epochs of 52 / 8 batches
  /// As a new process would: other random numbers, and nothing in memory.
  static std::unique_ptr<Training> start(uint64_t seed) {
    manual_seed(seed);
    return std::make_unique<Training>();
  }
  const DeterminismGuard guard_{Determinism::run_to_run};
};

TEST_F(Resume, after_any_batch_with_the_same_bits) {
  const std::string whole = start(1)->go();
  for (int64_t stop = 0; stop <= kBatches; ++stop) {
    const auto first = start(1);
    if (stop > 0) first->go(stop);
    first->save(path("a"));
    set_num_threads(1);
    const auto second = start(77);
    second->load(path("a"));
    second->save(path("b"));
    EXPECT_EQ(read(path("a")), read(path("b"))) << stop;
    if (stop + 3 <= kBatches) {  // twice in a row
      second->go(stop + 3);
      second->save(path("b"));
      const auto third = start(78);
      third->load(path("b"));
      set_num_threads(2);
      EXPECT_EQ(third->go(), whole) << stop;
    } else {
      EXPECT_EQ(second->go(), whole) << stop;
    }
    set_num_threads(2);
  }
}

TEST_F(Resume, without_any_one_part_the_bits_differ) {
  const std::string whole = start(1)->go();
  const auto first = start(1);
  first->go(9);  // in the middle of an epoch and of a pair of batches
  first->save(path("a"));
  for (const std::string& part : first->part_names()) {
    const auto second = start(77);
    second->load(path("a"), part);
    EXPECT_NE(second->go(), whole) << part;
  }
}

}  // namespace
}  // namespace ordo::test
