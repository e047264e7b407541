// MNIST and every other set of images in IDX files.
//
//   data::ImageDataset train = data::mnist("data/mnist");         // train-images-idx3-ubyte, train-labels-idx1-ubyte
//   data::ImageDataset test = data::mnist("data/mnist", false);   // t10k-images-..., each of them plain or as .gz
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

}  // namespace ordo::data
