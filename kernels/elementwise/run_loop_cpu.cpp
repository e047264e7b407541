#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/elementwise/loops_cpu.h>
#include <ordo/kernels/vectors/vector_targets.h>

namespace ordo::kernels::cpu {
namespace {

/// Dimension 0 is left out: what is left counts rows.
template <int N>
Layout<N> rows_of(const Layout<N>& l) {
  Layout<N> rows;
  rows.numel = l.numel / l.sizes[0];
  rows.rank = l.rank - 1;
  for (int d = 0; d < rows.rank; ++d) {
    rows.sizes[d] = l.sizes[d + 1];
    for (int k = 0; k < N; ++k) rows.strides[k][d] = l.strides[k][d + 1];
  }
  return rows;
}

}  // namespace

template <int N>
void run_loop(const LoopArgs<N>& args, const Elements& out, const Elements* const (&in)[N], const LoopBodies& bodies,
              const void* f) {
  constexpr int64_t kGrain = 32768, kShort = 256;
  const LoopBody body = has_avx512() ? bodies.avx512 : bodies.baseline;
  // Of rows that are short, a piece has several. Others are elements, each a row of its own.
  const bool is_short = args.layout.rank > 1 && args.layout.sizes[0] < kShort;
  const Layout<N + 1> l = is_short ? rows_of(args.layout) : args.layout;
  const int64_t width = is_short ? args.layout.sizes[0] : 1;
  Places places[N + 1];
  for (int k = 0; k <= N; ++k) places[k] = {l.strides[k][0], width, args.layout.strides[k][0]};
  parallel_for(0, l.numel, kGrain / width, [&](int64_t first, int64_t last) {
    alignas(64) char values[N + 1][(kPiece + kBlock) * sizeof(double)];
    const bool writes = !out.are_values || !places[0].side_by_side();
    Values<void> x[N];
    bool reads[N], in_pieces = writes;
    // Where all rows of an operand are the same: what its values are of, and of how many rows.
    const char* repeated[N] = {};
    int64_t repeats[N] = {};
    for (int k = 0; k < N; ++k) {
      const Places& place = places[k + 1];
      x[k] = {values[k], place.repeats() ? 0 : kBlock};
      reads[k] = !in[k]->are_values || !place.side_by_side();
      in_pieces |= reads[k] && !place.repeats();
      if (!args.in[k].data) in[k]->repeat(values[k], args.in[k].number, kBlock);
    }
    const int64_t most = in_pieces ? kPiece / width : l.numel;
    for_rows(l, first, last, [&](const int64_t(&at)[N + 1], int64_t n) {
      for (int64_t start = 0; start < n; start += most) {
        const int64_t rows = std::min(most, n - start);
        for (int k = 0; k < N; ++k) {
          const char* from = static_cast<const char*>(args.in[k].data);
          const Places& place = places[k + 1];
          if (!from) continue;
          from += (at[k + 1] + start * place.row) * int64_t(in[k]->size);
          if (!reads[k])
            x[k].p = from;
          else if (place.repeats()) {
            if (from != repeated[k]) in[k]->read(values[k], repeated[k] = from, {0, 1, 0}, kBlock);
          } else if (place.row != 0)
            in[k]->read(values[k], from, place, rows);
          else if (from != repeated[k] || rows > repeats[k])
            in[k]->read(values[k], repeated[k] = from, place, repeats[k] = rows);
        }
        char* const to = static_cast<char*>(args.out) + (at[0] + start * places[0].row) * int64_t(out.size);
        body(f, writes ? values[N] : to, rows * width, x);
        if (writes) out.write(to, places[0], values[N], rows);
      }
    });
  });
}

template void run_loop(const LoopArgs<1>&, const Elements&, const Elements* const (&)[1], const LoopBodies&,
                       const void*);
template void run_loop(const LoopArgs<2>&, const Elements&, const Elements* const (&)[2], const LoopBodies&,
                       const void*);
template void run_loop(const LoopArgs<3>&, const Elements&, const Elements* const (&)[3], const LoopBodies&,
                       const void*);

}  // namespace ordo::kernels::cpu
