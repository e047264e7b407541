// Tensors on the memory of others, for from_blob() and from_dlpack(). Internal.
#pragma once

#include <memory>
#include <optional>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::detail {

/// A tensor on `data`, which `owner` keeps; without gaps where there are no strides. Throws as from_blob().
Tensor borrowed(const char* op, std::shared_ptr<void> owner, void* data, DType dtype, Device device, const Dims& sizes,
                const std::optional<Dims>& strides);

}  // namespace ordo::detail
