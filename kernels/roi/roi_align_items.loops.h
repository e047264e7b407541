// What the bins of roi_align add to in its gradient.
#pragma once

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/tensor/no_unroll.h>
#include <ordo/kernels/accumulate/keyed.h>
#include <ordo/kernels/roi/roi_align.h>

namespace ordo::kernels {

/// How many items a box has.
template <class T>
struct RoiCountElement {
  RoiShape s;
  RoiAlignRules rules;
  const T* boxes;
  int64_t* counts;
  ORDO_HD void operator()(int64_t box) const {
    const RoiBox<accumulate_t<T>> at(s, rules, boxes + box * kBoxNumbers);
    counts[box] = entries_before(at.y, s.rows) * entries_before(at.x, s.columns);
  }
};

/// The items of a bin, row-major over its entries along y and x: a cell, -1 for none, and a weight. All bins have
/// equally many with a sampling_ratio; else `begin` is where each box's begin, and `bins` gets the bin of each.
template <class T>
struct RoiItemsElement {
  RoiShape s;
  RoiAlignRules rules;
  const T* boxes;
  const int64_t* begin;
  int64_t* cells;
  accumulate_t<T>* weights;
  int64_t* bins;
  ORDO_HD void operator()(int64_t i) const {
    using V = accumulate_t<T>;
    const VolumeCell bin(i, 1, s.rows, s.columns);
    const int64_t number = bin.volume, row = bin.h, column = bin.w;
    const T* const numbers = boxes + number * kBoxNumbers;
    const int64_t image = box_image(V(numbers[0]));
    const RoiBox<V> box(s, rules, numbers);
    const bool exists = image >= 0 && image < s.images;
    const RoiEntries<V> ys(box.y, row), xs(box.x, column);
    int64_t at = begin != nullptr ? begin[number] : number * s.bins() * ys.count() * xs.count();
    at += entries_before(box.y, row) * entries_before(box.x, s.columns) + ys.count() * entries_before(box.x, column);
    ORDO_NO_UNROLL
    for (int64_t r = 0; r < ys.count(); ++r) {
      const RoiEntry<V> y = ys[r];
      ORDO_NO_UNROLL
      for (int64_t c = 0; c < xs.count(); ++c, ++at) {
        const RoiEntry<V> x = xs[c];
        cells[at] = exists && y.cell >= 0 && x.cell >= 0 ? (image * s.height + y.cell) * s.width + x.cell : -1;
        weights[at] = y.weight * x.weight / box.count;
        if (bins != nullptr) bins[at] = i;
      }
    }
  }
};

namespace ORDO_LOOPS_DEVICE {

void roi_align_counts(const Tensor& boxes, const Tensor& counts, const RoiShape& s, const RoiAlignRules& rules) {
  dispatch_floating("roi_align_backward", boxes.dtype(), [&]<class T>() {
    each(s.boxes, RoiCountElement<T>{s, rules, boxes.data<T>(), counts.data<int64_t>()}, boxes.device());
  });
}

void roi_align_backward(const Tensor& rows, const Tensor& boxes, const Tensor& begin, int64_t items,
                        const Tensor& output, const RoiShape& s, const RoiAlignRules& rules, Algorithm algorithm) {
  const Device device = rows.device();
  dispatch_floating("roi_align_backward", rows.dtype(), [&]<class T>() {
    const Scratch<int64_t> cells(items, device), bins(begin.defined() ? items : 0, device);
    const Scratch<accumulate_t<T>> weights(items, device);
    const int64_t* const box_begin = begin.defined() ? begin.data<int64_t>() : nullptr;
    int64_t* const bin_of = begin.defined() ? bins.data() : nullptr;
    each_of(64, s.boxes * s.bins(),
            RoiItemsElement<T>{s, rules, boxes.data<T>(), box_begin, cells.data(), weights.data(), bin_of}, device);
    add_weighted_rows(items, cells.data(), weights.data(), bin_of, items / (s.boxes * s.bins()), rows, output,
                      algorithm);
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
