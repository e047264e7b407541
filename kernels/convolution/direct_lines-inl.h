// What direct convolutions of floats on the CPU have in common: images as lines of pixels. Included once for each target
// of Highway's. Internal.
#if defined(ORDO_DIRECT_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ORDO_DIRECT_LINES_INL_H
#undef ORDO_DIRECT_LINES_INL_H
#else
#define ORDO_DIRECT_LINES_INL_H
#endif

#include <ordo/kernels/convolution/conv_shape.h>
#include <ordo/kernels/vectors/lanes-inl.h>

#include <algorithm>
#include <cstdint>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace ordo::kernels::cpu::HWY_NAMESPACE {
namespace {

using L = Lanes<float>;
constexpr int64_t kLanes = L::count;
constexpr int kVectors = 3;               // that are computed together, with pixels or a weight's elements in the lanes
constexpr int64_t kRunBytes = 512 << 10;  // half of a second-level cache
constexpr int64_t kParallelWork = 1 << 17;  // multiply-adds that are worth a thread
constexpr int64_t kParallelCopy = 1 << 15;  // elements to copy that are worth one

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// An axis of an image, with padding: its places, sorted by remainders.
struct DirectAxis {
  int64_t stride, parts, cells;  // parts: remainders that windows read; cells: places of each
  explicit DirectAxis(const WindowAxis& a)
      : stride(a.stride),
        parts(std::min(a.stride, (a.kernel - 1) * a.dilation + 1)),
        cells(divide_up(a.input + 2 * a.padding, a.stride)) {}
  int64_t part(int64_t place) const { return place % stride; }
  int64_t cell(int64_t place) const { return place / stride; }
};

// The line of an image with padding, and what lies behind its end so that whole vectors can be read. If the width has no
// stride, the zeros behind a row are those before the next one.
struct DirectLine {
  static constexpr int64_t kSlack = kVectors * 64;
  DirectAxis d, h, w;
  int64_t pitch, layer, part, size;  // of a row, of a layer, of a part, of all
  explicit DirectLine(const ConvShape& s)
      : d(s.d),
        h(s.h),
        w(s.w),
        pitch(s.w.stride == 1 ? s.w.input + s.w.padding : w.cells),
        layer(h.cells * pitch),
        part(d.cells * layer),
        size(d.parts * h.parts * w.parts * part + s.w.padding) {}
  // Where row i of layer l begins.
  int64_t row(int64_t l, int64_t i) const { return l * layer + i * pitch; }
  // Where a place is.
  int64_t at(int64_t l, int64_t i, int64_t j) const {
    return ((d.part(l) * h.parts + h.part(i)) * w.parts + w.part(j)) * part + row(d.cell(l), h.cell(i)) + w.cell(j);
  }
};

// Whether an image's lines fit 32-bit offsets, and are not mostly padding.
bool has_lines(const ConvShape& s) {
  int64_t size = s.channels;
  return s.window() > 0 && s.every([&](const WindowAxis& a) {
    return !__builtin_mul_overflow(size, a.input + 2 * a.padding + a.stride, &size);
  }) && size < (int64_t(1) << 31) - DirectLine::kSlack &&
         size <= 16 * s.x_size() + (1 << 20);
}

// Where windows do not overlap, each pixel is read once, so unfolding costs no more.
bool windows_overlap(const ConvShape& s) {
  return !s.every([](const WindowAxis& a) { return (a.kernel - 1) * a.dilation < a.stride; });
}

// Part `part` of `parts` almost equal ones of [begin, end).
struct Range {
  int64_t begin, end;
  Range(int64_t from, int64_t to, int64_t part, int64_t parts)
      : begin(from + (to - from) * part / parts), end(from + (to - from) * (part + 1) / parts) {}
};

// Of the windows over so many channels, whose lines lie one after the other.
std::vector<int32_t> make_offsets(const ConvShape& s, const DirectLine& line, int64_t channels) {
  std::vector<int32_t> offsets;
  offsets.reserve(size_t(channels * s.elements()));
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t t = 0; t < s.d.kernel; ++t)
      for (int64_t u = 0; u < s.h.kernel; ++u)
        for (int64_t v = 0; v < s.w.kernel; ++v)
          offsets.push_back(int32_t(c * line.size + line.at(t * s.d.dilation, u * s.h.dilation, v * s.w.dilation)));
  return offsets;
}

template <int R, int V>
HWY_INLINE void fill(L (&sums)[R][V], L value) {
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) sums[r][v] = value;
}

// to[b][v] = to[b][v] + from[b][v]
template <int B, int V>
HWY_INLINE void add(L (&to)[B][V], const L (&from)[B][V]) {
#pragma GCC unroll 8
  for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) to[b][v] = to[b][v] + from[b][v];
}

}  // namespace
}  // namespace ordo::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
