// Places in sorted sequences, counts of values in ranges, and the different values of a tensor. None of it has a
// gradient, but histogram's by its weights.
#pragma once

#include <optional>
#include <utility>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// For each value v, the first place in its line of sorted_sequence where v could stand: before elements that are equal
/// to it, or, with `right`, behind them. NaN stands last. As torch.searchsorted.
///
/// sorted_sequence ascends along its last dimension; it is 1-d, or has the sizes of values but for the last
/// (ShapeError). `sorter`, where given, is its argsort: sorted_sequence itself may then be in any order. All dtypes;
/// the two promote. The result has the sizes of values; int64, or int32 with out_int32. The same everywhere.
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values, bool out_int32 = false, bool right = false,
                    const Tensor& sorter = {});
/// searchsorted(boundaries, input, out_int32, right), boundaries being 1-d. As torch.bucketize.
Tensor bucketize(const Tensor& input, const Tensor& boundaries, bool out_int32 = false, bool right = false);

/// How many elements lie in each of `bins` equal ranges from min to max, which belongs to the last; input's dtype,
/// floating. Others and NaN are not counted. min = max = 0 stands for the least and the greatest element; where those
/// are equal, the range is one wider on both sides. As torch.histc. ValueError unless bins is positive and the range is
/// finite and not reversed.
Tensor histc(const Tensor& input, int64_t bins = 100, double min = 0, double max = 0);

struct HistogramResult {
  Tensor hist, bin_edges;
};
/// The same with edges: bins are [edge, next edge), the last one with its end. `weight`, of input's sizes and dtype, is
/// added instead of counted, by bincount, whose levels hold. With `density` the bins' areas add up to 1.
/// `bins` is a 1-d tensor of ascending edges, of input's dtype (ValueError unless they ascend, for which it waits for
/// the device); or their number, in `range`, which is histc's where it is not given. float32 and float64. As
/// torch.histogram.
HistogramResult histogram(const Tensor& input, const Tensor& bins, const Tensor& weight = {}, bool density = false);
HistogramResult histogram(const Tensor& input, int64_t bins = 100, std::optional<std::pair<double, double>> range = {},
                          const Tensor& weight = {}, bool density = false);

struct UniqueResult {
  Tensor output;   ///< 1-d; with `dim`, input with fewer slices along it
  Tensor inverse;  ///< int64: input is output[inverse]; input's sizes, with `dim` 1-d; undefined unless asked for
  Tensor counts;   ///< int64, 1-d: how often each value or slice stands there; undefined unless asked for
};

/// The different values of all elements, ascending; with `dim`, the different slices along it, in the order of their
/// first different elements (ShapeError where slices have no elements). As torch.unique.
///
/// All dtypes. Zeros of both signs are equal, and the first one of input stays; no NaN equals another. The size of the
/// result depends on the values, so on CUDA the call waits for the device. The same everywhere. No gradient.
UniqueResult unique(const Tensor& input, bool return_inverse = false, bool return_counts = false,
                    std::optional<int64_t> dim = {});
/// The first of each run of equal elements, in row-major order; with `dim`, of equal slices along it. As
/// torch.unique_consecutive.
UniqueResult unique_consecutive(const Tensor& input, bool return_inverse = false, bool return_counts = false,
                                std::optional<int64_t> dim = {});

}  // namespace ordo
