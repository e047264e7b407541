// What a Recorder writes down of a training, and that recording changes nothing.
#include <set>
#include <thread>

#include <ordo/engine/run/emulation.h>
#include <ordo/nn/audit/recording.h>
#include "tests/support/expect_contains.h"
#include "tests/support/op_samples.h"

namespace ordo::test::recorder_test {
namespace {

using audit::Record;
using audit::TensorRecord;

struct Net : nn::Module {
  nn::Linear hidden = add("hidden", nn::Linear(6, 8));
  nn::Dropout drop = add("drop", nn::Dropout(0.25));
  nn::Linear output = add("output", nn::Linear(8, 3));
  Tensor forward(const Tensor& x) override { return output(drop(relu(hidden(x)))); }
};

/// Two steps; returns the weights.
std::string train(int64_t workers = 0, Device device = cpu) {
  manual_seed(3);
  Net net;
  net.to(device);
  Generator draws(1);
  const Tensor x = rand({8, 6}, {}, &draws), y = tensor<int64_t>({0, 1, 2, 0, 1, 2, 0, 1});
  optim::SGD sgd(net.parameters(), {.lr = 0.1, .momentum = 0.9});
  data::DataLoader loader(data::TensorDataset({x, y}), {.batch_size = 4, .shuffle = true, .workers = workers});
  for (auto [inputs, targets] : loader) {
    sgd.zero_grad();
    cross_entropy(net(inputs.to(device)), targets.to(device)).backward();
    sgd.step();
  }
  return sha256_hex(net.parameters());
}

audit::Trace trace_of(const std::function<void()>& f, audit::RecorderOptions options = {}) {
  audit::Recorder recorder(options);
  f();
  return recorder.trace();
}

std::vector<const Record*> named(const audit::Trace& trace, std::string_view name) {
  std::vector<const Record*> all;
  for (const Record& r : trace.records)
    if (r.name == name) all.push_back(&r);
  return all;
}

TEST(Recorder, writes_down_what_a_training_does) {
  const std::string expected = train();
  std::string weights;
  const audit::Trace trace = trace_of([&] { weights = train(); });
  EXPECT_EQ(weights, expected) << "recording changes no result";
  EXPECT_EQ(trace.incomplete, "");

  std::map<Record::Kind, int> kinds;
  for (const Record& r : trace.records) ++kinds[r.kind];
  EXPECT_EQ(kinds[Record::Kind::batch], 2);
  EXPECT_EQ(kinds[Record::Kind::step], 2);
  EXPECT_GE(kinds[Record::Kind::draw], 4 + 1 + 2) << "of parameters, the loader's order, dropout";

  const auto linears = named(trace, "linear");
  ASSERT_EQ(linears.size(), 8u) << "two layers, forward and backward, two steps";
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(linears[i]->path, i % 4 == 0 || i % 4 == 3 ? "Net.hidden" : "Net.output") << i;
    EXPECT_EQ(linears[i]->backward, i % 4 > 1) << i;
    EXPECT_EQ(linears[i]->step, i < 4 ? 1 : 2) << i;
  }
  const Record& first = *linears[0];
  ASSERT_EQ(first.inputs().size(), 3u);
  ASSERT_EQ(first.outputs().size(), 1u);
  EXPECT_EQ(*first.inputs()[0].sizes, (Dims{4, 6}));
  EXPECT_EQ(*first.inputs()[1].sizes, (Dims{8, 6}));
  EXPECT_EQ(first.inputs()[1].name, "Net.hidden.weight");
  EXPECT_EQ(first.inputs()[0].dtype, float32);
  EXPECT_EQ(first.device, "cpu");
  EXPECT_EQ(first.level, determinism());

  const auto batches = named(trace, "DataLoader");
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0]->outputs()[0], first.inputs()[0]) << "what the loader delivered is what the layer took";
  EXPECT_EQ(batches[0]->arguments, "0, 0, 4");

  const auto steps = named(trace, "SGD");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0]->kind, Record::Kind::step);
  EXPECT_EQ(steps[0]->arguments, "0.1");
  std::vector<std::string> names;
  for (const TensorRecord& t : steps[0]->outputs()) names.emplace_back(t.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"Net.hidden.weight", "Net.hidden.bias", "Net.output.weight", "Net.output.bias"}));
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NE(steps[0]->outputs()[i], steps[0]->inputs()[i]) << "the step changed it";
    EXPECT_EQ(steps[0]->outputs()[i], steps[1]->inputs()[i]) << "the next began with it";
  }
  EXPECT_EQ(linears[4]->inputs()[1], steps[0]->outputs()[0]);
}

std::string text_of(const Record& r) {
  std::string text = std::string(r.name) + " " + std::string(r.path);
  for (const TensorRecord& t : r.tensors) text += " " + t.fingerprint.str() + t.sizes->str();
  return text + "\n";
}

