// NumPy's archives: what is written is read, and every broken archive is refused.
#include <fmt/format.h>
#include "tests/support/data_files.h"
#include "tests/support/names_of.h"
#include "tests/support/zip_of.h"

namespace ordo::test::npz_test {
namespace {

class NpzTest : public FolderTest {
 protected:
  /// Skips the test when Ordo was configured without libzip, having checked what the error says.
  bool can_read() {
    save_npz(path("empty"), {});
    return is_installed("libzip-dev", [&] { EXPECT_TRUE(load_npz(path("empty")).empty()); });
  }
  nn::NamedTensorList example() const {
    return {{"0.weight", test_indices({2, 3}, 7, 1).to(float32)}, {"b", test_indices({5}, 2, 1).to(boolean)}};
  }
  /// An archive whose bytes `change` has changed.
  std::string changed(const std::function<void(std::string&)>& change) {
    save_npz(path("good"), example());
    std::string bytes = read(path("good"));
    change(bytes);
    std::filesystem::remove(path("changed"));
    return write("changed", bytes);
  }
};

void replace_all(std::string& bytes, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = bytes.find(from, at)) != std::string::npos; at += to.size())
    bytes.replace(at, from.size(), to);
}

TEST_F(NpzTest, tensors_of_every_kind_in_the_order_given) {
  if (!can_read()) GTEST_SKIP();
  for (Device device : test_devices()) {
    nn::NamedTensorList tensors;
    for (DType dtype : {boolean, uint8, int32, int64, float16, float32, float64})
      for (const Dims& sizes : {Dims{}, Dims{0}, Dims{3}, Dims{2, 0, 3}, Dims{2, 3, 4}}) {
        const Tensor t = test_indices(sizes, 2, 1).to(device, dtype);
        tensors.push_back(
            {fmt::format("z{} {} ü/\"", 99 - tensors.size(), name(dtype)), sizes.size() > 1 ? t.transpose(0, 1) : t});
      }
    save_npz(path("a"), tensors);
    const auto loaded = load_npz(path("a"));
    EXPECT_EQ(names_of(loaded), names_of(tensors));
    expect_same_tensors(loaded, tensors);
    save_npz(path("b"), loaded);
    EXPECT_EQ(read(path("a")), read(path("b")));
  }
  EXPECT_EQ(read(path("empty")).size(), 22u);
}

TEST_F(NpzTest, what_cannot_be_written) {
  const Tensor t = ones({2});
  EXPECT_ORDO_ERROR(save_npz(path("a"), {{"x", t}, {"x", t}}), ValueError, "[save_npz] 'x' is given twice");
  EXPECT_ORDO_ERROR(save_npz(path("a"), {{"", t}}), ValueError, "names have 1 to 65531 bytes");
  EXPECT_ORDO_ERROR(save_npz(path("a"), {{std::string(65532, 'x'), t}}), ValueError, "this one has 65532");
  EXPECT_ORDO_ERROR(save_npz(path("a"), {{std::string("x\0y", 3), t}}), ValueError, "no zero byte");
  EXPECT_ORDO_ERROR(save_npz(path("a"), {{"\xff", t}}), ValueError, "UTF-8");
  EXPECT_ORDO_ERROR(save_npz(path("a"), {{"x", Tensor()}}), ValueError, "save_npz");
  EXPECT_ORDO_ERROR(save_npz(path("a"), {{"x", t.to(bfloat16)}}), DTypeError, "'x': NumPy has no bfloat16");
  EXPECT_FALSE(std::filesystem::exists(path("a")));
  EXPECT_FALSE(std::filesystem::exists(path("a.part")));
  if (can_read()) {
    save_npz(path("a"), {{std::string(65531, 'x'), t}});
    EXPECT_EQ(load_npz(path("a"))[0].name.size(), 65531u);
  }
}

TEST_F(NpzTest, truncated_files) {
  if (!can_read()) GTEST_SKIP();
  save_npz(path("good"), example());
  const std::string bytes = read(path("good"));
  for (size_t length = 0; length < bytes.size(); ++length) {
    const std::string file = changed([&](std::string& b) { b.resize(length); });
    EXPECT_ORDO_ERROR(load_npz(file), DataError, "[load_npz] " + file + ": the archive: ");
  }
}

