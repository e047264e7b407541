#include <ordo/engine/dispatch_word.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/elementwise/where_loops.h>

namespace ordo::kernels::cpu {
namespace {

// Both values are read and one is masked out: a branch on random masks would be mispredicted half of the time.
template <class T>
T chosen(bool condition, T a, T b) {
  const T mask = T(-T(condition));
  return T((a & mask) | (b & T(~mask)));
}

template <class T>
void where_loop(const WhereArgs& args) {
  const Layout<4>& l = args.layout;
  const T a_bits = T(args.a_bits), b_bits = T(args.b_bits);
  parallel_for(0, l.numel, 32768, [&](int64_t first, int64_t last) {
    for_rows(l, first, last, [&](const int64_t(&at)[4], int64_t n) {
      T* out = static_cast<T*>(args.out) + at[0];
      const bool* condition = args.condition + at[1];
      const T* a = args.a ? static_cast<const T*>(args.a) + at[2] : &a_bits;
      const T* b = args.b ? static_cast<const T*>(args.b) + at[3] : &b_bits;
      const int64_t so = l.strides[0][0], sc = l.strides[1][0], sa = l.strides[2][0], sb = l.strides[3][0];
      if (so == 1 && sc == 1 && sa == 1 && sb == 1) {
        for (int64_t i = 0; i < n; ++i) out[i] = chosen(condition[i], a[i], b[i]);
      } else if (so == 1 && sc == 1 && sa == 1 && sb == 0) {
        const T value = *b;
        for (int64_t i = 0; i < n; ++i) out[i] = chosen(condition[i], a[i], value);
      } else if (so == 1 && sc == 1 && sa == 0 && sb == 1) {
        const T value = *a;
        for (int64_t i = 0; i < n; ++i) out[i] = chosen(condition[i], value, b[i]);
      } else {
        for (int64_t i = 0; i < n; ++i) out[i * so] = chosen(condition[i * sc], a[i * sa], b[i * sb]);
      }
    });
  });
}

}  // namespace

void where(const WhereArgs& args) {
  dispatch_word(args.element_size, [&]<class T>() { where_loop<T>(args); });
}

}  // namespace ordo::kernels::cpu
