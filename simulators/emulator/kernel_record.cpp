// ORDO_EMULATOR_KERNELS=FILE: which kernels ran, for tests/simt/kernels_launched.py.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <unordered_set>

#include <ordo/simulators/emulator/threads.h>

namespace ordo::cuda::emulator {

void record_kernel(const void* kernel) {
  static const char* const path = std::getenv("ORDO_EMULATOR_KERNELS");
  static std::unordered_set<const void*> known;
  Dl_info module;
  if (!path || !known.insert(kernel).second || !dladdr(kernel, &module)) return;
  // Opened for every line, so that programs which run together do not mix theirs.
  if (FILE* file = std::fopen(path, "a")) {
    std::fprintf(file, "%s %zx\n", module.dli_fname,
                 size_t(static_cast<const char*>(kernel) - static_cast<const char*>(module.dli_fbase)));
    std::fclose(file);
  }
}

}  // namespace ordo::cuda::emulator
