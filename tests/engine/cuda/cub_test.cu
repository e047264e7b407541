// CUB's contract as the library relies on it. The same tests run on CUB itself and on its stand-ins.
#include <ordo/engine/cuda/cub.h>

#include <algorithm>
#include <numeric>

#include <ordo/engine/calls/error.h>

#include "tests/engine/cuda/cub_calls.h"

namespace ordo::test::cub_test {
namespace {

template <class K>
struct KeyRange {
  int begin = 0, end = int(sizeof(K) * 8);
};

// Sorts (key, position) pairs and compares with a stable sort of the keys that less() orders.
template <class K, class Less>
void expect_sorted(const std::vector<K>& keys, KeyRange<K> bits, Less less) {
  const int n = int(keys.size());
  std::vector<int> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const DeviceArray<K> keys_in(keys), keys_out(keys.size());
  const DeviceArray<int> values_in(order), values_out(keys.size());
  const cudaStream_t stream = cuda::current_stream(kCuda);
  with_temp_storage([&](void* temp, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temp, bytes, keys_in.in(), keys_out.out(), values_in.in(), values_out.out(),
                                           n, bits.begin, bits.end, stream);
  });
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return less(keys[size_t(a)], keys[size_t(b)]); });
  EXPECT_EQ(values_out.values(), order);
}

using CubTest = CudaTest;

TEST_F(CubTest, radix_sort_is_stable_and_orders_signs) {
  std::vector<int64_t> integers;
  std::vector<float> floats;
  for (int i = 0; i < 5000; ++i) {
    integers.push_back((i * 7919) % 101 - 50);
    floats.push_back(float((i * 7919) % 101 - 50) / 8);
  }
  expect_sorted<int64_t>(integers, {}, std::less<>());
  expect_sorted<float>(floats, {}, std::less<>());
}

TEST_F(CubTest, radix_sort_looks_only_at_the_bits_it_is_given) {
  std::vector<uint32_t> keys;
  for (uint32_t i = 0; i < 3000; ++i) keys.push_back(i * 2654435761u);
  expect_sorted<uint32_t>(keys, {4, 11}, [](uint32_t a, uint32_t b) { return (a >> 4 & 127) < (b >> 4 & 127); });
}

TEST_F(CubTest, integer_scans) {
  const std::vector<int> in{3, 1, 0, 4, 2};
  const DeviceArray<int> device_in(in), exclusive(size_t(5)), inclusive(size_t(5));
  const cudaStream_t stream = cuda::current_stream(kCuda);
  with_temp_storage([&](void* temp, size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temp, bytes, device_in.in(), exclusive.out(), 5, stream);
  });
  with_temp_storage([&](void* temp, size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(temp, bytes, device_in.in(), inclusive.out(), 5, stream);
  });
  EXPECT_EQ(exclusive.values(), (std::vector<int>{0, 3, 4, 4, 8}));
  EXPECT_EQ(inclusive.values(), (std::vector<int>{3, 4, 4, 8, 10}));
}

TEST_F(CubTest, run_length_encode) {
  const DeviceArray<int> in(std::vector<int>{5, 5, 5, 1, 7, 7}), unique(size_t(6)), counts(size_t(6)), runs(size_t(1));
  with_temp_storage([&](void* temp, size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(temp, bytes, in.in(), unique.out(), counts.out(), runs.out(), 6,
                                              cuda::current_stream(kCuda));
  });
  ASSERT_EQ(runs.values()[0], 3);
  const std::vector<int> u = unique.values(), c = counts.values();
  EXPECT_EQ(std::vector<int>(u.begin(), u.begin() + 3), (std::vector<int>{5, 1, 7}));
  EXPECT_EQ(std::vector<int>(c.begin(), c.begin() + 3), (std::vector<int>{3, 1, 2}));
}

struct IsOdd {
  __host__ __device__ bool operator()(int v) const { return v % 2 != 0; }
};

TEST_F(CubTest, select_keeps_the_order) {
  const DeviceArray<int> in(std::vector<int>{4, 7, 1, 2, 9}), flags(std::vector<int>{1, 0, 0, 1, 1});
  const DeviceArray<int> flagged(size_t(5)), odd(size_t(5)), count(size_t(1));
  const cudaStream_t stream = cuda::current_stream(kCuda);
  with_temp_storage([&](void* temp, size_t& bytes) {
    return cub::DeviceSelect::Flagged(temp, bytes, in.in(), flags.in(), flagged.out(), count.out(), 5, stream);
  });
  ASSERT_EQ(count.values()[0], 3);
  with_temp_storage([&](void* temp, size_t& bytes) {
    return cub::DeviceSelect::If(temp, bytes, in.in(), odd.out(), count.out(), 5, IsOdd(), stream);
  });
  ASSERT_EQ(count.values()[0], 3);
  const std::vector<int> f = flagged.values(), o = odd.values();
  EXPECT_EQ(std::vector<int>(f.begin(), f.begin() + 3), (std::vector<int>{4, 2, 9}));
  EXPECT_EQ(std::vector<int>(o.begin(), o.begin() + 3), (std::vector<int>{7, 1, 9}));
}

#if ORDO_EMULATED
TEST_F(CubTest, stand_in_checks_its_arguments) {
  const DeviceArray<int> in(size_t(100)), out(size_t(100));
  const Scratch<char> temp(16, kCuda);
  size_t bytes = 16;
  EXPECT_THROW(cub::DeviceScan::ExclusiveSum(temp.data(), bytes, in.out(), out.out(), 100), CudaError);
  bytes = 1 << 20;
  const Scratch<char> enough(1 << 20, kCuda);
  EXPECT_THROW(cub::DeviceRadixSort::SortKeys(enough.data(), bytes, in.in(), in.out(), 100), CudaError);
}
#endif

}  // namespace
}  // namespace ordo::test::cub_test
