// Lines in order, and places in them and in histograms: kernels without autograd.
#pragma once

#include <cstdint>

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// Which places of a sorted line are wanted: [from, to), or the one of the median.
struct Selection {
  enum class Kind { range, median, nanmedian };
  Kind kind = Kind::range;
  int64_t from = 0, to = -1;  ///< -1: the length
  int64_t count() const { return kind == Kind::range ? to - from : 1; }
};

struct Sorted {
  Tensor values, indices;  ///< indices: int64, along the dimension
};

/// Each line along `dim` sorted, or the wanted places of it. Equal elements keep their order, descending
/// too; zeros of both signs are equal, and so are NaNs, which are the greatest.
Sorted sort(const char* op, const Tensor& t, int64_t dim, bool descending, Selection selection = {});
/// The commonest value of each line, the smallest of several, and the last place of it; `dim` keeps size 1.
Sorted mode(const Tensor& t, int64_t dim);
/// A tensor of zeros of `sizes`, but out[.., index[.., i, ..], ..] = t[.., i, ..]. No place twice.
Tensor put_along(const Tensor& t, const Dims& sizes, int64_t dim, const Tensor& index);

/// For each of `values`, how many elements of the sorted line are below it (`right`: not above it). `sorted` is 1-d, or
/// has the sizes of `values` but for the last one. Both have one dtype. int64.
Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right);
/// The bin of each element, of `bins` equal ones from `least` to `greatest`; `bins` where it is in none. int64.
Tensor histc_bins(const Tensor& t, int64_t bins, double least, double greatest);

// Contiguous tensors that are not empty. Lines are the last dimension.
/// indices: [..., selection.count()].
ORDO_DEVICES(void, sort_lines, const Tensor& lines, bool descending, const Selection& selection, const Tensor& indices)
/// `order`: the indices of whole lines in order; `places`: the last one of each line's commonest value.
ORDO_DEVICES(void, mode_lines, const Tensor& lines, const Tensor& order, const Tensor& places)
/// out: [outer, length, inner]; t and index: [outer, count, inner].
ORDO_DEVICES(void, put_along, const Tensor& t, const Tensor& index, const Tensor& out, int64_t count, int64_t length,
             int64_t inner)
ORDO_DEVICES(void, search, const Tensor& sorted, const Tensor& values, bool right, const Tensor& out)
ORDO_DEVICES(void, find_bins, const Tensor& t, int64_t bins, double least, double greatest, const Tensor& out)

}  // namespace ordo::kernels
