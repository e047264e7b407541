// A stand-in for cuDNN: the functions that Ordo calls, computed plainly. Its lists of algorithms are made to be awkward
// where the manual permits it, and as cuDNN has been seen to be: the first one fails when it runs, some are not
// deterministic, all have another math type than was asked for; of half types an algorithm runs only with the one it
// was listed with, and products of float32 are of TF32 where the math type permits that.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <cudnn.h>

#include "simulators/ptx/numbers.h"

struct cudnnContext : ordo::ptx::Handle {};
struct cudnnTensorStruct {
  ordo::ptx::Number type;
  int64_t n, c, h, w;
  size_t bytes() const { return size_t(n * c * h * w) * ordo::ptx::bytes_of(type); }
};
struct cudnnFilterStruct {
  ordo::ptx::Number type;
  int64_t k, c, h, w;
  size_t bytes() const { return size_t(k * c * h * w) * ordo::ptx::bytes_of(type); }
};
struct cudnnConvolutionStruct {
  int64_t pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w;
  cudnnDataType_t compute;
  int64_t groups = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

namespace ordo::ptx {
namespace {

using Tensor = cudnnTensorDescriptor_t;
using Filter = cudnnFilterDescriptor_t;
using Convolution = cudnnConvolutionDescriptor_t;

std::optional<Number> number(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_HALF:
      return Number::f16;
    case CUDNN_DATA_BFLOAT16:
      return Number::bf16;
    case CUDNN_DATA_FLOAT:
      return Number::f32;
    case CUDNN_DATA_DOUBLE:
      return Number::f64;
    default:
      return std::nullopt;
  }
}

/// Handles and descriptors.
template <class T>
cudnnStatus_t create(T** object) {
  *object = new T{};
  return CUDNN_STATUS_SUCCESS;
}
template <class T>
cudnnStatus_t destroy(T* object) {
  delete object;
  return CUDNN_STATUS_SUCCESS;
}

int64_t out_size(int64_t in, int64_t pad, int64_t dilation, int64_t kernel, int64_t stride) {
  return 1 + (in + 2 * pad - ((kernel - 1) * dilation + 1)) / stride;
}

cudnnStatus_t check(Tensor x, Filter w, Convolution c, Tensor y) {
  if (!x || !w || !c || !y) return CUDNN_STATUS_BAD_PARAM;
  if (x->type != w->type || x->type != y->type) return CUDNN_STATUS_BAD_PARAM;
  if ((c->compute == CUDNN_DATA_DOUBLE) != (x->type == Number::f64)) return CUDNN_STATUS_BAD_PARAM;
  if (x->c != w->c * c->groups || y->c != w->k || w->k % c->groups != 0 || x->n != y->n) return CUDNN_STATUS_BAD_PARAM;
  if (y->h != out_size(x->h, c->pad_h, c->dilation_h, w->h, c->stride_h) ||
      y->w != out_size(x->w, c->pad_w, c->dilation_w, w->w, c->stride_w))
    return CUDNN_STATUS_BAD_PARAM;
  return CUDNN_STATUS_SUCCESS;
}

/// Calls f(x, w, y), indices of elements, for every product that the convolution has.
template <class F>
void for_products(const cudnnTensorStruct* x, const cudnnFilterStruct* w, const cudnnConvolutionStruct* c,
                  const cudnnTensorStruct* y, const F& f) {
  const int64_t filters = w->k / c->groups;
  for (int64_t n = 0; n < x->n; ++n)
    for (int64_t k = 0; k < w->k; ++k)
      for (int64_t i = 0; i < y->h; ++i)
        for (int64_t j = 0; j < y->w; ++j)
          for (int64_t q = 0; q < w->c; ++q)
            for (int64_t r = 0; r < w->h; ++r)
              for (int64_t s = 0; s < w->w; ++s) {
                const int64_t row = i * c->stride_h - c->pad_h + r * c->dilation_h,
                              column = j * c->stride_w - c->pad_w + s * c->dilation_w;
                if (row < 0 || row >= x->h || column < 0 || column >= x->w) continue;
                const int64_t channel = k / filters * w->c + q;
                f(((n * x->c + channel) * x->h + row) * x->w + column, ((k * w->c + q) * w->h + r) * w->w + s,
                  ((n * y->c + k) * y->h + i) * y->w + j);
              }
}

enum class Result { y, x, w };

/// The nearest number with TF32's 10 bits of significand.
double as_tf32(double value) {
  return std::bit_cast<float>((std::bit_cast<uint32_t>(float(value)) + 0x1000u) & ~0x1fffu);
}

/// All sums of one kind, with alpha and beta.
template <Result result>
cudnnStatus_t compute(cudnnHandle_t handle, const void* alpha, const void* beta, Tensor xd, const void* x, Filter wd,
                      const void* w, Convolution c, Tensor yd, const void* y, void* out, bool deterministic) {
  const bool wide = xd->type == Number::f64;
  const Number scale = wide ? Number::f64 : Number::f32;
  const double by = read(alpha, scale, 0), keep = read(beta, scale, 0);
  if (!handle->usable()) return CUDNN_STATUS_BAD_PARAM;
  if (!ordo_ptx_on_device(x, xd->bytes()) || !ordo_ptx_on_device(w, wd->bytes()) || !ordo_ptx_on_device(y, yd->bytes()))
    return CUDNN_STATUS_BAD_PARAM;
  // The descriptors may be gone when the stream's turn comes.
  queue(handle->stream, "cuDNN", [=, xs = *xd, ws = *wd, cs = *c, ys = *yd] {
    const size_t bytes = result == Result::y ? ys.bytes() : result == Result::x ? xs.bytes() : ws.bytes();
    if (result != Result::x || keep != 0) ordo_ptx_reads(x, xs.bytes());
    if (result != Result::w || keep != 0) ordo_ptx_reads(w, ws.bytes());
    if (result != Result::y || keep != 0) ordo_ptx_reads(y, ys.bytes());
    std::vector<Sum> sums(bytes / bytes_of(xs.type), Sum(wide));
    std::vector<std::array<int64_t, 3>> products;
    for_products(&xs, &ws, &cs, &ys, [&](int64_t i, int64_t j, int64_t k) { products.push_back({i, j, k}); });
    static std::mt19937 random(1);
    if (!deterministic) std::shuffle(products.begin(), products.end(), random);
    const auto factor = [&](const void* data, int64_t at) {
      const double value = read(data, xs.type, at);
      return xs.type == Number::f32 && cs.math != CUDNN_FMA_MATH ? as_tf32(value) : value;
    };
    for (const auto [i, j, k] : products) {
      if constexpr (result == Result::y) sums[size_t(k)].add(factor(x, i), factor(w, j));
      if constexpr (result == Result::x) sums[size_t(i)].add(factor(y, k), factor(w, j));
      if constexpr (result == Result::w) sums[size_t(j)].add(factor(x, i), factor(y, k));
    }
    for (size_t i = 0; i < sums.size(); ++i)
      write(out, xs.type, int64_t(i), sums[i].result(by, keep, keep == 0 ? 0 : read(out, xs.type, int64_t(i))));
    ordo_ptx_writes(out, bytes);
  });
  return CUDNN_STATUS_SUCCESS;
}

/// Algorithms by their numbers: `broken` first, then `fast`, which is not deterministic in the backward passes.
template <class Perf>
cudnnStatus_t list(cudnnStatus_t status, int most, int* found, Perf* results, int broken, int fast, int safe,
                   bool fast_is_deterministic) {
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (most < 1 || !found || !results) return CUDNN_STATUS_BAD_PARAM;
  const int all[] = {broken, fast, safe};
  *found = std::min(most, 3);
  for (int i = 0; i < *found; ++i) {
    Perf& p = results[i];
    p = {};
    p.algo = decltype(p.algo)(all[i]);
    p.status = CUDNN_STATUS_SUCCESS;
    p.time = float(i + 1);
    p.memory = 1024;
    p.determinism = all[i] != fast || fast_is_deterministic ? CUDNN_DETERMINISTIC : CUDNN_NON_DETERMINISTIC;
    p.mathType = CUDNN_DEFAULT_MATH;
  }
  return CUDNN_STATUS_SUCCESS;
}

constexpr size_t kWorkspace = 1024;

cudnnStatus_t ready_to_run(cudnnHandle_t handle, cudnnStatus_t status, Convolution c, const void* workspace,
                           size_t bytes) {
  if (!handle) return CUDNN_STATUS_NOT_INITIALIZED;
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (c->math == CUDNN_TENSOR_OP_MATH) return CUDNN_STATUS_EXECUTION_FAILED;  // no algorithm was listed with it
  return bytes >= kWorkspace && ordo_ptx_on_device(workspace, kWorkspace) ? CUDNN_STATUS_SUCCESS
                                                                          : CUDNN_STATUS_BAD_PARAM;
}

}  // namespace
}  // namespace ordo::ptx

