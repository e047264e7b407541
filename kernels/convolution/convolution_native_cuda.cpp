// Convolutions by cuDNN, but for the level device_to_device.
#include <ordo/kernels/convolution/convolution.h>

#if ORDO_HAS_CUDNN

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ordo/engine/calls/error.h>
#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/cuda/cudnn_native.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/determinism.h>
#include <ordo/engine/run/graph.h>
#include <ordo/kernels/matmul/gemm.h>

namespace ordo::kernels::cuda {
namespace {

using namespace ordo::cuda::libraries;

// An algorithm that wants more is passed over. Fixed, so that the choice does not depend on free memory.
constexpr size_t kWorkspaceLimit = size_t(1) << 30;
constexpr int kMostAlgorithms = 16;

void check(cudnnStatus_t status, const char* what) {
  if (status != CUDNN_STATUS_SUCCESS)
    throw CudaError(std::string("[convolution] ") + what + ": " + cudnnGetErrorString(status));
}

cudnnHandle_t handle(Device device) {
  struct Destroy {
    Device device;
    void operator()(cudnnHandle_t h) const {
      const ordo::cuda::DeviceScope scope(device, std::nothrow);
      cudnnDestroy(h);
    }
  };
  using Handle = std::unique_ptr<std::remove_pointer_t<cudnnHandle_t>, Destroy>;
  thread_local std::map<int, Handle> handles;
  Handle& own = handles[device.index()];
  if (!own) {
    cudnnHandle_t made = nullptr;
    ordo::detail::expect_no_capture("the first use of cuDNN: call the function once before");
    check(cudnnCreate(&made), "cudnnCreate");
    Handle fresh(made, Destroy{device});
    check(cudnnSetStream(made, ordo::cuda::current_stream(device)), "cudnnSetStream");
    own = std::move(fresh);
  }
  return own.get();
}

cudnnDataType_t data_type(DType t) {
  return t == float64    ? CUDNN_DATA_DOUBLE
         : t == float16  ? CUDNN_DATA_HALF
         : t == bfloat16 ? CUDNN_DATA_BFLOAT16
                         : CUDNN_DATA_FLOAT;
}

// What cuDNN wants to know about a convolution.
struct Problem {
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t conv = nullptr;

  Problem(const ConvShape& s, DType dtype) {
    const cudnnDataType_t type = data_type(dtype);
    const int n = int(s.samples), groups = int(s.groups), c = int(s.channels), o = int(s.filters);
    check(cudnnCreateTensorDescriptor(&x), "tensor descriptor");
    check(cudnnCreateTensorDescriptor(&y), "tensor descriptor");
    check(cudnnCreateFilterDescriptor(&w), "filter descriptor");
    check(cudnnCreateConvolutionDescriptor(&conv), "convolution descriptor");
    check(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, type, n, groups * c, int(s.h.input), int(s.w.input)),
          "input");
    check(cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NCHW, type, n, groups * o, int(s.h.output), int(s.w.output)),
          "output");
    check(cudnnSetFilter4dDescriptor(w, type, CUDNN_TENSOR_NCHW, groups * o, c, int(s.h.kernel), int(s.w.kernel)),
          "weight");
    check(cudnnSetConvolution2dDescriptor(conv, int(s.h.padding), int(s.w.padding), int(s.h.stride), int(s.w.stride),
                                          int(s.h.dilation), int(s.w.dilation), CUDNN_CROSS_CORRELATION,
                                          dtype == float64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT),
          "convolution");
    check(cudnnSetConvolutionGroupCount(conv, groups), "groups");
    // For float32 the default would allow TF32.
    check(cudnnSetConvolutionMathType(conv, size_of(dtype) == 2 ? CUDNN_TENSOR_OP_MATH : CUDNN_FMA_MATH), "math type");
  }
  ~Problem() {
    cudnnDestroyConvolutionDescriptor(conv);
    cudnnDestroyFilterDescriptor(w);
    cudnnDestroyTensorDescriptor(y);
    cudnnDestroyTensorDescriptor(x);
  }
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
};

