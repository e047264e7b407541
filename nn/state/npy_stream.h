// The parts of a .npy file, which .npz files are made of, too. Internal to nn.
#pragma once

#include <string>

#include <ordo/engine/tensor.h>
#include <ordo/nn/state/data_file.h>

namespace ordo::nn {

/// Reads all of the source, which was checked against the header before memory is taken.
Tensor read_npy(ByteSource& source);

/// What comes before the elements of a tensor in C order. DTypeError naming `op` for bfloat16, which begins with `of`.
std::string npy_header(const char* op, const std::string& of, const Tensor& tensor);

}  // namespace ordo::nn
