#include <ordo/engine/cuda/shared_library.h>

#include <dlfcn.h>

#include <ordo/engine/calls/check.h>

namespace ordo::cuda {

void* SharedLibrary::find(const char* function) {
  void* handle = handle_.load(std::memory_order_acquire);
  if (!handle) {
    handle = dlopen(file_, RTLD_NOW | RTLD_LOCAL);  // another thread may do the same, and gets the same handle
    if (!handle) ordo::detail::fail<CudaError>("cuda", "{} cannot be opened: {}. {}", name_, dlerror(), advice_);
    handle_.store(handle, std::memory_order_release);
  }
  void* const address = dlsym(handle, function);
  if (!address)
    ordo::detail::fail<CudaError>("cuda", "{} has no function {}: {}. Ordo was built with another version of it", name_,
                                  function, dlerror());
  return address;
}

}  // namespace ordo::cuda
