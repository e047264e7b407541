// Libraries that are opened when a function of theirs is first called, so that programs which never use a GPU neither
// carry them nor need them. Internal.
#pragma once

#include <atomic>

namespace ordo::cuda {

/// A shared library that is never closed. Constant-initialized, so that static objects may hold one.
/// The file is looked for where the loader looks, then in the folders of the CUDA toolkit ($CUDA_HOME, /usr/local/cuda)
/// and of the conda or virtual environment that is active.
class SharedLibrary {
 public:
  /// `name` is what errors call it, `file` what dlopen is given, and `advice` what to do when that fails. `parts`: files,
  /// with a null pointer behind the last, that the library opens itself and without which it ends the process.
  constexpr SharedLibrary(const char* name, const char* file, const char* advice, const char* const* parts = nullptr)
      : name_(name), file_(file), advice_(advice), parts_(parts) {}

  /// The address of a function, from any thread. CudaError, with the reason, when the library cannot be opened or has
  /// no such function.
  void* find(const char* function);

 private:
  void* open() const;

  const char *name_, *file_, *advice_;
  const char* const* parts_;
  std::atomic<void*> handle_{nullptr};
};

/// Is called like the function whose pointer type is F; found in its library by the first call.
template <class F>
class LibraryFunction;
template <class R, class... A>
class LibraryFunction<R (*)(A...)> {
 public:
  constexpr LibraryFunction(SharedLibrary& library, const char* name) : library_(library), name_(name) {}

  R operator()(A... arguments) {
    void* address = address_.load(std::memory_order_acquire);
    if (!address) address_.store(address = library_.find(name_), std::memory_order_release);
    return reinterpret_cast<R (*)(A...)>(address)(arguments...);
  }

 private:
  SharedLibrary& library_;
  const char* name_;
  std::atomic<void*> address_{nullptr};
};

// ORDO_LIBRARY_FUNCTION(library, function): an object of the function's name, to be called like it, in the namespace at
// hand. The type is the one in the library's header. That header may rename functions by macros, hence the two steps.
#define ORDO_LIBRARY_TEXT(name) #name
#define ORDO_LIBRARY_OBJECT(library, name) \
  inline constinit ::ordo::cuda::LibraryFunction<decltype(&::name)> name { library, ORDO_LIBRARY_TEXT(name) }
#define ORDO_LIBRARY_FUNCTION(library, name) ORDO_LIBRARY_OBJECT(library, name)

// ORDO_SONAME("libthing", THING_MAJOR) is "libthing.so.9".
#define ORDO_SONAME(file, major) file ".so." ORDO_SONAME_NUMBER(major)
#define ORDO_SONAME_NUMBER(number) ORDO_LIBRARY_TEXT(number)

}  // namespace ordo::cuda
