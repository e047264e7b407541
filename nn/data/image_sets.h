// MNIST, every other set of images in IDX files, and CIFAR-10.
//
//   data::ImageDataset train = data::mnist("data/mnist");         // train-images-idx3-ubyte, train-labels-idx1-ubyte
//   data::ImageDataset test = data::mnist("data/mnist", false);   // t10k-images-..., each of them plain or as .gz
//   data::ImageDataset cifar = data::cifar10("data/cifar-10-batches-bin");         // data_batch_1.bin ... _5.bin
//   data::ImageDataset test = data::cifar10("data/cifar-10-batches-bin", false);   // test_batch.bin
#pragma once

#include <string>

#include <ordo/nn/data/dataset.h>

namespace ordo::data {

/// The directory's training or test set. Also finds the names "train-images.idx3-ubyte" and the sub-directory
/// MNIST/raw.
///
/// Shapes: images [N, 1, H, W], labels [N].
/// Throws: DataError with the file's name, the byte offset and what was expected there, when a file is missing,
/// truncated or corrupt.
/// PyTorch: torchvision.datasets.MNIST.
ImageDataset mnist(const std::string& directory, bool train = true);

/// An IDX file of unsigned bytes, plain or gzip.
///
/// Shapes, Dtypes: uint8, of the file's dimensions.
/// Throws: as mnist.
Tensor read_idx(const std::string& path);

/// The binary version of CIFAR-10, records of one label byte and 3 x 32 x 32 bytes of red, green and blue. Also looks
/// into the sub-directory cifar-10-batches-bin.
///
/// Shapes: images [N, 3, 32, 32], labels [N], 0 to 9.
/// Throws: as mnist.
/// PyTorch: torchvision.datasets.CIFAR10.
ImageDataset cifar10(const std::string& directory, bool train = true);

}  // namespace ordo::data
