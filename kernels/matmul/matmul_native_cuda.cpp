// Matrix products by cuBLAS: one handle and one workspace of fixed size per thread and device, so that a product
// neither depends on what else runs nor on how much memory is free; no atomics, no TF32.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <ordo/engine/calls/error.h>
#include <ordo/engine/cuda/cublas_native.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/graph.h>
#include <ordo/kernels/matmul/gemm.h>

namespace ordo::kernels::cuda {
namespace {

using namespace ordo::cuda::libraries;

void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw CudaError(std::string("[matmul] ") + what + ": " + cublasGetStatusString(status));
}

constexpr size_t kWorkspaceBytes = size_t(32) << 20;

class Handle {
 public:
  explicit Handle(Device device) : device_(device) {
    ordo::detail::expect_no_capture("the first use of cuBLAS: call the function once before");
    check(cublasCreate(&handle_), "cublasCreate");
    if (cudaMalloc(&workspace_, kWorkspaceBytes) != cudaSuccess) {
      (void)cudaGetLastError();
      empty_cache(device);
      ordo::cuda::check(cudaMalloc(&workspace_, kWorkspaceBytes), "cuBLAS workspace");
    }
    check(cublasSetStream(handle_, ordo::cuda::current_stream(device)), "cublasSetStream");
    check(cublasSetWorkspace(handle_, workspace_, kWorkspaceBytes), "cublasSetWorkspace");
    check(cublasSetAtomicsMode(handle_, CUBLAS_ATOMICS_NOT_ALLOWED), "cublasSetAtomicsMode");
    check(cublasSetMathMode(handle_, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION), "cublasSetMathMode");
  }
  ~Handle() {
    const ordo::cuda::DeviceScope scope(device_, std::nothrow);
    if (handle_) cublasDestroy(handle_);
    if (workspace_) cudaFree(workspace_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  cublasHandle_t get() const { return handle_; }

 private:
  const Device device_;
  cublasHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
};

cublasHandle_t handle(Device device) {
  thread_local std::map<int, Handle> handles;
  return handles.try_emplace(device.index(), device).first->second.get();
}

// In a call: some versions of cuBLAS have had trouble with more, which the third dimension of a grid cannot number.
constexpr int64_t kMostBatches = 65535;

cudaDataType data_type(DType t) {
  return t == float64 ? CUDA_R_64F : t == float16 ? CUDA_R_16F : t == bfloat16 ? CUDA_R_16BF : CUDA_R_32F;
}

}  // namespace

void library_gemm(const Gemm& given, Device device) {
  const ordo::cuda::DeviceScope scope(device);
  Gemm g = given;
  // cuBLAS stores by columns: a row-major C is its transpose, made of the transposed factors in reverse.
  if (g.c.col == 1) {
    std::swap(g.m, g.n);
    std::swap(g.a, g.b);
    g.a = g.a.transposed();
    g.b = g.b.transposed();
    g.c = g.c.transposed();
    g.bias_per_row = !g.bias_per_row;
  }
  if (g.bias || g.k == 0) start_gemm(given, device);  // row by row, as C lies
  if (g.k == 0) return;
  const bool add = g.bias != nullptr;
  const float one = 1, zero = 0;
  const double one64 = 1, zero64 = 0;
  const bool wide = g.dtype == float64;
  const void* const alpha = wide ? static_cast<const void*>(&one64) : &one;
  const void* const beta = wide ? static_cast<const void*>(add ? &one64 : &zero64) : (add ? &one : &zero);
  const bool a_plain = g.a.row == 1, b_plain = g.b.row == 1;
  const cudaDataType in = data_type(g.dtype), out = data_type(g.c_dtype);
  const auto at = [](const MatrixView& operand, DType dtype, int64_t batch) {
    return static_cast<char*>(const_cast<void*>(operand.data)) + batch * operand.batch * int64_t(size_of(dtype));
  };
  for (int64_t first = 0; first < g.batch; first += kMostBatches)
    check(
        cublasGemmStridedBatchedEx_64(
            handle(device), a_plain ? CUBLAS_OP_N : CUBLAS_OP_T, b_plain ? CUBLAS_OP_N : CUBLAS_OP_T, g.m, g.n, g.k,
            alpha, at(g.a, g.dtype, first), in, a_plain ? std::max(g.a.col, g.m) : std::max(g.a.row, g.k), g.a.batch,
            at(g.b, g.dtype, first), in, b_plain ? std::max(g.b.col, g.k) : std::max(g.b.row, g.n), g.b.batch, beta,
            at(g.c, g.c_dtype, first), out, std::max(g.c.col, g.m), g.c.batch, std::min(kMostBatches, g.batch - first),
            wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
}

}  // namespace ordo::kernels::cuda
