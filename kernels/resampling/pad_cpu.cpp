// Padding on the CPU, a row at a time.
#include <algorithm>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/kernels/resampling/pad.h>
#include <ordo/kernels/windows/sum_reads_cpu.h>

namespace ordo::kernels::cpu {
namespace {

/// The outputs that show each cell, ascending; not of mode constant.
AxisRuns outputs_of_cells(const PadAxis& a) {
  const int64_t left = std::max<int64_t>(0, a.left), right = std::max<int64_t>(0, a.right());
  const int64_t edge =
      1 + (a.input == 1 ? left + right : std::max(left, right));  // replicate: outputs of a border cell
  AxisRuns runs(a.input, std::max<int64_t>(3, edge));
  for (int k = 0; k < 3; ++k) runs.add(a.run(k).transposed());
  return runs;
}

template <class Word>
void pad_rows(const PadShape& s, const Word* input, Word* output, Word fill) {
  const PadAxis &w = s.axes[s.rank - 1], h = s.rank > 1 ? s.axes[s.rank - 2] : PadAxis();
  PadShape outer = s;
  outer.rank = std::max(0, s.rank - 2);
  const AxisRun runs[] = {w.run(0), w.run(1), w.run(2)};
  parallel_for(0, outer.outputs() * h.output, row_grain(w.output), [&](int64_t begin, int64_t end) {
    int64_t plane = -1, oh = 0;  // the plane's place in the input; found once for its rows
    for (int64_t r = begin; r < end; ++r, ++oh) {
      if (r == begin || oh == h.output) {
        oh = r % h.output;
        plane = pad_source(outer, r / h.output);
      }
      Word* const to = output + r * w.output;
      const int64_t ih = plane < 0 ? -1 : h.source(oh), at = ih < 0 ? -1 : plane * h.input + ih;
      if (at < 0) {
        std::fill(to, to + w.output, fill);
        continue;
      }
      for (const AxisRun& run : runs) {
        const Word* const from = input + at * w.input + run.at;
        if (run.at < 0)
          std::fill_n(to + run.place, run.count, fill);
        else if (run.at_step == 1)
          std::copy_n(from, run.count, to + run.place);
        else
          for (int64_t i = 0; i < run.count; ++i) to[run.place + i] = from[i * run.at_step];
      }
    }
  });
}

}  // namespace

void pad(const Tensor& input, const Tensor& output, const PadShape& shape, const Tensor& fill) {
  dispatch_word(input.element_size(), [&]<class Word>() {
    pad_rows(shape, static_cast<const Word*>(input.data()), static_cast<Word*>(output.data()),
             *static_cast<const Word*>(fill.data()));
  });
}

void pad_backward(const Tensor& grad, const Tensor& output, const PadShape& s) {
  const PadAxis &d = s.axes[0], &h = s.axes[1], &w = s.axes[2];
  const int64_t plane = h.output * w.output;
  const VolumeReads reads{ReadLists(outputs_of_cells(d), plane), ReadLists(outputs_of_cells(h), w.output),
                          outputs_of_cells(w), d.output * plane};
  dispatch_floating("pad_backward", grad.dtype(), [&]<class T>() {
    parallel_for(0, output.numel() / w.input, row_grain(w.input),
                 [&](int64_t begin, int64_t end) { sum_reads(reads, grad.data<T>(), begin, end, output.data<T>()); });
  });
}

}  // namespace ordo::kernels::cpu
