// NAME_() writes what NAME() gives, for all rows of the tables, and is differentiable as that is.
#include "tests/support/op_samples.h"

namespace ordo::test::in_place_methods_test {
namespace {

struct Method {
  const char* name;
  Tensor (*function)(const Tensor&);
  Tensor& (*method)(Tensor&);
};
const Method kMethods[] = {
#define ORDO_ACTIVATION(...)
#define ORDO_FUNCTION(name, ...) \
  {#name, [](const Tensor& x) { return ordo::name(x); }, [](Tensor& x) -> Tensor& { return x.name##_(); }},
#include <ordo/kernels/elementwise/functions.def>
};

struct Method2 {
  const char* name;
  Tensor (*function)(const Tensor&, const Tensor&);
  Tensor& (*method)(Tensor&, const Tensor&);
  Tensor (*of_number)(const Tensor&, Scalar);
  Tensor& (*method_of_number)(Tensor&, Scalar);
  bool integral;
};
const Method2 kMethods2[] = {
#define ORDO_FUNCTION2(name, kind, ...)                                \
  {#name,                                                              \
   [](const Tensor& x, const Tensor& y) { return ordo::name(x, y); },  \
   [](Tensor& x, const Tensor& y) -> Tensor& { return x.name##_(y); }, \
   [](const Tensor& x, Scalar y) { return ordo::name(x, y); },         \
   [](Tensor& x, Scalar y) -> Tensor& { return x.name##_(y); },        \
   std::string_view(#kind) == "integral"},
#include <ordo/kernels/elementwise/binary_functions.def>
};

TEST(InPlaceMethods, write_what_the_functions_give) {
  for (Device device : test_devices()) {
    const Tensor x = test_values({3, 4}, 1, 0.1, 0.9).to(device, float32),
                 y = test_values({3, 4}, 2, 0.5, 2).to(device, float32);
    for (const Method& m : kMethods) {
      Tensor written = x.clone();
      const void* memory = written.data();
      EXPECT_TRUE(m.method(written).is_same(written)) << m.name;
      EXPECT_EQ(bytes_of(written), bytes_of(m.function(x))) << m.name;
      EXPECT_EQ(written.data(), memory) << m.name;
    }
    for (const Method2& m : kMethods2) {
      const Tensor a = m.integral ? (x * 10).to(int64) : x, b = m.integral ? (y * 10).to(int64) : y;
      Tensor written = a.clone(), other = a.clone();
      m.method(written, b), m.method_of_number(other, 2);
      EXPECT_EQ(bytes_of(written), bytes_of(m.function(a, b))) << m.name;
      EXPECT_EQ(bytes_of(other), bytes_of(m.of_number(a, 2))) << m.name;
    }
    Tensor t = x.clone();
    const auto expect_gives = [&](Tensor& written, const Tensor& expected) {
      EXPECT_EQ(bytes_of(written), bytes_of(expected));
      t = x.clone();
    };
    expect_gives(t.pow_(y), pow(x, y));
    expect_gives(t.pow_(2), pow(x, 2));
    expect_gives(t.clamp_(0.2, 0.5), clamp(x, 0.2, 0.5));
    expect_gives(t.lerp_(y, 0.25), lerp(x, y, 0.25));
    expect_gives(t.lerp_(y, y), lerp(x, y, y));
    expect_gives(t.addcmul_(y, y, 2), addcmul(x, y, y, 2));
    expect_gives(t.addcdiv_(y, y, 2), addcdiv(x, y, y, 2));
    expect_gives(t.nan_to_num_(1), nan_to_num(x, 1));
    expect_gives(t.tril_(), tril(x));
    expect_gives(t.triu_(1), triu(x, 1));
    Generator one(7), two(7);
    Tensor drawn = x.clone();
    expect_gives(t.uniform_(1, 2, &one), uniform_(drawn, 1, 2, &two));
    expect_gives(t.normal_(1, 2, &one), normal_(drawn, 1, 2, &two));
  }
}

TEST(InPlaceMethods, have_derivatives) {
  const Tensor x = test_values({3, 4}, 1, 0.2, 0.8).detach().set_requires_grad();
  const Tensor y = test_values({3, 4}, 2, 1, 2).detach().set_requires_grad();
  const auto f = [](const TensorList& in) -> Tensor {
    Tensor a = in[0] * 1;
    a.exp_().sin_().relu_();
    a[0].sqrt_();
    a.pow_(in[1]).atan2_(in[1]);
    return a.lerp_(in[1], 0.25).addcmul_(in[0], in[1]);
  };
  EXPECT_EQ(gradcheck(f, {x, y}, {.second_order = true}), "");
}

TEST(InPlaceMethods, refuse_what_does_not_fit) {
  Tensor integers = tensor({1, 2}), leaf = tensor({1.0f, 2.0f}).set_requires_grad(), x = tensor({1.0f, 2.0f});
  EXPECT_ORDO_ERROR(integers.exp_(), DTypeError, "[exp_] the result is float32, which a tensor of int64 does not hold");
  EXPECT_ORDO_ERROR(x.pow_(ones({3, 2})), ShapeError, "[pow_] the result has shape [3, 2], and the tensor [2]");
  EXPECT_ORDO_ERROR(leaf.exp_(), AutogradError, "leaf");
  EXPECT_ORDO_ERROR(Tensor().exp_(), ValueError, "undefined");
  EXPECT_EQ(integers.neg_().to_vector<int64_t>(), (std::vector<int64_t>{-1, -2}));
  no_grad([&] { leaf.exp_(); });
  EXPECT_EQ(bytes_of(leaf), bytes_of(x.exp()));
}

TEST(InPlaceMethods, views_are_the_handle_s_own) {
  Tensor x = arange(6, float32).view({1, 2, 3});
  const Tensor before = x;
  x.squeeze_().t_().unsqueeze_(1).transpose_(0, 2);
  EXPECT_EQ(x.sizes(), Dims({2, 1, 3}));
  EXPECT_EQ(before.sizes(), Dims({1, 2, 3}));
  EXPECT_EQ(x.data(), before.data());
  Tensor y = tensor({1.0f}).requires_grad_() * 2;
  EXPECT_FALSE(y.detach_().requires_grad());
}

TEST(Methods, new_tensors_are_like_this_one) {
  for (Device device : test_devices()) {
    const Tensor x = zeros({2}, {float64, device});
    for (const Tensor& t : {x.new_zeros({3}), x.new_ones({3}), x.new_full({3}, 2), x.new_empty({3})}) {
      EXPECT_EQ(t.dtype(), float64);
      EXPECT_EQ(t.device(), device);
      EXPECT_EQ(t.sizes(), Dims{3});
    }
    EXPECT_EQ(x.new_full({1}, 2).item(), 2);
    EXPECT_EQ(ones({1}).type_as(x).dtype(), float64);
    EXPECT_EQ(x.view_as(zeros({2, 1})).sizes(), Dims({2, 1}));
    EXPECT_EQ(x.reshape_as(zeros({1, 2})).sizes(), Dims({1, 2}));
  }
  Generator one(7), two(7);
  const Tensor weights = tensor({1.0f, 2.0f, 3.0f});
  EXPECT_EQ(bytes_of(weights.multinomial(2, false, &one)), bytes_of(multinomial(weights, 2, false, &two)));
}

}  // namespace
}  // namespace ordo::test::in_place_methods_test
