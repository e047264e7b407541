// Images from files: PNG (by libpng), JPEG (by libjpeg), binary PPM and PGM; folders of them; and images to files.
//
//   data::write_image("cat.png", image);                  // [3, H, W]
//   data::ImageFolder pets("pets");                       // pets/cat/*.jpg, pets/dog/*.png, ...
//   data::TransformedDataset train(pets, {data::RandomResizedCrop(64, 64)});
#pragma once

#include <string>
#include <vector>

#include <ordo/nn/data/dataset.h>

namespace ordo::data {

struct ReadImageOptions {
  int64_t channels = 0;                   ///< 1: gray; 3: red, green, blue; 0: as many of these as the file has
  int64_t max_pixels = int64_t(1) << 26;  ///< images of more are an error
};

/// Reads an image, a byte being byte / 255. The file's first bytes tell its format, not its name. Opacity is dropped,
/// palettes are looked up, gray becomes three equal channels and colours become 0.2989 red + 0.587 green + 0.114 blue
/// where `channels` says so. Sizes in a header are checked against the file or a limit before memory is allocated.
///
/// Shapes, Dtypes: float32 [C, H, W].
/// Throws: ValueError for other channels, or max_pixels below 1; DataError with the file's name and the reason when the
/// file is missing, truncated or corrupt, or, with the name of the package, when the format's library was missing when
/// Ordo was configured.
/// PyTorch: torchvision.io.read_image, which gives bytes.
Tensor read_image(const std::string& path, ReadImageOptions options = {});

struct WriteImageOptions {
  int64_t quality = 75;           ///< of JPEG, 1 to 100
  int64_t compression_level = 6;  ///< of PNG, 0 to 9; the pixels are the same
};

/// Writes a PNG or JPEG file, as the path's ending says: .png, .jpg or .jpeg, in any case. A number v of floating dtype
/// becomes the byte nearest to 255 v. The file is there whole or not at all.
///
/// Shapes: [1, H, W] gray, or [3, H, W] red, green, blue; of any strides and device.
/// Dtypes: uint8, or floating in [0, 1].
/// Throws: ValueError for another ending, numbers outside of [0, 1] or NaN, quality or compression_level out of range;
/// ShapeError for other shapes, no pixels, or more than 2^20 (JPEG: 65500) in a row or column; DTypeError for others;
/// DataError when the file cannot be written, or, with the name of the package, when the format's library was missing
/// when Ordo was configured.
/// PyTorch: torchvision.io.write_png and write_jpeg, which take bytes; torchvision.utils.save_image.
void write_image(const std::string& path, const Tensor& image, WriteImageOptions options = {});

/// Images and the numbers of their classes, int64 []. Each sub-folder is a class, and has its images in itself or
/// below: files that end in .png, .jpg, .jpeg, .ppm or .pgm, in any case. Classes and files are in the order of the
/// bytes of their names. Images may differ in size: crop or resize them, or give the loader a collate function.
///
/// Throws: DataError when there is no folder, no sub-folder, or no such file in one; IndexError when there is no sample
/// i; get(), as read_image.
/// PyTorch: torchvision.datasets.ImageFolder.
class ImageFolder : public Dataset {
 public:
  explicit ImageFolder(const std::string& folder, ReadImageOptions options = {3});

  int64_t size() const override { return int64_t(files_.size()); }
  /// Reads file i.
  Sample get(int64_t i) const override;
  const std::vector<std::string>& classes() const { return classes_; }  ///< names of the sub-folders
  const std::string& path(int64_t i) const;
  int64_t label(int64_t i) const;  ///< without reading the image

 private:
  struct File {
    std::string path;
    int64_t label;
  };
  std::vector<std::string> classes_;
  std::vector<File> files_;
  ReadImageOptions options_;
};

}  // namespace ordo::data
