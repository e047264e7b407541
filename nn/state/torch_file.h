// Tensors in files that torch.save() writes, .pt and .pth: zip archives of a pickle and of the tensors' storages
// (https://pytorch.org/docs/stable/notes/serialization.html).
//
//   model.load_state_dict(load_torch("model.pt"));                  // torch.save(model.state_dict(), "model.pt")
#pragma once

#include <string>

#include <ordo/nn/named_tensor.h>

namespace ordo {

/// Reads the tensors of a state dict, or of dicts, lists and tuples around some: {"model": {"weight": t}} and {"loss":
/// [t]} give "model.weight" and "loss.0". A tensor that is saved alone has the name "". Numbers, texts and None are
/// passed over. Tensors that shared a storage share it, strides included: clone() separates them. The pickle is read, not executed: what is not needed for this is refused.
///
/// Dtypes: bool, uint8, int32, int64, float16, bfloat16, float32 and float64.
/// Throws: DataError saying where the file breaks a rule, naming an instruction, a name or a dtype that is refused, or
/// saying that Ordo was configured without libzip, which reads the archive. Sizes are checked before memory is taken.
/// PyTorch: torch.load with weights_only=True.
nn::NamedTensorList load_torch(const std::string& path);

}  // namespace ordo