TEST(Recorder, is_the_same_in_every_run) {
  const auto text = [](const audit::Trace& trace) {
    std::string all;
    for (const Record& r : trace.records) all += std::string(r.arguments) + " " + text_of(r);
    return all;
  };
  const DeterminismGuard guard(Determinism::run_to_run);
  const std::string once = text(trace_of([] { train(); }));
  EXPECT_EQ(text(trace_of([] { train(); })), once);
  EXPECT_EQ(text(trace_of([] { train(); }, {.read_again = true})), once) << "what is known is right";
  EXPECT_EQ(text(trace_of([] { train(2); })), once) << "workers change no order";
}

TEST(Recorder, believes_no_memory_that_a_kernel_wrote_to) {
  const auto fingerprints = [](bool again) {
    const audit::Trace trace = trace_of(
        [] {
          manual_seed(5);
          nn::LSTM lstm(3, 4);
          lstm(rand({6, 2, 3})).output.sum().backward();
        },
        {.read_again = again});
    std::vector<std::string> all;
    bool has_path = false;
    for (const Record& r : trace.records) {
      has_path |= r.name == "lstm" && r.path == "LSTM";
      for (const TensorRecord& t : r.tensors) all.push_back(std::string(r.name) + t.fingerprint.str());
    }
    EXPECT_TRUE(has_path);
    return all;
  };
  EXPECT_EQ(fingerprints(false), fingerprints(true)) << "the gradient of c begins as zeros of another operation";
}

TEST(Recorder, is_the_same_on_every_device) {
  const DeterminismGuard guard(Determinism::device_to_device);
  const auto text = [](Device device) {
    std::string all;
    const audit::Trace trace = trace_of([&] { train(0, device); });
    for (const Record& r : trace.records) {
      if (r.path.empty() && r.kind == Record::Kind::operation) continue;  // moving the model
      if (r.depth <= 1) all += text_of(r);                                // devices may be reached by other ways
    }
    return all;
  };
  const std::string expected = text(cpu);
  EXPECT_CONTAINS(expected, "linear Net.hidden");
  for (Device device : test_devices()) EXPECT_EQ(text(device), expected) << device.str();
}

TEST(Recorder, tells_what_an_operation_in_place_changed) {
  Tensor t = ones({3});
  const audit::Trace trace = trace_of([&] {
    t.add_(1);
    t.fill_(4);
    t.add_(1);
  });
  ASSERT_EQ(trace.records.size(), 3u);
  const auto of = [&](size_t i) { return trace.records[i]; };
  EXPECT_EQ(of(0).inputs()[0].fingerprint, kernels::fingerprint(ones({3})));
  EXPECT_EQ(of(0).outputs()[0].fingerprint, kernels::fingerprint(full({3}, 2)));
  EXPECT_EQ(of(1).inputs()[0].state, TensorRecord::State::unread) << "its old values mean nothing";
  EXPECT_EQ(of(1).outputs()[0].fingerprint, kernels::fingerprint(full({3}, 4)));
  EXPECT_EQ(of(2).inputs()[0].fingerprint, kernels::fingerprint(full({3}, 4)));
  EXPECT_EQ(of(2).outputs()[0].fingerprint, kernels::fingerprint(full({3}, 5)));
}

TEST(Recorder, reads_again_what_changed_without_an_operation) {
  Tensor t = ones({3});
  const audit::Trace trace = trace_of(
      [&] {
        relu(t);
        t.data<float>()[1] = 9;  // no operation knows
        relu(t);
      },
      {.read_again = true});
  EXPECT_NE(trace.records[0].inputs()[0], trace.records[1].inputs()[0]);
}

TEST(Recorder, chooses_steps_modules_and_operations) {
  const audit::Trace second = trace_of([] { train(); }, {.steps = {{2, 2}}});
  std::set<int64_t> steps;
  for (const Record& r : second.records) steps.insert(r.step);
  EXPECT_EQ(steps, std::set<int64_t>{2});
  EXPECT_EQ(named(second, "linear").size(), 4u);
  EXPECT_EQ(second.header.filters, "steps=2-2");

  const audit::Trace hidden = trace_of([] { train(); }, {.modules = {"*.hidden"}});
  for (const Record& r : hidden.records)
    EXPECT_TRUE(r.kind != Record::Kind::operation || r.path == "Net.hidden") << r.name << r.path;
  EXPECT_EQ(named(hidden, "linear").size(), 4u);
  EXPECT_EQ(named(hidden, "SGD").size(), 2u) << "steps are there in any case";

  const audit::Trace relus = trace_of([] { train(); }, {.operations = {"rel*", "nothing"}});
  for (const Record& r : relus.records)
    EXPECT_TRUE(r.kind != Record::Kind::operation || r.name.starts_with("relu")) << r.name;
  EXPECT_ORDO_ERROR(audit::Recorder({.steps = {{3, 2}}}), ValueError, "steps 3 to 2");

  EXPECT_TRUE(audit::matches("a*c*", "abcd"));
  EXPECT_TRUE(audit::matches("*", ""));
  EXPECT_TRUE(audit::matches("*ab", "aab"));
  EXPECT_FALSE(audit::matches("a*c", "abcd"));
  EXPECT_FALSE(audit::matches("", "a"));
}

