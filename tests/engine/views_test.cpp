// Views against index arithmetic done by hand.
#include <ordo/engine/tensor/tensor_impl.h>
#include "tests/support/op_samples.h"

namespace ordo::test::views_test {
namespace {

Tensor counted(const Dims& sizes) { return arange(sizes.product()).view(sizes); }

using Values = std::vector<int64_t>;

TEST(Views, slices_follow_python) {
  const Tensor t = counted({10});
  const auto at = [&](int64_t a, int64_t b, int64_t step) {
    return views::slice(t, 0, a, b, step).to_vector<int64_t>();
  };
  EXPECT_EQ(at(2, 5, 1), (Values{2, 3, 4}));
  EXPECT_EQ(at(-3, 100, 1), (Values{7, 8, 9}));
  EXPECT_EQ(at(0, -1, 4), (Values{0, 4, 8}));
  EXPECT_EQ(at(5, 2, 1), Values{});
  EXPECT_EQ(at(100, 200, 3), Values{});
  EXPECT_EQ(at(1, 10, 3), (Values{1, 4, 7}));
}

TEST(Views, flatten) {
  EXPECT_EQ(counted({2, 3, 4}).flatten(0, 1).sizes(), (Dims{6, 4}));
  EXPECT_EQ(scalar_tensor(1).flatten().sizes(), (Dims{1}));
  EXPECT_ORDO_ERROR(counted({2, 3}).flatten(1, 0), ValueError, "flatten");
}

/// Every view that try_view grants must hold the same elements, and it must grant all that need no copy.
TEST(Views, view_agrees_with_the_definition) {
  const Tensor base = counted({2, 3, 4, 1, 2});
  const std::vector<Tensor> sources{base,
                                    base.transpose(0, 1),
                                    base.transpose(1, 2),
                                    base.permute(dims(4, 3, 2, 1, 0)),
                                    base.slice(2, 0, 4, 2),
                                    base.narrow(1, 1, 2),
                                    base.select(1, 0),
                                    base.expand(dims(2, 3, 4, 5, 2))};
  for (const Tensor& t : sources) {
    const auto want = t.to_vector<int64_t>();
    const int64_t n = t.numel();
    for (int64_t a = 1; a <= n; ++a) {
      if (n % a) continue;
      for (int64_t b = 1; b <= n / a; ++b) {
        if (n / a % b) continue;
        const Dims sizes{a, b, n / a / b};
        const Tensor v = views::try_view(t, sizes);
        if (v.defined()) {
          EXPECT_EQ(v.sizes(), sizes);
          EXPECT_EQ(v.to_vector<int64_t>(), want)
              << t.sizes().str() << " strides " << t.strides().str() << " as " << sizes.str();
        } else {
          // No strides do it: the elements at distance 1, b c and c in the new shape are not evenly spaced.
          EXPECT_FALSE(t.is_contiguous());
          EXPECT_EQ(t.reshape(sizes).to_vector<int64_t>(), want);
        }
      }
    }
    EXPECT_TRUE(views::try_view(t, t.sizes()).defined());
  }
  EXPECT_TRUE(views::try_view(base.transpose(0, 1), {3, 2, 8}).defined());
  EXPECT_FALSE(views::try_view(base.transpose(0, 1), {6, 8}).defined());
}

}  // namespace
}  // namespace ordo::test::views_test
