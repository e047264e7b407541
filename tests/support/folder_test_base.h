// A test with an empty folder of its own, which goes when the test ends.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ordo::test {

class FolderTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("ordo_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "_" +
               std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder() const { return folder_.string(); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Returns the file's path.
  std::string write(const std::string& name, const std::string& contents) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << contents;
    return path(name);
  }
  static std::string read(const std::string& path) {
    std::ifstream f(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(f), {}};
  }
  /// Both folders have these files, with the same bytes.
  void expect_same_files(const std::string& name, const std::string& other,
                         const std::vector<std::string>& files) const {
    for (const std::string& file : files) {
      const std::string bytes = read(path(name) + "/" + file);
      EXPECT_FALSE(bytes.empty()) << file;
      EXPECT_TRUE(bytes == read(path(other) + "/" + file)) << file << " of " << other;
    }
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace ordo::test
