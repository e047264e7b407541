#include <ordo/kernels/windows/sliding.h>

#include <algorithm>

#include <ordo/engine/calls/check.h>

namespace ordo::kernels {
namespace {

constexpr int64_t kMost = int64_t(1) << 31;

/// An integer that remembers whether it or what it was made of has overflowed.
struct Checked {
  int64_t value;
  bool overflowed = false;

  friend Checked operator+(Checked a, Checked b) {
    Checked sum{0, a.overflowed || b.overflowed};
    sum.overflowed |= __builtin_add_overflow(a.value, b.value, &sum.value);
    return sum;
  }
  friend Checked operator*(Checked a, Checked b) {
    Checked product{0, a.overflowed || b.overflowed};
    product.overflowed |= __builtin_mul_overflow(a.value, b.value, &product.value);
    return product;
  }
};

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
  const Checked extent = Checked{dilation} * Checked{kernel - 1} + Checked{1};
  const Checked padded = Checked{input} + Checked{2 * padding}, room = padded + Checked{-extent.value};
  // The first output fits by itself; a last one of ceil_mode needs a cell of room more than a stride less.
  const Checked last = room + Checked{ceil_mode ? stride - 1 : 0};
  ORDO_CHECK(!extent.overflowed && !last.overflowed, ShapeError, op,
             "{} {} with kernel {}, padding {} and dilation {} is more than can be counted", name, input, kernel,
             padding, dilation);
  ORDO_CHECK(last.value >= 0, ShapeError, op, "a window of {} cells does not fit into {} {} with padding {}",
             extent.value, name, input, padding);
  WindowAxis axis{input, last.value / stride + 1, kernel, stride, padding, dilation};
  if (ceil_mode && (axis.output - 1) * stride >= input + padding) --axis.output;
  return axis;
}

int64_t transposed_outputs(const char* op, const char* name, int64_t input, int64_t kernel, int64_t stride,
                           int64_t padding, int64_t dilation, int64_t output_padding) {
  const Checked outputs = Checked{input - 1} * Checked{stride} + Checked{dilation} * Checked{kernel - 1} +
                          Checked{output_padding + 1 - 2 * padding};
  ORDO_CHECK(!outputs.overflowed, ShapeError, op,
             "{} {} with kernel {}, stride {} and dilation {} is more than can be counted", name, input, kernel, stride,
             dilation);
  ORDO_CHECK(outputs.value >= 1, ShapeError, op,
             "{} {} with kernel {}, stride {}, padding {} and dilation {} leaves no output", name, input, kernel,
             stride, padding, dilation);
  return outputs.value;
}

const Dims& check_addressable(const char* op, const Dims& sizes) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return sizes;
  Checked bytes{8};
  for (int64_t size : sizes) bytes = bytes * Checked{size};
  ORDO_CHECK(!bytes.overflowed, ShapeError, op, "a result of shape {} has more elements than can be addressed", sizes);
  return sizes;
}

}  // namespace ordo::kernels