// Two dimensions, or one as a height of 1, at the levels that let a library choose the order.
bool for_cudnn(const ConvShape& s) {
  if (determinism() == Determinism::device_to_device) return false;
  const auto fits = [](int64_t count) { return count > 0 && count <= 0x7fffffff; };
  const bool flat = s.d.input == 1 && s.d.kernel == 1 && s.d.padding == 0 && s.d.output == 1;
  return flat && s.complete() && s.channels > 0 && fits(s.samples * s.groups * s.x_size()) &&
         fits(s.samples * s.groups * s.y_size()) && fits(s.groups * s.w_size()) && s.every([&](const WindowAxis& a) {
           return fits(std::max({a.padding, a.stride, a.dilation}) + 1);
         });
}

bool only_deterministic() { return deterministic() || cudnn_settings().deterministic; }

// An algorithm that cuDNN listed, with the math type that it listed it for: under another one cuDNN runs another kernel
// than the one whose memory and determinism it told of. Only for float32 it runs all the same under FMA_MATH: lists
// name DEFAULT_MATH, which permits TF32, whatever was asked for.
struct Candidate {
  int algorithm;
  cudnnMathType_t math;
};

using Key = std::array<int64_t, sizeof(ConvShape) / sizeof(int64_t) + 3>;

// Of the calling thread: what is left to try for a convolution, the one in use first; null where nobody has asked yet.
using Candidates = std::unique_ptr<std::vector<Candidate>>;
Candidates& known_candidates(const ConvShape& s, DType dtype, Device device, ConvPass pass) {
  thread_local std::map<Key, Candidates> known;
  Key key;
  std::memcpy(key.data(), &s, sizeof(ConvShape));
  const bool find = !deterministic() && cudnn_settings().benchmark;
  key[key.size() - 3] = int64_t(pass);
  key[key.size() - 2] = int64_t(dtype);
  key[key.size() - 1] = device.index() * 4 + only_deterministic() * 2 + find;
  return known[key];
}

bool not_supported(cudnnStatus_t status) {
  return status >= CUDNN_STATUS_NOT_SUPPORTED && status < CUDNN_STATUS_INTERNAL_ERROR;
}

// Whether another algorithm may do what this one could not although it was listed, as on GPUs that are newer than a
// kernel: where the device is sound.
bool try_the_next(cudnnStatus_t status, Device device) {
  if (status < CUDNN_STATUS_BAD_PARAM) return false;
  const cudaError_t sound = cudaStreamQuery(ordo::cuda::current_stream(device));
  cudaGetLastError();  // the query's, and what cuDNN has left
  return sound == cudaSuccess || sound == cudaErrorNotReady;
}

template <class Descriptor>
struct Described {
  Descriptor type;
  const Tensor& tensor;
};

