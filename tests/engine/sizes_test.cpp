// Sizes, strides and counts that do not fit 64 bits, each of which once was a crash or a silent wrong result. The whole
// class: tests/registry/integers.
#include <ordo/engine/calls/checked.h>
#include "tests/support/memory_limit.h"
#include "tests/support/op_samples.h"

namespace ordo::test::sizes_test {
namespace {

constexpr int64_t kHuge = int64_t(1) << 62;

TEST(Sizes, views_and_expansions_of_more_elements_than_64_bits_count) {
  const MemoryLimit limit(size_t(1) << 38);  // AddressSanitizer ends the process where operator new fails
  EXPECT_ORDO_ERROR(ones({1}).expand({kHuge}), ShapeError, "bytes");
  EXPECT_ORDO_ERROR(empty({kHuge, 0, kHuge}), ShapeError, "[empty]");
  EXPECT_ORDO_ERROR(empty({0, -1}), ShapeError, "negative");
  const Tensor many = ones({1}, {.dtype = uint8}).expand({kHuge});
  EXPECT_EQ(many.numel(), kHuge);
  EXPECT_EQ(many.slice(0, 5, 9).sum().item<int64_t>(), 4);
  EXPECT_ORDO_ERROR(many.to_vector<int64_t>(), OutOfMemoryError, "[to_vector]");
  EXPECT_ORDO_ERROR(many.unsqueeze(1) + many, ShapeError, "elements");
}

TEST(Sizes, steps_and_strides) {
  const Tensor t = from_vector<float>({1, 2, 3}, {3});
  EXPECT_EQ(t.slice(0, 1, 3, INT64_MAX).to_vector<int64_t>(), std::vector<int64_t>{2});
  EXPECT_EQ(t.slice(0, INT64_MIN, INT64_MAX).numel(), 3);
  const Tensor wide = empty_strided({2, 0}, {kHuge, 1});
  EXPECT_ORDO_ERROR(wide.slice(0, 0, 2).unsqueeze(0), ShapeError, "[unsqueeze]");
  EXPECT_EQ(wide.slice(0, 0, 2, 2).numel(), 0);
}

TEST(Sizes, sequences) {
  EXPECT_EQ(arange(int64_t(-6e18), int64_t(6e18), int64_t(4e18)).to_vector<int64_t>(),
            (std::vector<int64_t>{int64_t(-6e18), int64_t(-2e18), int64_t(2e18)}));
  EXPECT_EQ(arange(INT64_MAX, INT64_MIN, INT64_MIN).to_vector<int64_t>(), (std::vector<int64_t>{INT64_MAX, -1}));
  EXPECT_ORDO_ERROR(arange(INT64_MIN, INT64_MAX), ShapeError, "[arange]");
  EXPECT_ORDO_ERROR(arange(-1e308, 1e308, 1e-300), ShapeError, "[arange]");
}

TEST(Sizes, a_loader_with_the_largest_batch) {
  data::DataLoader loader(ones({5, 2}), ones({5}), {.batch_size = INT64_MAX});
  EXPECT_EQ(loader.size(), 1);
  EXPECT_EQ((*loader.begin()).size(), 5);
  loader = data::DataLoader(ones({5, 2}), ones({5}), {.batch_size = INT64_MAX, .drop_last = true});
  EXPECT_EQ(loader.size(), 0);
}

TEST(Sizes, printing_nothing_is_short) {
  EXPECT_EQ(empty({2000000, 0}).str(), "[]");
  EXPECT_EQ(empty({2, 0, 3}).str(), "[]");
  EXPECT_LT(ones({1}, {.dtype = uint8}).expand({kHuge}).str().size(), 100u);
}

TEST(Sizes, checked_arithmetic) {
  EXPECT_EQ(checked::add("op", INT64_MAX, INT64_MIN), -1);
  EXPECT_EQ(checked::mul("op", kHuge, -2), INT64_MIN);
  EXPECT_ORDO_ERROR(checked::add("op", INT64_MAX, 1), ShapeError, "[op]");
  EXPECT_ORDO_ERROR(checked::mul("op", kHuge, 2), ShapeError, "[op]");
  EXPECT_ORDO_ERROR(checked::vector<double>("op", -1), OutOfMemoryError, "[op]");
  EXPECT_EQ(Dims({kHuge, 0}).product(), 0);
  EXPECT_ORDO_ERROR(Dims({kHuge, 0, 2}).product("op"), ShapeError, "[op]");
}

}  // namespace
}  // namespace ordo::test::sizes_test
