#include <ordo/engine/cuda/backend.h>

namespace ordo::cuda::backend {

std::vector<LibraryVersion> library_versions() { return {{"CUDA", "emulated"}}; }

}  // namespace ordo::cuda::backend
