// Where two traces part: made by hand, and of small programs.
#include <cmath>
#include <thread>

#include <ordo/nn/audit/writer.h>
#include "tests/support/expect_contains.h"
#include "tests/support/folder_test_base.h"
#include "tests/support/op_samples.h"

namespace ordo::test::diff_test {
namespace {

using audit::Cause;
using audit::Record;
using audit::TensorRecord;

const Dims kSizes{4, 3};

TensorRecord tensor_of(uint64_t bits, const Dims& sizes = kSizes) {
  return {.state = TensorRecord::State::read, .dtype = float32, .sizes = &sizes, .fingerprint = {bits, ~bits}};
}
TensorRecord tensor_of(const Tensor& t) {
  return {.state = TensorRecord::State::read,
          .dtype = t.dtype(),
          .sizes = &t.sizes(),
          .fingerprint = kernels::fingerprint(t)};
}

struct Call {
  std::string name = "add";
  uint64_t in = 1, out = 2;
  int64_t step = 1;
  std::string path = "Net.layer", arguments = "";
  uint32_t thread = 0;
  int depth = 0;
  Algorithm algorithm = Algorithm::direct;
  Determinism level = Determinism::run_to_run;
};

/// A trace written by hand.
class Hand {
 public:
  explicit Hand(audit::Header header = {.format = 1}) { writer_->write(header); }
  Hand& call(const Call& c) {
    Record r;
    r.name = c.name, r.path = c.path, r.arguments = c.arguments, r.step = c.step, r.thread = c.thread;
    r.depth = c.depth, r.algorithm = c.algorithm, r.level = c.level, r.device = "cpu";
    r.tensors = {tensor_of(c.in), tensor_of(c.out)};
    r.input_count = 1;
    return put(r);
  }
  /// Of one input; the other tensors are its outputs.
  Hand& operation(const char* name, std::vector<TensorRecord> tensors, Algorithm algorithm = Algorithm::direct) {
    Record r{.algorithm = algorithm, .step = 1, .name = name, .device = "cpu", .input_count = 1};
    r.tensors = std::move(tensors);
    return put(r);
  }
  Hand& draw(GeneratorState from, uint64_t blocks, int64_t step = 1) {
    return put(
        {.kind = Record::Kind::draw, .step = step, .name = "uniform_", .draw_from = from, .draw_blocks = blocks});
  }
  Hand& batch(uint64_t bits, int64_t number) {
    const std::string arguments = std::to_string(number);
    Record r{.kind = Record::Kind::batch, .step = 1, .name = "DataLoader", .arguments = arguments};
    r.tensors = {tensor_of(bits)};
    return put(r);
  }
  Hand& put(const Record& r) {
    writer_->write(r);
    return *this;
  }
  audit::Trace trace(bool closed = true) {
    if (closed) writer_->close();
    return audit::read(audit::Reader::of_bytes(writer_->bytes(), "by hand"));
  }

