// Elements of tensors that the stand-ins for cuBLAS and cuDNN read and write. Internal to them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <cuda_runtime_api.h>

#include "simulators/ptx/half.h"

// Of the runtime (runtime.cpp).
extern "C" {
/// Whether all of these bytes are memory of the device.
bool ordo_ptx_on_device(const void* data, size_t bytes);
/// Calls work(context) when it is the stream's turn, in a graph several times; destroy(context) after the last.
void ordo_ptx_queue_library_call(cudaStream_t stream, const char* name, void (*work)(void*), void (*destroy)(void*),
                                 void* context);
/// Called by such work. Reading what nobody has written is a fault, which ends it.
void ordo_ptx_reads(const void* data, size_t bytes);
void ordo_ptx_writes(const void* data, size_t bytes);
}

namespace ordo::ptx {

/// Has a stream call `work` when its turn comes: after the call of the library has returned.
template <class Work>
void queue(cudaStream_t stream, const char* name, Work work) {
  ordo_ptx_queue_library_call(
      stream, name, [](void* context) { (*static_cast<Work*>(context))(); },
      [](void* context) { delete static_cast<Work*>(context); }, new Work(std::move(work)));
}

/// What the handles of libraries have in common. A handle is of the device that was current when it was made, and may be
/// used, and destroyed, only while it is so again.
struct Handle {
  Handle() { cudaGetDevice(&device); }
  ~Handle() {
    if (usable()) return;
    std::fputs("PTX machine: a library's handle is destroyed while another device is the current one\n", stderr);
    std::abort();
  }
  bool usable() const {
    int current = 0;
    cudaGetDevice(&current);
    return current == device;
  }
  cudaStream_t stream = nullptr;
  int device = 0;
};

enum class Number { f16, bf16, f32, f64 };

inline size_t bytes_of(Number type) { return type == Number::f64 ? 8 : type == Number::f32 ? 4 : 2; }

inline double read(const void* data, Number type, int64_t index) {
  const auto at = [&]<class T>(T) { return static_cast<const T*>(data)[index]; };
  switch (type) {
    case Number::f16:
      return float(at(Float16()));
    case Number::bf16:
      return float(at(BFloat16()));
    case Number::f32:
      return at(float());
    case Number::f64:
      return at(double());
  }
  return 0;
}

inline void write(void* data, Number type, int64_t index, double value) {
  switch (type) {
    case Number::f16:
      static_cast<Float16*>(data)[index] = Float16::from(float(value));
      break;
    case Number::bf16:
      static_cast<BFloat16*>(data)[index] = BFloat16::from(float(value));
      break;
    case Number::f32:
      static_cast<float*>(data)[index] = float(value);
      break;
    case Number::f64:
      static_cast<double*>(data)[index] = value;
      break;
  }
}

/// A sum as the libraries compute it: of doubles in double precision, of all else in single.
class Sum {
 public:
  explicit Sum(bool is_double) : is_double_(is_double) {}
  void add(double a, double b) {
    if (is_double_)
      sum_ += a * b;
    else
      sum_ = double(float(sum_) + float(a) * float(b));
  }
  /// alpha * sum + beta * old; where beta is 0, what was there does not matter.
  double result(double alpha, double beta, double old) const {
    if (is_double_) return beta == 0 ? alpha * sum_ : alpha * sum_ + beta * old;
    const float scaled = float(alpha) * float(sum_);
    return beta == 0 ? scaled : scaled + float(beta) * float(old);
  }

 private:
  bool is_double_;
  double sum_ = 0;
};

}  // namespace ordo::ptx
