// Does a piece of a program repeat?
#include <algorithm>
#include <set>

#include "tests/nn/train/toy_run.h"
#include "tests/support/folder_test_base.h"
#include "tests/support/op_samples.h"

namespace ordo::test::reproducible_test {
namespace {

using audit::reproducible;

TEST(Reproducible, is_what_repeats) {
  const auto c = reproducible(
      [] {
        manual_seed(1);
        nn::Linear layer(3, 2);
        layer(rand({4, 3})).sum().backward();
      },
      {.times = 3});
  EXPECT_TRUE(c) << c;
  EXPECT_GT(c.operations, 2 * 8);
  EXPECT_EQ(c.message, "");
}

TEST(Reproducible, names_what_parts_first) {
  int runs = 0;
  const auto parted = [&](const std::function<void(int)>& f, const std::string& text) {
    runs = 0;
    const auto c = reproducible([&] { f(++runs); });
    EXPECT_FALSE(c);
    EXPECT_NE(c.message.find(text), std::string::npos) << c.message;
    EXPECT_EQ(c.message.rfind("run 2 parts from run 1 at ", 0), 0u) << c.message;
  };
  parted([](int) { rand({2}); }, "B has drawn more from the generator with seed ");
  nn::Linear layer(2, 2);
  parted([&](int run) { layer(full({1, 2}, run == 1 ? 1.0 : 2.0)); }, "full, step 1: its arguments are ");
  Tensor x = ones({1, 2});
  parted(
      [&](int) {
        layer(x);
        x.data<float>()[0] += 1;
      },
      "linear in Linear, step 1: input 0 has other bits");
  parted([&](int run) { run == 1 ? relu(x) : sigmoid(x); }, "sigmoid, step 1: only B has it; A goes on with relu");
  parted([&](int run) { relu(run == 1 ? x : cat({x, x}, 0)); }, "cat, step 1: only B has it; A goes on with relu");
  parted(
      [&](int run) {
        relu(x);
        if (run == 2) relu(x);
      },
      "relu, step 1, call 2: only B has it; A has ended");
  EXPECT_ORDO_ERROR(reproducible([] {}, {.times = 1}), ValueError, "at least 2 runs");
  EXPECT_ORDO_ERROR(reproducible({}), ValueError, "empty");
  EXPECT_THROW(reproducible([] { throw std::runtime_error("mine"); }), std::runtime_error);
}

class Watch : public FolderTest {};

TEST_F(Watch, records_the_first_steps_and_then_some) {
  Trainer trainer({.epochs = 1, .randomness = {{.seed = 1}}, .progress = false, .handle_interrupt = false});
  nn::Linear model(4, 2);
  optim::SGD sgd(model.parameters(), {.lr = 0.1});
  data::DataLoader loader(rand({18, 4}), zeros({18}, {int64}), {.batch_size = 2});
  audit::watch(trainer, {.folder = path("audit"), .first = 2, .every = 4});
  trainer.fit(model, sgd, loader, nn::CrossEntropyLoss());
  std::set<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(path("audit"))) files.insert(file.path().filename());
  EXPECT_EQ(files, (std::set<std::string>{"step-1.trace", "step-2.trace", "step-4.trace", "step-8.trace"}));
  const audit::Trace trace = audit::read(path("audit/step-4.trace"));
  EXPECT_EQ(trace.incomplete, "");
  int steps = 0;
  for (const audit::Record& r : trace.records) {
    EXPECT_EQ(r.step, 4) << r.name;
    steps += r.kind == audit::Record::Kind::step;
  }
  EXPECT_EQ(steps, 1);
  EXPECT_ORDO_ERROR(audit::watch(trainer, {}), ValueError, "needs a folder");
  EXPECT_ORDO_ERROR(audit::watch(trainer, {.folder = "x", .every = -1}), ValueError, "1 and -1");
}

TEST_F(Watch, a_resumed_training_goes_on_with_the_numbers_of_its_steps) {
  const auto records = [&](const std::string& folder, bool resume, int64_t until) {
    ToyRun run(toy_options(path(folder), resume));
    audit::Recorder recorder(audit::RecorderOptions{.operations = {"linear"}});
    run.go_to(until);
    return recorder.trace();
  };
  const audit::Trace whole = records("whole", false, 6);
  records("parts", false, 4);
  const audit::Trace rest = records("parts", true, 6);
  const auto list = [](const audit::Trace& trace) {
    std::vector<std::string> lines;
    for (const audit::Record& r : trace.records) {
      if (r.step < 5 || (r.kind != audit::Record::Kind::step && !r.backward)) continue;  // not those of a validation
      std::string line = fmt::format("{} {} {}", r.step, name(r.kind), r.name);
      for (const audit::TensorRecord& t : r.tensors)
        if (t.state == audit::TensorRecord::State::read) line += " " + t.fingerprint.str();
      lines.push_back(line);
    }
    return lines;
  };
  const std::vector<std::string> expected = list(whole), got = list(rest);
  EXPECT_GT(std::count_if(got.begin(), got.end(), [](const auto& line) { return line.starts_with("5 operation"); }), 0);
  EXPECT_EQ(std::count_if(got.begin(), got.end(), [](const auto& line) { return line.starts_with("6 step"); }), 1);
  EXPECT_EQ(got, expected);
  // But for the order of the epoch, which is drawn as the checkpoint is read.
  for (const audit::Record& r : rest.records)
    EXPECT_GE(r.step, r.kind == audit::Record::Kind::draw ? 1 : 5) << name(r.kind) << " " << r.name;
}

}  // namespace
}  // namespace ordo::test::reproducible_test
