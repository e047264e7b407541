// Images from files and folders: contents, and every way in which a file can be broken.
#include <zlib.h>

#include "tests/support/data_files.h"
#include "tests/support/memory_limit.h"

namespace ordo::test::image_file_test {
namespace {

using Bytes = std::string;
using Floats = std::vector<float>;

Bytes big_endian(uint64_t v) { return {char(v >> 24), char(v >> 16), char(v >> 8), char(v)}; }

Bytes chunk(const Bytes& type, const Bytes& data) {
  const Bytes checked = type + data;
  return big_endian(data.size()) + checked +
         big_endian(crc32(0, reinterpret_cast<const Bytef*>(checked.data()), uInt(checked.size())));
}

/// color: 0 gray, 2 RGB, 3 palette, 4 gray and opacity, 6 RGB and opacity. pixels: row by row without filter bytes.
Bytes png(uint32_t width, uint32_t height, int depth, int color, const Bytes& pixels, const Bytes& palette = "") {
  Bytes rows;
  const size_t row = height ? pixels.size() / height : 0;
  for (size_t y = 0; y < height; ++y) rows += '\0' + pixels.substr(y * row, row);
  uLongf bytes = compressBound(uLong(rows.size()));
  Bytes packed(bytes, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &bytes, reinterpret_cast<const Bytef*>(rows.data()),
           uLong(rows.size()));
  packed.resize(bytes);
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", big_endian(width) + big_endian(height) + Bytes{char(depth), char(color), 0, 0, 0}) +
         (palette.empty() ? "" : chunk("PLTE", palette)) + chunk("IDAT", packed) + chunk("IEND", "");
}

Bytes from_hex(const Bytes& hex) {
  Bytes b;
  for (size_t i = 0; i < hex.size(); i += 2) b += char(std::stoi(hex.substr(i, 2), nullptr, 16));
  return b;
}

const Bytes kOnes = [] {  // a quantisation table
  Bytes hex;
  for (int i = 0; i < 64; ++i) hex += "01";
  return hex;
}();
/// 16 x 8: 200 on the left, 40 on the right.
const Bytes kGrayJpeg =
    from_hex("ffd8ffdb004300" + kOnes +
             "ffc0000b080008001001011100ffc4001500010100000000000000000000000000000a0bffc4001410010000"
             "0000000000000000000000000000ffda0008010100003f0048097fbfffd9");
/// 16 x 8: (250, 30, 10) on the left, (20, 100, 240) on the right.
const Bytes kColorJpeg = from_hex(
    "ffd8ffdb004300" + kOnes + "ffdb004301" + kOnes +
    "ffc00011080008001003011100021101031101ffc4001500010100000000000000000000000000000409ffc400141001000000000000000000"
    "00000000000000ffc4001601010101000000000000000000000000000b090affc40014110100000000000000000000000000000000ffda000c"
    "03010002110311003f009ce90edc00e410173bffd9");

class ImageFileTest : public FolderTest {
 protected:
  Tensor decoded(const Bytes& contents, data::ReadImageOptions options = {}) {
    std::filesystem::remove(path("image"));  // where a file is overwritten, closing it waits for the disk
    write("image", contents);
    return data::read_image(path("image"), options);
  }
  /// Skips the test when Ordo was configured without the format's library, having checked what the error says.
  bool can_read_png() {
    return is_installed("libpng-dev", [&] { decoded(png(1, 1, 8, 0, "a")); });
  }
  bool can_read_jpeg() {
    return is_installed("libjpeg-dev", [&] { decoded(kGrayJpeg); });
  }
  void expect_error(const Bytes& contents, const std::string& reason) {
    EXPECT_ORDO_ERROR(decoded(contents), DataError, "[read_image] " + path("image") + ": " + reason);
  }
};

Floats parts(std::initializer_list<int> bytes) {
  Floats v;
  for (int b : bytes) v.push_back(float(b) / 255.0f);
  return v;
}

TEST_F(ImageFileTest, png_of_every_kind) {
  if (!can_read_png()) GTEST_SKIP();
  const Tensor gray = decoded(png(3, 2, 8, 0, Bytes("\x00\x10\x20\x30\x40\xff", 6)));
  EXPECT_EQ(gray.sizes(), (Dims{1, 2, 3}));
  EXPECT_EQ(gray.dtype(), float32);
  EXPECT_EQ(gray.to_vector<float>(), parts({0, 16, 32, 48, 64, 255}));
  const Tensor color = decoded(png(2, 1, 8, 2, "\x01\x02\x03\x04\x05\x06"));
  EXPECT_EQ(color.sizes(), (Dims{3, 1, 2}));
  EXPECT_EQ(color.to_vector<float>(), parts({1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(decoded(png(2, 1, 8, 3, Bytes("\x01\x00", 2), "\x01\x02\x03\x04\x05\x06")).to_vector<float>(),
            parts({4, 1, 5, 2, 6, 3}));
  EXPECT_EQ(decoded(png(2, 1, 8, 4, "\x07\x80\x08\x90")).to_vector<float>(), parts({7, 8})) << "without opacity";
  EXPECT_EQ(decoded(png(1, 1, 8, 6, "\x07\x08\x09\x80")).to_vector<float>(), parts({7, 8, 9}));
  EXPECT_EQ(decoded(png(2, 1, 16, 0, "\xff\xff\x80\x80")).to_vector<float>(), parts({255, 128}));
  EXPECT_EQ(decoded(png(3, 1, 1, 0, "\xa0")).to_vector<float>(), parts({255, 0, 255})) << "bits";
  // The channels that are asked for.
  EXPECT_EQ(decoded(png(1, 1, 8, 0, "\x07"), {3}).to_vector<float>(), parts({7, 7, 7}));
  EXPECT_EQ(decoded(png(1, 1, 8, 2, "\x14\x28\x3c"), {1}).to_vector<float>(),
            (Floats{(0.2989f * 20 + 0.587f * 40 + 0.114f * 60) / 255.0f}));
}

TEST_F(ImageFileTest, jpeg) {
  if (!can_read_jpeg()) GTEST_SKIP();
  const Tensor gray = decoded(kGrayJpeg), color = decoded(kColorJpeg);
  ASSERT_EQ(gray.sizes(), (Dims{1, 8, 16}));
  ASSERT_EQ(color.sizes(), (Dims{3, 8, 16}));
  // Quantisation by 1 and 8 bits of each colour leave an error of 2 at most.
  const int left[] = {250, 30, 10}, right[] = {20, 100, 240};
  for (int64_t i = 0; i < 128; ++i) {
    EXPECT_NEAR(gray.data<float>()[i] * 255, i % 16 < 8 ? 200 : 40, 2);
    for (int64_t c = 0; c < 3; ++c)
      EXPECT_NEAR(color.data<float>()[c * 128 + i] * 255, i % 16 < 8 ? left[c] : right[c], 2);
  }
}

TEST_F(ImageFileTest, pnm) {
  EXPECT_EQ(decoded("P5 2 1\n255\n\x10\x20").to_vector<float>(), parts({16, 32}));
  const Tensor color = decoded("P6\n# a comment\n1 2 # another\n255 \x01\x02\x03\x04\x05\x06");
  EXPECT_EQ(color.sizes(), (Dims{3, 2, 1}));
  EXPECT_EQ(color.to_vector<float>(), parts({1, 4, 2, 5, 3, 6}));
  expect_error("P5 2 1\n255\n\x10", "the header promises 1 x 2 pixels of 1 bytes, but 1 bytes follow");
  expect_error("P5 2 1\n255\n\x10\x10\x10", "the header promises 1 x 2 pixels of 1 bytes, but 3 bytes follow");
  expect_error("P6 999999999 999999999\n255\nabc", "the header promises");
  expect_error("P5 0 0\n255\n", "the header promises 0 x 0 pixels; expected at least one");
  expect_error("P5 2 1\n65535\n\x10\x10\x10\x10", "expected values up to 255, found 65535");
  expect_error("P5 x", "byte 3: expected the width");
  expect_error("P5 2", "byte 3: expected the width");
  expect_error("P5 2 1 #", "byte 8: expected the greatest value");
  expect_error("P5 2 9999999999\n", "byte 5: expected the height");
}

TEST_F(ImageFileTest, other_files) {
  expect_error("", "expected a PNG, JPEG, binary PPM or PGM file");
  expect_error("GIF89a", "expected a PNG, JPEG, binary PPM or PGM file");
  EXPECT_ORDO_ERROR(decoded("P5 1 1\n255\na", {2}), ValueError, "0, 1 or 3 channels, not 2");
  EXPECT_ORDO_ERROR(decoded("P5 1 1\n255\na", {.max_pixels = 0}), ValueError, "max_pixels");
}

TEST_F(ImageFileTest, truncated_and_changed_files) {
  Bytes noise;
  for (int i = 0; i < 48; ++i) noise += char(i * 89);
  std::vector<Bytes> files{"P6 4 4\n255\n" + noise};
  if (can_read_png()) files.push_back(png(4, 4, 8, 2, noise));
  if (can_read_jpeg()) files.push_back(kColorJpeg), files.push_back(kGrayJpeg);
  for (const Bytes& whole : files) {
    EXPECT_NO_THROW(decoded(whole));
    for (size_t bytes = 0; bytes < whole.size(); ++bytes)
      EXPECT_THROW(decoded(whole.substr(0, bytes)), DataError) << bytes << " of " << whole.size();
    // Any change is noticed or gives another picture; it never does more. No declared size asks for much memory.
    const MemoryLimit limit(1 << 20);
    for (size_t at = 0; at < whole.size(); ++at)
      for (int bit = 0; bit < 8; ++bit) {
        Bytes changed = whole;
        changed[at] = char(changed[at] ^ 1 << bit);
        try {
          EXPECT_EQ(decoded(changed, {.max_pixels = 1 << 16}).dim(), 3);
        } catch (const DataError&) {
        }
      }
  }
}

TEST_F(ImageFileTest, sizes_are_checked_before_memory_is_taken) {
  const MemoryLimit limit(1 << 20);
  if (can_read_png()) {
    Bytes huge = png(1, 1, 8, 0, "a");
    const Bytes header = chunk("IHDR", big_endian(60000) + big_endian(60000) + Bytes{8, 0, 0, 0, 0});
    huge.replace(8, header.size(), header);
    EXPECT_ORDO_ERROR(decoded(huge, {.max_pixels = INT64_MAX}), DataError, "more pixels than the file can hold");
    expect_error(png(0, 1, 8, 0, ""), "the PNG data is corrupt");
    Bytes flipped = png(1, 1, 8, 0, "a");
    flipped[flipped.size() - 20] = char(flipped[flipped.size() - 20] ^ 1);
    expect_error(flipped, "the PNG data is corrupt");
  }
  if (can_read_jpeg()) {
    Bytes huge = kGrayJpeg;
    const size_t frame = huge.find("\xff\xc0");
    huge.replace(frame + 5, 4, "\xfe\xfe\xfe\xfe");
    expect_error(huge, "the header promises 65278 x 65278 pixels; expected");
    EXPECT_ORDO_ERROR(decoded(huge, {.max_pixels = INT64_MAX}), DataError, "more pixels than the file can hold");
    EXPECT_ORDO_ERROR(decoded(kGrayJpeg, {.max_pixels = 127}), DataError,
                      "the header promises 8 x 16 pixels; expected");
    expect_error("\xff\xd8\xff\xd9", "the JPEG data is corrupt: ");
  }
  EXPECT_ORDO_ERROR(decoded("P5 3 3\n255\n123456789", {.max_pixels = 8}), DataError, "at most 8 together");
}

TEST_F(ImageFileTest, written_and_read_again) {
  const Tensor bytes = test_indices({3, 5, 300}, 256, 1).to(uint8), gray = bytes.narrow(0, 1, 1);
  const Tensor flat = full({3, 16, 16}, 200, uint8);
  if (can_read_png()) {
    for (const Tensor& image : {bytes, gray, bytes.transpose(1, 2)}) {
      const Tensor want = image.to(float32) / 255;
      data::write_image(path("a.png"), image);
      EXPECT_TRUE(data::read_image(path("a.png")).equal(want)) << image.sizes();
      data::write_image(path("a.PNG"), want, {.compression_level = 0});
      EXPECT_TRUE(data::read_image(path("a.PNG")).equal(want)) << image.sizes();
    }
    data::write_image(path("half.png"), full({1, 1, 2}, 0.5, float64));
    EXPECT_EQ(data::read_image(path("half.png")).to_vector<float>(), parts({128, 128}));
    EXPECT_FALSE(std::filesystem::exists(path("a.png.part")));
    EXPECT_ORDO_ERROR(data::write_image(path("none/a.png"), bytes), DataError, "[write_image] " + path("none/a.png"));
    const std::string before = read(path("a.png"));
    EXPECT_ORDO_ERROR(data::write_image(path("a.png"), full({1, 1, 1}, 1.5)), ValueError, "[0, 1], not 1.5");
    EXPECT_EQ(read(path("a.png")), before);
  }
  if (can_read_jpeg()) {
    for (const Tensor& image : {flat, flat.narrow(0, 0, 1)}) {
      data::write_image(path("b.jpg"), image);
      const Tensor again = data::read_image(path("b.jpg"));
      EXPECT_EQ(again.sizes(), image.sizes());
      EXPECT_LT((again * 255 - image.to(float32)).abs().max().item(), 2);
    }
    data::write_image(path("good.jpeg"), bytes, {.quality = 100});
    data::write_image(path("bad.jpeg"), bytes, {.quality = 1});
    EXPECT_GT(std::filesystem::file_size(path("good.jpeg")), 4 * std::filesystem::file_size(path("bad.jpeg")));
    EXPECT_ORDO_ERROR(data::write_image(path("c.jpg"), zeros({1, 1, 65501}, uint8)), ShapeError, "65500");
  }
  EXPECT_ORDO_ERROR(data::write_image(path("a.gif"), bytes), ValueError, "must end in .png, .jpg or .jpeg");
  EXPECT_ORDO_ERROR(data::write_image(path("a.png"), bytes.to(int64)), DTypeError, "[write_image] takes uint8");
  EXPECT_ORDO_ERROR(data::write_image(path("a.png"), bytes.narrow(0, 0, 2)), ShapeError, "[write_image]");
  EXPECT_ORDO_ERROR(data::write_image(path("a.png"), zeros({1, 0, 2})), ShapeError, "[write_image]");
  EXPECT_ORDO_ERROR(data::write_image(path("a.png"), Tensor()), ValueError, "image is an undefined tensor");
  EXPECT_ORDO_ERROR(data::write_image(path("a.jpg"), bytes, {.quality = 0}), ValueError, "quality = 0");
  EXPECT_ORDO_ERROR(data::write_image(path("a.png"), bytes, {.compression_level = 10}), ValueError, "= 10");
}

TEST_F(ImageFileTest, folders_are_classes) {
  if (!can_read_png()) GTEST_SKIP();
  // Written in another order than that of the names; each image's pixels are its number.
  const std::vector<std::string> names{"b/2.PNG", "a/x/0.png", "b/1.ppm", "a/z.png", "C/only.png"};
  for (size_t k = 0; k < names.size(); ++k)
    write(names[k],
          names[k].ends_with("ppm") ? "P6 1 1\n255\n" + Bytes(3, char(k)) : png(1, 1, 8, 2, Bytes(3, char(k))));
  write("b/notes.txt", "no image");
  write("README", "no class");
  const data::ImageFolder set(folder());
  EXPECT_EQ(set.classes(), (std::vector<std::string>{"C", "a", "b"}));
  ASSERT_EQ(set.size(), 5);
  const std::vector<size_t> order{4, 1, 3, 2, 0};
  const std::vector<int64_t> labels{0, 1, 1, 2, 2};
  for (int64_t i = 0; i < 5; ++i) {
    const auto k = order[size_t(i)];
    EXPECT_EQ(set.path(i), path(names[k]));
    EXPECT_EQ(set.label(i), labels[size_t(i)]);
    const data::Sample sample = set.get(i);
    EXPECT_EQ(sample[0].to_vector<float>(), parts({int(k), int(k), int(k)}));
    EXPECT_EQ(sample[1].item<int64_t>(), labels[size_t(i)]);
  }
  data::DataLoader loader(data::TransformedDataset(set, {data::Resize(2, 2)}), {.batch_size = 5, .workers = 2});
  for (auto [images, classes] : loader) {
    EXPECT_EQ(images.sizes(), (Dims{5, 3, 2, 2}));
    EXPECT_EQ(classes.to_vector<int64_t>(), labels);
  }
  EXPECT_ORDO_ERROR(set.get(5), IndexError, "sample 5 of a set of 5");
  write("b/1.ppm", "broken");
  EXPECT_ORDO_ERROR(*loader.begin(), DataError, path("b/1.ppm"));
}

TEST_F(ImageFileTest, folders_without_images) {
  EXPECT_ORDO_ERROR(data::ImageFolder(path("none")), DataError, "none: no such folder");
  EXPECT_ORDO_ERROR(data::ImageFolder(folder()), DataError, "a sub-folder for each class, found none");
  write("a/notes.txt", "");
  EXPECT_ORDO_ERROR(data::ImageFolder(folder()), DataError, "a: expected files .png, .jpg");
}

}  // namespace
}  // namespace ordo::test::image_file_test
