// Prints hashes of products and convolutions as the CPU kernels compute them. run.sh compares what this prints on
// different processors.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/run/about.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/half.h>
#include <ordo/kernels/convolution/conv_shape.h>
#include <ordo/kernels/matmul/gemm.h>

#include "tests/kernels/vectors/shapes.h"

namespace ordo {

// In place of the engine's memory, errors and devices, which need most of the engine.
void* detail::allocate(size_t bytes, Device) { return std::malloc(bytes); }
void detail::deallocate(void* data, size_t, Device) noexcept { std::free(data); }
void detail::throw_out_of_memory() { std::abort(); }
constinit thread_local int detail::library_calls = 0;
std::string why_no_cuda_device() { return "this program has none"; }

namespace {

uint64_t hash(const void* data, size_t bytes, uint64_t h) {
  for (size_t i = 0; i < bytes; ++i) h = (h ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3u;  // FNV-1a
  return h;
}

template <class T>
std::vector<T> values(int64_t count, uint32_t seed) {
  std::vector<T> v;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const float small = float(int32_t(seed)) * 0x1p-31f;
    v.push_back(T(seed % 7 == 0 ? small * 1000 : small));
  }
  return v;
}

template <class T>
void products(DType dtype, const char* name) {
  uint64_t h = 0xcbf29ce484222325u;
  for (const test::ProductShape& s : test::kVectorProducts)
    for (bool a_turned : {false, true})
      for (bool b_turned : {false, true})
        for (bool c_turned : {false, true}) {
          const std::vector<T> a = values<T>(s.batch * s.m * s.k, 1), b = values<T>(s.batch * s.k * s.n, 2),
                               bias = values<T>(s.n, 3);
          std::vector<T> c(size_t(s.batch * s.m * s.n));
          kernels::Gemm g{.m = s.m, .n = s.n, .k = s.k, .batch = s.batch, .dtype = dtype, .c_dtype = dtype};
          g.a = {a.data(), a_turned ? 1 : s.k, a_turned ? s.m : 1, s.m * s.k};
          g.b = {b.data(), b_turned ? 1 : s.n, b_turned ? s.k : 1, s.k * s.n};
          g.c = {c.data(), c_turned ? 1 : s.n, c_turned ? s.m : 1, s.m * s.n};
          g.bias = s.m % 2 ? bias.data() : nullptr;
          kernels::cpu::floating_gemm(g);
          h = hash(c.data(), c.size() * sizeof(T), h);
        }
  std::printf("products %s %016llx\n", name, static_cast<unsigned long long>(h));
}

void convolutions() {
  uint64_t h = 0xcbf29ce484222325u;
  for (const test::ConvolutionShape& c : test::kVectorConvolutions) {
    const auto axis = [&](int64_t input) -> kernels::WindowAxis {
      return {.input = input,
              .output = (input - 1) / c.stride + 1,
              .kernel = 3,
              .stride = c.stride,
              .padding = 1,
              .dilation = 1};
    };
    kernels::ConvShape s{};
    s.samples = c.samples, s.groups = 1, s.channels = c.channels, s.filters = c.filters;
    s.d = {.input = 1, .output = 1, .kernel = 1, .stride = 1, .padding = 0, .dilation = 1};
    s.h = axis(c.height), s.w = axis(c.width);
    const std::vector<float> x = values<float>(s.samples * s.x_size(), 1), w = values<float>(s.w_size(), 2);
    const std::vector<float> bias = values<float>(s.filters, 3);
    std::vector<float> y(size_t(s.samples * s.y_size())), x_grad(x.size()), w_grad(w.size());
    if (!kernels::cpu::direct_convolution(s, x.data(), w.data(), bias.data(), y.data()) ||
        !kernels::cpu::direct_convolution_input_grad(s, y.data(), w.data(), x_grad.data()) ||
        !kernels::cpu::direct_convolution_weight_grad(s, y.data(), x.data(), w_grad.data()))
      std::puts("not direct");
    for (const std::vector<float>* result : {&y, &x_grad, &w_grad})
      h = hash(result->data(), result->size() * sizeof(float), h);
  }
  std::printf("convolutions %016llx\n", static_cast<unsigned long long>(h));
}

}  // namespace
}  // namespace ordo

int main() {
  ordo::set_num_threads(2);
  ordo::products<float>(ordo::float32, "float32");
  ordo::products<double>(ordo::float64, "float64");
  ordo::products<ordo::Half>(ordo::float16, "float16");
  ordo::products<ordo::BFloat16>(ordo::bfloat16, "bfloat16");
  ordo::convolutions();
}
