// Padding on the CPU, a row at a time.
#include <cstring>
#include <utility>
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

/// The outputs of a row that show each of its cells, in order.
class Shown {
 public:
  explicit Shown(const PadAxis& w) {
    for (int64_t i = 0; i < w.input; ++i) {
      runs_.push_back(w.outputs(i));
      start_.push_back(int64_t(outputs_.size()));
      for (int k = 0; k < PadRuns::kRuns; ++k)
        for (int64_t o = runs_.back().begin[k]; o < runs_.back().end[k]; ++o) outputs_.push_back(o);
    }
    start_.push_back(int64_t(outputs_.size()));
    single_end_ = single_begin_ = w.input / 2;
    const auto single = [&](int64_t i) { return count(i) == 1 && outputs_[size_t(start_[size_t(i)])] == i + w.left; };
    while (single_begin_ > 0 && single(single_begin_ - 1)) --single_begin_;
    while (single_end_ < w.input && single(single_end_)) ++single_end_;
    if (single_end_ <= w.input / 2) single_begin_ = single_end_;
  }
  /// Cells [first, second) are shown by one output each, those of neighbours being neighbours.
  std::pair<int64_t, int64_t> single() const { return {single_begin_, single_end_}; }
  const PadRuns& runs(int64_t cell) const { return runs_[size_t(cell)]; }
  int64_t count(int64_t cell) const { return start_[size_t(cell) + 1] - start_[size_t(cell)]; }
  const int64_t* begin(int64_t cell) const { return outputs_.data() + start_[size_t(cell)]; }
  const int64_t* end(int64_t cell) const { return outputs_.data() + start_[size_t(cell) + 1]; }

 private:
  std::vector<PadRuns> runs_;
  std::vector<int64_t> outputs_, start_;
  int64_t single_begin_, single_end_;
};

template <class T>
void gradient(const PadAxis& d, const PadAxis& h, const PadAxis& w, const T* grad, T* output, int64_t rows) {
  using V = accumulate_t<T>;
  const Shown shown(w);
  const int64_t first = shown.single().first, last = shown.single().second;
  parallel_for(0, rows, row_grain(w.input), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t layer = r / h.input, volume = layer / d.input;
      const PadRuns in_d = d.outputs(layer - volume * d.input), in_h = h.outputs(r - layer * h.input);
      const T* const plane = grad + volume * d.output * h.output * w.output;
      T* const to = output + r * w.input;
      // Rows of outputs that show this one, if they are few.
      const T* from[kOrderedGroup];
      const int64_t many = in_d.count() * in_h.count();
      int64_t n = 0;
      for (int a = 0; a < PadRuns::kRuns && many <= kOrderedGroup; ++a)
        for (int64_t od = in_d.begin[a]; od < in_d.end[a]; ++od)
          for (int b = 0; b < PadRuns::kRuns; ++b)
            for (int64_t oh = in_h.begin[b]; oh < in_h.end[b]; ++oh)
              from[n++] = plane + (od * h.output + oh) * w.output;
      const auto edge = [&](int64_t i, int64_t until) {
        for (; i < until; ++i) {
          if (many * shown.count(i) > kOrderedGroup) {
            to[i] = T(pad_gradient(plane, h, w, in_d, in_h, shown.runs(i)));
            continue;
          }
          V sum = V(-0.0);  // -0 + v is v, bit for bit
          for (int64_t k = 0; k < n; ++k)
            for (const int64_t* o = shown.begin(i); o != shown.end(i); ++o) sum += V(from[k][*o]);
          to[i] = T(V(0) + sum);
        }
      };
      if (n == 0) {
        edge(0, w.input);
        continue;
      }
      edge(0, first);
      sum_rows<V>(
          first, last,
          [&](const auto& add) {
            for (int64_t k = 0; k < n; ++k) add(from[k] + w.left);
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
