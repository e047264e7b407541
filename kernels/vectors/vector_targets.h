// The instruction sets of the CPU kernels that are written with Highway (kernels/vectors/targets.h). Internal.
#pragma once

#include <string>
#include <vector>

namespace ordo::kernels::cpu {

/// Those that the kernels are compiled for and this processor has, by Highway's names, the one in use first. The last
/// one is plain C++.
std::vector<std::string> vector_targets();

/// Makes the kernels use one of them; with an empty name the best one again. For tests. ORDO_VECTORS=NAME in the
/// environment does so from the start.
void use_vector_target(const std::string& name);

/// Whether the one in use has AVX-512's vectors, for loops that a compiler makes.
bool has_avx512();

}  // namespace ordo::kernels::cpu