// Computes c of a and b, whose algorithms `Result` describes, with the fastest permitted one that works: by cuDNN's
// model of the device, or by trying when `benchmark` is on. `get`, `find`, `size` and `run` are cuDNN's functions.
// False when none works; an error of the device is an error. Trying takes memory of cuDNN's own.
template <class Result, class A, class B, class C>
bool by_library(const ConvShape& s, const Problem& p, ConvPass pass, auto& get, auto& find, auto& size, auto& run,
                const Described<A>& a, const Described<B>& b, const Described<C>& c, const Tensor& bias = {}) {
  const DType dtype = a.tensor.dtype();
  const Device device = a.tensor.device();
  const ordo::cuda::DeviceScope scope(device);
  const cudnnHandle_t h = handle(device);
  Candidates& candidates = known_candidates(s, dtype, device, pass);
  if (!candidates) {
    const bool strict = only_deterministic(), tries = !deterministic() && cudnn_settings().benchmark;
    Result results[kMostAlgorithms];
    int found = 0;
    if (tries) empty_cache(device);
    const cudnnStatus_t status = tries ? find(h, a.type, b.type, p.conv, c.type, kMostAlgorithms, &found, results)
                                       : get(h, a.type, b.type, p.conv, c.type, kMostAlgorithms, &found, results);
    if (!not_supported(status)) check(status, "list of algorithms");
    candidates = std::make_unique<std::vector<Candidate>>();
    if (status == CUDNN_STATUS_SUCCESS)
      for (const Result& r : std::span(results, size_t(found)))
        if (r.status == CUDNN_STATUS_SUCCESS && r.memory <= kWorkspaceLimit &&
            (!strict || r.determinism == CUDNN_DETERMINISTIC))
          candidates->push_back({int(r.algo), dtype == float32 ? CUDNN_FMA_MATH : r.mathType});
  }
  const auto compute = [&](decltype(Result::algo) algorithm) {
    size_t bytes = 0;
    const cudnnStatus_t status = size(h, a.type, b.type, p.conv, c.type, algorithm, &bytes);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    const Scratch<char> workspace(int64_t(bytes), device);
    if (bias.defined()) {  // the result begins as the bias, so that it is rounded once
      Gemm g{.m = s.groups * s.filters, .n = s.outputs(), .batch = s.samples, .dtype = dtype, .c_dtype = dtype};
      g.c = {c.tensor.data(), s.outputs(), 1, s.groups * s.y_size()};
      g.bias = bias.data();
      g.bias_per_row = true;
      start_gemm(g, device);
    }
    const float factors[] = {0, 1};
    const double wide[] = {0, 1};
    const auto factor = [&](int i) -> const void* {
      return dtype == float64 ? static_cast<const void*>(&wide[i]) : &factors[i];
    };
    return run(h, factor(1), a.type, a.tensor.data(), b.type, b.tensor.data(), p.conv, algorithm, workspace.data(),
               bytes, factor(bias.defined()), c.type, c.tensor.data());
  };
  while (!candidates->empty()) {
    const Candidate candidate = candidates->front();
    check(cudnnSetConvolutionMathType(p.conv, candidate.math), "math type");
    const cudnnStatus_t status = compute(decltype(Result::algo)(candidate.algorithm));
    if (status == CUDNN_STATUS_SUCCESS) return true;
    if (!try_the_next(status, device)) check(status, "convolution");
    candidates->erase(candidates->begin());
  }
  return false;
}

bool by_library(ConvPass pass, const ConvShape& s, const ConvTensors& t) {
  const Problem p(s, t.x.dtype());
  const Described x{p.x, t.x}, y{p.y, t.y};
  const Described weight{p.w, t.weight};
  if (pass == ConvPass::forward)
    return by_library<cudnnConvolutionFwdAlgoPerf_t>(
        s, p, pass, cudnnGetConvolutionForwardAlgorithm_v7, cudnnFindConvolutionForwardAlgorithm,
        cudnnGetConvolutionForwardWorkspaceSize, cudnnConvolutionForward, x, weight, y, t.bias);
  if (pass == ConvPass::input_grad)
    return by_library<cudnnConvolutionBwdDataAlgoPerf_t>(
        s, p, pass, cudnnGetConvolutionBackwardDataAlgorithm_v7, cudnnFindConvolutionBackwardDataAlgorithm,
        cudnnGetConvolutionBackwardDataWorkspaceSize, cudnnConvolutionBackwardData, weight, y, x);
  return by_library<cudnnConvolutionBwdFilterAlgoPerf_t>(
      s, p, pass, cudnnGetConvolutionBackwardFilterAlgorithm_v7, cudnnFindConvolutionBackwardFilterAlgorithm,
      cudnnGetConvolutionBackwardFilterWorkspaceSize, cudnnConvolutionBackwardFilter, x, y, weight);
}

}  // namespace

bool library_convolve(ConvPass pass, const ConvShape& s, const ConvTensors& t) {
  const bool library = for_cudnn(s) && by_library(pass, s, t);
  OpCall::chose(library ? Algorithm::library : Algorithm::direct);
  return library;
}

}  // namespace ordo::kernels::cuda

#endif
