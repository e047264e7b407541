// Elements by their places in the flattened tensor, and the places of those that are not zero: without autograd.
#pragma once

#include <utility>

#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor.h>
#include <ordo/kernels/accumulate/index_view.h>

namespace ordo::kernels {

/// The elements of input, flattened, at index, which may count from the end; of index's shape.
Tensor take(const Tensor& input, const Tensor& index);
/// self's elements there become those of source, of several for one place the last one; with `accumulate` they add up.
void put_(const char* op, const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate);

/// What t, flattened, has at index, of whose items for one place the last one gets it and the others 0; and t with 0
/// there. Of put's gradients: of the source, and of self. Undefined but on the CPU.
std::pair<Tensor, Tensor> take_out(const Tensor& t, const Tensor& index);
/// Of a contiguous line, those elements that do not equal the one before. Undefined but on the CPU.
Tensor firsts_of_runs(const Tensor& line);

/// Where the flattened tensor is not zero: int64, ascending. Waits for the device.
Tensor nonzero_places(const char* op, const Tensor& t);
/// The same as coordinates, [places, dimensions].
Tensor nonzero(const Tensor& t);
/// The coordinates of places in a tensor of these sizes, [places, dimensions].
Tensor coordinates(const Tensor& places, const Dims& sizes);

template <class Word>
struct TakeElement {
  IndexView index;
  const Word* x;
  Word* out;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t given = index.raw(i), at = given < 0 ? given + index.size : given;
    const bool good = uint64_t(at) < uint64_t(index.size);
    if (!good) index.checked(i, given);  // records it
    out[i] = good ? x[at] : Word(0);
  }
};

struct CoordinatesOfPlace {
  const int64_t* places;
  int64_t* out;
  int rank;
  int64_t sizes[kMaxDims];
  ORDO_HD void operator()(int64_t i) const {
    int64_t rest = places[i];
    for (int d = rank - 1; d >= 0; --d) {
      const int64_t q = rest / sizes[d];
      out[i * rank + d] = rest - q * sizes[d];
      rest = q;
    }
  }
};

namespace cpu {
void take(const Tensor& input, const Tensor& index, const Tensor& out);
/// Writes in item order. Everything is contiguous; index may count from the end.
void put(const char* op, const Tensor& self, const Tensor& index, const Tensor& source);
/// Whether all entries of a contiguous index are in [0, size).
bool all_inside(const Tensor& index, int64_t size);
void coordinates(const CoordinatesOfPlace& f, int64_t count, Device device);
Tensor true_places(const Tensor& mask);
}  // namespace cpu
namespace cuda {
void take(const Tensor& input, const Tensor& index, const Tensor& out);
void coordinates(const CoordinatesOfPlace& f, int64_t count, Device device);
Tensor true_places(const Tensor& mask);
}  // namespace cuda

}  // namespace ordo::kernels