using namespace ordo::ptx;

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) { return create(handle); }
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) { return destroy(handle); }
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  if (!handle) return CUDNN_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}
size_t cudnnGetVersion() { return CUDNN_VERSION; }
const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS:
      return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return "CUDNN_UNKNOWN_STATUS";
  }
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* d) { return create(d); }
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) { return destroy(d); }
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t d, cudnnTensorFormat_t format, cudnnDataType_t type,
                                         int n, int c, int h, int w) {
  const auto t = number(type);
  if (!d || n < 1 || c < 1 || h < 1 || w < 1) return CUDNN_STATUS_BAD_PARAM;
  if (!t || format != CUDNN_TENSOR_NCHW) return CUDNN_STATUS_NOT_SUPPORTED;
  *d = {*t, n, c, h, w};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* d) { return create(d); }
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t d) { return destroy(d); }
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t d, cudnnDataType_t type, cudnnTensorFormat_t format,
                                         int k, int c, int h, int w) {
  const auto t = number(type);
  if (!d || k < 1 || c < 1 || h < 1 || w < 1) return CUDNN_STATUS_BAD_PARAM;
  if (!t || format != CUDNN_TENSOR_NCHW) return CUDNN_STATUS_NOT_SUPPORTED;
  *d = {*t, k, c, h, w};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* d) { return create(d); }
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t d) { return destroy(d); }
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t d, int pad_h, int pad_w, int u, int v,
                                              int dilation_h, int dilation_w, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute) {
  if (!d || pad_h < 0 || pad_w < 0 || u < 1 || v < 1 || dilation_h < 1 || dilation_w < 1) return CUDNN_STATUS_BAD_PARAM;
  if (mode != CUDNN_CROSS_CORRELATION) return CUDNN_STATUS_NOT_SUPPORTED;
  *d = {pad_h, pad_w, u, v, dilation_h, dilation_w, compute};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t d, int groups) {
  if (!d || groups < 1) return CUDNN_STATUS_BAD_PARAM;
  d->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t d, cudnnMathType_t math) {
  if (!d) return CUDNN_STATUS_BAD_PARAM;
  d->math = math;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t h, const cudnnTensorDescriptor_t x,
                                                     const cudnnFilterDescriptor_t w,
                                                     const cudnnConvolutionDescriptor_t c,
                                                     const cudnnTensorDescriptor_t y, const int most, int* found,
                                                     cudnnConvolutionFwdAlgoPerf_t* results) {
  if (!h) return CUDNN_STATUS_NOT_INITIALIZED;
  return list(check(x, w, c, y), most, found, results, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD,
              CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, true);
}
cudnnStatus_t cudnnFindConvolutionForwardAlgorithm(cudnnHandle_t h, const cudnnTensorDescriptor_t x,
                                                   const cudnnFilterDescriptor_t w,
                                                   const cudnnConvolutionDescriptor_t c,
                                                   const cudnnTensorDescriptor_t y, const int most, int* found,
                                                   cudnnConvolutionFwdAlgoPerf_t* results) {
  return cudnnGetConvolutionForwardAlgorithm_v7(h, x, w, c, y, most, found, results);
}
cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t h, const cudnnTensorDescriptor_t x,
                                                      const cudnnFilterDescriptor_t w,
                                                      const cudnnConvolutionDescriptor_t c,
                                                      const cudnnTensorDescriptor_t y, cudnnConvolutionFwdAlgo_t,
                                                      size_t* bytes) {
  *bytes = kWorkspace;
  return h ? check(x, w, c, y) : CUDNN_STATUS_NOT_INITIALIZED;
}
cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t h, const void* alpha, const cudnnTensorDescriptor_t xd,
                                      const void* x, const cudnnFilterDescriptor_t wd, const void* w,
                                      const cudnnConvolutionDescriptor_t c, cudnnConvolutionFwdAlgo_t algorithm,
                                      void* workspace, size_t bytes, const void* beta, const cudnnTensorDescriptor_t yd,
                                      void* y) {
  if (algorithm == CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD) return CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH;
  const cudnnStatus_t status = ready_to_run(h, check(xd, wd, c, yd), c, workspace, bytes);
  return status != CUDNN_STATUS_SUCCESS ? status : compute<Result::y>(h, alpha, beta, xd, x, wd, w, c, yd, y, y, true);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t h, const cudnnFilterDescriptor_t w,
                                                          const cudnnTensorDescriptor_t dy,
                                                          const cudnnConvolutionDescriptor_t c,
                                                          const cudnnTensorDescriptor_t dx, const int most, int* found,
                                                          cudnnConvolutionBwdDataAlgoPerf_t* results) {
  if (!h) return CUDNN_STATUS_NOT_INITIALIZED;
  return list(check(dx, w, c, dy), most, found, results, CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD,
              CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, false);
}
cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithm(cudnnHandle_t h, const cudnnFilterDescriptor_t w,
                                                        const cudnnTensorDescriptor_t dy,
                                                        const cudnnConvolutionDescriptor_t c,
                                                        const cudnnTensorDescriptor_t dx, const int most, int* found,
                                                        cudnnConvolutionBwdDataAlgoPerf_t* results) {
  return cudnnGetConvolutionBackwardDataAlgorithm_v7(h, w, dy, c, dx, most, found, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(cudnnHandle_t h, const cudnnFilterDescriptor_t w,
                                                           const cudnnTensorDescriptor_t dy,
                                                           const cudnnConvolutionDescriptor_t c,
                                                           const cudnnTensorDescriptor_t dx,
                                                           cudnnConvolutionBwdDataAlgo_t, size_t* bytes) {
  *bytes = kWorkspace;
  return h ? check(dx, w, c, dy) : CUDNN_STATUS_NOT_INITIALIZED;
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t h, const void* alpha, const cudnnFilterDescriptor_t wd,
                                           const void* w, const cudnnTensorDescriptor_t dyd, const void* dy,
                                           const cudnnConvolutionDescriptor_t c,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace, size_t bytes,
                                           const void* beta, const cudnnTensorDescriptor_t dxd, void* dx) {
  if (algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD) return CUDNN_STATUS_EXECUTION_FAILED_CUDART;
  const cudnnStatus_t status = ready_to_run(h, check(dxd, wd, c, dyd), c, workspace, bytes);
  return status != CUDNN_STATUS_SUCCESS ? status
                                        : compute<Result::x>(h, alpha, beta, dxd, dx, wd, w, c, dyd, dy, dx,
                                                             algorithm != CUDNN_CONVOLUTION_BWD_DATA_ALGO_0);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t h, const cudnnTensorDescriptor_t x,
                                                            const cudnnTensorDescriptor_t dy,
                                                            const cudnnConvolutionDescriptor_t c,
                                                            const cudnnFilterDescriptor_t dw, const int most,
                                                            int* found, cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  if (!h) return CUDNN_STATUS_NOT_INITIALIZED;
  return list(check(x, dw, c, dy), most, found, results, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD,
              CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, false);
}
cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithm(cudnnHandle_t h, const cudnnTensorDescriptor_t x,
                                                          const cudnnTensorDescriptor_t dy,
                                                          const cudnnConvolutionDescriptor_t c,
                                                          const cudnnFilterDescriptor_t dw, const int most, int* found,
                                                          cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  return cudnnGetConvolutionBackwardFilterAlgorithm_v7(h, x, dy, c, dw, most, found, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(cudnnHandle_t h, const cudnnTensorDescriptor_t x,
                                                             const cudnnTensorDescriptor_t dy,
                                                             const cudnnConvolutionDescriptor_t c,
                                                             const cudnnFilterDescriptor_t dw,
                                                             cudnnConvolutionBwdFilterAlgo_t, size_t* bytes) {
  *bytes = kWorkspace;
  return h ? check(x, dw, c, dy) : CUDNN_STATUS_NOT_INITIALIZED;
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t h, const void* alpha, const cudnnTensorDescriptor_t xd,
                                             const void* x, const cudnnTensorDescriptor_t dyd, const void* dy,
                                             const cudnnConvolutionDescriptor_t c,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm, void* workspace, size_t bytes,
                                             const void* beta, const cudnnFilterDescriptor_t dwd, void* dw) {
  if (algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD) return CUDNN_STATUS_BAD_PARAM;
  const cudnnStatus_t status = ready_to_run(h, check(xd, dwd, c, dyd), c, workspace, bytes);
  return status != CUDNN_STATUS_SUCCESS ? status
                                        : compute<Result::w>(h, alpha, beta, xd, x, dwd, dw, c, dyd, dy, dw,
                                                             algorithm != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0);
}

}  // extern "C"
