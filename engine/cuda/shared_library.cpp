#include <ordo/engine/cuda/shared_library.h>

#include <dlfcn.h>
#include <glob.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <ordo/engine/calls/check.h>

namespace ordo::cuda {
namespace {

// An empty name stands for where the loader looks. The others are where NVIDIA's installer, conda and pip put libraries.
std::vector<std::string> folders() {
  std::vector<std::string> found{""};
  const auto add = [&](const std::string& pattern) {
    glob_t matches{};
    if (glob((pattern + "/").c_str(), 0, nullptr, &matches) == 0)
      for (size_t i = 0; i < matches.gl_pathc; ++i) found.push_back(matches.gl_pathv[i]);
    globfree(&matches);
  };
  if (const char* home = std::getenv("CUDA_HOME")) add(std::string(home) + "/lib64");
  add("/usr/local/cuda/lib64");
  for (const char* variable : {"CONDA_PREFIX", "VIRTUAL_ENV"}) {
    const char* environment = std::getenv(variable);
    if (!environment) continue;
    add(std::string(environment) + "/lib");
    add(std::string(environment) + "/lib/python3*/site-packages/nvidia/*/lib");
  }
  return found;
}

void* open_file(const std::string& file) { return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); }

}  // namespace

// Another thread may do the same, and gets the same handle. The parts come from the folder of the whole: the library
// then finds them open, wherever the loader looks.
void* SharedLibrary::open() const {
  std::string reason;
  for (const std::string& folder : folders()) {
    void* const handle = open_file(folder + file_);
    if (!handle) {
      if (reason.empty()) reason = dlerror();
      continue;
    }
    for (const char* const* part = parts_; part && *part; ++part)
      if (!open_file(folder + *part))
        ordo::detail::fail<CudaError>("cuda", "{} is incomplete: {}. {}", name_, dlerror(), advice_);
    return handle;
  }
  ordo::detail::fail<CudaError>("cuda", "{} cannot be opened: {}. {}", name_, reason, advice_);
}

void* SharedLibrary::find(const char* function) {
  void* handle = handle_.load(std::memory_order_acquire);
  if (!handle) handle_.store(handle = open(), std::memory_order_release);
  void* const address = dlsym(handle, function);
  if (!address)
    ordo::detail::fail<CudaError>("cuda", "{} has no function {}: {}. Ordo was built with another version of it", name_,
                                  function, dlerror());
  return address;
}

}  // namespace ordo::cuda
