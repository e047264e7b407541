// What a Trainer writes: the log, and what happens when files and folders cannot be written or are missing.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/nn/train/toy_run.h"
#include "tests/support/fifo.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/folder_test_base.h"
#include "tests/support/op_samples.h"

namespace ordo::test::files_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class TrainerFiles : public FolderTest {
 protected:
  std::vector<json> log(const std::string& name) const {
    std::istringstream stream(read(path(name)));
    std::vector<json> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
    return lines;
  }
  static std::vector<json> of(const std::vector<json>& lines, const std::string& event) {
    std::vector<json> found;
    for (const json& line : lines)
      if (line["event"] == event) found.push_back(line);
    return found;
  }

 private:
  const DeterminismGuard guard_{Determinism::run_to_run};
};

TEST_F(TrainerFiles, the_log_has_every_number) {
  TrainerOptions options = toy_options(path("run"));
  ToyRun run(options);
  std::vector<double> losses, rates, norms;
  run.trainer.on(On::step_end, [&](Trainer& t) {
    losses.push_back(t.status().loss);
    rates.push_back(t.status().lr);
    norms.push_back(*t.status().grad_norm);
    t.log("third", double(t.status().step) / 3);
    t.log("third", double(t.status().step) / 7);
  });
  run.trainer.on(On::epoch_end,
                 [&](Trainer& t) { t.log("of \"an\" epoch\n", t.status().epoch == 1 ? NAN : -INFINITY); });
  run.trainer.on(On::validation_end, [&](Trainer& t) { t.log("at", double(t.status().step)); });
  run.trainer.on(On::checkpoint_end, [&](Trainer& t) { EXPECT_THROW(t.log("x", 1), ValueError); });
  const TrainResult result = run.go();
  const auto lines = log("run/log.jsonl");
  EXPECT_EQ(lines.front()["event"], "begin");
  EXPECT_EQ(lines.front()["accumulate"], 2);
  EXPECT_EQ(lines.front()["seed"], 1);
  const auto steps = of(lines, "step"), epochs = of(lines, "epoch"), validations = of(lines, "validation");
  ASSERT_EQ(steps.size(), 9u);
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(steps[i]["step"], i + 1);
    EXPECT_EQ(steps[i]["epoch"], i / 3 + 1);
    EXPECT_EQ(steps[i]["loss"].get<double>(), losses[i]) << "all of its bits";
    EXPECT_EQ(steps[i]["lr"].get<double>(), rates[i]);
    EXPECT_EQ(steps[i]["grad_norm"].get<double>(), norms[i]);
    EXPECT_EQ(steps[i]["logged"]["third"].get<double>(), double(i + 1) / 7);
  }
  ASSERT_EQ(epochs.size(), 3u);
  EXPECT_EQ(epochs[0]["logged"]["of \"an\" epoch\n"], "nan");
  EXPECT_EQ(epochs[1]["logged"]["of \"an\" epoch\n"], "-inf");
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(epochs[i]["weights"], result.epoch_weights.at(i));
  EXPECT_EQ(epochs[2]["loss"].get<double>(), result.loss);
  ASSERT_EQ(validations.size(), 6u);  // after steps 2, 3, 4, 6, 8 and 9
  EXPECT_EQ(validations.back()["metrics"]["accuracy"].get<double>(), result.metrics.at(1).value);
  EXPECT_EQ(validations.back()["logged"]["at"], 9);
  const json& end = lines.back();
  EXPECT_EQ(end["event"], "end");
  EXPECT_EQ(end["reason"], "finished");
  EXPECT_EQ(end["weights"], result.weights);
  EXPECT_EQ(end["epoch_weights"], result.epoch_weights);
  EXPECT_EQ(end["seed"], 1);
  EXPECT_EQ(end["level"], "run_to_run");
  EXPECT_EQ(end["ordo"], version());
  EXPECT_EQ(end["ordering_contract"], ordering_contract());
  EXPECT_GT(end["environment"].size(), 3u);
}

TEST_F(TrainerFiles, the_best_checkpoint_is_the_best) {
  ToyRun run(toy_options(path("run")));
  double least = INFINITY;
  std::string best_weights;
  run.trainer.on(On::validation_end, [&](Trainer& t) {  // the weights are the averages here
    if (t.status().metrics[0].value >= least) return;
    least = t.status().metrics[0].value;
    best_weights = sha256_hex(run.model.parameters());
  });
  const TrainResult result = run.go();
  EXPECT_EQ(result.best, least);
  TensorList averages;
  const auto state = load_safetensors(path("run/best.safetensors"));
  EXPECT_EQ(state.metadata.at("metric"), fmt::format("{}", least));
  for (size_t i = 0; i < run.model.parameters().size(); ++i)
    for (const auto& entry : state.tensors)
      if (entry.name == fmt::format("average.average.{}", i)) averages.push_back(entry.tensor);
  EXPECT_EQ(sha256_hex(averages), best_weights);
}

