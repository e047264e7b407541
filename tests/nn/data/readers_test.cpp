// The MNIST and CIFAR-10 readers: contents, and every way in which a file can be broken.
#include <zlib.h>

#include "tests/support/folder_test_base.h"
#include "tests/support/op_samples.h"

namespace ordo::test::readers_test {
namespace {

using Bytes = std::string;

Bytes big_endian(uint32_t v) { return {char(v >> 24), char(v >> 16), char(v >> 8), char(v)}; }

Bytes idx(uint32_t magic, std::vector<uint32_t> sizes, const Bytes& elements) {
  Bytes b = big_endian(magic);
  for (uint32_t s : sizes) b += big_endian(s);
  return b + elements;
}

class ReadersTest : public FolderTest {
 protected:
  std::string write_gz(const std::string& name, const Bytes& contents) {
    gzFile f = gzopen(path(name).c_str(), "wb");
    gzwrite(f, contents.data(), unsigned(contents.size()));
    gzclose(f);
    return path(name);
  }
};

Bytes two_images() {
  Bytes pixels;
  for (int i = 0; i < 12; ++i) pixels += char(i * 20);
  return idx(0x803, {2, 2, 3}, pixels);
}

using MnistTest = ReadersTest;

TEST_F(MnistTest, reads_plain_and_gzip) {
  write("train-images-idx3-ubyte", two_images());
  write("train-labels-idx1-ubyte", idx(0x801, {2}, "\x07\x02"));
  write_gz("t10k-images-idx3-ubyte.gz", two_images());
  write_gz("t10k-labels-idx1-ubyte.gz", idx(0x801, {2}, "\x07\x02"));
  for (bool train : {true, false}) {
    const data::ImageDataset d = data::mnist(folder(), train);
    EXPECT_EQ(d.size(), 2);
    EXPECT_EQ(d.images.sizes(), (Dims{2, 1, 2, 3}));
    EXPECT_EQ(d.images.dtype(), float32);
    EXPECT_EQ(d.labels.to_vector<int64_t>(), (std::vector<int64_t>{7, 2}));
    EXPECT_EQ(d.labels.dtype(), int64);
    const auto pixels = d.images.to_vector<float>();
    for (int i = 0; i < 12; ++i) EXPECT_EQ(pixels[size_t(i)], float(i * 20) / 255.0f);
  }
}

TEST_F(MnistTest, other_names_and_the_raw_directory) {
  write("MNIST/raw/train-images.idx3-ubyte", two_images());
  write("MNIST/raw/train-labels.idx1-ubyte", idx(0x801, {2}, "\x07\x02"));
  EXPECT_EQ(data::mnist(folder()).size(), 2);
  EXPECT_ORDO_ERROR(data::mnist(folder(), false), DataError, "t10k-images-idx3-ubyte.gz");
}

TEST_F(MnistTest, missing) {
  EXPECT_ORDO_ERROR(data::mnist(folder()), DataError, "train-images-idx3-ubyte");
  EXPECT_ORDO_ERROR(data::mnist(folder() + "/absent"), DataError, "no such directory");
}

TEST_F(MnistTest, any_idx_file) {
  EXPECT_EQ(data::read_idx(write("a", idx(0x800, {}, "\x09"))).item<int>(), 9);
  EXPECT_EQ(data::read_idx(write("b", idx(0x802, {2, 2}, "\x01\x02\x03\x04"))).to_vector<int>(),
            (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(data::read_idx(write("c", idx(0x803, {0, 28, 28}, ""))).sizes(), (Dims{0, 28, 28}));
}

TEST_F(MnistTest, corrupt_headers) {
  struct Case {
    Bytes contents;
    const char* where;
    const char* what;
  } cases[] = {
      {"", "byte 0", "expected 4 more"},
      {Bytes("\0\0\x08", 3), "byte 3", "expected 1 more of the 4 bytes of the magic number"},
      {idx(0x12340803, {2, 2, 3}, ""), "byte 0", "12340803"},
      {idx(0xD03, {2, 2, 3}, Bytes(48, 'x')), "byte 2", "found 0d"},
      {idx(0x809, {1, 1, 1, 1, 1, 1, 1, 1, 1}, "x"), "byte 3", "found 9"},
      {big_endian(0x803) + big_endian(2) + Bytes("\0\0", 2), "byte 10", "2 more"},
      {idx(0x803, {0xffffffff, 0xffffffff, 0xffffffff}, "x"), "byte 8", "too large"},
      {idx(0x804, {0, 0xffffffff, 0xffffffff, 2}, ""), "byte 12", "too large"},
      {idx(0x803, {60000, 28, 28}, Bytes(100, 'x')), "byte 16", "at most 100 bytes"},
      {idx(0x802, {2, 3}, "12345"), "byte 12", "at most 5 bytes"},
      {idx(0x802, {2, 2}, "12345"), "byte 16", "expected the end"},
  };
  reset_peak_memory_stats();
  for (const auto& c : cases) {
    const std::string path = write("broken", c.contents);
    EXPECT_ORDO_ERROR(data::read_idx(path), DataError, path);
    EXPECT_ORDO_ERROR(data::read_idx(path), DataError, c.where);
    EXPECT_ORDO_ERROR(data::read_idx(path), DataError, c.what);
  }
  EXPECT_LT(memory_stats().peak_allocated_bytes, size_t(1) << 20)
      << "a promised size was allocated before it was checked";
}

TEST_F(MnistTest, corrupt_pairs) {
  const Bytes images = two_images();
  struct Case {
    Bytes images, labels;
    const char* where;
    const char* what;
  } cases[] = {
      {idx(0x801, {2}, "ab"), idx(0x801, {2}, "\1\2"), "byte 3", "expected 3 dimensions, found 1"},
      {images, idx(0x803, {2, 1, 1}, "\1\2"), "byte 3", "expected 1 dimensions, found 3"},
      {images, idx(0x801, {3}, "\1\2\3"), "byte 4", "expected 2 labels"},
      {images, idx(0x801, {2}, "\1\x0a"), "byte 9", "expected a label between 0 and 9, found 10"},
  };
  for (const auto& c : cases) {
    write("train-images-idx3-ubyte", c.images);
    write("train-labels-idx1-ubyte", c.labels);
    EXPECT_ORDO_ERROR(data::mnist(folder()), DataError, c.where);
    EXPECT_ORDO_ERROR(data::mnist(folder()), DataError, c.what);
  }
}

TEST_F(MnistTest, broken_gzip) {
  Bytes noise;
  for (unsigned i = 0, v = 1; i < 5000; ++i) noise += char((v = v * 1664525 + 1013904223) >> 24);
  const Bytes packed = read(write_gz("whole.gz", idx(0x801, {5000}, noise)));
  EXPECT_EQ(data::read_idx(folder() + "/whole.gz").numel(), 5000);

  EXPECT_ORDO_ERROR(data::read_idx(write("cut.gz", packed.substr(0, 3000))), DataError, "the file ends here");
  EXPECT_ORDO_ERROR(data::read_idx(write("cut.gz", packed.substr(0, 3000))), DataError, "of the unpacked data");
  // The checksum and length at the end are missing, or wrong.
  EXPECT_THROW(data::read_idx(write("cut.gz", packed.substr(0, packed.size() - 6))), DataError);
  Bytes flipped = packed;
  flipped[flipped.size() - 5] = char(flipped[flipped.size() - 5] ^ 1);
  EXPECT_ORDO_ERROR(data::read_idx(write("flip.gz", flipped)), DataError, "corrupt");
  // A flipped bit anywhere is noticed.
  for (size_t at = 12; at < packed.size(); at += 97) {
    flipped = packed;
    flipped[at] = char(flipped[at] ^ 0x10);
    EXPECT_THROW(data::read_idx(write("flip.gz", flipped)), DataError) << at;
  }
  // Every truncation is noticed.
  for (size_t length = 0; length < packed.size(); length += 89)
    EXPECT_THROW(data::read_idx(write("cut.gz", packed.substr(0, length))), DataError) << length;
  EXPECT_ORDO_ERROR(data::read_idx(write_gz("big.gz", idx(0x803, {60000, 1000, 1000}, "x"))), DataError, "promises");
}

using Cifar10Test = ReadersTest;

Bytes record(int label, char fill) {
  Bytes bytes(3073, fill);
  bytes[0] = char(label);
  return bytes;
}

TEST_F(Cifar10Test, reads_all_batches) {
  for (int i = 1; i <= 5; ++i)
    write("data_batch_" + std::to_string(i) + ".bin", record(i, char(i)) + record(9, char(255)));
  write("test_batch.bin", record(0, char(51)));
  const data::ImageDataset d = data::cifar10(folder());
  EXPECT_EQ(d.images.sizes(), (Dims{10, 3, 32, 32}));
  EXPECT_EQ(d.labels.to_vector<int>(), (std::vector<int>{1, 9, 2, 9, 3, 9, 4, 9, 5, 9}));
  EXPECT_EQ(d.images[2][2][31][31].item<float>(), 2.0f / 255.0f);
  EXPECT_EQ(d.images[3][0][0][0].item<float>(), 1.0f);
  EXPECT_EQ(data::cifar10(folder(), false).images[0][1][5][5].item<float>(), 0.2f);
}

TEST_F(Cifar10Test, broken) {
  EXPECT_ORDO_ERROR(data::cifar10(folder()), DataError, "data_batch_1.bin");
  write("cifar-10-batches-bin/test_batch.bin", record(0, 'x') + Bytes(100, 'x'));
  EXPECT_ORDO_ERROR(data::cifar10(folder(), false), DataError, "byte 3173");
  write("cifar-10-batches-bin/test_batch.bin", "");
  EXPECT_ORDO_ERROR(data::cifar10(folder(), false), DataError, "byte 0");
  write("cifar-10-batches-bin/test_batch.bin", record(0, 'x') + record(10, 'x'));
  EXPECT_ORDO_ERROR(data::cifar10(folder(), false), DataError, "byte 3073: expected a label between 0 and 9, found 10");
}

TEST(Normalize, per_channel) {
  const Tensor images = from_vector<float>({0, 1, 0.5f, 0.25f}, {1, 2, 1, 2});
  EXPECT_EQ(data::normalize(images, {0.5}, {0.5}).to_vector<float>(), (std::vector<float>{-1, 1, 0, -0.5f}));
  EXPECT_EQ(data::normalize(images, {0, 0.5}, {1, 0.25}).to_vector<float>(), (std::vector<float>{0, 1, 0, -1}));
  EXPECT_ORDO_ERROR(data::normalize(images, {0, 0, 0}, {1}), ValueError, "normalize");
  EXPECT_ORDO_ERROR(data::normalize(images, {0}, {0}), ValueError, "above 0");
  EXPECT_ORDO_ERROR(data::normalize(images[0], {0}, {1}), ShapeError, "[N, C, H, W]");
}

}  // namespace
}  // namespace ordo::test::readers_test
