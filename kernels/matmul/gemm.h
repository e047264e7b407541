// Matrix products on memory: what matmul, linear and conv2d are made of. Internal.
#pragma once

#include <cstdint>
#include <memory>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/tensor/device.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/dtype.h>

namespace ordo::kernels {

/// A batch of matrices in memory: element (i, j) of matrix b lies at data + b * batch + i * row + j * col (in
/// elements). `row` or `col` is 1, or the extent that it steps over is 1.
struct MatrixView {
  const void* data = nullptr;
  int64_t row = 0, col = 1, batch = 0;
  MatrixView transposed() const { return {data, col, row, batch}; }
  template <class T>
  ORDO_HD const T* at(int64_t b, int64_t i, int64_t j) const {
    return static_cast<const T*>(data) + b * batch + i * row + j * col;
  }
};

/// C[b] = A[b] B[b] + bias, with A of m x k, B of k x n and C of m x n.
struct Gemm {
  int64_t m = 0, n = 0, k = 0;
  int64_t batch = 1;
  MatrixView a = {}, b = {};
  MatrixView c = {};           ///< written
  DType dtype = float32;       ///< of a, b and bias
  DType c_dtype = float32;     ///< dtype, or float32 for half operands
  const void* bias = nullptr;  ///< contiguous, one value per column of C, or per row
  bool bias_per_row = false;
  bool subtract = false;  ///< C -= the product, of floats or doubles, on the CPU, without bias, for k <= kOrderedBlock
  const void* packed = nullptr;  ///< what cpu::pack() made of b, or null
};

/// By rule 3 of docs/ordering.md on the CPU, and on CUDA at level device_to_device; below it cuBLAS computes there.
/// Integers wrap around, so that their order does not matter.
void gemm(const Gemm& g, Device device);

inline constexpr int64_t kOrderedBlock = 256;  ///< rule 3: values of k per block

ORDO_DEVICES(void, gemm, const Gemm& g, Device device)
namespace cpu {
void floating_gemm(const Gemm& g);  ///< the half of gemm() that is compiled for each instruction set
/// Panels of b, for several products with it; null where a product would not read them. Takes another a and c, too.
std::unique_ptr<Scratch<char>> pack(const Gemm& g);
}  // namespace cpu
ORDO_DEVICES(void, ordered_gemm, const Gemm& g, Device device)  ///< by rule 3 at every level
namespace cuda {
/// Writes the bias, or zeros, to C.
void start_gemm(const Gemm& g, Device device);
void library_gemm(const Gemm& g, Device device);
}  // namespace cuda

}  // namespace ordo::kernels
