// The arguments of sliding windows and their checks, which pooling, convolution and their modules share. Internal.
#pragma once

#include <ordo/engine/tensor/dims.h>
#include <ordo/engine/tensor/size.h>
#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels {

inline constexpr const char* kAxisNames[] = {"depth", "height", "width"};

/// The size with its missing outer dimensions, which are `outer`.
template <int N>
Size3 in_three(const Size<N>& size, int64_t outer) {
  int64_t v[3] = {outer, outer, outer};
  for (int i = 0; i < N; ++i) v[3 - N + i] = size[i];
  return {v[0], v[1], v[2]};
}
/// The last `rank` sizes, as in_three.
Size3 in_three(const Dims& sizes, int rank);

/// `sizes` with their last `rank` replaced by those of `last`.
Dims with_last(Dims sizes, int rank, const Size3& last);

/// ShapeError where one of the last `rank` sizes is 0.
void check_not_empty(const char* op, const Dims& sizes, int rank);
/// ValueError unless every value is at least `least`, and below 2^31: a product of two fits into 64 bits.
void check_each(const char* op, const char* argument, const int64_t* values, int count, int64_t least);
template <int N>
void check_each(const char* op, const char* argument, const Size<N>& values, int64_t least) {
  check_each(op, argument, values.begin(), N, least);
}
/// Of Size3s that stand for `rank` dimensions.
inline void check_each(const char* op, const char* argument, const Size3& values, int rank, int64_t least) {
  check_each(op, argument, values.end() - rank, rank, least);
}

/// The axis with its number of outputs: the windows that fit, and with ceil_mode a last one that runs over the end, if
/// it begins before it. The arguments have passed check_each; `input` and `kernel` may be any sizes. ShapeError when no
/// window fits.
WindowAxis sliding_axis(const char* op, const char* name, int64_t input, int64_t kernel, int64_t stride,
                        int64_t padding, int64_t dilation, bool ceil_mode = false);

/// How many outputs a transposed axis has: (input - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.
/// ShapeError when they are none, or more than can be counted.
int64_t transposed_outputs(const char* op, const char* name, int64_t input, int64_t kernel, int64_t stride,
                           int64_t padding, int64_t dilation, int64_t output_padding);

/// `sizes`; ShapeError where so many elements cannot be addressed.
const Dims& check_addressable(const char* op, const Dims& sizes);

}  // namespace ordo::kernels
