// What readers check of the shapes that files declare, before memory is taken for them. Internal to nn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ordo/engine/tensor.h>

namespace ordo::nn {

/// Why a tensor of these sizes, of `element` bytes each, does not take `bytes` bytes; empty when it does, and when its
/// sizes are also some that a tensor can have.
std::string sizes_problem(const std::vector<uint64_t>& sizes, uint64_t element, uint64_t bytes);

/// The first byte of a bool tensor in CPU memory that is neither 0 nor 1; nbytes() when there is none, or when the
/// tensor is no bool.
uint64_t first_bad_bool(const Tensor& t);

}  // namespace ordo::nn
