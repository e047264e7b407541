// What may stand where a file is to be written or read: links, pipes, devices, folders. And what the disk has when a
// file has got its name.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <thread>

#include "tests/support/fifo.h"
#include "tests/support/file_calls.h"
#include "tests/support/folder_test_base.h"
#include "tests/support/op_samples.h"

namespace ordo::test::special_files_test {
namespace {

namespace fs = std::filesystem;

struct Writer {
  const char* name;
  std::function<void(const std::string&)> write;
};

int64_t step = 1;

/// Everything that writes a file that is there whole or not at all.
std::vector<Writer> writers() {
  static const nn::NamedTensorList tensors{{"x", ones({3})}};
  return {{"safetensors", [](const std::string& path) { save_safetensors(path, tensors); }},
          {"npy", [](const std::string& path) { save_npy(path, tensors[0].tensor); }},
          {"npz", [](const std::string& path) { save_npz(path, tensors); }},
          {"checkpoint", [](const std::string& path) {
             Checkpoint run;
             run.add("step", step);
             run.save(path);
           }}};
}

class SpecialFiles : public FolderTest {
 protected:
  std::string written(const Writer& writer) const {
    writer.write(path("plain"));
    const std::string bytes = read(path("plain"));
    fs::remove(path("plain"));
    return bytes;
  }
  void expect_no_part() const {
    for (const auto& entry : fs::recursive_directory_iterator(folder()))
      EXPECT_FALSE(entry.path().string().ends_with(".part")) << entry.path();
  }
};

TEST_F(SpecialFiles, where_a_link_leads_is_replaced) {
  for (const Writer& writer : writers()) {
    const std::string expected = written(writer);
    for (const char* there : {"an earlier file", ""}) {
      fs::create_directories(path("far"));
      if (*there) write("far/file", there);
      fs::create_symlink("far/middle", path("link"));
      fs::create_symlink("file", path("far/middle"));
      writer.write(path("link"));
      EXPECT_TRUE(fs::is_symlink(path("link")) && fs::is_symlink(path("far/middle"))) << writer.name;
      EXPECT_EQ(read(path("far/file")), expected) << writer.name;
      expect_no_part();
      fs::remove_all(path("far"));
      fs::remove(path("link"));
    }
    fs::create_symlink("round", path("round"));
    EXPECT_ORDO_ERROR(writer.write(path("round")), DataError, "Too many levels of symbolic links");
    fs::remove(path("round"));
  }
}

TEST_F(SpecialFiles, a_device_is_written_to) {
  for (const Writer& writer : writers()) {
    // Nodes of one's own, as root's are what a fault would replace.
    for (const auto& [name, minor, message] : {std::tuple("null", 3, ""), std::tuple("full", 7, "No space left")}) {
      if (::mknod(path(name).c_str(), S_IFCHR | 0600, ::makedev(1, unsigned(minor))) != 0)
        fs::create_symlink(std::string("/dev/") + name, path(name));  // not root, who replaces nothing in /dev
      struct stat before {
      }, after{};
      ASSERT_EQ(::stat(path(name).c_str(), &before), 0);
      try {
        writer.write(path(name));
        EXPECT_STREQ(message, "") << writer.name;
      } catch (const DataError& error) {
        EXPECT_NE(std::string(error.what()).find(*message ? message : "no error"), std::string::npos) << error.what();
      }
      ASSERT_EQ(::stat(path(name).c_str(), &after), 0);
      EXPECT_TRUE(S_ISCHR(after.st_mode) && after.st_rdev == before.st_rdev) << writer.name << " " << name;
      expect_no_part();
      fs::remove(path(name));
    }
  }
}

TEST_F(SpecialFiles, a_pipe_is_written_to_if_somebody_reads) {
  for (const Writer& writer : writers()) {
    Fifo pipe(path("pipe"));
    std::string bytes;
    std::thread reader([&] { bytes = read(pipe.path()); });
    writer.write(pipe.path());
    EXPECT_TRUE(pipe.is_there()) << writer.name;
    if (!pipe.is_there()) ::mkfifo(pipe.path().c_str(), 0600);
    reader.join();
    EXPECT_EQ(bytes, written(writer)) << writer.name;
    EXPECT_FALSE(pipe.waited());
    fs::remove(pipe.path());
  }
}

TEST_F(SpecialFiles, a_pipe_that_nobody_reads_is_an_error) {
  for (const Writer& writer : writers()) {
    Fifo pipe(path("pipe"));
    EXPECT_ORDO_ERROR(writer.write(pipe.path()), DataError,
                      pipe.path() + ": cannot be opened: a pipe that nobody reads");
    EXPECT_TRUE(pipe.is_there() && !pipe.waited()) << writer.name;
    fs::remove(pipe.path());
  }
}

TEST_F(SpecialFiles, what_stands_beside_the_file_is_not_followed) {
  const Writer writer = writers()[0];
  write("other", "somebody's");
  fs::create_symlink("other", path("file.part"));
  EXPECT_THROW(writer.write(path("file")), DataError);
  EXPECT_EQ(read(path("other")), "somebody's");
  fs::remove(path("file.part"));
  {
    Fifo pipe(path("file.part"));
    EXPECT_THROW(writer.write(path("file")), DataError);
    EXPECT_FALSE(pipe.waited());
    fs::remove(pipe.path());
  }
  write("file.part", std::string(100000, 'x'));  // an interrupted program's
  writer.write(path("file"));
  EXPECT_EQ(read(path("file")), written(writer));
  fs::create_directories(path("folder"));
  EXPECT_ORDO_ERROR(writer.write(path("folder")), DataError, "cannot be opened: Is a directory");
  expect_no_part();
}

TEST_F(SpecialFiles, readers_take_files_only) {
  const std::pair<const char*, std::function<void(const std::string&)>> readers[] = {
      {"load_safetensors", [](const std::string& path) { load_safetensors(path); }},
      {"load_npy", [](const std::string& path) { load_npy(path); }},
      {"load_npz", [](const std::string& path) { load_npz(path); }},
      {"load_torch", [](const std::string& path) { load_torch(path); }},
      {"read_csv", [](const std::string& path) { data::read_csv(path); }},
      {"read_text", [](const std::string& path) { data::read_text(path); }},
      {"read_image", [](const std::string& path) { data::read_image(path); }},
      {"data", [](const std::string& path) { data::read_idx(path); }},
      {"trace", [](const std::string& path) { audit::read(path); }}};
  for (const auto& [name, read] : readers) {
    Fifo pipe(path("pipe"));
    EXPECT_ORDO_ERROR(read(pipe.path()), DataError, std::string("[") + name + "] " + pipe.path());
    EXPECT_FALSE(pipe.waited()) << name;
    fs::remove(pipe.path());
    EXPECT_ORDO_ERROR(read("/dev/zero"), DataError, std::string("[") + name + "] /dev/zero");
    EXPECT_ORDO_ERROR(read(folder()), DataError, std::string("[") + name + "] " + folder());
    // Without libzip, that is what the error says.
    const bool zip = name == std::string("load_npz") || name == std::string("load_torch");
    const std::string why = zip ? "" : ": no such file";
    EXPECT_ORDO_ERROR(read(path("absent")), DataError, std::string("[") + name + "] " + path("absent") + why);
  }
}

TEST_F(SpecialFiles, a_name_is_given_to_what_is_on_the_disk) {
  for (const Writer& writer : writers()) {
    FileCalls watched;
    writer.write(path("file"));
    const std::string size = std::to_string(fs::file_size(path("file")));
    EXPECT_EQ(watched.calls,
              (std::vector<std::string>{"fsync " + path("file.part") + ", " + size + " bytes",
                                        "rename " + path("file.part") + " to " + path("file"), "fsync " + folder()}))
        << writer.name;
  }
}

}  // namespace
}  // namespace ordo::test::special_files_test
