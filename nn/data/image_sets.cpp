#include <ordo/nn/data/image_sets.h>

#include <algorithm>
#include <filesystem>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/state/data_file.h>

namespace ordo::data {

// -- IDX --------------------------------------------------------------------------------------------------------------

/// The header's dimensions; the file stands at the first element afterwards.
static Dims read_header(nn::DataFile& file, int rank) {
  const uint64_t magic = file.read_number(4, "the magic number", std::endian::big);
  if (magic >> 16 != 0) file.fail(0, "expected an IDX file, which begins with 00 00, found {:08x}", magic);
  if ((magic >> 8 & 0xff) != 0x08)
    file.fail(2, "expected element type 08 (unsigned byte), found {:02x}", magic >> 8 & 0xff);
  const int found = int(magic & 0xff);
  if (rank > 0 && found != rank) file.fail(3, "expected {} dimensions, found {}", rank, found);
  if (found > kMaxDims) file.fail(3, "expected at most {} dimensions, found {}", kMaxDims, found);

  Dims sizes;
  uint64_t count = 1, span = 1;  // span: as if no dimension were 0, for the strides
  for (int d = 0; d < found; ++d) {
    const uint64_t at = file.offset(), size = file.read_number(4, "a dimension", std::endian::big);
    sizes.push_back(int64_t(size));
    if (size != 0 && span > uint64_t(INT64_MAX) / size) file.fail(at, "the dimensions {} are too large", sizes);
    span *= std::max<uint64_t>(size, 1);
    count *= size;
  }
  if (count > file.most_left())
    file.fail(file.offset(), "the header promises {} elements, {} bytes, but at most {} bytes can follow", sizes, count,
              file.most_left());
  return sizes;
}

static Tensor read_elements(nn::DataFile& file, const Dims& sizes) {
  Tensor t = file.read_tensor(uint8, sizes, "the elements");
  file.expect_end();
  return t;
}

static Tensor read_images(const std::string& path) {
  nn::DataFile file(path);
  const Dims sizes = read_header(file, 3);
  const Tensor bytes = read_elements(file, sizes);
  Tensor images = detail::result({sizes[0], 1, sizes[1], sizes[2]}, float32, cpu);
  const uint8_t* from = bytes.data<uint8_t>();
  float* to = images.data<float>();
  parallel_for(0, images.numel(), 1 << 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = float(from[i]) / 255.0f;
  });
  return images;
}

static Tensor read_labels(const std::string& path, int64_t expected, const std::string& images_path) {
  nn::DataFile file(path);
  const Dims sizes = read_header(file, 1);
  if (sizes[0] != expected)
    file.fail(4, "expected {} labels, one for every image in {}, found {}", expected, images_path, sizes[0]);
  const uint64_t start = file.offset();
  const Tensor bytes = read_elements(file, sizes);
  Tensor labels = detail::result(sizes, int64, cpu);
  for (int64_t i = 0; i < sizes[0]; ++i) {
    const uint8_t label = bytes.data<uint8_t>()[i];
    if (label > 9) file.fail(start + uint64_t(i), "expected a label between 0 and 9, found {}", label);
    labels.data<int64_t>()[i] = label;
  }
  return labels;
}

static std::string idx_path(const std::string& directory, const std::string& name, const std::string& kind) {
  return nn::find_file(directory,
                       {name + "-" + kind, name + "-" + kind + ".gz", name + "." + kind, name + "." + kind + ".gz"});
}

Tensor read_idx(const std::string& path) {
  nn::DataFile file(path);
  const Dims sizes = read_header(file, 0);
  return read_elements(file, sizes);
}

ImageDataset mnist(const std::string& directory, bool train) {
  const std::string place = nn::directory_within(directory, "MNIST/raw");
  const std::string part = train ? "train" : "t10k";
  const std::string images_path = idx_path(place, part + "-images", "idx3-ubyte");
  const std::string labels_path = idx_path(place, part + "-labels", "idx1-ubyte");
  ImageDataset dataset;
  dataset.images = read_images(images_path);
  dataset.labels = read_labels(labels_path, dataset.images.size(0), images_path);
  return dataset;
}

// -- CIFAR-10 ---------------------------------------------------------------------------------------------------------

constexpr int64_t kPixels = 3 * 32 * 32;
constexpr int64_t kRecord = 1 + kPixels;

static int64_t record_count(const std::string& path) {
  const auto bytes = int64_t(std::filesystem::file_size(path));
  const int64_t whole = bytes / kRecord;
  ORDO_CHECK(bytes % kRecord == 0 && bytes > 0, DataError, "data",
             "{}: byte {}: the file ends here; expected a multiple of {} bytes, a label and {} pixels for each image",
             path, bytes, kRecord, kPixels);
  return whole;
}

static void read_records(const std::string& path, int64_t count, float* images, int64_t* labels) {
  nn::DataFile file(path);
  uint8_t record[kRecord];
  for (int64_t n = 0; n < count; ++n) {
    const uint64_t at = file.offset();
    file.read(record, kRecord, "an image");
    if (record[0] > 9) file.fail(at, "expected a label between 0 and 9, found {}", record[0]);
    labels[n] = record[0];
    for (int64_t i = 0; i < kPixels; ++i) images[n * kPixels + i] = float(record[1 + i]) / 255.0f;
  }
  file.expect_end();
}

ImageDataset cifar10(const std::string& directory, bool train) {
  const std::string place = nn::directory_within(directory, "cifar-10-batches-bin");
  std::vector<std::string> paths;
  std::vector<int64_t> counts;
  int64_t total = 0;
  for (int i = 1; i <= (train ? 5 : 1); ++i) {
    paths.push_back(nn::find_file(place, {train ? fmt::format("data_batch_{}.bin", i) : "test_batch.bin"}));
    counts.push_back(record_count(paths.back()));
    total += counts.back();
  }
  ImageDataset dataset{detail::result({total, 3, 32, 32}, float32, cpu), detail::result({total}, int64, cpu)};
  int64_t done = 0;
  for (size_t i = 0; i < paths.size(); ++i) {
    read_records(paths[i], counts[i], dataset.images.data<float>() + done * kPixels,
                 dataset.labels.data<int64_t>() + done);
    done += counts[i];
  }
  return dataset;
}

}  // namespace ordo::data
