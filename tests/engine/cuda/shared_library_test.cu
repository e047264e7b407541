// Functions of libraries that are opened when they are first called.
#include <gtest/gtest.h>
#include <ordo/engine/cuda/shared_library.h>
#include <zlib.h>

#include <thread>
#include <vector>

#include "tests/support/op_samples.h"

namespace ordo::test::shared_library_test {
namespace {

using cuda::LibraryFunction;
using cuda::SharedLibrary;

namespace libraries {
constinit SharedLibrary zlib{"zlib", ORDO_SONAME("libz", 1), "Install it"};
ORDO_LIBRARY_FUNCTION(zlib, crc32);
}  // namespace libraries

TEST(SharedLibraryTest, functions_are_found_by_the_first_call_of_any_thread) {
  using namespace libraries;
  const Bytef text[] = "123456789";
  std::vector<uLong> sums(8);
  std::vector<std::thread> threads;
  for (uLong& sum : sums) threads.emplace_back([&] { sum = crc32(0, text, 9); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(sums, std::vector<uLong>(8, 0xcbf43926ul));
}

TEST(SharedLibraryTest, a_library_that_is_not_installed_is_an_error_with_its_reason) {
  SharedLibrary missing("Nothing", "libordo-nothing.so.7", "Do without it");
  LibraryFunction<int (*)(int)> function(missing, "nothing");
  for (int i = 0; i < 2; ++i) {
    EXPECT_ORDO_ERROR(function(3), CudaError, "Nothing cannot be opened: libordo-nothing.so.7");
    EXPECT_ORDO_ERROR(function(3), CudaError, "Do without it");
  }
}

TEST(SharedLibraryTest, a_function_that_is_not_in_the_library_is_an_error_with_its_name) {
  LibraryFunction<int (*)()> function(libraries::zlib, "inflate_everything");
  EXPECT_ORDO_ERROR(function(), CudaError, "zlib has no function inflate_everything");
}

}  // namespace
}  // namespace ordo::test::shared_library_test
