// Drawn data sets: the same bits everywhere, varied, and of the documented form.
#include <set>

#include "tests/support/threads_scope.h"

namespace ordo::test::synthetic_test {
namespace {

void check_form(const data::ImageDataset& d, Dims sizes) {
  EXPECT_EQ(d.images.sizes(), sizes);
  EXPECT_EQ(d.images.dtype(), float32);
  EXPECT_EQ(d.labels.dtype(), int64);
  for (float v : d.images.to_vector<float>()) ASSERT_TRUE(v >= 0 && v <= 1) << v;
  std::vector<int> count(10);
  for (int64_t label : d.labels.to_vector<int64_t>()) ++count.at(size_t(label));
  for (int c : count) EXPECT_GT(c, sizes[0] / 20);
  std::set<std::string> distinct;
  for (int64_t i = 0; i < sizes[0]; ++i) distinct.insert(sha256_hex(TensorList{d.images[i]}));
  EXPECT_EQ(int64_t(distinct.size()), sizes[0]);
}

TEST(Synthetic, form) {
  check_form(data::synthetic_digits(300, 1), {300, 1, 28, 28});
  check_form(data::synthetic_cifar10(300, 1), {300, 3, 32, 32});
  EXPECT_EQ(data::synthetic_digits(0).images.sizes(), (Dims{0, 1, 28, 28}));
  EXPECT_ORDO_ERROR(data::synthetic_digits(-1), ValueError, "synthetic_digits");
  EXPECT_ORDO_ERROR(data::synthetic_cifar10(-1), ValueError, "synthetic_cifar10");
}

TEST(Synthetic, image_depends_on_seed_and_position_only) {
  const ThreadsScope scope;
  for (auto* make : {&data::synthetic_digits, &data::synthetic_cifar10}) {
    set_num_threads(1);
    const data::ImageDataset few = make(40, 7);
    set_num_threads(3);
    const data::ImageDataset many = make(100, 7);
    EXPECT_EQ(bytes_of(few.images), bytes_of(many.images.narrow(0, 0, 40)));
    EXPECT_EQ(bytes_of(few.labels), bytes_of(many.labels.narrow(0, 0, 40)));
    EXPECT_NE(bytes_of(few.images), bytes_of(make(40, 8).images));
  }
}

// Golden values: these images are part of what the demo promises. A change needs a line in the changelog.
TEST(Synthetic, golden) {
  const data::ImageDataset digits = data::synthetic_digits(64, 3), pictures = data::synthetic_cifar10(64, 3);
  EXPECT_EQ(sha256_hex(TensorList{digits.images, digits.labels}).substr(0, 16), "cffd4c3898def98a");
  EXPECT_EQ(sha256_hex(TensorList{pictures.images, pictures.labels}).substr(0, 16), "34ab062fbbc2b407");
}

}  // namespace
}  // namespace ordo::test::synthetic_test
