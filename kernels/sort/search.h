// Places in sorted lines and in histograms: kernels without autograd.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

/// For each of `values`, how many elements of the sorted line are below it (`right`: not above it). `sorted` is 1-d, or
/// has the sizes of `values` but for the last one. Both have one dtype. int64.
Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right);
/// The bin of each element, of `bins` equal ones from `least` to `greatest`; `bins` where it is in none. int64.
Tensor histc_bins(const Tensor& t, int64_t bins, double least, double greatest);

struct SearchArgs {
  const void *sorted, *values;
  DType dtype;
  Device device;
  int64_t length, count;  // of a line, of all values
  int64_t per_line;       // values of a line; 0: there is one line
  bool right;
  int64_t* out;
};
struct BinArgs {
  const void* x;
  DType dtype;
  Device device;
  int64_t count, bins;
  double least, greatest;
  int64_t* out;
};
namespace cpu {
void search(const SearchArgs& a);
void find_bins(const BinArgs& a);
}  // namespace cpu
namespace cuda {
void search(const SearchArgs& a);
void find_bins(const BinArgs& a);
}  // namespace cuda

}  // namespace ordo::kernels
