#include <ordo/engine/dispatch.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/random/draws.h>
#include <ordo/kernels/random/random_loops.h>

namespace ordo::kernels::cpu {
namespace {

constexpr int kBatch = 16;

/// kBatch consecutive blocks, computed side by side so that the rounds vectorise.
void philox_batch(const GeneratorState& s, uint64_t first, PhiloxBlock (&blocks)[kBatch]) {
  alignas(64) uint32_t lanes[4][kBatch];
  for (int j = 0; j < kBatch; ++j) {
    const PhiloxBlock b = philox(s.seed, s.stream, s.offset + first + uint64_t(j));
    for (int k = 0; k < 4; ++k) lanes[k][j] = b.v[k];
  }
  for (int j = 0; j < kBatch; ++j)
    for (int k = 0; k < 4; ++k) blocks[j].v[k] = lanes[k][j];
}

/// Calls batch(blocks, first element, elements) over all elements.
template <int kPerBlock, class Batch>
void for_batches(const DrawArgs& args, const Batch& batch) {
  constexpr int64_t size = kBatch * kPerBlock;
  parallel_for(0, (args.numel + size - 1) / size, 1024 / kPerBlock, [&](int64_t first, int64_t last) {
    PhiloxBlock blocks[kBatch];
    for (int64_t b = first; b < last; ++b) {
      philox_batch(args.state, uint64_t(b) * kBatch, blocks);
      batch(blocks, b * size, int(std::min<int64_t>(size, args.numel - b * size)));
    }
  });
}

template <class T, class Draw>
void draw_loop(const DrawArgs& args, const Draw& draw) {
  constexpr int per_block = Draw::kPerBlock;
  T* out = static_cast<T*>(args.out);
  for_batches<per_block>(args, [&](const PhiloxBlock(&blocks)[kBatch], int64_t start, int count) {
    for (int i = 0; i < count; ++i) out[start + i] = draw(blocks[i / per_block], i % per_block, start + i);
  });
}

/// NormalDraw, a batch at a time, which vectorises.
template <class T>
void normal_loop(const DrawArgs& args, const NormalDraw<T>& draw) {
  T* out = static_cast<T*>(args.out);
  for_batches<4>(args, [&](const PhiloxBlock(&blocks)[kBatch], int64_t start, int count) {
    constexpr int pairs = 2 * kBatch;
    uint32_t u[pairs], a[pairs];
    float z[2][pairs];
    for (int j = 0; j < pairs; ++j) {
      u[j] = blocks[j / 2].v[j % 2 * 2];
      a[j] = blocks[j / 2].v[j % 2 * 2 + 1];
    }
    for (int j = 0; j < pairs; ++j) z[0][j] = NormalDraw<T>::standard(u[j], a[j], 1);
    for (int j = 0; j < pairs; ++j) z[1][j] = NormalDraw<T>::standard(u[j], a[j], 0);
    for (int i = 0; i < count; ++i) out[start + i] = T(draw.mean + draw.deviation * z[i % 2][i / 2]);
  });
}

}  // namespace

void draw_uniform(const DrawArgs& args) {
  dispatch_floating("uniform_", args.dtype, [&]<class T>() {
    draw_loop<T>(args, UniformDraw<T>{math_t<T>(args.p), math_t<T>(args.q)});
  });
}

void draw_normal(const DrawArgs& args) {
  dispatch_floating("normal_", args.dtype, [&]<class T>() {
    draw_loop<T>(args, NormalDraw<T>{math_t<T>(args.p), math_t<T>(args.q)});
  });
}

void draw_integers(const DrawArgs& args) {
  dispatch_all("randint", args.dtype, [&]<class T>() {
    if (args.range <= kSmallRange)
      draw_loop<T>(args, SmallIntegerDraw<T>{args.low, args.range});
    else
      draw_loop<T>(args, IntegerDraw<T>{args.low, args.range});
  });
}

void draw_bernoulli(const DrawArgs& args) {
  dispatch_all("bernoulli", args.dtype, [&]<class T>() { draw_loop<T>(args, BernoulliDraw<T>{below(args.p)}); });
}

void draw_bernoulli_each(const DrawArgs& args) {
  dispatch_floating("bernoulli", args.dtype,
                    [&]<class T>() { draw_loop<T>(args, BernoulliEachDraw<T>{static_cast<const T*>(args.x)}); });
}

void draw_dropout(const DrawArgs& args) {
  dispatch_floating("dropout", args.dtype, [&]<class T>() {
    draw_loop<T>(args, DropoutDraw<T>{static_cast<const T*>(args.x), below(args.p), math_t<T>(args.q)});
  });
}

}  // namespace ordo::kernels::cpu