 private:
  std::shared_ptr<audit::Writer> writer_ = std::make_shared<audit::Writer>("");
};

TEST(TraceDiff, equal_traces_are_equal) {
  const auto make = [] { return Hand().call({}).draw({1, 0, 0}, 2).batch(5, 1).call({.step = 2}).trace(); };
  const audit::TraceDiff d = audit::diff(make(), make());
  EXPECT_TRUE(d.equal) << d.str();
  EXPECT_EQ(d.compared, 4);
  EXPECT_EQ(d.different, 0);
  EXPECT_EQ(d.first.cause, Cause::none);
  EXPECT_EQ(d.steps.size(), 2u);
  EXPECT_EQ(d.str(), "equal: 4 events\n");
  EXPECT_TRUE(audit::diff(Hand().trace(), Hand().trace()).equal) << "empty ones, too";
}

TEST(TraceDiff, finds_where_equal_inputs_gave_other_outputs) {
  const auto make = [](uint64_t out) {
    return Hand()
        .call({})
        .call({.name = "index_add",
               .in = 2,
               .out = out,
               .algorithm = Algorithm::atomic,
               .level = Determinism::not_guaranteed})
        .call({.name = "relu", .in = out, .out = out + 1})
        .call({.name = "relu", .in = 7, .out = 7})
        .call({.name = "mul", .in = out + 1, .out = out + 2, .step = 2})
        .trace();
  };
  const audit::TraceDiff d = audit::diff(make(10), make(20));
  EXPECT_FALSE(d.equal);
  EXPECT_EQ(d.first.cause, Cause::additions);
  EXPECT_EQ(d.first.a->name, "index_add");
  EXPECT_EQ(d.first.a->path, "Net.layer");
  EXPECT_EQ(d.first.a->index, 1u);
  EXPECT_EQ(d.different, 3);
  ASSERT_EQ(d.spread.size(), 2u);
  EXPECT_EQ(d.spread[0].name, "relu");
  EXPECT_EQ(d.spread[1].name, "mul");
  ASSERT_EQ(d.before.size(), 1u);
  EXPECT_EQ(d.before[0].name, "add");
  EXPECT_CONTAINS(d.remedy, "use_deterministic_algorithms(true)");
  EXPECT_CONTAINS(d.remedy, "Algorithm::sorted");
  EXPECT_TRUE(d.others.empty());
  ASSERT_EQ(d.steps.size(), 2u);
  EXPECT_EQ(d.steps[0].different, 2);
  EXPECT_EQ(d.steps[1].different, 1);
  EXPECT_CONTAINS(d.str(), "output 0 has other bits, from equal inputs");
}

TEST(TraceDiff, tells_every_operation_that_parts_by_itself) {
  const auto make = [](uint64_t out) {
    Hand hand;
    for (const char* op : {"index_add", "scatter_add", "index_add"})
      hand.call({.name = op, .out = out, .algorithm = Algorithm::atomic, .level = Determinism::not_guaranteed});
    return hand.trace();
  };
  const audit::TraceDiff d = audit::diff(make(10), make(20));
  EXPECT_EQ(d.first.a->name, "index_add");
  ASSERT_EQ(d.others.size(), 1u) << d.str();
  EXPECT_EQ(d.others[0].place().name, "scatter_add");
}

TEST(TraceDiff, names_known_causes) {
  const auto cause = [](Hand a, Hand b) {
    const audit::TraceDiff d = audit::diff(a.trace(), b.trace());
    EXPECT_FALSE(d.remedy.empty());
    EXPECT_FALSE(d.first.what.empty());
    return d.first.cause;
  };
  EXPECT_EQ(cause(Hand().draw({1, 0, 0}, 2), Hand().draw({9, 0, 0}, 2)), Cause::seed);
  EXPECT_EQ(cause(Hand().draw({1, 0, 0}, 2), Hand().draw({1, 0, 8}, 2)), Cause::draws);
  EXPECT_EQ(cause(Hand().draw({1, 0, 0}, 2), Hand().draw({1, 0, 0}, 3)), Cause::draws);
  EXPECT_EQ(cause(Hand().batch(1, 0).batch(2, 1), Hand().batch(2, 0).batch(1, 1)), Cause::data_order);
  EXPECT_EQ(cause(Hand().batch(1, 0).batch(2, 1), Hand().batch(3, 0).batch(4, 1)), Cause::data);
  EXPECT_EQ(cause(Hand().call({.in = 1}), Hand().call({.in = 2})), Cause::outside);
  const auto calls = [](uint64_t first, uint64_t second, const char* op = "add") {
    return Hand().call({.in = first}).call({.name = op, .in = second});
  };
  EXPECT_EQ(cause(calls(1, 2), calls(2, 1)), Cause::other_tensor);
  EXPECT_EQ(cause(calls(1, 2), calls(2, 3)), Cause::outside);
  EXPECT_EQ(cause(calls(1, 2, "mul"), calls(2, 1, "mul")), Cause::outside) << "of another operation";
  EXPECT_EQ(cause(Hand().call({.in = 1}).call({.in = 2, .step = 2}), Hand().call({.in = 2}).call({.in = 1, .step = 2})),
            Cause::outside)
      << "in another step";
  EXPECT_EQ(cause(Hand().call({.arguments = "0.1"}), Hand().call({.arguments = "0.2"})), Cause::arguments);
  EXPECT_EQ(cause(Hand().call({.out = 3}), Hand().call({.out = 4})), Cause::unexplained);
  EXPECT_EQ(cause(Hand().call({.out = 3}), Hand().call({.out = 4, .algorithm = Algorithm::sorted})), Cause::settings);
  const auto fast = [](uint64_t out, Algorithm algorithm) {
    return Hand().call({.name = "index_add", .out = out, .algorithm = algorithm, .level = Determinism::not_guaranteed});
  };
  EXPECT_EQ(cause(fast(3, Algorithm::atomic), fast(4, Algorithm::exact)), Cause::settings);
  const auto with = [](int threads, const std::string& set) {
    return Hand(audit::Header{.format = 1, .threads = threads, .instruction_set = set});
  };
  EXPECT_EQ(cause(with(1, "AVX2").call({.out = 3}), with(1, "NEON").call({.out = 4})), Cause::processor);
  const auto add = [](const Tensor& t) { return Hand().operation("add_", {tensor_of(t)}); };
  EXPECT_EQ(cause(add(full({5}, NAN)), add(ones({5}))), Cause::uninitialized);
  EXPECT_EQ(cause(add(zeros({5})), add(ones({5}))), Cause::outside);
  const auto shaped = [](const Dims& sizes, Algorithm algorithm = Algorithm::direct) {
    return Hand().operation("relu", {tensor_of(1, sizes), tensor_of(1, sizes)}, algorithm);
  };
  EXPECT_EQ(cause(shaped({2, 3}), shaped({3, 2})), Cause::shapes);
  const auto other_algorithm = audit::diff(shaped({2, 3}).trace(), shaped({9, 1}, Algorithm::sorted).trace());
  EXPECT_EQ(other_algorithm.first.cause, Cause::shapes);
  EXPECT_CONTAINS(other_algorithm.first.what, "another algorithm computes, direct in A and sorted in B");
  const auto gives = [](const Tensor& t) { return Hand().operation("relu", {tensor_of(1), tensor_of(t)}); };
  EXPECT_EQ(cause(gives(full({5}, NAN)), gives(full({5}, -NAN))), Cause::nan);
  const auto summary = [](uint64_t hash) {
    return Hand().put({.kind = Record::Kind::summary, .step = 7, .name = "SGD", .hash = {hash, hash}});
  };
  EXPECT_EQ(cause(summary(1), summary(2)), Cause::summary);
}

TEST(TraceDiff, tells_which_algorithms_changed_with_sizes) {
  const Dims one{64, 1}, two{64, 2};
  const auto make = [](const Dims& sizes, Algorithm algorithm) {
    Hand hand;
    hand.operation("narrow", {tensor_of(1), tensor_of(1, sizes)});
    hand.operation("relu", {tensor_of(1, sizes), tensor_of(1, sizes)});
    for (int i = 0; i < 2; ++i) hand.operation("index_add", {tensor_of(1, sizes), tensor_of(1, sizes)}, algorithm);
    return hand.trace();
  };
  const audit::TraceDiff d = audit::diff(make(one, Algorithm::exact), make(two, Algorithm::sorted));
  EXPECT_EQ(d.first.a->name, "narrow");
  ASSERT_EQ(d.others.size(), 2u) << d.str();
  EXPECT_EQ(d.others[0].place().name, "relu") << "the first with other sizes";
  EXPECT_EQ(d.others[1].place().name, "index_add") << "once";
  EXPECT_EQ(d.others[1].cause, Cause::shapes);
  EXPECT_CONTAINS(d.others[1].what, "another algorithm computes, exact in A and sorted in B");
  EXPECT_EQ(audit::diff(make(one, Algorithm::exact), make(two, Algorithm::exact)).others.size(), 1u);
}

TEST(TraceDiff, says_who_drew_more) {
  const audit::TraceDiff d = audit::diff(Hand().draw({1, 0, 4}, 2).trace(), Hand().draw({1, 0, 9}, 2).trace());
  EXPECT_CONTAINS(d.str(), "B has drawn more from the generator with seed 1 before: 4 blocks in A, 9 in B");
}

TEST(TraceDiff, goes_on_after_other_operations) {
  const auto make = [](bool more) {
    Hand hand;
    for (int64_t step = 1; step <= 20; ++step) {
      for (uint64_t i = 0; i < 5; ++i) hand.call({.name = "linear", .in = i, .out = i + 1, .step = step});
      if (more && step == 7) hand.call({.name = "clamp", .step = step});
      for (uint64_t i = 0; i < 5; ++i) hand.call({.name = "relu", .in = i, .out = i + 1, .step = step});
    }
    return hand.trace();
  };
  const audit::TraceDiff d = audit::diff(make(false), make(true));
  EXPECT_EQ(d.first.cause, Cause::control_flow);
  EXPECT_EQ(d.first.b->name, "clamp");
  EXPECT_FALSE(d.first.a);
  EXPECT_EQ(d.first.place().step, 7);
  EXPECT_EQ(d.different, 1) << d.str();
  EXPECT_EQ(d.compared, 200);
  EXPECT_EQ(d.only_b, 1);
  EXPECT_CONTAINS(d.first.what, "only B has it; A goes on with relu in Net.layer");
  const audit::TraceDiff other = audit::diff(make(true), make(false));
  EXPECT_EQ(other.only_a, 1);
  EXPECT_EQ(other.first.a->name, "clamp");
}

TEST(TraceDiff, of_unequal_lengths) {
  const auto make = [](int n, bool closed) {
    Hand hand;
    for (int i = 0; i < n; ++i) hand.call({.out = uint64_t(i)});
    return hand.trace(closed);
  };
  const audit::TraceDiff longer = audit::diff(make(3, true), make(5, true));
  EXPECT_FALSE(longer.equal);
  EXPECT_EQ(longer.first.cause, Cause::control_flow);
  EXPECT_EQ(longer.only_b, 2);
  EXPECT_CONTAINS(longer.first.what, "A has ended");
  for (bool swap : {false, true}) {
    const audit::TraceDiff cut =
        swap ? audit::diff(make(5, true), make(3, false)) : audit::diff(make(3, false), make(5, true));
    EXPECT_TRUE(cut.equal) << cut.str();
    EXPECT_EQ(cut.compared, 3);
    EXPECT_CONTAINS(cut.str(), "compared as far as it goes: by hand: at byte");
  }
}

TEST(TraceDiff, ignores_which_thread_came_first) {
  const auto make = [](bool other_first, uint64_t out) {
    Hand hand;
    hand.call({.name = "main"});
    for (uint32_t k : {0u, 1u}) {
      const bool first = (k == 0) != other_first;
      for (uint64_t i = 0; i < 3; ++i)
        hand.call({.name = "relu", .in = first ? i : 10 + i, .out = first ? i : out + i, .thread = k + 1});
    }
    return hand.call({.name = "end"}).trace();
  };
  EXPECT_TRUE(audit::diff(make(false, 20), make(true, 20)).equal);
  const audit::TraceDiff d = audit::diff(make(false, 20), make(true, 30));
  EXPECT_FALSE(d.equal);
  EXPECT_EQ(d.first.a->inputs, d.first.b->inputs);
  EXPECT_EQ(d.different, 3);
}

TEST(TraceDiff, looks_inside_only_where_the_outside_differs) {
  // An operation that other algorithms compute is made of other operations.
  const auto make = [](Algorithm algorithm, uint64_t out) {
    Hand hand;
    const bool sorted = algorithm == Algorithm::sorted;
    const auto level = sorted ? Determinism::run_to_run : Determinism::device_to_device;
    hand.call({.name = "begin"});
    if (sorted) hand.call({.name = "sort", .depth = 1, .level = level});
    hand.call({.name = "sum", .out = sorted ? 5u : 6u, .depth = 1, .level = level});
    hand.call({.name = "whole", .out = out, .algorithm = algorithm, .level = level});
    return hand.call({.name = "end"}).trace();
  };
  const audit::TraceDiff same = audit::diff(make(Algorithm::sorted, 2), make(Algorithm::exact, 2));
  EXPECT_TRUE(same.equal) << same.str();
  const audit::TraceDiff other = audit::diff(make(Algorithm::sorted, 2), make(Algorithm::exact, 3));
  EXPECT_EQ(other.first.place().name, "whole") << other.str();
  EXPECT_EQ(other.first.cause, Cause::settings);
}

class TraceDiffOfPrograms : public FolderTest {};

TEST_F(TraceDiffOfPrograms, names_the_operation) {
  const auto run = [&](const char* file, bool disturbed) {
    manual_seed(4);
    audit::Recorder recorder(audit::RecorderOptions{.path = path(file), .read_again = true});
    nn::Linear layer(3, 2);
    optim::SGD sgd(layer.parameters(), {.lr = 0.1});
    for (int i = 0; i < 3; ++i) {
      sgd.zero_grad();
      Tensor x = rand({4, 3});
      if (disturbed && i == 1) x.data<float>()[2] += 1;
      layer(x).sum().backward();
      sgd.step();
    }
  };
  run("a.trace", false), run("b.trace", false), run("c.trace", true);
  const audit::TraceDiff same = audit::diff(path("a.trace"), path("b.trace"));
  EXPECT_TRUE(same.equal) << same.str();
  const audit::TraceDiff d = audit::diff(path("a.trace"), path("c.trace"));
  EXPECT_EQ(d.first.cause, Cause::outside) << d.str();
  EXPECT_EQ(d.first.a->name, "linear");
  EXPECT_EQ(d.first.a->step, 2);
  EXPECT_EQ(d.steps[0].different, 0);
  EXPECT_GT(d.steps[2].different, 0);
  EXPECT_ORDO_ERROR(audit::diff(path("a.trace"), path("none")), DataError, "none");
  std::string bytes = read(path("a.trace"));
  bytes[bytes.find("linear")] ^= 1;  // in a record's body: a length that is too large looks like a file that was cut
  EXPECT_ORDO_ERROR(audit::diff(path("a.trace"), write("damaged", bytes)), DataError, "damaged: at byte");
  const audit::TraceDiff cut =
      audit::diff(path("a.trace"), write("cut", read(path("b.trace")).substr(0, bytes.size() - 99)));
  EXPECT_TRUE(cut.equal) << cut.str();
  EXPECT_CONTAINS(cut.str(), "as far as it goes");
}

TEST_F(TraceDiffOfPrograms, threads_and_levels_are_no_difference) {
  const auto run = [&](Determinism level, bool late) {
    const DeterminismGuard guard(level);
    audit::Recorder recorder;
    ones({2}) + 1;
    const auto work = [level](float v) {
      const DeterminismGuard guard(level);
      (full({3}, v) * 2).sum();
    };
    if (late) std::thread(work, 2.0f).join();
    std::thread(work, 1.0f).join();
    if (!late) std::thread(work, 2.0f).join();
    return recorder.trace();
  };
  const audit::TraceDiff d = audit::diff(run(Determinism::run_to_run, false), run(Determinism::device_to_device, true));
  EXPECT_TRUE(d.equal) << d.str();
}

/// ORDO_DIFF_EVENTS=1000000 measures what docs/audit.md says.
TEST_F(TraceDiffOfPrograms, of_many_events) {
  const char* wanted = std::getenv("ORDO_DIFF_EVENTS");
  const int n = wanted ? std::atoi(wanted) : 20000;
  const auto make = [&](const char* file, int changed) {
    audit::Writer writer(path(file));
    writer.write(audit::Header{.format = 1});
    const std::string paths[] = {"Net.a", "Net.b", "Net.c"}, names[] = {"linear", "relu", "conv2d", "add"};
    for (int i = 0; i < n; ++i) {
      Record r;
      r.name = names[i % 4], r.path = paths[i % 3], r.step = i / 1000 + 1, r.device = "cpu", r.arguments = "1, 2";
      const uint64_t in = uint64_t(i) * 7, out = uint64_t(i) * 7 + (changed >= 0 && i >= changed ? 3 : 0);
      r.tensors = {tensor_of(i > changed && changed >= 0 ? in + 3 : in), tensor_of(5), tensor_of(out)};
      r.input_count = 2;
      writer.write(r);
    }
    writer.close();
  };
  make("a", -1), make("b", -1), make("c", n - 100);
  EXPECT_TRUE(audit::diff(path("a"), path("b")).equal);
  const audit::TraceDiff d = audit::diff(path("a"), path("c"));
  EXPECT_EQ(d.first.a->index, uint64_t(n - 100));
  EXPECT_EQ(d.different, 100);
}

}  // namespace
}  // namespace ordo::test::diff_test
