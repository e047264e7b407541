// Unfolding images to columns and back, on the CPU. Internal.
#pragma once

#include <algorithm>

#include <ordo/kernels/windows/sum_reads_cpu.h>
#include <ordo/kernels/windows/unfold.h>

namespace ordo::kernels::cpu {

/// The outputs of a line that have an element of the window at `cells`, which is null for a line of padding.
template <class T>
void unfold_line(const AxisRun& run, const T* cells, T* outputs, int64_t count) {
  if (cells == nullptr || run.count == 0) return (void)std::fill_n(outputs, count, T(0.0f));
  T* const to = outputs + run.place;
  const T* const from = cells + run.at;
  std::fill(outputs, to, T(0.0f));
  if (run.at_step == 1)
    std::copy_n(from, run.count, to);
  else
    for (int64_t j = 0; j < run.count; ++j) to[j] = from[j * run.at_step];
  std::fill(to + run.count, outputs + count, T(0.0f));
}

/// f(layers, rows, cells) for the elements of the window, row-major: the outputs that have them inside along each axis.
template <class F>
void each_element(const UnfoldShape& s, const F& f) {
  for (int64_t t = 0; t < s.d.kernel; ++t) {
    const AxisRun layers = element_run(s.d, t);
    for (int64_t u = 0; u < s.h.kernel; ++u) {
      const AxisRun rows = element_run(s.h, u);
      for (int64_t v = 0; v < s.w.kernel; ++v) f(layers, rows, element_run(s.w, v));
    }
  }
}

/// columns[(plane, t, u, v)][(l, i, j)] = image[plane][l stride + t dilation - padding][...][...], zeros outside. Rows
/// of columns are `pitch` apart.
template <class T>
void unfold(const UnfoldShape& s, const T* image, T* columns, int64_t pitch) {
  for (int64_t p = 0; p < s.planes; ++p, image += s.inputs())
    each_element(s, [&](const AxisRun& layers, const AxisRun& rows, const AxisRun& cells) {
      T* to = columns;
      for (int64_t l = 0; l < s.d.output; ++l)
        for (int64_t i = 0; i < s.h.output; ++i, to += s.w.output) {
          const int64_t z = layers.read_by(l), y = rows.read_by(i);
          unfold_line(cells, z < 0 || y < 0 ? nullptr : image + s.input_row(z, y), to, s.w.output);
        }
      columns += pitch;
    });
}

/// What the cells of images read of columns, whose rows are `pitch` apart: the elements of windows that lie there, in
/// the elements' order.
inline VolumeReads columns_of_cells(const UnfoldShape& s, int64_t pitch) {
  const auto axis = [](const WindowAxis& a, int64_t element_step, int64_t output_step) {
    AxisRuns runs(a.input, std::min(a.kernel, a.output));
    for (int64_t k = 0; k < a.kernel; ++k) {
      AxisRun run = element_run(a, k).transposed();
      run.at = run.at * output_step + k * element_step;
      run.at_step *= output_step;
      runs.add(run);
    }
    return runs;
  };
  return {ReadLists(axis(s.d, s.h.kernel * s.w.kernel * pitch, s.h.output * s.w.output), 1),
          ReadLists(axis(s.h, s.w.kernel * pitch, s.w.output), 1), axis(s.w, pitch, 1), s.elements() * pitch};
}

/// Adds the columns of a plane to its cells, element of the window after element: from memory in its order.
template <class A, class V>
void add_columns(const UnfoldShape& s, const A* columns, int64_t pitch, V* cells) {
  each_element(s, [&](const AxisRun& layers, const AxisRun& rows, const AxisRun& run) {
    for (int64_t l = 0; l < layers.count; ++l)
      for (int64_t i = 0; i < rows.count; ++i) {
        const A* const from = columns + s.output_row(layers.place + l, rows.place + i) + run.place;
        const int64_t z = layers.at + l * layers.at_step, y = rows.at + i * rows.at_step;
        V* const to = cells + s.input_row(z, y) + run.at;
        if (run.at_step == 1)
          for (int64_t j = 0; j < run.count; ++j) to[j] += V(from[j]);
        else
          for (int64_t j = 0; j < run.count; ++j) to[j * run.at_step] += V(from[j]);
      }
    columns += pitch;
  });
}

/// What undoes unfold(): rule 1 over what the cells read of the columns, added to zero.
template <class A, class T>
void fold(const UnfoldShape& s, const A* columns, int64_t pitch, T* image) {
  using V = accumulate_t<T>;
  if (s.elements() > kOrderedGroup)  // at most 64 values for a cell are a plain sum
    return sum_reads(columns_of_cells(s, pitch), columns, 0, s.planes * s.d.input * s.h.input, image);
  sum_volumes(image, s.planes, s.inputs(), s.elements() * s.outputs(),
              [&](int64_t p, V* cells) { add_columns(s, columns + p * s.elements() * pitch, pitch, cells); });
}

}  // namespace ordo::kernels::cpu
