// Whether products of bfloat16 on the CPU take pairs of elements, by an instruction that some processors have. No bit depends
// on it. Internal.
#pragma once

#include <optional>

namespace ordo::kernels::cpu {

/// Where the processor has the instruction, it adds in the order of rule 3, and it is faster than two of one element are:
/// on some it takes four times as long.
bool pairs_are_used();

/// For tests: from now on always, where the processor has the instruction, or never; without a value, by measurement again.
void use_pairs(std::optional<bool> always);

}  // namespace ordo::kernels::cpu
