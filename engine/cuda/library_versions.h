// Versions of CUDA's libraries. Internal.
#pragma once

#include <vector>

#include <ordo/engine/run/about.h>

namespace ordo::cuda {

std::vector<LibraryVersion> library_versions();

}  // namespace ordo::cuda
