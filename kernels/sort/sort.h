// Lines in order, and places in them: kernels without autograd.
#pragma once

#include <cstdint>

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

/// Which places of a sorted line are wanted: [from, to), or the one of the median.
struct Selection {
  enum class Kind { range, median, nanmedian };
  Kind kind = Kind::range;
  int64_t from = 0, to = 0;
  int64_t count() const { return kind == Kind::range ? to - from : 1; }
};

struct Sorted {
  Tensor values, indices;  ///< indices: int64, along the dimension
};

/// The wanted places of each sorted line along `dim`, instead of the line. Equal elements keep their order, descending
/// too; zeros of both signs are equal, and so are NaNs, which are the greatest.
Sorted sort(const char* op, const Tensor& t, int64_t dim, bool descending, const Selection& selection);
/// All places.
Sorted sort(const char* op, const Tensor& t, int64_t dim, bool descending);
/// The commonest value of each line, the smallest of several, and the last place of it; `dim` keeps size 1.
Sorted mode(const Tensor& t, int64_t dim);
/// A tensor of zeros of `sizes`, but out[.., index[.., i, ..], ..] = t[.., i, ..]. No place twice.
Tensor put_along(const Tensor& t, const Dims& sizes, int64_t dim, const Tensor& index);

/// Lines of `length` elements, one after another.
struct SortArgs {
  const void* x;
  DType dtype;
  Device device;
  int64_t lines, length;
  bool descending;
  Selection selection;
  int64_t* indices;  // [lines, selection.count()]
};
struct ModeArgs {
  SortArgs lines;        // its indices are those of whole lines in order
  int64_t* last_places;  // [lines]
};
struct PutAlongArgs;

namespace cpu {
void sort_lines(const SortArgs& a);
void mode_lines(const ModeArgs& a);
void put_along(const PutAlongArgs& a);
}  // namespace cpu
namespace cuda {
void sort_lines(const SortArgs& a);
void mode_lines(const ModeArgs& a);
void put_along(const PutAlongArgs& a);
}  // namespace cuda

}  // namespace ordo::kernels
