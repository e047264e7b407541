// Every operation that takes indices finds those out of range, on every device: the error names the operation, the
// place and the index, and the device is usable after it. On the CPU nothing has been written then.
#include <ordo/kernels/embedding/embedding.h>
#include "tests/kernels/samples.h"

namespace ordo::test::out_of_range_test {
namespace {

struct Case {
  std::string argument;  // as the error names it
  /// x is of shape [4, 3]; index of shape [3], for the first dimension.
  std::function<Tensor(Tensor& x, const Tensor& index)> run;
  bool from_the_end = false;  // negative indices count from there
};

Tensor sources(const Tensor& x, int64_t columns = 3) { return ones({3, columns}, x.options()); }
Tensor rows(const Tensor& index) { return index.view({3, 1}); }

std::vector<Case> cases() {
  std::vector<Case> all = {
      {"[index_select] index", [](Tensor& x, const Tensor& i) { return index_select(x, 0, i); }},
      {"[gather] index", [](Tensor& x, const Tensor& i) { return gather(x, 0, rows(i)); }},
      {"[take] index", [](Tensor& x, const Tensor& i) { return x.select(1, 0).take(i); }, true},
      {"[index] index", [](Tensor& x, const Tensor& i) { return x.index({i}); }, true},
      {"[one_hot] target", [](Tensor&, const Tensor& i) { return one_hot(i, 4); }},
      {"[nll_loss] target", [](Tensor& x, const Tensor& i) { return nll_loss(x.t().contiguous().to(float32), i); }},
      {"[embedding] input", [](Tensor& x, const Tensor& i) { return embedding(i, x); }},
      {"[embedding_backward] input",
       [](Tensor& x, const Tensor& i) { return kernels::embedding_backward(sources(x), i, 4); }},
      {"[index_add] index", [](Tensor& x, const Tensor& i) { return index_add(x, 0, i, sources(x)); }},
      {"[index_copy] index", [](Tensor& x, const Tensor& i) { return index_copy(x, 0, i, sources(x)); }},
      {"[index_fill] index", [](Tensor& x, const Tensor& i) { return index_fill(x, 0, i, 1); }},
      {"[scatter_add] index", [](Tensor& x, const Tensor& i) { return scatter_add(x, 0, rows(i), sources(x, 1)); }},
      {"[scatter] index", [](Tensor& x, const Tensor& i) { return scatter(x, 0, rows(i), sources(x, 1)); }},
      {"[scatter] index", [](Tensor& x, const Tensor& i) { return scatter(x, 0, rows(i), 1); }},
      {"[scatter_] index", [](Tensor& x, const Tensor& i) { return x.scatter_(0, rows(i), sources(x, 1)); }},
      {"[index_put_] index", [](Tensor& x, const Tensor& i) { return x.index_put_({i}, -1); }, true},
      {"[put] index", [](Tensor& x, const Tensor& i) { return put(x.select(1, 0), i, sources(x)[0]); }, true},
      {"[put] index", [](Tensor& x, const Tensor& i) { return put(x.select(1, 0), i, sources(x)[0], true); }, true},
  };
  for (const EmbeddingBagMode mode : {EmbeddingBagMode::sum, EmbeddingBagMode::mean, EmbeddingBagMode::max})
    all.push_back(
        {"[embedding_bag] input", [mode](Tensor& x, const Tensor& i) {
           return embedding_bag(i, x, {.offsets = tensor<int64_t>({0, 2}).to(x.device(), i.dtype()), .mode = mode});
         }});
  for (const Reduce reduce : {Reduce::sum, Reduce::prod, Reduce::mean, Reduce::amax, Reduce::amin})
    for (const bool include_self : {true, false})
      all.push_back({"[scatter_reduce_] index", [=](Tensor& x, const Tensor& i) {
                       return x.scatter_reduce_(0, rows(i), sources(x, 1), reduce, include_self);
                     }});
  return all;
}

TEST(OutOfRange, indices_are_found) {
  for (const Case& c : cases())
    for (Device device : test_devices())
      for (DType dtype : {int64, int32})
        for (int64_t bad : {-1, -5, 4}) {
          if (c.from_the_end && bad == -1) continue;
          SCOPED_TRACE(device.str() + " " + std::string(name(dtype)));
          const Tensor before = test_values({4, 3}).to(device, float32), good = zeros({1}, {dtype, device});
          Tensor x = before.clone();
          const Tensor index = tensor<int64_t>({0, 3, bad}).to(device, dtype);
          EXPECT_ORDO_ERROR(c.run(x, index).to(cpu), IndexError,
                            c.argument + "[2] = " + std::to_string(bad) + " is out of range");
          if (device.is_cpu()) {
            EXPECT_EQ(bytes_of(x), bytes_of(before)) << c.argument << ": something was written";
          }
          EXPECT_EQ(index_select(before, 0, good).numel(), 3) << "usable after it";
        }
}

}  // namespace
}  // namespace ordo::test::out_of_range_test
