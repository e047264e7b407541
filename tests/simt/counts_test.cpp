// What the PTX machine counts of kernels whose time is known by it: how much a thread reads at once, and how many
// products are computed beside those of the result. On an H200, 16 bytes a thread are twice as fast as 4.
#include <ordo/engine/run/emulation.h>

#include "tests/support/op_samples.h"

namespace ordo::test::counts_test {
namespace {

const Device kGpu(Device::Type::cuda);

class CountsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (counts_of([] { (void)zeros({8}, {.device = kGpu}); })["launches"] == 0)
      GTEST_SKIP() << "only the PTX machine counts";
  }
  /// Of all kernels that f launches.
  template <class F>
  static std::map<std::string, double> counts_of(F f) {
    if (!cuda::is_available()) return {};
    cuda::synchronize();
    cuda::start_counting();
    f();
    std::map<std::string, double> all;
    for (const cuda::KernelCounts& kernel : cuda::kernel_counts()) {
      for (const auto& [name, count] : kernel.counts) all[name] += count;
      if (kernel.kernel.find("add_parts") != std::string::npos)
        all["launches of add_parts"] += kernel.counts.at("launches");
    }
    return all;
  }
  static Tensor values(const Dims& sizes, DType dtype = float32) { return test_values(sizes).to(dtype).to(kGpu); }
};

TEST_F(CountsTest, a_thread_reads_and_writes_16_bytes) {
  constexpr int64_t n = 32 * 8 * 10;
  for (const DType dtype : {float16, bfloat16, float32, float64}) {
    const Tensor a = values({n}, dtype), b = values({n}, dtype);
    const double accesses = double(n) * double(size_of(dtype)) / 16 / 32;
    const auto sum = counts_of([&] { (void)(a + b); });
    EXPECT_EQ(sum.at("global_loads"), 2 * accesses) << name(dtype);
    EXPECT_EQ(sum.at("global_stores"), accesses) << name(dtype);
    const auto copied = counts_of([&] { (void)a.clone(); });
    EXPECT_EQ(copied.at("global_loads"), accesses) << name(dtype);
    EXPECT_EQ(copied.at("global_stores"), accesses) << name(dtype);
    EXPECT_EQ(counts_of([&] { (void)full_like(a, 2); }).at("global_stores"), accesses) << name(dtype);
    EXPECT_EQ(counts_of([&] { (void)relu(a); }).at("global_loads"), accesses) << name(dtype);
  }
  const Tensor half = values({n}, bfloat16);
  EXPECT_EQ(counts_of([&] { (void)half.to(float32); }).at("global_stores"), double(n) * 4 / 16 / 32);
}

TEST_F(CountsTest, a_product_of_64_rows_computes_64) {
  const Tensor b = values({16, 64 * 256});
  const auto products = [&](int64_t m) {
    const DeterminismGuard guard(Determinism::device_to_device);
    const Tensor a = values({m, 16});
    return counts_of([&] { (void)matmul(a, b); }).at("floating");
  };
  const double of_128 = products(128);
  EXPECT_LT(products(64), 0.6 * of_128);
  EXPECT_LT(products(16), 0.2 * of_128);
  EXPECT_LT(products(192), 1.6 * of_128);
}

// (16, 2048, 128): 2 tiles of C, so 8 blocks of k are products of their own, on as many processors.
TEST_F(CountsTest, few_tiles_are_divided_along_k) {
  const DeterminismGuard guard(Determinism::device_to_device);
  const Tensor a = values({16, 2048}), b = values({2048, 128});
  EXPECT_GT(counts_of([&] { (void)matmul(a, b); })["launches of add_parts"], 0);
}

}  // namespace
}  // namespace ordo::test::counts_test
