// The formula, against a plain form of it; every device, layout and number of threads.
#include <ordo/engine/run/launch_tuning.h>
#include <ordo/kernels/fingerprint/fingerprint.h>
#include "tests/support/threads_scope.h"

namespace ordo::test::fingerprint_test {
namespace {

using Wide = unsigned __int128;

uint64_t scrambled(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint64_t splitmix64(uint64_t number) {  // of the sequence from seed 0
  return scrambled((number + 1) * 0x9e3779b97f4a7c15u);
}

/// As docs/audit.md says it, word by word.
Fingerprint plain(std::string bytes) {
  const uint64_t length = scrambled(bytes.size() ^ 0x6f72646f00000000u);
  bytes.resize((bytes.size() + 1023) / 1024 * 1024, '\0');
  Fingerprint sum{length, length};
  for (size_t block = 0; block < bytes.size() / 1024; ++block) {
    uint64_t lanes[2] = {0, 0};
    for (size_t j = 0; j < 128; ++j)
      for (size_t lane = 0; lane < 2; ++lane) {
        uint64_t w = 0;
        for (size_t k = 0; k < 8; ++k) w |= uint64_t(uint8_t(bytes[block * 1024 + 8 * j + k])) << (8 * k);
        const uint64_t x = w ^ splitmix64(2 * j + lane);
        lanes[lane] = uint64_t(Wide(lanes[lane]) + Wide(uint32_t(x)) * Wide(x >> 32) + w);
      }
    const auto [a, b] = lanes;
    sum.low += scrambled(a ^ scrambled(b + splitmix64(1000 + 2 * block)));
    sum.high += scrambled(b ^ scrambled(a + splitmix64(1001 + 2 * block)));
  }
  return sum;
}

std::string bytes_of(const Tensor& t) {
  const Tensor host = t.to(cpu).contiguous();
  return {static_cast<const char*>(host.data()), host.nbytes()};
}

Tensor values(const Dims& sizes, DType dtype) {
  Generator generator(7);
  const Tensor t = dtype == boolean ? rand(sizes, {}, &generator) > 0.5 : rand(sizes, {}, &generator) * 200;
  return t.to(dtype);
}

TEST(Fingerprint, is_that_of_the_formula_for_every_dtype_and_size) {
  for (DType dtype : {boolean, uint8, int32, int64, float16, bfloat16, float32, float64})
    for (int64_t n : {0, 1, 2, 3, 7, 8, 31, 127, 128, 129, 255, 256, 257, 1000, 1024, 1025, 5000}) {
      const Tensor t = values({n}, dtype);
      const Fingerprint expected = plain(bytes_of(t));
      for (Device device : test_devices())
        EXPECT_EQ(kernels::fingerprint(t.to(device)).str(), expected.str()) << name(dtype) << " " << n;
    }
  EXPECT_EQ(kernels::fingerprint(full({}, 2)), plain(bytes_of(full({}, 2)))) << "no dimensions";
}

TEST(Fingerprint, golden) {  // of format 1 of traces: another value is another format
  const Tensor count = arange(0, 1000, 1, int64);
  EXPECT_EQ(kernels::fingerprint(count).str(), plain(bytes_of(count)).str());
  EXPECT_EQ(kernels::fingerprint(count).str(), "8e35dc214db71038759efe7f3ccdec91");
}

TEST(Fingerprint, does_not_depend_on_strides_threads_and_launches) {
  for (DType dtype : {uint8, float16, float32, float64}) {
    const Tensor t = values({23, 41, 19}, dtype);
    const auto views_of = [](const Tensor& x) {
      return TensorList{x.transpose(0, 2), x.permute({1, 0, 2}),           x.slice(2, 1, 19, 3),
                        x.select(1, 4),    x.flatten().slice(0, 1, 17000), x.unsqueeze(1).expand({23, 3, 41, 19}),
                        x.slice(0, 3, 9)};
    };
    const TensorList views = views_of(t);
    for (size_t i = 0; i < views.size(); ++i) {
      const Fingerprint expected = plain(bytes_of(views[i]));
      EXPECT_EQ(kernels::fingerprint(views[i]), expected) << name(dtype) << " view " << i;
      for (Device device : test_devices())  // what is copied keeps no strides, so the view is made there
        EXPECT_EQ(kernels::fingerprint(views_of(t.to(device))[i]), expected)
            << name(dtype) << " view " << i << " on " << device.str();
    }
  }
  const Tensor large = values({300, 1000}, float32);
  const Fingerprint expected = plain(bytes_of(large));
  const ThreadsScope scope;
  for (int threads : {1, 2, 3, 5}) {
    set_num_threads(threads);
    EXPECT_EQ(kernels::fingerprint(large), expected) << threads;
  }
  for (Device device : test_devices()) {
    const Tensor there = large.to(device);
    for (cuda::LaunchTuning tuning :
         {cuda::LaunchTuning{.block = 32, .most_blocks = 3}, cuda::LaunchTuning{.block = 256}}) {
      cuda::set_launch_tuning(tuning);
      EXPECT_EQ(kernels::fingerprint(there), expected);
    }
    cuda::set_launch_tuning({});
  }
}

TEST(Fingerprint, of_rows_that_lie_side_by_side) {
  // Rows and columns that are whole squares, lines and blocks, a few more and a few less, and too long to go together.
  const int64_t shapes[][2] = {{2, 3},    {4, 4},    {5, 7},     {16, 64},  {15, 66},   {33, 130},
                               {64, 961}, {7, 4096}, {9, 17000}, {1030, 2}, {3, 16385}, {300, 256}};
  const ThreadsScope scope;
  for (DType dtype : {uint8, float16, float32, float64})
    for (const auto& [rows, columns] : shapes) {
      const Tensor t = values({columns, rows}, dtype), wide = values({columns + 3, rows + 5}, dtype);
      for (const Tensor& view : {t.t(), wide.narrow(0, 2, columns).narrow(1, 1, rows).t(),
                                 stack({t, wide.narrow(0, 0, columns).narrow(1, 0, rows)}).transpose(1, 2)}) {
        const Fingerprint expected = plain(bytes_of(view));
        for (int threads : {1, 2, 5}) {
          set_num_threads(threads);
          EXPECT_EQ(kernels::fingerprint(view), expected)
              << name(dtype) << " " << view.sizes().str() << " threads " << threads;
        }
      }
    }
}

TEST(Fingerprint, of_many_at_once) {
  for (Device device : test_devices()) {
    const TensorList list{values({40}, float32), Tensor(), values({3, 900}, int64).to(device), values({0}, uint8),
                          values({17}, float16).to(device)};
    const auto all = kernels::fingerprints(list);
    ASSERT_EQ(all.size(), list.size());
    for (size_t i = 0; i < list.size(); ++i)
      EXPECT_EQ(all[i], list[i].defined() ? plain(bytes_of(list[i])) : Fingerprint());
  }
  EXPECT_ORDO_ERROR(kernels::fingerprint(Tensor()), ValueError, "fingerprint");
  EXPECT_EQ((Fingerprint{1, 0xabc}.str()), "00000000000000010000000000000abc");
}

}  // namespace
}  // namespace ordo::test::fingerprint_test
