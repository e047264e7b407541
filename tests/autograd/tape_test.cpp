// The tape: what accumulates where, what is refused, and the errors that say so.
#include <ordo/autograd/tape.h>
#include "tests/autograd/leaf.h"
#include "tests/support/op_samples.h"

namespace ordo::test::tape_test {
namespace {

/// The identity, recorded at `record`; its backward function reports the level it runs at.
Tensor level_probe(const Tensor& t, Determinism record_level, Determinism* seen) {
  const DeterminismGuard guard(record_level);
  const OpCall call("probe", t);
  return record(call, t.detach().clone(), {t}, [seen](const Tensor& grad) -> TensorList {
    *seen = determinism();
    return {grad};
  });
}

TEST(Tape, product_rule_and_accumulation) {
  const Tensor a = leaf({2, 3}), b = leaf({5, 7});
  const Tensor y = (a * b + a).sum();
  EXPECT_EQ(y.grad_name(), "sum");
  y.backward();
  EXPECT_EQ(values(a.grad()), (V{6, 8}));
  EXPECT_EQ(values(b.grad()), (V{2, 3}));
  (a * a).sum().backward();
  EXPECT_EQ(values(a.grad()), (V{6 + 4, 8 + 6})) << "a second backward adds";
  Tensor c = a;
  c.zero_grad();
  EXPECT_FALSE(a.grad().defined());
}

TEST(Tape, gradients_of_leaves_are_memory_of_their_own) {
  const Tensor a = leaf({1, 2}), b = leaf({3, 4}), seed = ones({2}, {.dtype = a.dtype()});
  (a + b).backward(seed);  // one tensor arrives at both
  a.grad().mul_(5);
  EXPECT_EQ(values(a.grad()), (V{5, 5}));
  EXPECT_EQ(values(b.grad()), (V{1, 1}));
  EXPECT_EQ(values(seed), (V{1, 1}));
  Tensor c = leaf({1, 2, 3});
  c.sum().backward();  // one element that is seen three times
  c.grad().slice(0, 0, 1).mul_(5);
  EXPECT_EQ(values(c.grad()), (V{5, 1, 1}));
}

TEST(Tape, a_tensor_used_twice_and_detach) {
  const Tensor x = leaf({3});
  const Tensor y = x * x;
  (y * y + y.detach() * x).sum().backward();
  EXPECT_EQ(values(x.grad()), (V{4 * 27 + 9}));
  EXPECT_FALSE(x.detach().requires_grad());
  EXPECT_EQ(x.detach().data(), x.data());
}

TEST(Tape, no_grad_is_per_scope) {
  const Tensor x = leaf({1});
  EXPECT_FALSE(no_grad([&] { return x * x; }).requires_grad());
  EXPECT_TRUE((x * x).requires_grad());
}

TEST(Tape, graph_is_freed_unless_retained) {
  const Tensor x = leaf({2});
  const Tensor y = (x * x).sum();
  y.backward({}, true);
  y.backward();
  EXPECT_EQ(values(x.grad()), (V{8}));
}

TEST(Tape, saved_tensor_changed_in_place_names_both_operations) {
  const Tensor x = leaf({2, 3});
  Tensor y = x * 2;
  const Tensor z = (y * y).sum();
  y.add_(1);
  EXPECT_ORDO_ERROR(z.backward(), AutogradError, "add_");
  try {
    const Tensor w = x * 2;
    Tensor v = w.detach();
    const Tensor s = (w * w).sum();
    v.fill_(0);
    s.backward();
    FAIL();
  } catch (const AutogradError& e) {
    EXPECT_NE(std::string(e.what()).find("[mul]"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("\"fill_\""), std::string::npos) << e.what();
  }
}

TEST(Tape, in_place_on_recorded_tensors) {
  const Tensor x = leaf({2, 3});
  Tensor y = x * 2;
  y.add_(x);
  y.mul_(10);
  y.sum().backward();
  EXPECT_EQ(values(x.grad()), (V{30, 30}));
  Tensor l = leaf({1});
  EXPECT_ORDO_ERROR(l.add_(1), AutogradError, "leaf");
  EXPECT_EQ(values(l), (V{1})) << "refused before anything is written";
  no_grad([&] { l.add_(1); });
  EXPECT_EQ(values(l), (V{2}));
}

TEST(Tape, second_derivative) {
  const Tensor x = leaf({3});
  const Tensor dx = grad({(x * x * x).sum()}, {x}, {}, false, true)[0];
  EXPECT_EQ(values(dx), (V{27}));
  const Tensor ddx = grad({dx.sum()}, {x})[0];
  EXPECT_EQ(values(ddx), (V{18}));
  EXPECT_FALSE(x.grad().defined()) << "grad() leaves .grad() alone";
}

TEST(Tape, gradients_of_inner_tensors_and_unused_inputs) {
  const Tensor x = leaf({3}), unused = leaf({1});
  const Tensor y = x * x;
  const TensorList g = grad({(y * y).sum()}, {y, unused, x});
  EXPECT_EQ(values(g[0]), (V{18}));
  EXPECT_FALSE(g[1].defined());
  EXPECT_EQ(values(g[2]), (V{108}));
}

TEST(Tape, hooks_see_and_replace) {
  const Tensor x = leaf({3});
  const Tensor y = x * 2;
  double seen = 0;
  register_hook(y, [&](const Tensor& g) {
    seen = g.item();
    return g * 10;
  });
  register_hook(x, [](const Tensor& g) { return g + 1; });
  (y * y).sum().backward();
  EXPECT_EQ(seen, 12);
  EXPECT_EQ(values(x.grad()), (V{241}));
}

TEST(Tape, bad_calls) {
  const Tensor x = leaf({1, 2});
  EXPECT_ORDO_ERROR((x * x).backward(leaf({1})), ShapeError, "shape");
  Tensor z = x;
  EXPECT_ORDO_ERROR(z.set_grad(leaf({1})), ShapeError, "shape");
}

TEST(Tape, a_very_long_chain_is_walked_and_freed) {
  const Tensor x = leaf({1});
  Tensor y = x;
  for (int i = 0; i < 200000; ++i) y = y * 1.0;
  y.sum().backward({}, true);
  EXPECT_EQ(values(x.grad()), (V{1}));
}

TEST(Tape, backward_runs_at_the_stricter_level) {
  const Tensor x = leaf({1});
  const auto level_seen = [&](Determinism record, Determinism run) {
    Determinism seen{};
    const Tensor probe = level_probe(x, record, &seen);
    const DeterminismGuard guard(run);
    probe.sum().backward();
    return seen;
  };
  EXPECT_EQ(level_seen(Determinism::run_to_run, Determinism::not_guaranteed), Determinism::run_to_run);
  EXPECT_EQ(level_seen(Determinism::not_guaranteed, Determinism::device_to_device), Determinism::device_to_device);
}

TEST(Gradcheck, finds_a_wrong_gradient) {
  const Tensor x = leaf({0.5, -1.5});
  EXPECT_EQ(gradcheck([](const TensorList& in) { return in[0] * in[0]; }, {x}, {.second_order = true}), "");
  const auto wrong = [](const TensorList& in) { return in[0] * in[0].detach(); };  // forgets half of the gradient
  EXPECT_NE(gradcheck(wrong, {x}), "");
}

}  // namespace
}  // namespace ordo::test::tape_test
