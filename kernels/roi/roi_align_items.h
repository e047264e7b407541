// What the bins of roi_align compute, and what they add to. Internal; shared by both devices.
#pragma once

#include <ordo/engine/index_check.h>
#include <ordo/engine/no_unroll.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/roi/roi_boxes.h>

namespace ordo::kernels {

/// An output: rule 1 over the samples of its bin that lie inside, divided by the number of all.
template <class T>
struct RoiAlignElement {
  RoiShape s;
  RoiAlignRules rules;
  const T *input, *boxes;
  T* output;
  IndexCheck check;
  ORDO_HD void operator()(int64_t i) const {
    using V = accumulate_t<T>;
    const VolumeCell at = s.output(i);
    const T* const numbers = boxes + at.volume * kBoxNumbers;
    const int64_t image = box_image(V(numbers[0]));
    if (!check.ok(at.volume * kBoxNumbers, image, s.images)) {
      output[i] = T(V(0));
      return;
    }
    const RoiBox<V> box(s, rules, numbers);
    const T* const plane = input + (image * s.channels + at.d) * s.cells();
    const RoiCells rows = box.y.samples(at.h), columns = box.x.samples(at.w);
    OrderedSum<V> sum;
    ORDO_NO_UNROLL
    for (int64_t r = rows.begin; r < rows.end; ++r) {
      const RoiTap<V> y = box.y.tap(box.y.place(at.h, r));
      if (y.low < 0) continue;
      ORDO_NO_UNROLL
      for (int64_t c = columns.begin; c < columns.end; ++c) {
        const RoiTap<V> x = box.x.tap(box.x.place(at.w, c));
        if (x.low >= 0) sum.push(roi_sample(plane, s.width, y, x));
      }
    }
    output[i] = T(sum.result() / box.count);
  }
};

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

}  // namespace ordo::kernels