TEST_F(TrainerFiles, a_full_disk_leaves_the_last_checkpoint) {
  const std::string expected = text_of(ToyRun(toy_options(path("whole"))).go());
  TrainerOptions options = toy_options(path("run"));
  options.log = "";
  ToyRun run(options);
  std::string last;
  {
    std::optional<FileSizeLimit> full;
    int64_t saved = 0;
    run.trainer.on(On::checkpoint_end, [&](Trainer& t) { saved = t.status().step; });
    run.trainer.on(On::step_end, [&](Trainer& t) {
      if (t.status().step == 5) full.emplace(1000);
    });
    EXPECT_ORDO_ERROR(run.go(), DataError, "cannot be written: File too large");
    EXPECT_EQ(saved, 4);
  }
  for (const auto& entry : fs::directory_iterator(path("run")))
    EXPECT_FALSE(entry.path().string().ends_with(".part")) << entry.path();
  options.resume = true;
  EXPECT_EQ(text_of(ToyRun(options).go()), expected);
}

TEST_F(TrainerFiles, a_full_disk_and_the_log) {
  const std::string expected = text_of(ToyRun(toy_options(path("whole"))).go());
  TrainerOptions options = toy_options(path("run"));
  ToyRun run(options);
  {
    std::optional<FileSizeLimit> full;
    run.trainer.on(On::step_end, [&](Trainer& t) {
      if (t.status().step == 5) full.emplace(fs::file_size(options.log) + 10);  // in the middle of the line
    });
    EXPECT_ORDO_ERROR(run.go(), DataError, "[Trainer] the log " + options.log + ": cannot be written: File too large");
  }
  EXPECT_NE(read(options.log).back(), '\n');
  options.resume = true;
  EXPECT_EQ(text_of(ToyRun(options).go()), expected);
  EXPECT_EQ(read(path("run/log.jsonl")), read(path("whole/log.jsonl")));
}

TEST_F(TrainerFiles, what_cannot_be_written_or_is_missing_is_named) {
  write("file", "not a folder");
  EXPECT_ORDO_ERROR(ToyRun(toy_options(path("file"))).go(), DataError, path("file"));
  EXPECT_ORDO_ERROR(ToyRun(toy_options(path("file/below"))).go(), DataError, path("file/below"));
  TrainerOptions options = toy_options(path("run"));
  options.log = path("absent/log.jsonl");
  EXPECT_ORDO_ERROR(ToyRun(options).go(), DataError,
                    "[Trainer] the log " + options.log + ": cannot be opened: No such file or directory");
  // The folder goes while the run is under way.
  ToyRun lost(toy_options(path("lost")));
  lost.trainer.on(On::step_end, [&](Trainer& t) {
    if (t.status().step == 5) fs::rename(path("lost"), path("moved"));
  });
  EXPECT_ORDO_ERROR(lost.go(), DataError, path("lost/"));

  ToyRun(toy_options(path("run"))).go_to(5);
  EXPECT_ORDO_ERROR(ToyRun(toy_options(path("run"))).go(), ValueError,
                    "step-000000000005.safetensors is of an earlier run; resume it");
  const TrainerOptions again = toy_options(path("run"), true);
  const std::string log_file = path("run/log.jsonl"), bytes = read(log_file);
  fs::resize_file(log_file, bytes.size() - 1);
  EXPECT_ORDO_ERROR(
      ToyRun(again).go(), DataError,
      fmt::format("has {} bytes, but the run that is resumed had written {}", bytes.size() - 1, bytes.size()));
  fs::remove(log_file);
  EXPECT_ORDO_ERROR(ToyRun(again).go(), DataError, "the log " + log_file + ": cannot be opened");
  write("run/log.jsonl", bytes);
  fs::resize_file(path("run/step-000000000005.safetensors"), 100);
  EXPECT_ORDO_ERROR(ToyRun(again).go(), DataError, "step-000000000005.safetensors");
}

