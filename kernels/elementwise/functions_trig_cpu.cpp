#include <ordo/kernels/elementwise/function_functors.h>
#include <ordo/kernels/elementwise/function_loops.h>
#include <ordo/kernels/elementwise/loops_cpu.h>

namespace ordo::kernels::cpu {
namespace {

/// Where a stretch holds moderate angles only, the branch-free form of the function (same bits) vectorises.
template <class T, class Moderate, class Any>
void angle_loop(const UnaryArgs& args, const Moderate& moderate, const Any& any) {
  T* out = static_cast<T*>(args.out);
  const T* in = static_cast<const T*>(args.in);
  parallel_for(0, args.numel, kElementwiseGrain, [&](int64_t first, int64_t last) {
    for (int64_t start = first; start < last; start += kStretch) {
      const int64_t end = std::min(start + kStretch, last);
      bool huge = false;
      for (int64_t i = start; i < end; ++i) huge |= !ordo::math::is_moderate_angle(math_t<T>(in[i]));
      if (huge)
        for (int64_t i = start; i < end; ++i) out[i] = T(any(math_t<T>(in[i])));
      else
        for (int64_t i = start; i < end; ++i) out[i] = T(moderate(math_t<T>(in[i])));
    }
  });
}

}  // namespace

void sin(const UnaryArgs& args) {
  dispatch_floating("sin", args.dtype, [&]<class T>() { angle_loop<T>(args, SinModerate(), Sin()); });
}

void cos(const UnaryArgs& args) {
  dispatch_floating("cos", args.dtype, [&]<class T>() { angle_loop<T>(args, CosModerate(), Cos()); });
}

}  // namespace ordo::kernels::cpu
