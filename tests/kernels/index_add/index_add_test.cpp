#include <ordo/kernels/scatter/scatter_add.h>
#include "tests/support/op_samples.h"

namespace ordo::test::index_add_test {
namespace {

// An in-place operation finds a bad index before it writes, also where the indices are checked while they are used.
TEST(IndexAdd, a_bad_index_leaves_the_input_as_it_was) {
  for (int64_t n : {100, 300000})
    for (Algorithm a : {Algorithm::atomic, Algorithm::sorted, Algorithm::exact}) {
      Tensor x = ones({n});
      auto index = test_indices({400000}, n, 1).to_vector<int64_t>();
      index[300001] = n;
      EXPECT_ORDO_ERROR(kernels::index_add_(x, 0, from_vector(index, {400000}), ones({400000}), 1, a), IndexError,
                        "index[300001]");
      EXPECT_EQ(bytes_of(x), bytes_of(ones({n})));
    }
}

TEST(IndexAdd, nothing_has_room_for_an_index) {
  for (Algorithm a : {Algorithm::atomic, Algorithm::sorted, Algorithm::exact})
    EXPECT_ORDO_ERROR(index_add(zeros({0}), 0, tensor<int64_t>({0}), ones({1}), 1, a), IndexError, "index[0]");
}

TEST(IndexAdd, in_place) {
  for (Device device : test_devices()) {
    Tensor x = zeros({4, 3}, {.device = device});
    const Tensor source = ones({2, 4}, {.device = device});
    const Tensor index = tensor<int32_t>({1, 1}).to(device);
    Tensor transposed = x.t();  // not contiguous
    EXPECT_TRUE(transposed.index_add_(0, index, source, 2).is_same(transposed));
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 4, 0, 0, 4, 0, 0, 4, 0, 0, 4, 0}));
    x.index_add_(0, tensor<int64_t>({0, 0, 3, 1}).to(device), x);  // source shares memory: it is read first
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 12, 0, 0, 8, 0, 0, 4, 0, 0, 8, 0}));
  }
}

TEST(IndexAdd, bad_input) {
  const Tensor x = zeros({3, 4}), index = tensor<int64_t>({0, 2}), source = zeros({2, 4});
  EXPECT_ORDO_ERROR(index_add(x.to(boolean), 0, index, source.to(boolean)), DTypeError, "index_add");
  EXPECT_ORDO_ERROR(index_add(x.to(int32), 0, index, source.to(int32), 0.5), ValueError, "alpha");
}

}  // namespace
}  // namespace ordo::test::index_add_test
