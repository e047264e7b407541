// An in-place operation that refuses its arguments changes nothing, and so is not counted as a change: what was saved
// for a backward pass stays usable.
#include <gtest/gtest.h>

#include <ordo/autograd/autograd.h>
#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/batch_norm.h>
#include <ordo/autograd/ops/random.h>
#include <ordo/engine/tensor_impl.h>
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

struct Call {
  const char* name;
  std::function<void(Tensor&)> run;  // on a [4, 3] tensor of float32
};

Tensor like(const Tensor& t, const Dims& sizes, DType dtype = float32) { return ones(sizes, {dtype, t.device()}); }

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
      {"add_ shape", [](Tensor& t) { t.add_(like(t, {5})); }},
      {"sub_ shape",
       [](Tensor& t) {
         t.sub_(like(t, {2, 4, 3}));
       }},
      {"mul_ undefined", [](Tensor& t) { t.mul_(Tensor()); }},
      {"mul_ shape", [](Tensor& t) { t.mul_(like(t, {2})); }},
      {"div_ shape", [](Tensor& t) { t.div_(like(t, {2})); }},
      {"add_ fraction", refusing([](Tensor& t) { t.add_(0.5); })},
      {"mul_ fraction", refusing([](Tensor& t) { t.mul_(0.5); })},
      {"div_ fraction", refusing([](Tensor& t) { t.div_(0.5); })},
      {"copy_ shape", [](Tensor& t) { t.copy_(like(t, {4})); }},
      {"copy_ undefined", [](Tensor& t) { t.copy_(Tensor()); }},
      {"masked_fill_ dtype",
       [](Tensor& t) {
         t.masked_fill_(like(t, {4, 3}), 1);
       }},
      {"masked_fill_ shape", [](Tensor& t) { t.masked_fill_(like(t, {5}, boolean), 1); }},
      {"index_add_ dimension",
       [](Tensor& t) {
         t.index_add_(2, like(t, {1}, int64), like(t, {1, 3}));
       }},
      {"index_add_ dtype",
       [](Tensor& t) {
         t.index_add_(0, like(t, {1}), like(t, {1, 3}));
       }},
      {"index_add_ shape",
       [](Tensor& t) {
         t.index_add_(0, like(t, {2}, int64), like(t, {1, 3}));
       }},
      {"scatter_add_ shape",
       [](Tensor& t) {
         t.scatter_add_(0, like(t, {2, 4}, int64), like(t, {2, 4}));
       }},
      {"scatter_add_ dtype",
       [](Tensor& t) {
         t.scatter_add_(0, like(t, {2, 3}, int64), like(t, {2, 3}, float64));
       }},
      {"uniform_ range", [](Tensor& t) { uniform_(t, 1, 0); }},
      {"normal_ deviation", [](Tensor& t) { normal_(t, 0, -1); }},
      {"batch_norm shape",
       [](Tensor& t) {
         batch_norm(like(t, {5, 2}), t.select(1, 0), t.select(1, 1), {}, {}, true);
       }},
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
      {"add_", [](Tensor& t) { t.add_(like(t, {3})); }},
      {"add_ number", [](Tensor& t) { t.add_(1); }},
      {"sub_", [](Tensor& t) { t.sub_(like(t, {3})); }},
      {"mul_", [](Tensor& t) { t.mul_(t); }},
      {"mul_ number", [](Tensor& t) { t.mul_(2); }},
      {"div_", [](Tensor& t) { t.div_(like(t, {3})); }},
      {"div_ number", [](Tensor& t) { t.div_(2); }},
      {"copy_", [](Tensor& t) { t.copy_(like(t, {3})); }},
      {"fill_", [](Tensor& t) { t.fill_(1); }},
      {"masked_fill_", [](Tensor& t) { t.masked_fill_(like(t, {3}, boolean), 1); }},
      {"index_add_",
       [](Tensor& t) {
         t.index_add_(0, like(t, {1}, int64), like(t, {1, 3}));
       }},
      {"scatter_add_",
       [](Tensor& t) {
         t.scatter_add_(0, like(t, {2, 3}, int64), like(t, {2, 3}));
       }},
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

}  // namespace
}  // namespace ordo::test
