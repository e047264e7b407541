// Traces of every operation with an atomic algorithm, inside of a small model and on many schedules of the emulated
// GPU: where bits differ, the comparison names that operation; at the deterministic levels it accuses nothing.
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::registry_audit_test {
namespace {

ORDO_REGISTRY_TEST(RegistryAudit);

/// A layer that computes what it is given.
struct Layer : nn::Module {
  std::function<Tensor()> f;
  explicit Layer(std::function<Tensor()> f) : f(std::move(f)) {}
  Tensor forward(const Tensor&) override { return f(); }
};

/// The operation in a layer, operations before and after it, and a backward pass: the trace under a schedule, and the
/// bytes that came out.
audit::Trace traced(const OpInfo& op, const Sample& sample, int schedule_number, Bytes* bytes) {
  TensorList leaves = convert(sample.inputs, float32, "cuda");
  for (Tensor& t : leaves)
    if (op.differentiable && t.defined() && is_floating(t.dtype())) t.set_requires_grad();
  const ScheduleScope schedule(schedule_number);
  audit::Recorder recorder;
  TensorList inputs;
  for (const Tensor& t : leaves) inputs.push_back(t.defined() && is_floating(t.dtype()) ? t * 1.0 : t);
  Layer layer([&] { return sample.run(inputs); });
  const Tensor out = layer(inputs[0]) * 2.0;
  if (out.requires_grad()) out.backward(test_gradient(out.sizes(), out));
  recorder.close();
  *bytes = bytes_of(out);
  for (const Tensor& t : leaves)
    if (t.defined() && t.grad().defined()) {
      const Bytes more = bytes_of(t.grad());
      bytes->insert(bytes->end(), more.begin(), more.end());
    }
  return recorder.trace();
}

/// What the comparison should find: schedules change no control flow, so records of the same number belong together.
/// Operations that are made of others add where these do: lp_pool2d in avg_pool2d's backward function.
uint64_t first_different(const audit::Trace& a, const audit::Trace& b) {
  for (size_t i = 0; i < std::min(a.records.size(), b.records.size()); ++i) {
    EXPECT_EQ(a.records[i].name, b.records[i].name);
    if (a.records[i].tensors != b.records[i].tensors) return i;
  }
  return UINT64_MAX;
}

TEST_P(RegistryAudit, names_the_operation_that_adds_in_any_order) {
  if (!cuda::is_simulated()) GTEST_SKIP() << "needs the schedules of a simulated device";
  const DeterminismGuard guard(Determinism::not_guaranteed);
  for (const Sample& sample : samples_) {
    if (!sample.order_sensitive || !any_floating(sample.inputs)) continue;
    SCOPED_TRACE(sample.label);
    Bytes expected, found;
    const audit::Trace first = traced(*op_, sample, 0, &expected);
    int different = 0;
    for (int i = 1; i < schedule_seeds(); ++i) {
      const audit::Trace other = traced(*op_, sample, i, &found);
      const audit::TraceDiff d = audit::diff(first, other);
      if (found == expected) {
        EXPECT_TRUE(d.equal || d.first.cause == audit::Cause::additions) << d.str();
        continue;
      }
      ++different;
      ASSERT_FALSE(d.equal);
      const audit::Position& place = d.first.place();
      EXPECT_EQ(d.first.cause, audit::Cause::additions) << d.str();
      EXPECT_EQ(place.index, first_different(first, other)) << d.str();
      EXPECT_EQ(place.path, "Layer") << d.str();
      EXPECT_EQ(place.algorithm, Algorithm::atomic) << d.str();
    }
    EXPECT_GT(different, 0) << "every schedule gave the same bytes";
  }
}

TEST_P(RegistryAudit, accuses_nothing_at_the_deterministic_levels) {
  if (!cuda::is_simulated() || !has_cuda()) GTEST_SKIP() << "needs the schedules of a simulated device";
  for (const Sample& sample : samples_) {
    if (!sample.order_sensitive || !any_floating(sample.inputs)) continue;
    SCOPED_TRACE(sample.label);
    const DeterminismGuard guard(Determinism::run_to_run);
    Bytes bytes;
    const audit::Trace first = traced(*op_, sample, 0, &bytes);
    for (int i : few_schedules()) {
      const audit::TraceDiff d = audit::diff(first, traced(*op_, sample, i, &bytes));
      EXPECT_TRUE(d.equal) << d.str();
    }
  }
}

}  // namespace
}  // namespace ordo::test::registry_audit_test
