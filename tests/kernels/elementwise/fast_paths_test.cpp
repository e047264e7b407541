// Functions that CPU loops reach by a shorter way where they can: the same bits as the whole function, whatever a piece
// of the loop holds.
#include <bit>
#include <cstring>
#include <random>

#include <ordo/kernels/elementwise/function_fast_paths.h>
#include <ordo/kernels/elementwise/functions.h>
#include "tests/kernels/samples.h"

namespace ordo::test::fast_paths_test {
namespace {

namespace functors = kernels::functors;

template <class T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();

template <class T>
bool same(T a, T b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Of every size, with the ends of the fast paths.
template <class T>
std::vector<T> any_values(int64_t n) {
  std::mt19937_64 bits(5);
  std::vector<T> out = {
      0, -T(0), 1, -1, T(0.5), -T(0.5), kInfinity<T>, -kInfinity<T>, std::numeric_limits<T>::quiet_NaN()};
  for (T end : {T(20), T(0x1p17), T(0x1p20)})
    for (T v : {std::nextafter(end, T(0)), end, std::nextafter(end, kInfinity<T>)}) out.insert(out.end(), {v, -v});
  std::normal_distribution<double> normal;
  while (int64_t(out.size()) < n) {
    out.push_back(T(3 * normal(bits)));
    out.push_back(std::bit_cast<T>(static_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(bits())));
  }
  return out;
}

template <class T, class F>
void expect_fast_path(const char* name, const F& f) {
  int64_t count = 0;
  for (T x : any_values<T>(100000))
    if (is_fast(f, x)) {
      ++count;
      ASSERT_TRUE(same(fast(f, x), f(x))) << name << "(" << x << ")";
    }
  EXPECT_GT(count, 1000) << name;
}

template <class T>
void expect_fast_paths() {
  expect_fast_path<T>("sin", functors::sin());
  expect_fast_path<T>("cos", functors::cos());
  expect_fast_path<T>("tan", functors::tan());
}

TEST(FastPaths, have_the_bits_of_the_whole) {
  expect_fast_paths<float>();
  expect_fast_paths<double>();
}

/// Lines of values that have a fast path, of others, and of both in several proportions, and what is left of a piece.
template <class T>
Tensor lines_of(T fast, T slow) {
  std::mt19937 random(3);
  std::vector<T> x;
  for (int eighths : {0, 1, 2, 4, 7, 8})
    for (int i = 0; i < 300; ++i) x.push_back((int(random() % 8) < eighths ? slow : fast) * T(1 + i) / T(300));
  for (T v : any_values<T>(700)) x.push_back(v);
  return from_vector(x, {int64_t(x.size())});
}

template <class T, class F>
void expect_all(const char* name, const Tensor& x, const Tensor& result, const F& f) {
  const auto in = x.to_vector<T>(), out = result.to_vector<T>();
  for (size_t i = 0; i < in.size(); ++i)
    ASSERT_TRUE(same(out[i], T(f(in[i])))) << name << "(" << in[i] << ") is " << out[i] << " at " << i;
}

template <class T>
void expect_loops() {
  const Tensor angles = lines_of<T>(T(3), T(1e8));
  expect_all<T>("sin", angles, sin(angles), functors::sin());
  expect_all<T>("tan", angles, tan(angles), functors::tan());
}

TEST(FastPaths, loops_have_the_bits_of_the_function) {
  expect_loops<float>();
  expect_loops<double>();
}

TEST(FastPaths, quotients_in_every_layout) {
  const Tensor a = lines_of<float>(50, 1e12f);
  const auto by = [](auto f) { return [f](float v) { return f(v, -0.7f); }; };
  const Tensor b = full(a.sizes(), -0.7f);
  expect_all<float>("fmod", a, ordo::fmod(a, b), by(functors::fmod()));
  expect_all<float>("remainder", a, ordo::remainder(a, b), by(functors::remainder()));
  expect_all<float>("floor_divide", a, ordo::floor_divide(a, b), by(functors::floor_divide()));
  expect_all<float>("remainder by a number", a, ordo::remainder(a, Scalar(-0.7)), by(functors::remainder()));
  const Tensor apart = stack({a, b}, 1), every = apart.select(1, 0);
  expect_all<float>("remainder of every second", a, ordo::remainder(every, b), by(functors::remainder()));
}

}  // namespace
}  // namespace ordo::test::fast_paths_test