// Every byte decides what is read, or whether; or nothing (a version, a date).
TEST_F(NpzTest, changed_bytes) {
  if (!can_read()) GTEST_SKIP();
  save_npz(path("good"), example());
  const size_t size = read(path("good")).size();
  size_t refused = 0;
  for (size_t at = 0; at < size; ++at)
    for (int bit : {0, 3, 7}) {
      const std::string file = changed([&](std::string& b) { b[at] = char(b[at] ^ 1 << bit); });
      try {
        SCOPED_TRACE(at);
        expect_same_tensors(load_npz(file), example());
      } catch (const DataError& error) {
        ++refused;
        EXPECT_TRUE(std::string(error.what()).starts_with("[load_npz] " + file + ": ")) << error.what();
      }
    }
  EXPECT_GT(refused, size * 3 * 3 / 4);
}

TEST_F(NpzTest, broken_archives) {
  if (!can_read()) GTEST_SKIP();
  const std::pair<std::function<void(std::string&)>, const char*> cases[] = {
      {[](std::string& b) { b = "\x93NUMPY\1"; }, "the archive: no zip file, or a broken one"},
      {[](std::string& b) { replace_all(b, "0.weight.npy", "0.weight.npx"); },
       "member '0.weight.npx': expected a name that ends in .npy"},
      {[](std::string& b) { b[b.find("NUMPY", 60)] = 'n'; }, "member '0.weight.npy': byte 0: expected a .npy file"},
      {[](std::string& b) { ++b[b.rfind("PK\3\4") - 1]; },
       "member '0.weight.npy': byte 152: its checksum (CRC) is wrong"},
      {[](std::string& b) { ++b[b.find("PK\1\2") - 1]; }, "member 'b.npy': byte "},
      {[](std::string& b) { replace_all(b, "(2, 3)", "(2, 9)"); },
       "member '0.weight.npy': byte 10: its sizes and dtype need 72 bytes, but it has 24"},
      {[](std::string& b) { replace_all(b, "<f4", "|O "); }, "member '0.weight.npy': byte 10: Ordo has no dtype '|O '"},
  };
  expect_refused(
      "load_npz", cases, [&](const auto& change) { return changed(change); }, load_npz);

  EXPECT_ORDO_ERROR(load_npz(path("absent")), DataError, "no such file");
  save_npz(path("two"), {{"x", ones({2})}, {"y", ones({2})}});
  std::string twice = read(path("two"));
  replace_all(twice, "y.npy", "x.npy");
  EXPECT_ORDO_ERROR(load_npz(write("twice", twice)), DataError, "member 'x.npy': its name is there twice");
}

// Sizes in headers that agree with each other, but not with the file.
TEST_F(NpzTest, sizes_that_the_archive_cannot_have) {
  if (!can_read()) GTEST_SKIP();
  const auto with_size = [&](uint64_t packed, uint64_t size) {
    return changed([&](std::string& b) {
      const auto put = [&](size_t at, uint64_t value, int width) {
        b.replace(at, size_t(width), little(value, width));
      };
      const size_t extra = 30 + 12 + 4, entry = b.find("PK\1\2");  // after the first name, "0.weight.npy"
      put(extra, size, 8), put(extra + 8, packed, 8);
      put(entry + 20, packed, 4), put(entry + 24, size, 4);
    });
  };
  EXPECT_NO_THROW(load_npz(with_size(152, 152)));
  reset_peak_memory_stats();
  for (const auto& [packed, size] : {std::pair(152, 1 << 30), {1 << 30, 1 << 30}, {151, 152}, {152, 151}, {151, 151}})
    EXPECT_ORDO_ERROR(load_npz(with_size(uint64_t(packed), uint64_t(size))), DataError, path("changed"));
  EXPECT_LT(memory_stats().peak_allocated_bytes, size_t(1) << 20);
}

}  // namespace
}  // namespace ordo::test::npz_test
