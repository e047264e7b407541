// A stand-in for cuBLAS: the functions that Ordo calls, computed plainly. What NVIDIA's manual calls an error is one. The
// order of a sum depends on all sizes of the product, as cuBLAS' does, which chooses a kernel by them.
#include <algorithm>
#include <optional>

#include <cublas_v2.h>

#include "simulators/ptx/numbers.h"

struct cublasContext : ordo::ptx::Handle {};

namespace ordo::ptx {
namespace {

std::optional<Number> number(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
      return Number::f16;
    case CUDA_R_16BF:
      return Number::bf16;
    case CUDA_R_32F:
      return Number::f32;
    case CUDA_R_64F:
      return Number::f64;
    default:
      return std::nullopt;
  }
}

/// Matrices stored by columns, perhaps to be transposed: element (i, j) of what one stands for.
struct Matrix {
  const void* data;
  Number type;
  bool transposed;
  int64_t leading, stride;
  int64_t rows, columns, batches;  // of what they stand for
  int64_t at(int64_t batch, int64_t i, int64_t j) const {
    return batch * stride + (transposed ? j + i * leading : i + j * leading);
  }
  /// Whether its leading dimension suffices, and all its elements are on the device.
  bool ok() const {
    if (leading < std::max<int64_t>(1, stored_rows())) return false;
    if (rows == 0 || columns == 0 || batches == 0) return true;
    const int64_t elements = (batches - 1) * stride + (stored_columns() - 1) * leading + stored_rows();
    return stride >= 0 && ordo_ptx_on_device(data, size_t(elements) * bytes_of(type));
  }
  /// Calls f(data, bytes) for every column that is stored.
  template <class F>
  void for_columns(const F& f) const {
    for (int64_t b = 0; b < batches; ++b)
      for (int64_t j = 0; j < stored_columns(); ++j)
        f(static_cast<const char*>(data) + size_t(b * stride + j * leading) * bytes_of(type),
          size_t(stored_rows()) * bytes_of(type));
  }

 private:
  int64_t stored_rows() const { return transposed ? columns : rows; }
  int64_t stored_columns() const { return transposed ? rows : columns; }
};

}  // namespace
}  // namespace ordo::ptx

using namespace ordo::ptx;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = new cublasContext{};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool aligned = reinterpret_cast<uintptr_t>(workspace) % 256 == 0;
  return aligned && ordo_ptx_on_device(workspace, bytes) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t) {
  return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t) {
  return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasGetProperty(libraryPropertyType property, int* value) {
  *value = property == MAJOR_VERSION   ? CUBLAS_VER_MAJOR
           : property == MINOR_VERSION ? CUBLAS_VER_MINOR
                                       : CUBLAS_VER_PATCH;
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "the requested functionality is not supported";
    default:
      return "unknown error";
  }
}

cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                             int64_t m, int64_t n, int64_t k, const void* alpha, const void* A,
                                             cudaDataType Atype, int64_t lda, long long strideA, const void* B,
                                             cudaDataType Btype, int64_t ldb, long long strideB, const void* beta,
                                             void* C, cudaDataType Ctype, int64_t ldc, long long strideC,
                                             int64_t batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  const auto a_type = number(Atype), b_type = number(Btype), c_type = number(Ctype);
  const bool wide = computeType == CUBLAS_COMPUTE_64F;
  // The manual's table: A and B alike; C like them, or of floats where they are halves; double precision for doubles.
  if (!a_type || a_type != b_type || !c_type ||
      (c_type != a_type && (c_type != Number::f32 || bytes_of(*a_type) != 2)) || wide != (a_type == Number::f64) ||
      (!wide && computeType != CUBLAS_COMPUTE_32F))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (m < 0 || n < 0 || k < 0 || batchCount < 0 || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
  const Matrix a{A, *a_type, transa != CUBLAS_OP_N, lda, strideA, m, k, batchCount},
      b{B, *b_type, transb != CUBLAS_OP_N, ldb, strideB, k, n, batchCount},
      c{C, *c_type, false, ldc, strideC, m, n, batchCount};
  if (!a.ok() || !b.ok() || !c.ok()) return CUBLAS_STATUS_INVALID_VALUE;
  if (batchCount > 65535) return CUBLAS_STATUS_NOT_SUPPORTED;  // as awkward as some versions were
  const Number scale = wide ? Number::f64 : Number::f32;
  const double by = read(alpha, scale, 0), keep = read(beta, scale, 0);
  if (!handle->usable()) return CUBLAS_STATUS_MAPPING_ERROR;
  const int64_t turns = 1 + (m + 2 * n) % 4;  // a sum takes every so manieth value of k first, then those behind them
  queue(handle->stream, "cublasGemmStridedBatchedEx_64", [=] {
    a.for_columns(ordo_ptx_reads);
    b.for_columns(ordo_ptx_reads);
    if (keep != 0) c.for_columns(ordo_ptx_reads);
    for (int64_t batch = 0; batch < c.batches; ++batch)
      for (int64_t j = 0; j < c.columns; ++j)
        for (int64_t i = 0; i < c.rows; ++i) {
          Sum sum(wide);
          for (int64_t first = 0; first < turns; ++first)
            for (int64_t p = first; p < a.columns; p += turns)
              sum.add(read(a.data, a.type, a.at(batch, i, p)), read(b.data, b.type, b.at(batch, p, j)));
          const int64_t at = c.at(batch, i, j);
          write(C, c.type, at, sum.result(by, keep, keep == 0 ? 0 : read(C, c.type, at)));
        }
    c.for_columns(ordo_ptx_writes);
  });
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
