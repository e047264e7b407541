// Memory, copies and streams of the CUDA device, through the engine's interface.
#include <numeric>
#include <thread>

#include "tests/engine/cuda/device_array.h"
#include "tests/support/memory_caching.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::runtime_test {
namespace {

using CudaRuntimeTest = CudaTest;

TEST(CudaBuildTest, says_what_it_is) {
  if (cuda::build() == "none") {
    EXPECT_EQ(cuda::device_count(), 0);
  } else if (cuda::build() == "emulated") {
    EXPECT_EQ(cuda::device_count(), 2);
  } else {
    EXPECT_EQ(cuda::build(), "cuda");
  }
}

TEST(CudaBuildTest, a_device_that_is_not_there_is_an_error) {
  EXPECT_THROW(detail::allocate(16, Device(Device::Type::cuda, 99)), DeviceError);
  EXPECT_THROW(cuda::synchronize(Device(Device::Type::cuda, 99)), DeviceError);
}

// A driver that is older than the runtime is no reason for silence: where there is no device, errors say why.
TEST(CudaBuildTest, says_why_there_is_no_device) {
  const std::string why = why_no_cuda_device();
  EXPECT_EQ(why.empty(), cuda::is_available()) << why;
  try {
    const Scratch<int> memory(1, kCuda);
    EXPECT_TRUE(cuda::is_available());
  } catch (const DeviceError& error) {
    EXPECT_FALSE(cuda::is_available());
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  }
}

// They change what cuBLAS and cuDNN compute at run_to_run, so runs with different ones are not compared in silence.
TEST(CudaBuildTest, settings_of_libraries_are_those_of_the_environment) {
  const auto before = library_settings();
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  setenv("CUDNN_LOGLEVEL_DBG", "2", 1);  // changes no bit
  auto settings = library_settings();
  unsetenv("NVIDIA_TF32_OVERRIDE");
  unsetenv("CUDNN_LOGLEVEL_DBG");
  EXPECT_EQ(library_settings(), before);
  EXPECT_EQ(std::erase(settings, "NVIDIA_TF32_OVERRIDE=0"), cuda::build() == "none" ? 0u : 1u);
  EXPECT_EQ(settings, before);
}

TEST_F(CudaRuntimeTest, a_kept_block_serves_no_other_stream) {
  const MemoryCachingScope caching(true);
  const size_t large = size_t(3) << 19, small = size_t(1) << 20;
  empty_cache(kCuda);
  void* const first = detail::allocate(large, kCuda);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 256, 0u);
  detail::deallocate(first, large, kCuda);
  std::thread([&] {
    for (size_t bytes : {large, small}) {
      void* const other = detail::allocate(bytes, kCuda);
      EXPECT_NE(other, first) << bytes;
      detail::deallocate(other, bytes, kCuda);
    }
  }).join();
  void* const own = detail::allocate(small, kCuda);
  EXPECT_EQ(own, first) << "half larger is near enough on its own stream";
  detail::deallocate(own, small, kCuda);
  empty_cache(kCuda);
}

TEST_F(CudaRuntimeTest, out_of_memory_leaves_the_device_usable) {
  EXPECT_ORDO_ERROR(detail::allocate(size_t(1) << 50, kCuda), OutOfMemoryError, "1125899906842624");
  const DeviceArray<int> works(std::vector<int>{1, 2, 3});
  EXPECT_EQ(works.values(), (std::vector<int>{1, 2, 3}));
}

TEST_F(CudaRuntimeTest, fill_pattern_is_the_cpu_s) {
  for (int d = 0; d < kDTypeCount; ++d) {
    const DType dtype = DType(d);
    const size_t bytes = 3001 * size_of(dtype);
    const DeviceArray<char> on_device(bytes + 8);
    std::vector<char> on_host(bytes + 8, 0);
    detail::fill_pattern(static_cast<char*>(on_device), 3001, dtype, kCuda);
    detail::fill_pattern(on_host.data(), 3001, dtype, cpu);
    EXPECT_EQ(on_device.values(), on_host) << name(dtype);
  }
}

TEST_F(CudaRuntimeTest, every_thread_copies_there_across_and_back) {
  in_threads(8, [](int t) {
    std::vector<int> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), t);
    for (int i = 0; i < 20; ++i) {
      const DeviceArray<int> a(numbers), b(numbers.size());
      detail::copy_bytes(b, kCuda, a, kCuda, numbers.size() * sizeof(int));
      detail::copy_bytes(b, kCuda, nullptr, cpu, 0);
      EXPECT_EQ(b.values(), numbers) << "thread " << t;
    }
  });
}

}  // namespace
}  // namespace ordo::test::runtime_test
