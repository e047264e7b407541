#include <ordo/nn/data/cifar10.h>

#include <filesystem>

#include <ordo/engine/check.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/nn/state/data_file.h>

namespace ordo::data {

namespace {

constexpr int64_t kPixels = 3 * 32 * 32;
constexpr int64_t kRecord = 1 + kPixels;

int64_t record_count(const std::string& path) {
  const auto bytes = int64_t(std::filesystem::file_size(path));
  const int64_t whole = bytes / kRecord;
  ORDO_CHECK(bytes % kRecord == 0 && bytes > 0, DataError, "data",
             "{}: byte {}: the file ends here; expected a multiple of {} bytes, a label and {} pixels for each image",
             path, bytes, kRecord, kPixels);
  return whole;
}

void read_records(const std::string& path, int64_t count, float* images, int64_t* labels) {
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

}  // namespace

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
