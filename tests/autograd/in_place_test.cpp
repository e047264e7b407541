// An in-place operation that refuses its arguments changes nothing, and so is not counted as a change: what was saved
// for a backward pass stays usable. And what no derivative needs is not saved.
#include <ordo/engine/tensor/tensor_impl.h>
#include "tests/support/op_samples.h"

namespace ordo::test::in_place_test {
namespace {

struct Call {
  const char* name;
  std::function<void(Tensor&)> run;  // on a [4, 3] tensor of float32
};

/// Ones on the device of t.
template <class... N>
Tensor floats(const Tensor& t, N... sizes) {
  return ones({int64_t(sizes)...}, {float32, t.device()});
}
template <class... N>
Tensor indices(const Tensor& t, N... sizes) {
  return floats(t, sizes...).to(int64);
}
template <class... N>
Tensor flags(const Tensor& t, N... sizes) {
  return floats(t, sizes...).to(boolean);
}

const std::vector<Call>& bad_calls() {
  const auto refusing = [](auto scalar_call) {  // integers do not take fractions
    return [=](Tensor& t) {
      Tensor integers = t.to(int64);
      const uint32_t version = integers.impl()->storage->version();
      try {
        scalar_call(integers);
      } catch (const Error&) {
        EXPECT_EQ(integers.impl()->storage->version(), version);
        throw;
      }
    };
  };
  static const std::vector<Call> all = {
      {"add_ shape", [](Tensor& t) { t.add_(floats(t, 5)); }},
      {"sub_ shape", [](Tensor& t) { t.sub_(floats(t, 2, 4, 3)); }},
      {"mul_ undefined", [](Tensor& t) { t.mul_(Tensor()); }},
      {"mul_ shape", [](Tensor& t) { t.mul_(floats(t, 2)); }},
      {"div_ shape", [](Tensor& t) { t.div_(floats(t, 2)); }},
      {"add_ fraction", refusing([](Tensor& t) { t.add_(0.5); })},
      {"mul_ fraction", refusing([](Tensor& t) { t.mul_(0.5); })},
      {"div_ fraction", refusing([](Tensor& t) { t.div_(0.5); })},
      {"copy_ shape", [](Tensor& t) { t.copy_(floats(t, 4)); }},
      {"copy_ undefined", [](Tensor& t) { t.copy_(Tensor()); }},
      {"masked_fill_ dtype", [](Tensor& t) { t.masked_fill_(floats(t, 4, 3), 1); }},
      {"masked_fill_ shape", [](Tensor& t) { t.masked_fill_(flags(t, 5), 1); }},
      {"index_add_ dimension", [](Tensor& t) { t.index_add_(2, indices(t, 1), floats(t, 1, 3)); }},
      {"index_add_ dtype", [](Tensor& t) { t.index_add_(0, floats(t, 1), floats(t, 1, 3)); }},
      {"index_add_ shape", [](Tensor& t) { t.index_add_(0, indices(t, 2), floats(t, 1, 3)); }},
      {"scatter_add_ shape", [](Tensor& t) { t.scatter_add_(0, indices(t, 2, 4), floats(t, 2, 4)); }},
      {"scatter_add_ dtype", [](Tensor& t) { t.scatter_add_(0, indices(t, 2, 3), floats(t, 2, 3).to(float64)); }},
      {"uniform_ range", [](Tensor& t) { uniform_(t, 1, 0); }},
      {"normal_ deviation", [](Tensor& t) { normal_(t, 0, -1); }},
      {"batch_norm shape",
       [](Tensor& t) { batch_norm(floats(t, 5, 2), t.select(1, 0), t.select(1, 1), {}, {}, true); }},
      {"expanded",
       [](Tensor& t) {
         t.narrow(0, 0, 1).expand({4, 3}).fill_(1);
       }},
  };
  return all;
}

TEST(InPlace, refused_calls_are_not_counted) {
  for (Device device : test_devices())
    for (const Call& call : bad_calls()) {
      SCOPED_TRACE(std::string(call.name) + " " + device.str());
      Tensor t = test_values({4, 3}).to(device, float32);
      const uint32_t version = t.impl()->storage->version();
      const auto before = bytes_of(t);
      EXPECT_THROW(call.run(t), Error);
      EXPECT_EQ(t.impl()->storage->version(), version);
      EXPECT_EQ(bytes_of(t), before);
    }
}

TEST(InPlace, elements_that_share_memory_do_not_change) {
  Tensor wide = zeros({3, 1}).expand({3, 4});
  const Tensor line = tensor<int64_t>({1}), index = zeros({1, 4}, int64), source = ones({1, 4});
  EXPECT_ORDO_ERROR(wide.add_(source), ShapeError, "[add_]");
  EXPECT_ORDO_ERROR(wide.copy_(source), ShapeError, "[copy_]");
  EXPECT_ORDO_ERROR(wide.fill_(1), ShapeError, "[fill_]");
  EXPECT_ORDO_ERROR(wide.index_add_(0, line, source), ShapeError, "index_add");
  EXPECT_ORDO_ERROR(wide.index_fill_(0, line, 1), ShapeError, "index_fill_");
  EXPECT_ORDO_ERROR(wide.index_put_({0}, 0), ShapeError, "index_put_");
  EXPECT_ORDO_ERROR(wide.scatter_(0, index, source), ShapeError, "scatter_");
  EXPECT_ORDO_ERROR(wide.scatter_add_(0, index, source), ShapeError, "scatter_add");
}

// The CPU looks at all indices first; CUDA uses the good ones and reports the others later.
TEST(InPlace, bad_indices_on_the_cpu_are_not_counted) {
  Tensor t = test_values({4, 3});
  const uint32_t version = t.impl()->storage->version();
  const Tensor index = tensor<int64_t>({0, 4}), source = ones({2, 3}, {float64});
  EXPECT_THROW(t.index_add_(0, index, source), IndexError);
  EXPECT_THROW(t.scatter_add_(0, index.view({2, 1}), source), IndexError);
  EXPECT_EQ(t.impl()->storage->version(), version);
}

TEST(InPlace, changes_are_counted_once) {
  const Call good[] = {
      {"add_", [](Tensor& t) { t.add_(floats(t, 3)); }},
      {"add_ number", [](Tensor& t) { t.add_(1); }},
      {"sub_", [](Tensor& t) { t.sub_(floats(t, 3)); }},
      {"mul_", [](Tensor& t) { t.mul_(t); }},
      {"mul_ number", [](Tensor& t) { t.mul_(2); }},
      {"div_", [](Tensor& t) { t.div_(floats(t, 3)); }},
      {"div_ number", [](Tensor& t) { t.div_(2); }},
      {"copy_", [](Tensor& t) { t.copy_(floats(t, 3)); }},
      {"fill_", [](Tensor& t) { t.fill_(1); }},
      {"masked_fill_", [](Tensor& t) { t.masked_fill_(flags(t, 3), 1); }},
      {"index_add_", [](Tensor& t) { t.index_add_(0, indices(t, 1), floats(t, 1, 3)); }},
      {"scatter_add_", [](Tensor& t) { t.scatter_add_(0, indices(t, 2, 3), floats(t, 2, 3)); }},
      {"uniform_", [](Tensor& t) { uniform_(t); }},
      {"normal_", [](Tensor& t) { normal_(t); }},
  };
  for (Device device : test_devices())
    for (const Call& call : good)
      for (bool recorded : {false, true}) {
        SCOPED_TRACE(std::string(call.name) + " " + device.str());
        Tensor t = test_values({4, 3}).to(device, float32);
        if (recorded) {
          t.set_requires_grad();
          t = mul(t, 2);
        }
        const uint32_t version = t.impl()->storage->version();
        call.run(t);
        EXPECT_EQ(t.impl()->storage->version(), version + 1);
      }
}

using Function2 = Tensor (*)(const Tensor& a, const Tensor& b);

/// The gradients of f(a, b) for those of a and b that are wanted. The named ones are changed before the backward pass.
TensorList gradients_after(Function2 f, bool of_a, bool of_b, bool change_a, bool change_b, bool change_result) {
  const Tensor x = test_values({5}, 1, 1, 2).set_requires_grad(of_a),
               y = test_values({5}, 2, 3, 4).set_requires_grad(of_b);
  Tensor a = mul(x, 1), b = mul(y, 1), result = f(a, b);
  if (change_a) a.add_(1);
  if (change_b) b.add_(1);
  if (change_result) result.add_(1);
  result.backward(test_values({5}, 3));
  return {x.grad(), y.grad()};
}

void expect_unchanged(Function2 f, bool of_a, bool of_b, bool change_a, bool change_b, bool change_result) {
  const TensorList want = gradients_after(f, of_a, of_b, false, false, false),
                   got = gradients_after(f, of_a, of_b, change_a, change_b, change_result);
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(got[i].defined(), want[i].defined());
    if (!got[i].defined()) continue;
    EXPECT_EQ(bytes_of(got[i]), bytes_of(want[i])) << "gradient " << i;
  }
}

TEST(InPlace, results_that_no_derivative_needs_may_change) {
  const std::pair<const char*, Function2> functions[] = {
      {"div", [](const Tensor& a, const Tensor& b) { return div(a, b); }},
      {"fmod", [](const Tensor& a, const Tensor& b) { return fmod(a, b); }},
      {"remainder", [](const Tensor& a, const Tensor& b) { return remainder(a, b); }},
      {"floor_divide", [](const Tensor& a, const Tensor& b) { return floor_divide(a, b); }},
      {"fmin", [](const Tensor& a, const Tensor& b) { return fmin(a, b); }},
      {"fmax", [](const Tensor& a, const Tensor& b) { return fmax(a, b); }},
      {"atan2", [](const Tensor& a, const Tensor& b) { return atan2(a, b); }},
      {"xlogy", [](const Tensor& a, const Tensor& b) { return xlogy(a, b); }},
      {"logaddexp", [](const Tensor& a, const Tensor& b) { return logaddexp(a, b); }},
      {"div by a number", [](const Tensor& a, const Tensor&) { return div(a, 3); }},
      {"div of a number", [](const Tensor&, const Tensor& b) { return div(3, b); }},
      {"fmod of a number", [](const Tensor&, const Tensor& b) { return fmod(3, b); }},
      {"atan2 with a number", [](const Tensor& a, const Tensor&) { return atan2(a, 3); }}};
  for (const auto& [label, f] : functions)
    for (const auto& [of_a, of_b] : {std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
      SCOPED_TRACE(label);
      const Tensor used = f(ones({1}).set_requires_grad(of_a), ones({1}).set_requires_grad(of_b));
      if (used.requires_grad()) expect_unchanged(f, of_a, of_b, false, false, true);
    }
}

// Where the derivative of one operand needs the result, that of the other does not.
TEST(InPlace, results_that_only_the_other_derivative_needs_may_change) {
  expect_unchanged([](const Tensor& a, const Tensor& b) { return copysign(a, b); }, false, true, false, false, true);
  expect_unchanged([](const Tensor& a, const Tensor& b) { return pow(a, b); }, true, false, false, false, true);
}

TEST(InPlace, operands_that_no_derivative_needs_may_change) {
  expect_unchanged([](const Tensor& a, const Tensor& b) { return fmod(a, b); }, true, false, true, true, true);
  expect_unchanged([](const Tensor& a, const Tensor& b) { return remainder(a, b); }, true, false, true, true, true);
  expect_unchanged([](const Tensor& a, const Tensor& b) { return floor_divide(a, b); }, true, true, true, true, true);
  expect_unchanged([](const Tensor& a, const Tensor& b) { return xlogy(a, b); }, false, true, false, false, true);
  expect_unchanged([](const Tensor& a, const Tensor& b) { return copysign(a, b); }, false, true, true, true, true);
  expect_unchanged([](const Tensor& a, const Tensor& b) { return div(a, b); }, true, false, true, false, true);
}

}  // namespace
}  // namespace ordo::test::in_place_test
