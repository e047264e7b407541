// Checks of the indices of sparse tensors: kernels without autograd.
#pragma once

#include <ordo/engine/calls/index_check.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/dims.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/accumulate/index_view.h>

namespace ordo::kernels {

/// Checks indices [dimensions, items], contiguous, int32 or int64, against the sizes: IndexError, on CUDA later.
void check_coordinates(const char* op, const Tensor& indices, const Dims& sizes);
/// Checks them as check_coordinates(). Returns int64 [items], the flat position of each in a tensor of these sizes, whose
/// product is an int64_t; -1 where it is out of range, with which only CUDA goes on.
Tensor places_of(const char* op, const Tensor& indices, const Dims& sizes);

/// Checks the rows of a matrix of `columns` columns: crow begins with 0, does not descend and ends with the number of
/// items; columns ascend within a row. Both contiguous, int32 or int64. IndexError, on CUDA later.
void check_rows(const char* op, const Tensor& crow, const Tensor& col, int64_t columns);

struct PlaceOfCoordinates {
  IndexView indices;
  int64_t items;
  int64_t* places;  // null: only check
  int rank;
  int64_t sizes[kMaxDims];
  IndexCheck checks[kMaxDims];
  ORDO_HD void operator()(int64_t i) const {
    int64_t place = 0;
    bool good = true;
    for (int d = 0; d < rank; ++d) {
      const int64_t v = indices.raw(d * items + i);
      good = checks[d].ok(d * items + i, v, sizes[d]) && good;
      if (good) place = place * sizes[d] + v;
    }
    if (places != nullptr) places[i] = good ? place : -1;
  }
};

struct CheckRow {
  IndexView crow, col;
  int64_t rows, items;
  ORDO_HD void operator()(int64_t row) const {
    const int64_t begin = crow.raw(row), end = crow.raw(row + 1);
    if (row == 0 && !crow.check.ok(0, begin, 1)) return;
    if (!crow.check.ok(row, begin, items + 1) || !crow.check.ok(row + 1, end, items + 1)) return;
    if (end < begin || (row == rows - 1 && end != items)) {
      crow.check.ok(row + 1, end, 0);
      return;
    }
    int64_t before = -1;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t v = col.raw(i);
      if (!col.check.ok(i, v, col.size)) return;
      if (v <= before) col.check.ok(i, v, 0);
      before = v;
    }
  }
};

ORDO_DEVICES(void, places_of, const PlaceOfCoordinates& f, Device device)
ORDO_DEVICES(void, check_rows, const CheckRow& f, Device device)

}  // namespace ordo::kernels
