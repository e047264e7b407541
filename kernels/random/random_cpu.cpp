#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/random/draws.h>

namespace ordo::kernels::cpu {
namespace {

constexpr int kBatch = 32;  // more than compilers unroll completely, which would keep them from vectorising

/// philox() of kBatch consecutive blocks, round by round, so that the compiler computes them side by side.
void philox_batch(const GeneratorState& s, uint64_t first, uint32_t (&numbers)[4 * kBatch]) {
  uint32_t c0[kBatch], c1[kBatch], c2[kBatch], c3[kBatch];
  for (int j = 0; j < kBatch; ++j) {
    const uint64_t index = s.offset + first + uint64_t(j);
    c0[j] = uint32_t(index);
    c1[j] = uint32_t(index >> 32);
    c2[j] = uint32_t(s.stream);
    c3[j] = uint32_t(s.stream >> 32);
  }
  uint32_t k0 = uint32_t(s.seed), k1 = uint32_t(s.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int j = 0; j < kBatch; ++j) {
      const uint64_t p0 = uint64_t(0xD2511F53u) * c0[j], p1 = uint64_t(0xCD9E8D57u) * c2[j];
      c0[j] = uint32_t(p1 >> 32) ^ c1[j] ^ k0;
      c1[j] = uint32_t(p1);
      c2[j] = uint32_t(p0 >> 32) ^ c3[j] ^ k1;
      c3[j] = uint32_t(p0);
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  for (int j = 0; j < kBatch; ++j) {
    numbers[4 * j] = c0[j];
    numbers[4 * j + 1] = c1[j];
    numbers[4 * j + 2] = c2[j];
    numbers[4 * j + 3] = c3[j];
  }
}

// NormalDraw's two deviates of each pair of numbers, in loops that vectorise: everything inlined into them, and nothing
// else around them.
constexpr int kPairs = 2 * kBatch;
[[gnu::flatten, gnu::noinline]] void radii(const uint32_t* __restrict u, double* __restrict radius) {
  for (int j = 0; j < kPairs; ++j) radius[j] = NormalDraw<float>::radius(u[j]);
}
template <uint64_t kTurn>
[[gnu::flatten, gnu::noinline]] void deviates(const double* __restrict r, const uint32_t* __restrict a,
                                              float* __restrict z) {
  for (int j = 0; j < kPairs; ++j) z[j] = NormalDraw<float>::deviate(r[j], a[j], kTurn);
}

/// Calls batch(numbers, first element, elements) over all elements.
template <int kPerBlock, class Batch>
void for_batches(const DrawArgs& args, const Batch& batch) {
  constexpr int64_t size = kBatch * kPerBlock;
  parallel_for(0, (args.numel + size - 1) / size, 1024 / kPerBlock, [&](int64_t first, int64_t last) {
    uint32_t numbers[4 * kBatch];
    for (int64_t b = first; b < last; ++b) {
      philox_batch(args.state, uint64_t(b) * kBatch, numbers);
      batch(numbers, b * size, int(std::min<int64_t>(size, args.numel - b * size)));
    }
  });
}

template <template <class> class Draw, class T>
void draw_loop(const DrawArgs& args, const Draw<T>& draw) {
  constexpr int per_block = Draw<T>::kPerBlock;
  T* out = static_cast<T*>(args.out);
  for_batches<per_block>(args, [&](const uint32_t(&numbers)[4 * kBatch], int64_t start, int count) {
    for (int i = 0; i < count; ++i) out[start + i] = draw(numbers + i * (4 / per_block), start + i);
  });
}

/// NormalDraw below double, a batch at a time, which vectorises.
template <class T>
requires(!std::is_same_v<T, double>) void draw_loop(const DrawArgs& args, const NormalDraw<T>& draw) {
  T* out = static_cast<T*>(args.out);
  for_batches<4>(args, [&](const uint32_t(&numbers)[4 * kBatch], int64_t start, int count) {
    uint32_t u[kPairs], a[kPairs];
    double radius[kPairs];
    float z[2][kPairs];
    for (int j = 0; j < kPairs; ++j) {
      u[j] = numbers[2 * j];
      a[j] = numbers[2 * j + 1];
    }
    radii(u, radius);
    deviates<1>(radius, a, z[0]);
    deviates<0>(radius, a, z[1]);
    for (int i = 0; i < count; ++i) out[start + i] = T(draw.mean + draw.deviation * z[i % 2][i / 2]);
  });
}

}  // namespace

void draw(const DrawArgs& args) {
  with_draw(args, [&](const auto& draw) { draw_loop(args, draw); });
}

}  // namespace ordo::kernels::cpu
