// Arrays in NumPy's .npy files (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html), and named ones
// in .npz files (https://numpy.org/doc/stable/reference/generated/numpy.savez.html): zip archives whose members are
// .npy files.
//
//   save_npz("weights.npz", model.state_dict());      // numpy.load("weights.npz")["0.weight"]
//   model.load_state_dict(load_npz("weights.npz"));
#pragma once

#include <string>

#include <ordo/engine/tensor/tensor.h>
#include <ordo/nn/named_tensor.h>

namespace ordo {

/// Writes a tensor of any strides and device, in C order, the bytes that numpy.save writes. The file is there whole or
/// not at all.
///
/// Throws: DTypeError when the dtype is bfloat16, which NumPy does not have; DataError when the file cannot be written.
void save_npy(const std::string& path, const Tensor& tensor);

/// Reads versions 1 to 3 of the format, C and Fortran order, little-endian.
///
/// Dtypes: bool, uint8, int32, int64, float16, float32 and float64.
/// Throws: DataError saying where the file is broken, or naming another dtype. Pickled objects are refused.
Tensor load_npy(const std::string& path);

/// Writes tensors of any strides and device in the given order, not compressed: the bytes that numpy.savez writes, on
/// every run. The file is there whole or not at all.
///
/// Throws: ValueError when a name is given twice, is empty, is longer than 65531 bytes, is no UTF-8 or holds a zero
/// byte; DTypeError when a dtype is bfloat16, which NumPy does not have; DataError when the file cannot be written.
void save_npz(const std::string& path, const nn::NamedTensorList& tensors);

/// Tensors in the order of the archive's members, which numpy.savez or numpy.savez_compressed may have written; each as
/// load_npy reads it. Sizes that the archive declares are checked against its own before memory is taken.
///
/// Throws: DataError saying which member breaks which rule, a checksum (CRC) among them, naming a member that is no
/// .npy file, or saying that Ordo was configured without libzip, which reads the archive.
nn::NamedTensorList load_npz(const std::string& path);

}  // namespace ordo
