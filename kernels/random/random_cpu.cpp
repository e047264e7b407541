#include <ordo/engine/dispatch.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/random/draws.h>
#include <ordo/kernels/random/random_loops.h>

namespace ordo::kernels::cpu {
namespace {

template <class T, class Draw>
void draw_loop(const DrawArgs& args, const Draw& draw) {
  constexpr int per_block = Draw::kPerBlock;
  T* out = static_cast<T*>(args.out);
  const GeneratorState s = args.state;
  parallel_for(0, (args.numel + per_block - 1) / per_block, 4096, [&](int64_t first, int64_t last) {
    for (int64_t block = first; block < last; ++block) {
      const PhiloxBlock b = philox(s.seed, s.stream, s.offset + uint64_t(block));
      const int64_t start = block * per_block;
      const int count = int(std::min<int64_t>(per_block, args.numel - start));
      for (int lane = 0; lane < count; ++lane) out[start + lane] = draw(b, lane, start + lane);
    }
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
  dispatch_all("bernoulli", args.dtype, [&]<class T>() { draw_loop<T>(args, BernoulliDraw<T>{args.p}); });
}

void draw_bernoulli_each(const DrawArgs& args) {
  dispatch_floating("bernoulli", args.dtype,
                    [&]<class T>() { draw_loop<T>(args, BernoulliEachDraw<T>{static_cast<const T*>(args.x)}); });
}

void draw_dropout(const DrawArgs& args) {
  dispatch_floating("dropout", args.dtype, [&]<class T>() {
    draw_loop<T>(args, DropoutDraw<T>{static_cast<const T*>(args.x), args.p, math_t<T>(args.q)});
  });
}

}  // namespace ordo::kernels::cpu
