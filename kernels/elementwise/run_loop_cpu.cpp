#include <ordo/engine/parallel.h>
#include <ordo/kernels/elementwise/loops_cpu.h>

namespace ordo::kernels::cpu {

template <int N>
void run_loop(const LoopArgs<N>& args, const Elements& out, const Elements* const (&in)[N], LoopBody body,
              const void* f) {
  constexpr int64_t kGrain = 32768;
  const Layout<N + 1>& l = args.layout;
  parallel_for(0, l.numel, kGrain, [&](int64_t first, int64_t last) {
    alignas(64) char values[N + 1][kPiece * sizeof(double)];
    const bool writes = !out.are_values || l.strides[0][0] != 1;
    bool reads[N], in_pieces = writes;
    for (int k = 0; k < N; ++k) {
      reads[k] = !args.in[k].data || !in[k]->are_values || l.strides[k + 1][0] != 1;
      in_pieces |= reads[k];
      if (!args.in[k].data) in[k]->repeat(values[k], args.in[k].number, std::min(kPiece, last - first));
    }
    for_rows(l, first, last, [&](const int64_t(&at)[N + 1], int64_t n) {
      const int64_t step = in_pieces ? kPiece : n;
      for (int64_t start = 0; start < n; start += step) {
        const int64_t count = std::min(step, n - start);
        const void* x[N];
        for (int k = 0; k < N; ++k) {
          const int64_t stride = l.strides[k + 1][0];
          const char* from = static_cast<const char*>(args.in[k].data);
          x[k] = values[k];
          if (!from) continue;
          from += (at[k + 1] + start * stride) * int64_t(in[k]->size);
          if (!reads[k])
            x[k] = from;
          else if (stride != 0 || start == 0)  // one value is written once
            in[k]->read(values[k], from, stride, count);
        }
        char* const to = static_cast<char*>(args.out) + (at[0] + start * l.strides[0][0]) * int64_t(out.size);
        body(f, writes ? values[N] : to, count, x);
        if (writes) out.write(to, l.strides[0][0], values[N], count);
      }
    });
  });
}

template void run_loop(const LoopArgs<1>&, const Elements&, const Elements* const (&)[1], LoopBody, const void*);
template void run_loop(const LoopArgs<2>&, const Elements&, const Elements* const (&)[2], LoopBody, const void*);
template void run_loop(const LoopArgs<3>&, const Elements&, const Elements* const (&)[3], LoopBody, const void*);

}  // namespace ordo::kernels::cpu
