#include <vector>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/index_check.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/roi/roi_align.h>

namespace ordo::kernels::cpu {
namespace {

/// The samples of a bin along an axis that lie inside.
template <class V>
void find_taps(const RoiAxis<V>& axis, int64_t bin, std::vector<RoiTap<V>>& taps) {
  const AxisCells range = axis.samples(bin);
  taps.clear();
  for (int64_t i = range.begin; i < range.end; ++i) {
    const RoiTap<V> tap = axis.tap(axis.place(bin, i));
    if (tap.low >= 0) taps.push_back(tap);
  }
}

/// An output is rule 1 over the samples of its bin that lie inside, divided by the number of all. Samples are found
/// once for all channels.
template <class T>
void align_boxes(const T* input, const T* boxes, T* output, const RoiShape& s, const RoiAlignRules& rules,
                 const IndexCheck& check) {
  using V = accumulate_t<T>;
  parallel_for(0, s.boxes * s.rows, row_grain(4 * s.columns * s.channels), [&](int64_t begin, int64_t end) {
    std::vector<RoiTap<V>> ys, xs;
    for (int64_t line = begin; line < end; ++line) {
      const int64_t number = line / s.rows, row = line % s.rows;
      const T* const numbers = boxes + number * kBoxNumbers;
      const int64_t image = box_image(V(numbers[0]));
      if (!check.ok(number * kBoxNumbers, image, s.images)) continue;
      const RoiBox<V> box(s, rules, numbers);
      find_taps(box.y, row, ys);
      for (int64_t column = 0; column < s.columns; ++column) {
        find_taps(box.x, column, xs);
        const T* plane = input + image * s.channels * s.cells();
        T* to = output + ((number * s.channels * s.rows) + row) * s.columns + column;
        for (int64_t c = 0; c < s.channels; ++c, plane += s.cells(), to += s.bins()) {
          OrderedSum<V> sum;
          for (const RoiTap<V>& y : ys)
            for (const RoiTap<V>& x : xs) sum.push(roi_sample(plane, s.width, y, x));
          *to = T(sum.result() / box.count);
        }
      }
    }
  });
}

}  // namespace

void roi_align(const Tensor& input, const Tensor& boxes, const Tensor& output, const RoiShape& s,
               const RoiAlignRules& rules) {
  const IndexGuard guard("roi_align", "boxes", 0, s.images, input.device());
  dispatch_floating("roi_align", input.dtype(), [&]<class T>() {
    align_boxes(input.data<T>(), boxes.data<T>(), output.data<T>(), s, rules, guard.check());
  });
  guard.finish();
}

}  // namespace ordo::kernels::cpu
