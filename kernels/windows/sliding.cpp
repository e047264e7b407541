#include <ordo/kernels/windows/sliding.h>

#include <algorithm>
#include <initializer_list>

#include <ordo/engine/calls/check.h>

namespace ordo::kernels {
namespace {

constexpr int64_t kMost = int64_t(1) << 31;

using Wide = __int128;
bool fit(std::initializer_list<Wide> values) {
  return std::all_of(values.begin(), values.end(), [](Wide v) { return v == int64_t(v); });
}

}  // namespace

Size3 in_three(const Dims& sizes, int rank) {
  int64_t v[3] = {1, 1, 1};
  for (int i = 1; i <= rank; ++i) v[3 - i] = sizes[sizes.size() - i];
  return {v[0], v[1], v[2]};
}

Dims with_last(Dims sizes, int rank, const Size3& last) {
  for (int i = 1; i <= rank; ++i) sizes[sizes.size() - i] = last[3 - i];
  return sizes;
}

void check_not_empty(const char* op, const Dims& sizes, int rank) {
  for (int i = 1; i <= rank; ++i)
    ORDO_CHECK(sizes[sizes.size() - i] > 0, ShapeError, op, "takes an input whose {} is not 0, not {}",
               kAxisNames[3 - i], sizes);
}

void check_each(const char* op, const char* argument, const int64_t* values, int count, int64_t least) {
  for (int i = 0; i < count; ++i)
    ORDO_CHECK(values[i] >= least && values[i] < kMost, ValueError, op,
               "{} must be at least {} (and below 2^31) in every dimension, not {}", argument, least,
               Dims(values, count));
}

WindowAxis sliding_axis(const char* op, const char* name, int64_t input, int64_t kernel, int64_t stride,
                        int64_t padding, int64_t dilation, bool ceil_mode) {
  const Wide extent = Wide(dilation) * (kernel - 1) + 1, padded = Wide(input) + 2 * padding;
  // The first output fits by itself; a last one of ceil_mode needs a cell of room more than a stride less.
  const Wide last = padded - extent + (ceil_mode ? stride - 1 : 0);
  ORDO_CHECK(fit({extent, padded, last}), ShapeError, op,
             "{} {} with kernel {}, padding {} and dilation {} is more than can be counted", name, input, kernel,
             padding, dilation);
  ORDO_CHECK(last >= 0, ShapeError, op, "a window of {} cells does not fit into {} {} with padding {}", int64_t(extent),
             name, input, padding);
  WindowAxis axis{input, int64_t(last) / stride + 1, kernel, stride, padding, dilation};
  if (ceil_mode && (axis.output - 1) * stride >= input + padding) --axis.output;
  return axis;
}

int64_t transposed_outputs(const char* op, const char* name, int64_t input, int64_t kernel, int64_t stride,
                           int64_t padding, int64_t dilation, int64_t output_padding) {
  const Wide steps = Wide(input - 1) * stride, window = Wide(dilation) * (kernel - 1);
  const Wide outputs = steps + window + (output_padding + 1 - 2 * padding);
  ORDO_CHECK(fit({steps, window, steps + window, outputs}), ShapeError, op,
             "{} {} with kernel {}, stride {} and dilation {} is more than can be counted", name, input, kernel, stride,
             dilation);
  ORDO_CHECK(outputs >= 1, ShapeError, op,
             "{} {} with kernel {}, stride {}, padding {} and dilation {} leaves no output", name, input, kernel,
             stride, padding, dilation);
  return int64_t(outputs);
}

const Dims& check_addressable(const char* op, const Dims& sizes) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return sizes;
  Wide bytes = 8;
  for (int64_t size : sizes) {
    bytes *= size;
    ORDO_CHECK(fit({bytes}), ShapeError, op, "a result of shape {} has more elements than can be addressed", sizes);
  }
  return sizes;
}

}  // namespace ordo::kernels
