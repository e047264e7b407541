#include <ordo/engine/cuda/library_versions.h>

namespace ordo::cuda {

std::vector<LibraryVersion> library_versions() { return {}; }

}  // namespace ordo::cuda
