// What the tests in Python call through ctypes. Errors come as text.
#include <dlpack/dlpack.h>

#include <string>

#include <ordo/ordo.h>

namespace {

std::string last_error;
ordo::Tensor held;  // what Python gave

template <class F>
auto guarded(const F& f) -> decltype(f()) {
  try {
    last_error.clear();
    return f();
  } catch (const ordo::Error& error) {
    last_error = error.what();
    return {};
  }
}

}  // namespace

extern "C" {

const char* ordo_error() { return last_error.c_str(); }

/// Of a tensor 0, 1, ... of these sizes, transposed.
DLManagedTensor* ordo_give(const char* dtype, int64_t rows, int64_t columns) {
  return guarded([&] {
    held = ordo::arange(rows * columns).reshape({rows, columns}).to(ordo::dtype_from_name(dtype)).t();
    return ordo::to_dlpack(held);
  });
}

/// Keeps a tensor on their memory.
bool ordo_take(DLManagedTensor* theirs) {
  return guarded([&] { return held = ordo::from_dlpack(theirs), true; });
}

void ordo_fill(double value) { held.fill_(value); }
double ordo_sum() { return held.to(ordo::float64).sum().item(); }
uint64_t ordo_address() { return reinterpret_cast<uint64_t>(held.data()); }
void ordo_drop() { held = ordo::Tensor(); }

/// Reads a file and writes what was read.
bool ordo_copy_safetensors(const char* from, const char* to) {
  return guarded([&] {
    const ordo::Safetensors file = ordo::load_safetensors(from);
    return ordo::save_safetensors(to, file.tensors, file.metadata), true;
  });
}
bool ordo_copy_npy(const char* from, const char* to) {
  return guarded([&] { return ordo::save_npy(to, ordo::load_npy(from)), true; });
}
bool ordo_copy_npz(const char* from, const char* to) {
  return guarded([&] { return ordo::save_npz(to, ordo::load_npz(from)), true; });
}
}
