// Places in sorted sequences, counts of values in ranges, and the different values of a tensor. None of it has a
// gradient, but histogram's by its weights.
#pragma once

#include <optional>
#include <utility>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// For each value v, the first place in its line of sorted_sequence where v could stand: before elements that are equal
/// to it, or, with `right`, behind them. NaN stands last. `sorter`, where given, is the sequence's argsort:
/// sorted_sequence itself may then be in any order.
///
/// Shapes: sorted_sequence, which ascends along its last dimension, is 1-d, or has the sizes of values but for the
/// last; the result has the sizes of values.
/// Dtypes: any; the two promote. The result is int64, or int32 with out_int32.
/// Throws: ShapeError when sizes do not fit; DTypeError when sorter is not int64; DeviceError when the tensors are on
/// different devices.
/// Determinism: the same bits on every device at every level.
/// Gradient: none.
/// PyTorch: torch.searchsorted.
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values, bool out_int32 = false, bool right = false,
                    const Tensor& sorter = {});
/// searchsorted(boundaries, input, out_int32, right).
///
/// Shapes: boundaries 1-d; input any.
/// Dtypes, Throws, Determinism, Gradient: as searchsorted.
/// PyTorch: torch.bucketize.
Tensor bucketize(const Tensor& input, const Tensor& boundaries, bool out_int32 = false, bool right = false);

/// Whether each element is among test_elements; with `invert`, whether it is not. NaN is never among them. PyTorch's
/// assume_unique is taken, and changes nothing.
///
/// Shapes: any two; the result has those of elements.
/// Dtypes: any; the two promote. The result is bool.
/// Throws: DeviceError when the tensors are on different devices; ValueError when one is undefined.
/// Determinism: the same bits on every device at every level.
/// Gradient: none.
/// PyTorch: torch.isin.
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool assume_unique = false, bool invert = false);

/// How many elements lie in each of `bins` equal ranges from min to max, which belongs to the last. Others and NaN are
/// not counted. min = max = 0 stands for the least and the greatest element; where those are equal, the range is one
/// wider on both sides.
///
/// Shapes: any -> [bins].
/// Dtypes: floating, kept.
/// Throws: ValueError when bins is not positive, or the range is not finite or reversed; DTypeError when input is not
/// floating.
/// Determinism: the same bits on every device at every level.
/// Gradient: none.
/// PyTorch: torch.histc.
Tensor histc(const Tensor& input, int64_t bins = 100, double min = 0, double max = 0);

struct HistogramResult {
  Tensor hist, bin_edges;
};
/// histc with edges: bins are [edge, next edge), the last one with its end. `weight` is added instead of counted. With
/// `density` the bins' areas add up to 1.
///
/// Shapes: `bins` is a 1-d tensor of edges, or their number, in `range`, which is histc's where it is not given; weight
/// of input's sizes.
/// Dtypes: float32 or float64, one for all.
/// Throws: ValueError when edges do not ascend, for which it waits for the device, or as histc; ShapeError, DTypeError,
/// DeviceError when tensors do not fit.
/// Determinism: as bincount.
/// Gradient: of weight.
/// PyTorch: torch.histogram.
HistogramResult histogram(const Tensor& input, const Tensor& bins, const Tensor& weight = {}, bool density = false);
HistogramResult histogram(const Tensor& input, int64_t bins = 100, std::optional<std::pair<double, double>> range = {},
                          const Tensor& weight = {}, bool density = false);

struct UniqueResult {
  Tensor output;   ///< 1-d; with `dim`, input with fewer slices along it
  Tensor inverse;  ///< int64: input is output[inverse]; input's sizes, with `dim` 1-d; undefined unless asked for
  Tensor counts;   ///< int64, 1-d: how often each value or slice stands there; undefined unless asked for
};

/// The different values of all elements, ascending; with `dim`, the different slices along it, in the order of their
/// first different elements. Zeros of both signs are equal, and the first one of input stays; no NaN equals another. On
/// CUDA it waits for the device: the size of the result depends on the values.
///
/// Shapes: as UniqueResult says.
/// Dtypes: any.
/// Throws: ShapeError when slices have no elements; IndexError when there is no dimension `dim`.
/// Determinism: the same bits on every device at every level.
/// Gradient: none.
/// PyTorch: torch.unique.
UniqueResult unique(const Tensor& input, bool return_inverse = false, bool return_counts = false,
                    std::optional<int64_t> dim = {});
/// The first of each run of equal elements, in row-major order; with `dim`, of equal slices along it.
///
/// Shapes, Dtypes, Throws, Determinism, Gradient: as unique.
/// PyTorch: torch.unique_consecutive.
UniqueResult unique_consecutive(const Tensor& input, bool return_inverse = false, bool return_counts = false,
                                std::optional<int64_t> dim = {});

}  // namespace ordo
