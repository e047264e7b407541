// MNIST, every other set of images in IDX files, and CIFAR-10.
//
//   data::ImageDataset train = data::mnist("data/mnist");         // train-images-idx3-ubyte, train-labels-idx1-ubyte
//   data::ImageDataset test = data::mnist("data/mnist", false);   // t10k-images-..., each of them plain or as .gz
//   data::ImageDataset cifar = data::cifar10("data/cifar-10-batches-bin");         // data_batch_1.bin ... _5.bin
//   data::ImageDataset test = data::cifar10("data/cifar-10-batches-bin", false);   // test_batch.bin
//
// A missing, truncated or corrupt file is a DataError with the file's name, the byte offset and what was expected
// there.
#pragma once

#include <string>

#include <ordo/nn/data/dataset.h>

namespace ordo::data {

/// Images [N, 1, H, W] and labels of the directory's training or test set. Also finds the names
/// "train-images.idx3-ubyte" and the sub-directory MNIST/raw.
ImageDataset mnist(const std::string& directory, bool train = true);

/// An IDX file of unsigned bytes, plain or gzip, as a uint8 tensor of the file's dimensions.
Tensor read_idx(const std::string& path);

/// The binary version of CIFAR-10, records of one label byte and 3 x 32 x 32 bytes of red, green and blue: images
/// [N, 3, 32, 32] and labels 0 to 9. Also looks into the sub-directory cifar-10-batches-bin.
ImageDataset cifar10(const std::string& directory, bool train = true);

}  // namespace ordo::data
