// Padding on the CPU, a row at a time.
#include <cstring>
#include <vector>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/dispatch_word.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/resampling/pad.h>
#include <ordo/kernels/resampling/rows_cpu.h>

namespace ordo::kernels::cpu {
namespace {

template <class Word>
void pad_rows(const PadShape& s, const Word* input, Word* output, Word fill) {
  const PadAxis &w = s.axes[s.rank - 1], h = s.rank > 1 ? s.axes[s.rank - 2] : PadAxis();
  PadShape outer = s;
  outer.rank = std::max(0, s.rank - 2);
  // Outputs [first, last) show cells that lie side by side.
  const int64_t first = std::min(w.output, std::max<int64_t>(0, w.left));
  const int64_t last = std::max(first, std::min(w.output, w.left + w.input));
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
      const Word* const from = input + at * w.input;
      const auto edge = [&](int64_t o, int64_t until) {
        if (w.mode == PadMode::constant) return (void)std::fill(to + o, to + until, fill);
        for (; o < until; ++o) to[o] = from[w.source(o)];
      };
      edge(0, first);
      if (last > first) std::memcpy(to + first, from + (first - w.left), size_t(last - first) * sizeof(Word));
      edge(last, w.output);
    }
  });
}

template <class T>
void gradient(const PadAxis& d, const PadAxis& h, const PadAxis& w, const T* grad, T* output, int64_t rows) {
  using V = accumulate_t<T>;
  // Cells [first, last) are shown by one output each.
  std::vector<PadRuns> columns;
  for (int64_t i = 0; i < w.input; ++i) columns.push_back(w.outputs(i));
  const auto single = [&](int64_t i) {
    return columns[size_t(i)].count() == 1 && columns[size_t(i)].begin[1] == i + w.left &&
           columns[size_t(i)].end[1] == i + w.left + 1;
  };
  int64_t first = w.input / 2, last = first;
  while (first > 0 && single(first - 1)) --first;
  while (last < w.input && single(last)) ++last;
  if (last <= w.input / 2) first = last;
  parallel_for(0, rows, row_grain(w.input), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t layer = r / h.input, volume = layer / d.input;
      const PadRuns in_d = d.outputs(layer - volume * d.input), in_h = h.outputs(r - layer * h.input);
      const T* const from = grad + volume * d.output * h.output * w.output;
      T* const to = output + r * w.input;
      const auto edge = [&](int64_t i, int64_t until) {
        for (; i < until; ++i) to[i] = T(pad_gradient(from, h, w, in_d, in_h, columns[size_t(i)]));
      };
      const int64_t many = in_d.count() * in_h.count();
      if (many == 0 || many > kOrderedGroup) {
        edge(0, w.input);
        continue;
      }
      edge(0, first);
      sum_rows<V>(
          first, last,
          [&](const auto& add) {
            for (int a = 0; a < PadRuns::kRuns; ++a)
              for (int64_t od = in_d.begin[a]; od < in_d.end[a]; ++od)
                for (int b = 0; b < PadRuns::kRuns; ++b)
                  for (int64_t oh = in_h.begin[b]; oh < in_h.end[b]; ++oh)
                    add(from + (od * h.output + oh) * w.output + w.left);
          },
          to);
      edge(last, w.input);
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
  dispatch_floating("pad_backward", grad.dtype(), [&]<class T>() {
    gradient(s.axes[1], s.axes[2], s.axes[3], grad.data<T>(), output.data<T>(), output.numel() / s.axes[3].input);
  });
}

}  // namespace ordo::kernels::cpu
