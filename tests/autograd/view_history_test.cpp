// Views and in-place changes of them and of their bases: gradients as PyTorch's, or an error. tests/fuzz/fuzz_views.cpp
// draws programs of this kind.
#include "tests/autograd/leaf.h"
#include "tests/support/op_samples.h"

namespace ordo::test::view_history_test {
namespace {

struct Change {
  const char* name;
  std::function<void(Tensor&)> run;
  V gradient;
};

// d(sum of the first two)/dt after an in-place change of the base behind the view's back.
TEST(ViewHistory, changes_of_the_base_reach_the_view) {
  const Tensor numbers = tensor<double>({2, 3, 4, 5}), first = numbers == 2, places = tensor<int64_t>({0, 3});
  const Change changes[] = {
      {"mul_", [](Tensor& a) { a.mul_(3); }, {3, 3, 0, 0}},
      {"mul_ tensor", [&](Tensor& a) { a.mul_(numbers); }, {2, 3, 0, 0}},
      {"div_", [](Tensor& a) { a.div_(2); }, {0.5, 0.5, 0, 0}},
      {"zero_", [](Tensor& a) { a.zero_(); }, {0, 0, 0, 0}},
      {"copy_", [&](Tensor& a) { a.copy_(numbers); }, {0, 0, 0, 0}},
      {"masked_fill_", [&](Tensor& a) { a.masked_fill_(first, 7); }, {0, 1, 0, 0}},
      {"index_add_", [&](Tensor& a) { a.index_add_(0, places, numbers.slice(0, 0, 2)); }, {1, 1, 0, 0}},
  };
  for (const Change& change : changes) {
    SCOPED_TRACE(change.name);
    const Tensor t = leaf({1, 2, 3, 4});
    Tensor a = t * 1;
    const Tensor v = a.slice(0, 0, 2);
    change.run(a);
    v.sum().backward();
    EXPECT_EQ(values(t.grad()), change.gradient);
  }
}

TEST(ViewHistory, changes_of_a_view_reach_the_base_and_its_other_views) {
  const Tensor t = leaf({1, 2, 3, 4});
  Tensor a = t * 1, first = a.slice(0, 0, 2);
  const Tensor middle = a.slice(0, 1, 3);
  first.mul_(10);
  EXPECT_EQ(values(a), (V{10, 20, 3, 4}));
  middle.sum().backward({}, true);
  EXPECT_EQ(values(t.grad()), (V{0, 10, 1, 0}));
  Tensor(t).zero_grad();
  a.sum().backward();
  EXPECT_EQ(values(t.grad()), (V{10, 10, 1, 1}));
}

TEST(ViewHistory, a_base_without_a_gradient_gets_one_through_its_view) {
  const Tensor w = leaf({2, 3});
  Tensor a = zeros({2, 2}, {float64}), row = a.select(0, 1);
  row.add_(w);
  row.mul_(w);
  EXPECT_TRUE(a.requires_grad());
  EXPECT_TRUE(row.requires_grad());
  a.mul_(2);
  EXPECT_TRUE(row.requires_grad()) << "a change of the base does not take the view's gradient away";
  row.sum().backward();
  EXPECT_EQ(values(w.grad()), (V{8, 12}));  // d(2 w^2)/dw
}

TEST(ViewHistory, views_of_views_and_expanded_views_follow) {
  const Tensor t = leaf({1, 2, 3, 4});
  Tensor a = (t * 1).view({2, 2});
  const Tensor wide = a.select(1, 0).unsqueeze(1).expand({2, 3});
  a.t().mul_(5);
  EXPECT_EQ(values(wide), (V{5, 5, 5, 15, 15, 15}));
  wide.sum().backward();
  EXPECT_EQ(values(t.grad()), (V{15, 0, 15, 0}));
}

TEST(ViewHistory, second_derivatives_go_through_it) {
  const Tensor x = from_vector(V{0.5, -1.5, 2.5}, {3}, {.dtype = float64, .requires_grad = true});
  const auto f = [](const TensorList& in) {
    Tensor a = in[0] * in[0];
    const Tensor v = a.slice(0, 0, 2);
    a.slice(0, 1, 3).mul_(in[0].slice(0, 0, 2));
    return v * v;
  };
  EXPECT_EQ(gradcheck(f, {x}, {.second_order = true}), "");
}

TEST(ViewHistory, what_cannot_be_recorded_is_refused) {
  Tensor w = leaf({1, 2});
  Tensor v = w.slice(0, 0, 1);
  EXPECT_ORDO_ERROR(v.mul_(2), AutogradError, "view of a leaf");
  EXPECT_EQ(values(w), (V{1, 2}));
  no_grad([&] { v.mul_(2); });
  EXPECT_EQ(values(w), (V{2, 2}));

  Tensor a = w * 1, made_without = no_grad([&] { return a.slice(0, 0, 1); });
  EXPECT_FALSE(made_without.requires_grad());
  EXPECT_ORDO_ERROR(made_without.mul_(2), AutogradError, "NoGrad");
  EXPECT_EQ(values(a), (V{2, 2}));

  Tensor repeated = zeros({1}, {float64}).expand({2}).detach(), one = repeated.select(0, 1);
  EXPECT_ORDO_ERROR(one.mul_(w[0]), AutogradError, "share memory");
  one.add_(2);
  EXPECT_EQ(values(repeated), (V{2, 2}));

  Tensor base = zeros({2}, {float64}), part = base.slice(0, 0, 1);
  part.set_requires_grad();
  base.mul_(w);
  EXPECT_ORDO_ERROR(part.sum(), AutogradError, "clone()");
  EXPECT_ORDO_ERROR(base.slice(0, 0, 1).resize_({4}), AutogradError, "[resize_]");
}

TEST(ViewHistory, views_of_a_leaf_that_is_a_view_are_refused_before_memory_changes) {
  for (bool tracked : {true, false}) {
    Tensor base = ones({3}, {float64});
    const GradMode mode(tracked);
    Tensor part = base.slice(0, 0, 2);
    const GradMode on(true);
    part.set_requires_grad();
    Tensor one = part.slice(0, 0, 1);
    EXPECT_ORDO_ERROR(one.mul_(2), AutogradError, "view of a leaf");
    EXPECT_ORDO_ERROR(one.copy_(leaf({5})), AutogradError, "view of a leaf");
    EXPECT_ORDO_ERROR(part.mul_(2), AutogradError, "leaf");
    EXPECT_EQ(values(base), (V{1, 1, 1}));
    (one * 3).sum().backward();
    EXPECT_EQ(values(part.grad()), (V{3, 0}));
    no_grad([&] { one.mul_(2); });
    EXPECT_EQ(values(base), (V{2, 1, 1}));
  }
}

TEST(ViewHistory, saved_views_notice_changes_of_their_base) {
  const Tensor t = leaf({1, 2, 3});
  Tensor a = t * 1;
  const Tensor v = a.slice(0, 0, 2), y = v * v;
  a.mul_(2);
  EXPECT_ORDO_ERROR(y.sum().backward(), AutogradError, "\"mul_\" changed in place");
}

TEST(ViewHistory, what_reshape_had_to_copy_is_no_view) {
  Tensor x = ones({3, 2}).set_requires_grad();
  const Tensor t = x * 1;
  Tensor copy;
  {
    const NoGrad off;
    copy = t.transpose(0, 1).reshape({6});
  }
  copy.slice(0, 0, 2).copy_(x[0] * 5);  // of a view it would be refused: what was made under NoGrad is a constant
  copy.sum().backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{5, 5, 0, 0, 0, 0}));
  EXPECT_EQ(t.sum().item<float>(), 6);
  x.zero_grad();
  Tensor recorded = (x * 2).transpose(0, 1).reshape({6});
  recorded.slice(0, 0, 2).mul_(3);
  recorded.sum().backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{6, 2, 6, 2, 2, 2}));
}

TEST(ViewHistory, detached_handles_keep_out) {
  const Tensor t = leaf({1, 2});
  const Tensor a = t * 1;
  Tensor d = a.detach();
  d.mul_(3);
  EXPECT_FALSE(d.requires_grad());
  a.sum().backward();
  EXPECT_EQ(values(t.grad()), (V{1, 1}));
}

}  // namespace
}  // namespace ordo::test::view_history_test
