// Functions of libraries that are opened when they are first called.
#include <dlfcn.h>
#include <ordo/engine/cuda/shared_library.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/folder_test_base.h"
#include "tests/support/threads_scope.h"

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
  in_threads(8, [&](int i) { sums[size_t(i)] = crc32(0, text, 9); });
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

// A folder with a library that the loader does not find by itself, as pip's and conda's are.
class SharedLibraryInFolderTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    const std::filesystem::path packages =
        std::filesystem::path(folder()) / "lib/python3.12/site-packages/nvidia/thing/lib";
    std::filesystem::create_directories(packages);
    Dl_info found;
    ASSERT_NE(dladdr(reinterpret_cast<void*>(&::zlibVersion), &found), 0);
    for (const char* file : {"libordo-thing.so.1", "libordo-thing_part.so.1"})
      std::filesystem::copy_file(found.dli_fname, packages / file);
    setenv("VIRTUAL_ENV", folder().c_str(), 1);
  }
  void TearDown() override {
    unsetenv("VIRTUAL_ENV");
    FolderTest::TearDown();
  }
};

TEST_F(SharedLibraryInFolderTest, is_found_in_the_active_environment_with_its_parts) {
  static constexpr const char* kParts[] = {"libordo-thing_part.so.1", nullptr};
  SharedLibrary thing("Thing", "libordo-thing.so.1", "Install it", kParts);
  LibraryFunction<uLong (*)(uLong, const Bytef*, uInt)> sum(thing, "crc32");
  EXPECT_EQ(sum(0, reinterpret_cast<const Bytef*>("123456789"), 9), 0xcbf43926ul);
}

TEST_F(SharedLibraryInFolderTest, that_lacks_a_part_is_an_error_that_names_it) {
  static constexpr const char* kParts[] = {"libordo-thing_part.so.1", "libordo-thing_rest.so.1", nullptr};
  SharedLibrary thing("Thing", "libordo-thing.so.1", "Install all of it", kParts);
  LibraryFunction<uLong (*)(uLong, const Bytef*, uInt)> sum(thing, "crc32");
  EXPECT_ORDO_ERROR(sum(0, nullptr, 0), CudaError, "Thing is incomplete");
  EXPECT_ORDO_ERROR(sum(0, nullptr, 0), CudaError, "libordo-thing_rest.so.1");
}

TEST(SharedLibraryTest, a_function_that_is_not_in_the_library_is_an_error_with_its_name) {
  LibraryFunction<int (*)()> function(libraries::zlib, "inflate_everything");
  EXPECT_ORDO_ERROR(function(), CudaError, "zlib has no function inflate_everything");
}

}  // namespace
}  // namespace ordo::test::shared_library_test
