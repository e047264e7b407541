#include <ordo/engine/tensor/divisor.h>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace ordo::test::divisor_test {

TEST(Divisor, agrees_with_division) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> sizes{5, 641, kMost - 1, kMost};
  for (int shift = 0; shift < 63; ++shift)
    for (const int64_t beside : {-1, 0, 1})
      if (const int64_t size = (int64_t(1) << shift) + beside; size > 0) sizes.push_back(size);
  for (int64_t size : sizes) {
    const Divisor divisor(size);
    const auto expect = [&](int64_t n) {
      ASSERT_EQ(divisor.quotient(n), n / size) << n << " / " << size;
      ASSERT_EQ(divisor.remainder(n), n % size) << n << " % " << size;
    };
    for (int64_t n : sizes) expect(n);
    for (int64_t n = 0; n < 1000; ++n) {
      expect(n);
      expect(kMost - n);
    }
    for (int64_t q = 1; q < 50 && q <= kMost / size; ++q)  // around multiples
      for (int64_t n = q * size - 1, k = 0; k < 3 && n < kMost; ++n, ++k) expect(n);
    for (int64_t n = kMost / size * size, k = 0; k < 3; --n, ++k) expect(n);
  }
}

TEST(Divisor, of_a_size_of_zero_is_made_and_not_used) { EXPECT_EQ(Divisor(0).value, 0); }

}  // namespace ordo::test::divisor_test
