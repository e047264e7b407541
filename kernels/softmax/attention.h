// Attention without a mask, on the CPU: kernels without autograd.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// softmax(scale query key^T) value of [..., L, E], [..., S, E] and [..., S, V] with one batch and elements, for so few
/// queries at a time that their scores stay in the cache. The sums are those of all queries at once. Where the order of
/// a product may change with its size, below device_to_device, causal attention leaves out the keys that no query of a
/// block may look at. Undefined but on the CPU.
Tensor attention_in_blocks(const Tensor& query, const Tensor& key, const Tensor& value, bool is_causal, double scale);

}  // namespace ordo::kernels
