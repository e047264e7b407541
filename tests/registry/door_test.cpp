// Every operation passes the door: an OpCall under the name of its row, with its inputs and results, forward and
// backward.
#include <algorithm>

#include <ordo/engine/tensor/tensor_impl.h>
#include "tests/support/registry_test_base.h"

namespace ordo::test::door_test {
namespace {

ORDO_REGISTRY_TEST(RegistryDoor);

TEST_P(RegistryDoor, every_sample_passes_under_the_name_of_its_row) {
  for (const Sample& sample : samples_) {
    SCOPED_TRACE(sample.label);
    TensorList inputs = convert(sample.inputs, float64, cpu);
    for (Tensor& t : inputs)
      if (t.defined() && is_floating(t.dtype()) && op_->differentiable) t.set_requires_grad();
    std::vector<OpEvent> events;
    Tensor result;
    {
      const OpListener listener([&](const OpEvent& e) { events.push_back(e); });
      result = sample.run(inputs);
    }
    // A sample may call other operations around the one it is for, or reach it through one that is made of it.
    const auto own = [&](const OpEvent& e) { return e.row == op_; };
    ASSERT_TRUE(std::any_of(events.begin(), events.end(), own));
    for (const OpEvent& e : events) {
      EXPECT_FALSE(e.failed);
      EXPECT_EQ(e.phase, OpEvent::Phase::forward);
      EXPECT_EQ(e.node, "") << "this is no backward pass";
      if (own(e)) {
        EXPECT_FALSE(e.outputs.empty()) << e.name;
      }
    }
    const auto gives = [&](const OpEvent& e) {
      return std::any_of(e.outputs.begin(), e.outputs.end(), [&](const Tensor& t) { return t.is_same(result); });
    };
    EXPECT_TRUE(std::any_of(events.begin(), events.end(), gives)) << "the result came from no operation";
    // Every tensor of the sample, masks and indices included, is an input of something. Factories take none: their
    // samples have tensors for the dtype and the device.
    const bool factory = std::all_of(events.begin(), events.end(), [](const OpEvent& e) { return e.inputs.empty(); });
    for (const Tensor& t : inputs) {
      if (factory) break;
      const auto takes = [&](const OpEvent& e) {
        return std::any_of(e.inputs.begin(), e.inputs.end(),
                           [&](const Tensor& in) { return in.defined() && in.impl()->storage == t.impl()->storage; });
      };
      if (t.defined()) {
        EXPECT_TRUE(std::any_of(events.begin(), events.end(), takes));
      }
    }
    if (!result.requires_grad()) continue;
    events.clear();
    const Tensor gradient = test_gradient(result.sizes(), result);
    const OpListener listener([&](const OpEvent& e) { events.push_back(e); });
    result.backward(gradient);
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back().name, "backward");
    EXPECT_EQ(events.back().depth, 0);
    bool own_node = false;
    for (const OpEvent& e : events) {
      if (e.name == "backward") continue;
      EXPECT_GT(e.depth, 0) << e.name;
      EXPECT_TRUE(e.row || e.name == "accumulate_grad" || e.name == "full") << e.name << " has no row";
      own_node = own_node || (e.phase == OpEvent::Phase::backward && e.node == e.name);
      // Only what a pass adds up between its nodes belongs to none of them.
      if (e.node.empty()) {
        EXPECT_TRUE(e.name == "add" || e.name == "full" || e.name == "to") << e.name;
      }
    }
    EXPECT_TRUE(own_node);
  }
}

TEST(Door, tells_arguments_level_algorithm_and_depth) {
  std::vector<OpEvent> ended;
  std::vector<std::string> begun;
  const OpListener listener([&](const OpEvent& e) { ended.push_back(e); },
                            [&](const OpEvent& e) {
                              begun.emplace_back(e.name);
                              EXPECT_TRUE(e.outputs.empty());
                            });
  const Tensor input = zeros({4}), index = tensor<int64_t>({0, 1, 1}), source = ones({3});
  ended.clear(), begun.clear();
  const DeterminismGuard guard(Determinism::run_to_run);
  const Tensor out = index_add(input, 0, index, source, 2, Algorithm::sorted);
  ASSERT_EQ(ended.size(), 1u);
  const OpEvent& e = ended[0];
  EXPECT_EQ(e.name, "index_add");
  EXPECT_EQ(e.row, find_op("index_add"));
  EXPECT_EQ(e.level, Determinism::run_to_run);
  EXPECT_EQ(e.algorithm, Algorithm::sorted);
  EXPECT_EQ(e.depth, 0);
  ASSERT_EQ(e.inputs.size(), 3u);
  EXPECT_TRUE(e.inputs[1].is_same(index));
  ASSERT_EQ(e.outputs.size(), 1u);
  EXPECT_TRUE(e.outputs[0].is_same(out));
  EXPECT_EQ(e.attributes, (std::vector<OpAttribute>{int64_t(0), int64_t(2), std::string("sorted")}));
  EXPECT_EQ(e.order, "tattaa");

  ended.clear(), begun.clear();
  stack({input, input}, 0);
  EXPECT_EQ(begun, (std::vector<std::string>{"stack", "unsqueeze", "unsqueeze", "cat"}));
  EXPECT_EQ(ended.back().name, "stack");
  EXPECT_EQ(ended.back().order, "[tt]a");
  EXPECT_EQ(ended.front().depth, 1);
  EXPECT_LT(ended.back().number, ended.front().number) << "calls are numbered when they begin";

  ended.clear();
  EXPECT_THROW(index_add(input, 3, index, source), Error);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_TRUE(ended[0].failed);
  EXPECT_TRUE(ended[0].outputs.empty());
}

TEST(Door, in_place_operations_optimisers_and_loaders_pass) {
  std::vector<OpEvent> events;
  Tensor t = ones({3}, {.requires_grad = true});
  t.sum().backward();
  optim::SGD sgd({t}, {.lr = 0.5});
  data::DataLoader loader(ones({4, 2}), zeros({4}, {int64}), {.batch_size = 2});
  const OpListener listener([&](const OpEvent& e) { events.push_back(e); });
  no_grad([&] { t.mul_(2); });
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].name, "mul_");
  EXPECT_EQ(events[0].row, find_op("mul"));
  ASSERT_EQ(events[0].outputs.size(), 1u);
  EXPECT_TRUE(events[0].outputs[0].is_same(t));
  events.clear();
  sgd.step();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].name, "SGD");
  EXPECT_EQ(events[0].inputs.size(), 2u) << "the parameter and its gradient";
  EXPECT_TRUE(events[0].outputs[0].is_same(t));
  events.clear();
  for (auto [x, y] : loader) EXPECT_TRUE(events.back().outputs[1].is_same(y));
  EXPECT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].name, "DataLoader");
}

TEST(Door, listeners_may_compute_and_throw) {
  int calls = 0;
  const Tensor a = ones({2}), three = ones({3});
  {
    const OpListener listener([&](const OpEvent& e) {
      ++calls;
      e.outputs[0].sum();  // not reported
    });
    const OpListener second([&](const OpEvent&) { ++calls; });
    a + a;
    EXPECT_EQ(calls, 2);
  }
  a + a;
  EXPECT_EQ(calls, 2);
  const OpListener strict(
      [](const OpEvent&) {},
      [](const OpEvent& e) { throw ValueError("[listener] does not like " + std::string(e.name)); });
  Tensor changed = three;
  EXPECT_ORDO_ERROR(a + a, ValueError, "does not like add");
  EXPECT_ORDO_ERROR(changed.add_(1), ValueError, "does not like add_");
  EXPECT_EQ(changed.to_vector<float>(), std::vector<float>(3, 1.0f)) << "it has done nothing";
}

}  // namespace
}  // namespace ordo::test::door_test