TEST(Recorder, keeps_one_hash_for_each_step) {
  const auto hashes = [](const audit::Trace& trace) {
    std::vector<std::string> all;
    for (const Record& r : trace.records)
      if (r.kind == Record::Kind::summary) all.push_back(r.hash.str());
    return all;
  };
  const audit::RecorderOptions by_steps{.detail = audit::Detail::steps};
  const DeterminismGuard guard(Determinism::run_to_run);
  const audit::Trace trace = trace_of([] { train(); }, by_steps);
  const auto once = hashes(trace);
  ASSERT_EQ(once.size(), 2u);
  EXPECT_NE(once[0], once[1]);
  EXPECT_EQ(named(trace, "linear").size(), 0u);
  EXPECT_EQ(hashes(trace_of([] { train(); }, by_steps)), once);
  // A weight that differs after step 2 shows in its hash and not before.
  const auto disturbed = [](const std::function<void()>& between) {
    Tensor p = ones({4}, {.requires_grad = true});
    optim::SGD sgd({p}, {.lr = 0.5});
    for (int i = 0; i < 2; ++i) {
      if (i == 1) between();
      sgd.zero_grad();
      (p * p).sum().backward();
      if (i == 1) p.grad().mul_(1);
      sgd.step();
    }
  };
  const auto a = hashes(trace_of([&] { disturbed([] {}); }, by_steps));
  const auto b = hashes(trace_of([&] { disturbed([] { rand({1}); }); }, by_steps));
  ASSERT_EQ(a.size(), 2u);
  EXPECT_EQ(a[0], b[0]);
  EXPECT_NE(a[1], b[1]) << "numbers were drawn";
}

TEST(Recorder, says_where_the_trace_was_made) {
  manual_seed(77);
  const DeterminismGuard guard(Determinism::run_to_run);
  const audit::Header h = trace_of([] { ones({2}) + 1; }).header;
  EXPECT_EQ(h.format, 1);
  EXPECT_EQ(h.version, version());
  EXPECT_EQ(h.ordering_contract, ordering_contract());
  EXPECT_EQ(h.level, Determinism::run_to_run);
  EXPECT_EQ(h.threads, num_threads());
  EXPECT_EQ(h.seed, 77u);
  EXPECT_NE(h.instruction_set, "");
  EXPECT_CONTAINS(h.device, devices()[0].name);
  ASSERT_FALSE(h.command_line.empty());
  EXPECT_CONTAINS(h.command_line[0], "ordo_tests");
  EXPECT_EQ(h.emulated, cuda::is_simulated());
  if (h.emulated) {
    EXPECT_CONTAINS(h.schedule, "SEED=");
  }
}

TEST(Recorder, follows_threads_and_failures) {
  const Tensor a = ones({2});
  const audit::Trace trace = trace_of([&] {
    a + a;
    std::thread([&] { a* a; }).join();
    EXPECT_THROW(a + ones({3}), ShapeError);
  });
  EXPECT_EQ(named(trace, "mul")[0]->thread, 1u);
  const auto adds = named(trace, "add");
  ASSERT_EQ(adds.size(), 2u);
  EXPECT_EQ(adds[0]->thread, 0u);
  EXPECT_TRUE(adds[1]->failed);
  EXPECT_TRUE(adds[1]->outputs().empty());
}

class TraceEnvironment : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"ORDO_TRACE", "ORDO_TRACE_STEPS", "ORDO_TRACE_MODULES", "ORDO_TRACE_OPS",
                             "ORDO_TRACE_READ_AGAIN", "ORDO_TRACE_DETAIL"})
      unsetenv(name);
  }
};

TEST_F(TraceEnvironment, gives_options) {
  EXPECT_FALSE(audit::options_of_environment());
  setenv("ORDO_TRACE", "a.%p.trace", 1);
  setenv("ORDO_TRACE_STEPS", "3-5,9", 1);
  setenv("ORDO_TRACE_MODULES", "net.*,other", 1);
  setenv("ORDO_TRACE_OPS", "add", 1);
  setenv("ORDO_TRACE_DETAIL", "steps", 1);
  setenv("ORDO_TRACE_READ_AGAIN", "1", 1);
  const auto o = audit::options_of_environment();
  ASSERT_TRUE(o);
  EXPECT_EQ(o->path, "a." + std::to_string(::getpid()) + ".trace");
  ASSERT_EQ(o->steps.size(), 2u);
  EXPECT_EQ(o->steps[0].first, 3);
  EXPECT_EQ(o->steps[0].last, 5);
  EXPECT_EQ(o->steps[1].last, 9);
  EXPECT_EQ(o->modules, (std::vector<std::string>{"net.*", "other"}));
  EXPECT_EQ(o->operations, std::vector<std::string>{"add"});
  EXPECT_EQ(o->detail, audit::Detail::steps);
  EXPECT_TRUE(o->read_again);
  for (const char* wrong : {"5-3", "x", "3-", "1-2-3"}) {
    setenv("ORDO_TRACE_STEPS", wrong, 1);
    EXPECT_ORDO_ERROR(audit::options_of_environment(), ValueError, wrong);
  }
}

}  // namespace
}  // namespace ordo::test::recorder_test
