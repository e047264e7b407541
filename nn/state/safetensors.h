// Tensors in safetensors files (https://github.com/huggingface/safetensors), which hold no code and are read by
// Python's safetensors and by most frameworks.
//
//   save_safetensors("model.safetensors", model.state_dict());
//   model.load_state_dict(load_safetensors("model.safetensors").tensors);
#pragma once

#include <map>
#include <string>

#include <ordo/nn/named_tensor.h>

namespace ordo {

/// What a file holds.
struct Safetensors {
  nn::NamedTensorList tensors;                  ///< in the order in which they lie in the file
  std::map<std::string, std::string> metadata;  ///< what "__metadata__" holds
};

/// Writes tensors of any dtype, strides and device. The same tensors and metadata make the same bytes, whatever order
/// they are given in, and those that Python's safetensors 0.4 or later writes. The file is there whole or not at all:
/// an earlier one of this name stays until the new one is on the disk.
///
/// Throws: ValueError when a name is given twice, is "__metadata__", or is no UTF-8; DataError when the file cannot be
/// written.
void save_safetensors(const std::string& path, const nn::NamedTensorList& tensors,
                      const std::map<std::string, std::string>& metadata = {});

/// Reads a file. Every rule of the format is checked before memory is taken.
///
/// Throws: DataError saying where the file breaks a rule, or naming a dtype that Ordo does not have.
Safetensors load_safetensors(const std::string& path);

}  // namespace ordo
