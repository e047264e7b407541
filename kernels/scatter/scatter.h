// Items written to the places that an index names, or reduced there: scatter, scatter_reduce, index_copy, index_fill,
// index_reduce. Plain: no autograd.
#pragma once

#include <string_view>

#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor.h>
#include <ordo/kernels/scatter/scatter_shape.h>

namespace ordo::kernels {

enum class ScatterMode : unsigned char { sum, prod, mean, amax, amin };
/// ValueError naming `op` for a text that names none of them.
ScatterMode scatter_mode(const char* op, std::string_view reduce);

/// What an index says: where every element goes, as in scatter, or where every slice goes, as in index_copy.
enum class IndexOf : unsigned char { elements, slices };

/// self's elements or slices at the index become those of src. Of several for one place the last one stays, items being
/// in row-major order. autograd/ops/scatter.h has the rules.
void scatter_(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);
void scatter_(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index, Scalar value);
/// They are reduced with those of src. `algorithm` is how sums add. autograd/ops/scatter_reduce.h has the rules.
void scatter_reduce_(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index,
                     const Tensor& src, ScatterMode mode, bool include_self,
                     Algorithm algorithm = Algorithm::automatic);

namespace cpu {
/// Adds with one writer for every place: by `atomic`, rounding every time, or by `sorted`. False, and nothing done,
/// where that is too little for the threads, or not what it is good for. All destinations have been checked.
bool scatter_sum(const ScatterArgs& args, Algorithm algorithm);
/// The means of floating-point numbers by `sorted`, likewise; `args` has the output as it was.
bool scatter_means(const ScatterArgs& args, bool include_self);
void scatter_write(const ScatterArgs& args);
void scatter_extremum(const ScatterArgs& args, bool max);
void scatter_product(const ScatterArgs& args);
void scatter_count(const ScatterArgs& args, int64_t* counts);
void scatter_mean(const ScatterArgs& args, const void* sums, const int64_t* counts, bool include_self);
}  // namespace cpu
namespace cuda {
void scatter_write(const ScatterArgs& args);
void scatter_extremum(const ScatterArgs& args, bool max);
void scatter_product(const ScatterArgs& args);
void scatter_count(const ScatterArgs& args, int64_t* counts);
void scatter_mean(const ScatterArgs& args, const void* sums, const int64_t* counts, bool include_self);
}  // namespace cuda

}  // namespace ordo::kernels
