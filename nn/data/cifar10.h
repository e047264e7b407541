// CIFAR-10, the binary version: records of one label byte and 3 x 32 x 32 bytes of red, green and blue.
//
//   data::ImageDataset train = data::cifar10("data/cifar-10-batches-bin");          // data_batch_1.bin ...
//   data_batch_5.bin data::ImageDataset test = data::cifar10("data/cifar-10-batches-bin", false);    // test_batch.bin
//
// A missing, truncated or corrupt file is a DataError with the file's name, the byte offset and what was expected
// there.
#pragma once

#include <string>

#include <ordo/nn/data/dataset.h>

namespace ordo::data {

/// Images [N, 3, 32, 32] and labels 0 to 9. Also looks into the sub-directory cifar-10-batches-bin.
ImageDataset cifar10(const std::string& directory, bool train = true);

}  // namespace ordo::data
