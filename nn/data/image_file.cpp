#include <ordo/nn/data/image_file.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/data/image.h>
#include <ordo/nn/state/data_file.h>
#include <ordo/nn/state/whole_file.h>

namespace ordo::data {

namespace fs = std::filesystem;

void ImageSource::expect_sizes(int64_t height, int64_t width) const {
  if (height < 1 || width < 1 || height > kMostPixels || width > kMostPixels || height > max_pixels / width)
    fail(
        "the header promises {} x {} pixels; expected at least one, at most {} in a row or column, and at most {} "
        "together (max_pixels)",
        height, width, kMostPixels, max_pixels);
}

Pixels ImageSource::room_for(int64_t channels, int64_t height, int64_t width) const {
  expect_sizes(height, width);
  return {channels, height, width, checked::vector<uint8_t>("read_image", channels * height * width)};
}

Pixels decode_pnm(const ImageSource& source) {
  const std::string& s = source.contents;
  size_t at = 2;
  const auto number = [&](const char* what) {
    for (; at < s.size() && (std::isspace(uint8_t(s[at])) || s[at] == '#'); ++at)
      if (s[at] == '#') at = std::min(s.find('\n', at), s.size() - 1);
    int64_t value = 0;
    const size_t begin = at;
    for (; at < s.size() && at < begin + 9 && std::isdigit(uint8_t(s[at])); ++at) value = 10 * value + (s[at] - '0');
    if (at == begin || at == s.size() || !std::isspace(uint8_t(s[at])))
      source.fail("byte {}: expected {}, a number and white space", begin, what);
    return value;
  };
  const int64_t channels = s[1] == '6' ? 3 : 1, width = number("the width"), height = number("the height");
  const int64_t greatest = number("the greatest value");
  ++at;
  if (greatest != 255) source.fail("expected values up to 255, found {}", greatest);
  if (width > kMostPixels || height > kMostPixels || channels * width * height != int64_t(s.size() - at))
    source.fail("the header promises {} x {} pixels of {} bytes, but {} bytes follow", height, width, channels,
                s.size() - at);
  Pixels pixels = source.room_for(channels, height, width);
  std::memcpy(pixels.bytes.data(), s.data() + at, pixels.bytes.size());
  return pixels;
}

Tensor read_image(const std::string& path, ReadImageOptions options) {
  const char* op = "read_image";
  ORDO_CHECK(options.channels == 0 || options.channels == 1 || options.channels == 3, ValueError, op,
             "needs 0, 1 or 3 channels, not {}", options.channels);
  ORDO_CHECK(options.max_pixels >= 1, ValueError, op, "needs max_pixels above 0, not {}", options.max_pixels);
  const std::string contents = nn::read_whole_file(path, op);
  const ImageSource source{path, contents, options.max_pixels};
  const auto begins = [&](std::string_view magic) { return contents.starts_with(magic); };
  Pixels pixels;
  if (begins("\x89PNG\r\n\x1a\n"))
    pixels = decode_png(source);
  else if (begins("\xff\xd8\xff"))
    pixels = decode_jpeg(source);
  else if (begins("P5") || begins("P6"))
    pixels = decode_pnm(source);
  else
    source.fail("expected a PNG, JPEG, binary PPM or PGM file; the first bytes are those of none");

  const Image image(options.channels ? options.channels : pixels.channels, pixels.height, pixels.width);
  const uint8_t* from = pixels.bytes.data();
  for (int64_t i = 0; i < image.area(); ++i, from += pixels.channels) {
    if (image.channels < pixels.channels)
      image.data[i] = (0.2989f * float(from[0]) + 0.587f * float(from[1]) + 0.114f * float(from[2])) / 255.0f;
    else
      for (int64_t c = 0; c < image.channels; ++c)
        image.data[c * image.area() + i] = float(from[pixels.channels == 1 ? 0 : c]) / 255.0f;
  }
  return image.tensor;
}

/// Of the path's name, in small letters.
static std::string ending_of(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = char(std::tolower(uint8_t(c)));
  return ending;
}

/// Of an image as write_image takes it.
static Pixels pixels_of(const char* op, const Tensor& image) {
  ordo::detail::expect_defined(op, image, "image");
  ORDO_CHECK(image.dtype() == uint8 || is_floating(image.dtype()), DTypeError, op,
             "takes uint8, or floating numbers in [0, 1], not {}", image.dtype());
  const auto fits = [](int64_t size) { return size >= 1 && size <= kMostPixels; };
  ORDO_CHECK(
      image.dim() == 3 && (image.size(0) == 1 || image.size(0) == 3) && fits(image.size(1)) && fits(image.size(2)),
      ShapeError, op, "takes images [1, H, W] or [3, H, W] with 1 to {} pixels in a row or column, not {}", kMostPixels,
      image.sizes());
  const bool bytes = image.dtype() == uint8;
  const Tensor rows = image.to(cpu).permute({1, 2, 0}).to(bytes ? uint8 : float32).contiguous();
  Pixels pixels{image.size(0), image.size(1), image.size(2), checked::vector<uint8_t>(op, image.numel())};
  for (int64_t i = 0; i < rows.numel(); ++i) {
    if (bytes) {
      pixels.bytes[size_t(i)] = rows.data<uint8_t>()[i];
      continue;
    }
    const float v = rows.data<float>()[i];
    ORDO_CHECK(v >= 0 && v <= 1, ValueError, op, "numbers must lie in [0, 1], not {}; clamp(image, 0, 1) cuts others",
               v);
    pixels.bytes[size_t(i)] = uint8_t(std::lround(v * 255.0f));
  }
  return pixels;
}

void write_image(const std::string& path, const Tensor& image, WriteImageOptions options) {
  const char* op = "write_image";
  const std::string ending = ending_of(path);
  const bool is_png = ending == ".png";
  ORDO_CHECK(is_png || ending == ".jpg" || ending == ".jpeg", ValueError, op,
             "{}: the name must end in .png, .jpg or .jpeg", path);
  ORDO_CHECK(options.quality >= 1 && options.quality <= 100, ValueError, op, "quality = {} must lie in [1, 100]",
             options.quality);
  ORDO_CHECK(options.compression_level >= 0 && options.compression_level <= 9, ValueError, op,
             "compression_level = {} must lie in [0, 9]", options.compression_level);
  const Pixels pixels = pixels_of(op, image);
  ORDO_CHECK(is_png || std::max(pixels.height, pixels.width) <= 65500, ShapeError, op,
             "{}: JPEG has at most 65500 pixels in a row or column, not {} x {}", path, pixels.height, pixels.width);
  const std::string contents = is_png ? encode_png(path, pixels, int(options.compression_level))
                                      : encode_jpeg(path, pixels, int(options.quality));
  nn::WholeFile file(path, op);
  file.write(contents);
  file.commit();
}

/// What `Iterator` finds and `wanted` accepts, by name.
template <class Iterator, class F>
static std::vector<std::string> sorted(const fs::path& folder, const F& wanted) {
  std::vector<std::string> found;
  try {
    for (const fs::directory_entry& entry : Iterator(folder))
      if (wanted(entry)) found.push_back(entry.path().string());
  } catch (const fs::filesystem_error& error) {
    detail::fail<DataError>("ImageFolder", "{}: cannot be read: {}", folder.string(), error.code().message());
  }
  std::sort(found.begin(), found.end());
  return found;
}

ImageFolder::ImageFolder(const std::string& folder, ReadImageOptions options) : options_(options) {
  const char* op = "ImageFolder";
  std::error_code error;
  ORDO_CHECK(fs::is_directory(folder, error), DataError, op, "{}: no such folder", folder);
  const auto folders = sorted<fs::directory_iterator>(folder, [](const auto& entry) { return entry.is_directory(); });
  ORDO_CHECK(!folders.empty(), DataError, op, "{}: expected a sub-folder for each class, found none", folder);
  for (const std::string& one : folders) {
    const auto files = sorted<fs::recursive_directory_iterator>(one, [](const auto& entry) {
      constexpr std::string_view kEndings[] = {".png", ".jpg", ".jpeg", ".ppm", ".pgm"};
      return entry.is_regular_file() && std::ranges::count(kEndings, ending_of(entry.path())) > 0;
    });
    ORDO_CHECK(!files.empty(), DataError, op, "{}: expected files .png, .jpg, .jpeg, .ppm or .pgm, found none", one);
    for (const std::string& file : files) files_.push_back({file, int64_t(classes_.size())});
    classes_.push_back(fs::path(one).filename().string());
  }
}

Sample ImageFolder::get(int64_t i) const {
  return {read_image(path(i), options_), from_vector<int64_t>({label(i)}, {})};
}

const std::string& ImageFolder::path(int64_t i) const {
  expect_sample("ImageFolder", i, size());
  return files_[size_t(i)].path;
}

int64_t ImageFolder::label(int64_t i) const {
  expect_sample("ImageFolder", i, size());
  return files_[size_t(i)].label;
}

}  // namespace ordo::data