TEST_F(TrainerFiles, a_new_run_empties_no_file) {
  for (const std::string& text :
       {std::string("the only copy"), std::string(R"({"event":"begin","format":"ordo run")")}) {
    write("kept", text);
    TrainerOptions options = toy_options("");
    options.log = path("kept");
    EXPECT_ORDO_ERROR(ToyRun(options).go(), ValueError,
                      "[Trainer] the log " + options.log + " exists; resume its run, or choose another file");
    EXPECT_EQ(read(options.log), text);
  }
  // Resumed, a run that saved nothing yet begins again; what is no run's log stays.
  write("run/log.jsonl", "the only copy");
  EXPECT_ORDO_ERROR(ToyRun(toy_options(path("run"), true)).go(), ValueError, "is no run's log; choose another file");
  EXPECT_EQ(read(path("run/log.jsonl")), "the only copy");
  write("run/log.jsonl", "");
  EXPECT_EQ(ToyRun(toy_options(path("run"))).go().end, TrainEnd::finished) << "an empty file loses nothing";
  TrainerOptions nowhere = toy_options("");
  nowhere.log = "/dev/null";
  EXPECT_EQ(ToyRun(nowhere).go().end, TrainEnd::finished);
  EXPECT_EQ(ToyRun(nowhere).go().end, TrainEnd::finished);
}

TEST_F(TrainerFiles, a_run_that_saved_nothing_yet_begins_again) {
  const std::string expected = text_of(ToyRun(toy_options(path("whole"))).go());
  // All that another run left.
  write("run/log.jsonl", R"({"event":"begin","format":"ordo run",)" + std::string(100000, 'x'));
  EXPECT_EQ(text_of(ToyRun(toy_options(path("run"), true)).go()), expected);
  EXPECT_EQ(read(path("run/log.jsonl")), read(path("whole/log.jsonl")));
  // Killed between its first best and its first checkpoint.
  for (const auto& entry : fs::directory_iterator(path("run")))
    if (entry.path().filename().string().starts_with("step-")) fs::remove(entry.path());
  EXPECT_ORDO_ERROR(ToyRun(toy_options(path("run"))).go(), ValueError, "best.safetensors is of an earlier run");
  EXPECT_EQ(text_of(ToyRun(toy_options(path("run"), true)).go()), expected);
  EXPECT_EQ(read(path("run/best.safetensors")), read(path("whole/best.safetensors")));
}

TEST_F(TrainerFiles, another_run_cannot_have_the_folder) {
  ToyRun run(toy_options(path("run")));
  int64_t tried = 0;
  run.trainer.on(On::step_end, [&](Trainer& t) {
    if (t.status().step != 5) return;
    ++tried;
    const GeneratorState state = default_generator().state();  // which another run in this process would change
    EXPECT_ORDO_ERROR(ToyRun(toy_options(path("run"), true)).go(), DataError, "another run has this folder");
    default_generator().set_state(state);
  });
  const std::string text = text_of(run.go());
  EXPECT_EQ(tried, 1);
  EXPECT_EQ(text, text_of(ToyRun(toy_options(path("other"))).go()));
  EXPECT_EQ(read(path("run/log.jsonl")), read(path("other/log.jsonl")));
}

TEST_F(TrainerFiles, a_log_that_nobody_reads_is_an_error) {
  Fifo pipe(path("pipe"));
  TrainerOptions options = toy_options("");
  options.log = pipe.path();
  EXPECT_ORDO_ERROR(ToyRun(options).go(), DataError,
                    "[Trainer] the log " + pipe.path() + ": cannot be opened: a pipe that nobody reads");
  EXPECT_FALSE(pipe.waited());
}

TEST_F(TrainerFiles, parts_of_the_programs_own) {
  const auto go = [&](bool resume, int64_t until) {
    ToyRun run(toy_options(path("run"), resume));
    int64_t seen = resume ? -100 : 0;
    Generator noise(resume ? 8 : 7);
    run.trainer.keep("seen", seen);
    run.trainer.keep("noise", noise);
    run.trainer.on(On::step_end, [&](Trainer& t) {
      ++seen, noise.reserve(3);
      if (t.status().step == until) t.stop();
    });
    run.go();
    return std::pair(seen, noise.state());
  };
  go(false, 5);
  const auto [seen, noise] = go(true, -1);
  EXPECT_EQ(seen, 9);
  EXPECT_EQ(noise, (GeneratorState{7, 0, 27}));
  ToyRun run(toy_options(path("other")));
  int64_t model = 0;
  run.trainer.keep("model", model);
  EXPECT_ORDO_ERROR(run.go(), ValueError, "the name 'model' is taken");
}

}  // namespace
}  // namespace ordo::test::files_test
