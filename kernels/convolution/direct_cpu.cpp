// An image with its padding, as one line of pixels: pixel q of the result needs pixels q + offset[k], one offset per
// kernel element and channel. So the result is a product of the weight with the same line, shifted K times, and nothing
// has to be unfolded. The line of the result has a few columns too many, where windows run over the right border; they
// are dropped. Only of floats: other types are unfolded.
//
// With strides, the pixels are sorted: an image has a part for each remainder of a place divided by the stride. From one
// window to the next, each offset leads to the next pixel of a part.
//
// Every output element is summed by itself in the order of rule 4 (docs/ordering.md). Neither blocks nor threads nor
// vectors change a bit. Compiled once for each instruction set, as kernels/matmul/gemm_cpu.cpp is.
#include <ordo/kernels/vectors/targets.h>  // before Highway's headers

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <ordo/kernels/convolution/direct_cpu.cpp>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/convolution/direct_cpu.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/vectors/lanes-inl.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace ordo::kernels::cpu {
namespace HWY_NAMESPACE {
namespace {

using L = Lanes<float>;
constexpr int64_t kLanes = L::count;
constexpr int kFilters = ORDO_MANY_REGISTERS ? 8 : 4;  // of a block
constexpr int kValues = ORDO_MANY_REGISTERS ? 8 : 4;   // of a block of the weight gradient
constexpr int kVectors = 3;                            // of pixels that are computed together
constexpr int64_t kRunBytes = 512 << 10;               // of samples that half of a second-level cache holds
constexpr int64_t kParallelWork = 1 << 17;             // multiply-adds that are worth a thread
constexpr int64_t kParallelCopy = 1 << 15;             // elements to copy that are worth one

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

// The line of an image with padding, and what lies behind its end so that whole vectors can be read. Without strides,
// the zeros behind a row are those before the next one.
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

// 32-bit offsets reach every pixel of the channels' lines.
bool has_offsets(const ConvShape& s) {
  int64_t size = s.channels;
  return s.every([&](const WindowAxis& a) {
    return !__builtin_mul_overflow(size, a.input + 2 * a.padding + a.stride, &size);
  }) && size < (int64_t(1) << 31) - DirectLine::kSlack;
}

bool has_lines(const ConvShape& s) { return !s.pointwise() && s.window() > 0 && has_offsets(s); }

// Of an axis, what a convolution's gradient adds up with elements r, r + stride, ... of the kernel: cells first, first +
// stride, ... of the input. Cell number i gets outputs i + shift, i + shift - step, ..., one from each element.
struct Reached {
  int64_t elements, first, count, shift, step;
  Reached(const WindowAxis& a, int64_t r)
      : elements(r < a.kernel ? divide_up(a.kernel - r, a.stride) : 0),
        shift(divide_up(std::max<int64_t>(0, a.padding - r), a.stride)),
        step(a.stride == 1 ? a.dilation : 1) {
    first = shift * a.stride + r - a.padding;
    count = std::max<int64_t>(0, divide_up(a.input - first, a.stride));
  }
  // Zeros that are read before the outputs, or behind them.
  int64_t padding(int64_t outputs) const {
    return std::max({int64_t(0), (elements - 1) * step - shift, count + shift - outputs});
  }
};

// The gradient of the output as an image with padding, from which the one of the input is computed.
ConvShape transposed(const ConvShape& s) {
  ConvShape t = s;
  std::swap(t.channels, t.filters);
  const auto turn = [](const WindowAxis& a) {
    int64_t padding = 0;
    for (int64_t r = 0; r < std::min(a.stride, a.kernel); ++r) padding = std::max(padding, Reached(a, r).padding(a.output));
    return WindowAxis{a.output, a.input, 1, 1, padding, 1};
  };
  t.d = turn(s.d), t.h = turn(s.h), t.w = turn(s.w);
  return t;
}

// Whether a line of this image would leave many lanes of its vectors without a result, which products of several
// samples fill.
bool is_small(const ConvShape& s) { return s.samples >= 8 && s.positions() <= 32 && s.filters >= 32; }

// The blocks of rule 3 are one group of rule 1.
bool forward_fits(const ConvShape& s) {
  return has_lines(s) && !is_small(s) && s.window() <= kOrderedBlock * kOrderedGroup;
}

// The gradient of such a convolution is one itself, with the padding that is missing. Its zeros change nothing, as long
// as the weight is finite. A cell's filters are one block of rule 3, and the cells one of rule 1.
bool input_grad_fits(const ConvShape& s, const float* weight) {
  if (s.pointwise() || s.window() == 0 || s.filters == 0 || is_small(s) || s.filters > kOrderedBlock ||
      s.kernel_cells() > kOrderedGroup || !s.every([](const WindowAxis& a) { return a.stride == 1 || a.dilation == 1; }) ||
      !has_offsets(transposed(s)))
    return false;
  float differences = 0;  // 0, or NaN where a weight is not finite
  for (int64_t i = 0; i < s.groups * s.w_size(); ++i) differences += weight[i] - weight[i];
  return differences == 0;
}

// The blocks are at most as many groups as a group has blocks.
bool weight_grad_fits(const ConvShape& s) {
  return has_lines(s) && s.positions() <= kOrderedBlock * kOrderedGroup * kOrderedGroup;
}

// A row of an image, after whose end the image has `after` more elements. Whole vectors reach into those, whose own
// rows come later.
HWY_INLINE void copy_row(const float* from, int64_t width, int64_t after, float* to) {
  if (after < kLanes)
    std::copy_n(from, width, to);
  else
    for (int64_t j = 0; j < width; j += kLanes) L::load(from + j).store(to + j);
}

// Writes one group of one sample into lines, one after the other, whose padding is zero already. Without strides, rows
// are whole vectors, of which the next row and padding take back what is theirs.
void fill_lines(const ConvShape& s, const DirectLine& line, const float* x, float* lines) {
  const int64_t width = s.w.input, stride = s.w.stride;
  const bool plain = s.every([](const WindowAxis& a) { return a.stride == 1; });
  int64_t after = s.x_size();  // this row
  for (int64_t c = 0; c < s.channels; ++c, lines += line.size)
    for (int64_t l = s.d.padding; l < s.d.padding + s.d.input; ++l)
      for (int64_t i = s.h.padding; i < s.h.padding + s.h.input; ++i, x += width) {
        after -= width;
        if (plain) {
          float* const to = lines + line.at(l, i, s.w.padding);
          copy_row(x, width, after, to);
          L::all(0).store(to + width);
        } else if (line.d.part(l) < line.d.parts && line.h.part(i) < line.h.parts) {
          for (int64_t first = 0; first < std::min(stride, width); ++first) {
            const int64_t place = s.w.padding + first;
            if (line.w.part(place) >= line.w.parts) continue;
            float* to = lines + line.at(l, i, place);
            for (int64_t j = first; j < width; j += stride) *to++ = x[j];
          }
        }
      }
}

// Of the windows over so many channels, whose lines lie one after the other.
std::vector<int32_t> make_offsets(const ConvShape& s, const DirectLine& line, int64_t channels) {
  std::vector<int32_t> offsets;
  offsets.reserve(size_t(channels * s.kernel_cells()));
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

// Results that are sums of the same elements: all of a convolution or, of its gradient, those with one remainder.
struct Results {
  std::vector<int32_t> offsets;  // of the elements, in the order of the sum
  int64_t block;                 // elements that are summed together
  bool from_zero;                // the blocks are added to +0, which makes -0 +0
  int64_t d, h, w;               // how many there are
  int64_t first;                 // where the first one is in its image
  int64_t layer, pitch, step;    // from there to the next layer, row, column
  std::vector<int64_t> cells;    // of the kernel, of a gradient

  int64_t count() const { return d * h * w; }
  int64_t length(const DirectLine& line) const { return line.row(d - 1, h - 1) + w; }
};

// out[f][0..V vectors) = bias[f] + sum over k of weight[k][f] line[offset[k]...]
template <int F, int V>
void correlate(const float* line, const Results& results, const float* weight, const float* bias, float* out,
               int64_t stride) {
  const int32_t* const offsets = results.offsets.data();
  const int64_t count = int64_t(results.offsets.size()), size = results.block;
  for (int64_t k0 = 0; k0 < count; k0 += size) {
    L sum[F][V];
    fill(sum, L::all(kNoValue<float>));
    const int64_t last = std::min(count, k0 + size);
    for (int64_t k = k0; k < last; ++k) {
      const float* const from = line + offsets[k];
      L pixels[V];
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) pixels[v] = L::load(from + v * kLanes);
#pragma GCC unroll 8
      for (int f = 0; f < F; ++f) {
        const L w = L::all(weight[k * F + f]);
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) sum[f][v] = L::fused(w, pixels[v], sum[f][v]);
      }
    }
#pragma GCC unroll 8
    for (int f = 0; f < F; ++f)
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) {
        float* const to = out + f * stride + v * kLanes;
        L value = k0 > 0 ? L::load(to) + sum[f][v] : results.from_zero ? sum[f][v] + L::all(0) : sum[f][v];
        if (bias && last == count) value = value + L::all(bias[f]);
        value.store(to);
      }
  }
}

// Takes the rows of F filters' images from a line's results, as soon as they are there: stores then wait for memory
// while the next results are computed.
template <int F>
class ImageRows {
 public:
  ImageRows(const Results& results, const DirectLine& line, int64_t positions, float* y)
      : results_(results), line_(line), positions_(positions), rows_(results.d * results.h), y_(y) {}
  // Those in the first `count` values, of which `from` has those of the filters `stride` apart.
  void take(const float* from, int64_t stride, int64_t count) {
    const int64_t width = results_.w;
    for (; row_ < rows_ && at_ + width <= count; at_ = line_.row(row_ / results_.h, row_ % results_.h)) {
      const int64_t to = results_.first + row_ / results_.h * results_.layer + row_ % results_.h * results_.pitch;
      ++row_;
      for (int f = 0; f < F; ++f) {
        const float* const values = from + f * stride + at_;
        float* const row = y_ + f * positions_ + to;
        if (results_.count() == positions_)
          copy_row(values, width, positions_ - to - width, row);
        else
          for (int64_t j = 0; j < width; ++j) row[j * results_.step] = values[j];
      }
    }
  }

 private:
  const Results& results_;
  const DirectLine& line_;
  int64_t positions_, rows_;  // of an image
  float* y_;
  int64_t row_ = 0, at_ = 0;  // at_: where the row is in the line
};

// All of a line's results for F filters, and from there into the images without the columns too many.
template <int F>
void correlate_line(const Results& results, const DirectLine& shape, int64_t positions, const float* line,
                    const float* weight, const float* bias, float* scratch, int64_t stride, float* y) {
  const int64_t vectors = divide_up(results.length(shape), kLanes), blocks = divide_up(vectors, kVectors);
  ImageRows<F> rows(results, shape, positions, y);
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t first = vectors * block / blocks, last = vectors * (block + 1) / blocks, at = first * kLanes;
    switch (last - first) {
      case 1:
        correlate<F, 1>(line + at, results, weight, bias, scratch + at, stride);
        break;
      case 2:
        correlate<F, 2>(line + at, results, weight, bias, scratch + at, stride);
        break;
      default:
        correlate<F, 3>(line + at, results, weight, bias, scratch + at, stride);
        break;
    }
    rows.take(scratch, stride, last * kLanes);
  }
}

// correlate_line() of kFilters, or a half of them, or a quarter, ...
template <int F = kFilters, class... Arguments>
void correlate_block(int count, const Arguments&... arguments) {
  if constexpr (F > 1) {
    if (count < F) return correlate_block<F / 2>(count, arguments...);
  }
  correlate_line<F>(arguments...);
}

// A block of filters, as many as one correlate_line() takes.
struct FilterBlock {
  int64_t first;
  int count;
};

// y from the lines of x. weight_at(group, f, results, k) is what filter f multiplies element k of some results with.
template <class WeightAt>
void correlate_all(const ConvShape& s, const std::vector<Results>& all, const float* x, const WeightAt& weight_at,
                   const float* bias, float* y) {
  const DirectLine line(s);
  std::vector<FilterBlock> blocks;
  for (int64_t first = 0; first < s.filters; first += blocks.back().count)
    blocks.push_back({first, int(std::min<uint64_t>(kFilters, std::bit_floor(uint64_t(s.filters - first))))});
  int64_t elements = 0, longest = 0, work = 0;
  for (const Results& r : all) {
    elements += int64_t(r.offsets.size());
    longest = std::max(longest, r.length(line));
    work += s.filters * int64_t(r.offsets.size()) * r.count();
  }
  const int64_t stride = divide_up(longest, kLanes) * kLanes;
  const Scratch<float> packed(s.filters * elements, Device());
  const int64_t line_count = s.channels * line.size + DirectLine::kSlack;
  // Threads share samples or, where there are few, the filters of each.
  const bool share_samples = s.samples >= num_threads();
  const int64_t grain = share_samples ? divide_up(kParallelWork, work) : s.samples;
  for (int64_t group = 0; group < s.groups; ++group) {
    // In the order that correlate() reads: per block, k by k.
    float* to = packed.data();
    for (const FilterBlock& block : blocks)
      for (const Results& r : all)
        for (int64_t k = 0; k < int64_t(r.offsets.size()); ++k)
          for (int f = 0; f < block.count; ++f) *to++ = weight_at(group, block.first + f, r, k);
    const auto convolve = [&](const FilterBlock& block, const float* lines, float* scratch, float* sample_y) {
      const float* weights = packed.data() + block.first * elements;
      for (const Results& r : all) {
        correlate_block(block.count, r, line, s.positions(), lines, weights,
                        bias ? bias + group * s.filters + block.first : nullptr, scratch, stride,
                        sample_y + block.first * s.positions());
        weights += int64_t(r.offsets.size()) * block.count;
      }
    };
    parallel_for(0, s.samples, grain, [&](int64_t begin, int64_t end) {
      const Scratch<float> lines(line_count, Device()), scratch(share_samples ? kFilters * stride : 0, Device());
      std::fill(lines.data(), lines.data() + line_count, 0.0f);
      for (int64_t n = begin; n < end; ++n) {
        fill_lines(s, line, x + (n * s.groups + group) * s.x_size(), lines.data());
        float* const sample_y = y + (n * s.groups + group) * s.y_size();
        if (share_samples) {
          for (const FilterBlock& block : blocks) convolve(block, lines.data(), scratch.data(), sample_y);
          continue;
        }
        parallel_for(0, int64_t(blocks.size()), divide_up(kParallelWork * int64_t(blocks.size()), work),
                     [&](int64_t first, int64_t last) {
                       const Scratch<float> own(kFilters * stride, Device());
                       for (int64_t b = first; b < last; ++b)
                         convolve(blocks[size_t(b)], lines.data(), own.data(), sample_y);
                     });
      }
    });
  }
}

void forward(const ConvShape& s, const float* x, const float* weight, const float* bias, float* y) {
  const Results all{make_offsets(s, DirectLine(s), s.channels), kOrderedBlock, false, s.d.output, s.h.output, s.w.output,
                    0, s.h.output * s.w.output, s.w.output, 1, {}};
  const auto weight_at = [&](int64_t group, int64_t f, const Results&, int64_t k) {
    return weight[group * s.w_size() + f * s.window() + k];
  };
  correlate_all(s, {all}, x, weight_at, bias, y);
}

// The results that elements d, d + stride, ... of the kernel reach, likewise in the other directions. A block for each
// cell of the kernel, whose elements are the filters.
Results reached(const ConvShape& s, const ConvShape& t, const DirectLine& line, const Reached& d, const Reached& h,
                const Reached& w, int64_t first_cell) {
  const int64_t row = s.w.input, layer = s.h.input * row;
  Results r{{}, s.filters, true, d.count, h.count, w.count, d.first * layer + h.first * row + w.first,
            s.d.stride * layer, s.h.stride * row, s.w.stride, {}};
  for (int64_t i = 0; i < d.elements; ++i)
    for (int64_t j = 0; j < h.elements; ++j)
      for (int64_t k = 0; k < w.elements; ++k) {
        const int64_t from = line.row(t.d.padding + d.shift - i * d.step, t.h.padding + h.shift - j * h.step) +
                             t.w.padding + w.shift - k * w.step;
        for (int64_t f = 0; f < s.filters; ++f) r.offsets.push_back(int32_t(f * line.size + from));
        r.cells.push_back(first_cell + (i * s.d.stride * s.h.kernel + j * s.h.stride) * s.w.kernel + k * s.w.stride);
      }
  return r;
}

void input_grad(const ConvShape& s, const float* grad, const float* weight, float* x_grad) {
  const ConvShape t = transposed(s);
  const DirectLine line(t);
  std::vector<Results> all;
  int64_t count = 0;
  const auto parts = [](const WindowAxis& a) { return std::min(a.stride, a.kernel); };
  for (int64_t d = 0; d < parts(s.d); ++d)
    for (int64_t h = 0; h < parts(s.h); ++h)
      for (int64_t w = 0; w < parts(s.w); ++w) {
        Results r = reached(s, t, line, Reached(s.d, d), Reached(s.h, h), Reached(s.w, w),
                            (d * s.h.kernel + h) * s.w.kernel + w);
        if (r.count() == 0 || r.offsets.empty()) continue;
        count += r.count();
        all.push_back(std::move(r));
      }
  if (count < s.pixels()) std::fill_n(x_grad, s.samples * s.groups * s.x_size(), 0.0f);
  if (all.empty()) return;
  const auto weight_at = [&](int64_t group, int64_t channel, const Results& r, int64_t k) {
    return weight[group * s.w_size() + k % s.filters * s.window() + channel * s.kernel_cells() +
                  r.cells[size_t(k / s.filters)]];
  };
  correlate_all(t, all, grad, weight_at, nullptr, x_grad);
}

// One factor of the weight gradient's products: elements, each of which has a value, or a vector of values, for every
// position of every sample.
struct Factor {
  const float* data;
  int64_t sample, layer, pitch, step;  // from a sample, a layer, a row or a position to the next
  std::vector<int64_t> offsets;        // of the elements
  const float* row(int64_t n, int64_t l, int64_t i) const { return data + n * sample + l * layer + i * pitch; }
};

// A block of the weight gradient: elements of `values` by elements of `vectors`, given by their offsets.
struct WeightBlock {
  const ConvShape& s;
  const Factor &values, &vectors;
  const int64_t *value_offsets, *vector_offsets;
  int64_t begin, end;  // samples
  bool first;          // the first of all samples is among them
  float* sums;         // of the block, whose rows are `row` apart
  int64_t row;
};

// sum[b][v] = sum[b][v] + the products of B values and V vectors at `count` positions of a row.
template <int B, int V>
HWY_INLINE void add_positions(const float* value, const float* vector, const WeightBlock& block, int64_t count,
                              L (&sum)[B][V]) {
  const float *values[B], *vectors[V];
#pragma GCC unroll 8
  for (int b = 0; b < B; ++b) values[b] = value + block.value_offsets[b];
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) vectors[v] = vector + block.vector_offsets[v];
  for (int64_t i = 0; i < count; ++i) {
    L g[V];
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) g[v] = L::load(vectors[v] + i * block.vectors.step);
#pragma GCC unroll 8
    for (int b = 0; b < B; ++b) {
      const L all = L::all(values[b][i * block.values.step]);
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) sum[b][v] = L::fused(g[v], all, sum[b][v]);
    }
  }
}

// to[b][v] = to[b][v] + from[b][v]
template <int B, int V>
HWY_INLINE void add(L (&to)[B][V], const L (&from)[B][V]) {
#pragma GCC unroll 8
  for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) to[b][v] = to[b][v] + from[b][v];
}

// sample[b][v] = the sum over the positions of sample n.
template <int B, int V>
HWY_INLINE void correlate_sample(const WeightBlock& block, int64_t n, L (&sample)[B][V]) {
  const ConvShape& s = block.s;
  const L none = L::all(kNoValue<float>);
  L sum[B][V], group[B][V];  // of a block of rule 3, of a group of rule 1
  fill(sum, none);
  fill(group, none);
  fill(sample, none);
  int64_t left = std::min(kOrderedBlock, s.positions()), done = 0;
  const int64_t rows = s.d.output * s.h.output;
  for (int64_t at = 0, i = 0, layer = 0; at < rows; ++at, ++i) {
    if (i == s.h.output) i = 0, ++layer;
    const float *const value = block.values.row(n, layer, i), *const vector = block.vectors.row(n, layer, i);
    for (int64_t j = 0; j < s.w.output;) {
      const int64_t run = std::min(left, s.w.output - j);
      add_positions(value + j * block.values.step, vector + j * block.vectors.step, block, run, sum);
      j += run;
      left -= run;
      if (left > 0) continue;
      done += std::min(kOrderedBlock, s.positions() - done);
      left = std::min(kOrderedBlock, s.positions() - done);
      add(group, sum);
      fill(sum, none);
      if (left > 0 && done % (kOrderedBlock * kOrderedGroup) != 0) continue;
      add(sample, group);
      fill(group, none);
    }
  }
}

// sums[b][...] = or += the samples' products, one sample after the other.
template <int B, int V>
void correlate_weight(const WeightBlock& block) {
  L total[B][V], sample[B][V];
#pragma GCC unroll 8
  for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v)
      total[b][v] = block.first ? L::all(kNoValue<float>) : L::load(block.sums + b * block.row + v * kLanes);
  for (int64_t n = block.begin; n < block.end; ++n) {
    correlate_sample(block, n, sample);
    add(total, sample);
  }
#pragma GCC unroll 8
  for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) total[b][v].store(block.sums + b * block.row + v * kLanes);
}

// correlate_weight() of at most kValues values and kVectors vectors.
template <int B = kValues, int V = kVectors>
void correlate_weight_block(int64_t values, int64_t vectors, const WeightBlock& block) {
  if constexpr (B > 1) {
    if (values < B) return correlate_weight_block<B - 1, V>(values, vectors, block);
  }
  if constexpr (V > 1) {
    if (vectors < V) return correlate_weight_block<B, V - 1>(values, vectors, block);
  }
  correlate_weight<B, V>(block);
}

// Part `part` of `parts` almost equal ones of [begin, end).
struct Range {
  int64_t begin, end;
  Range(int64_t from, int64_t to, int64_t part, int64_t parts)
      : begin(from + (to - from) * part / parts), end(from + (to - from) * (part + 1) / parts) {}
};

// sums[values][vectors] = or += the products of `count` samples. Vectors come in chunks, of which a few are computed
// together with a block of values.
void add_products(const ConvShape& s, const Factor& values, const Factor& vectors, int64_t chunk, int64_t count,
                  bool first, float* sums) {
  const int64_t rows = int64_t(values.offsets.size()), columns = int64_t(vectors.offsets.size());
  const int64_t row = columns * kLanes, chunks = divide_up(columns, chunk), parts = divide_up(chunk, kVectors);
  const int64_t blocks =
      std::max(divide_up(rows, kValues), std::min<int64_t>(rows, divide_up(num_threads(), chunks * parts)));
  const int64_t units = chunks * blocks * parts, work = rows * row * s.positions() * count;
  // A run of samples, of which a chunk's vectors and a block's values stay in a cache.
  const int64_t together = vectors.sample + kValues * s.positions();
  const int64_t run = std::clamp<int64_t>(kRunBytes / int64_t(sizeof(float)) / together, 1, count);
  parallel_for(0, units, divide_up(kParallelWork * units, work), [&](int64_t begin, int64_t end) {
    for (int64_t n = 0; n < count; n += run)
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t from = unit / (blocks * parts) * chunk;
        const Range b(0, rows, unit / parts % blocks, blocks);
        const Range v(from, std::min(from + chunk, columns), unit % parts, parts);
        if (v.begin == v.end) continue;
        correlate_weight_block(
            b.end - b.begin, v.end - v.begin,
            {s, values, vectors, &values.offsets[size_t(b.begin)], &vectors.offsets[size_t(v.begin)], n,
             std::min(n + run, count), first && n == 0, sums + b.begin * row + v.begin * kLanes, row});
      }
  });
}

// A group's weight gradient. Lanes have filters, or channels where these fill them as well. Lines of pixels lie in
// planes: a channel's or, with channels in the lanes, of vectors of channels. A plane of all samples is side by side.
// Gradients are transposed to vectors of filters or, with channels in the lanes, read where they are.
void weight_grad_group(const ConvShape& s, int64_t group, const float* grad, const float* x, float* weight_grad) {
  const auto filled = [](int64_t count) { return double(count) / double(divide_up(count, kLanes)); };
  const bool by_channels = filled(s.channels) >= filled(s.filters);
  ConvShape dense = s;  // lines of all pixels in their order
  dense.d.stride = dense.h.stride = dense.w.stride = 1;
  const DirectLine line(dense);
  const int64_t positions = s.positions(), cells = s.kernel_cells(), deep = by_channels ? kLanes : 1;
  const int64_t planes = divide_up(s.channels, deep), plane = line.size * deep;
  const int64_t vectors = by_channels ? 0 : divide_up(s.filters, kLanes), vector = positions * kLanes;
  // So many samples are prepared together that all of them stay in a cache.
  const int64_t together = std::clamp<int64_t>((int64_t(1) << 20) / (planes * plane + vectors * vector), 1, s.samples);
  const Scratch<float> lines(together * planes * plane, Device()), grads(together * vectors * vector, Device());
  std::fill(lines.data(), lines.data() + together * planes * plane, 0.0f);
  std::fill(grads.data(), grads.data() + together * vectors * vector, 0.0f);
  Factor pixels{lines.data(), plane, line.layer * deep * s.d.stride, line.pitch * deep * s.h.stride, deep * s.w.stride,
                {}};
  const std::vector<int32_t> window = make_offsets(dense, line, 1);
  for (int64_t p = 0; p < planes; ++p)
    for (const int32_t cell : window) pixels.offsets.push_back(p * together * plane + cell * deep);
  const int64_t step = by_channels ? 1 : kLanes, pitch = s.w.output * step;
  Factor filters{grads.data(), by_channels ? s.groups * s.y_size() : vector, s.h.output * pitch, pitch, step, {}};
  for (int64_t f = 0; f < (by_channels ? s.filters : vectors); ++f)
    filters.offsets.push_back(f * (by_channels ? positions : together * vector));
  const Factor &values = by_channels ? filters : pixels, &in_lanes = by_channels ? pixels : filters;
  const int64_t row = int64_t(in_lanes.offsets.size()) * kLanes;
  const Scratch<float> sums(int64_t(values.offsets.size()) * row, Device());
  for (int64_t n0 = 0; n0 < s.samples; n0 += together) {
    const int64_t count = std::min(together, s.samples - n0);
    parallel_for(0, count * planes, divide_up(kParallelCopy, plane), [&](int64_t begin, int64_t end) {
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t n = unit / planes, p = unit % planes, c = p * deep;
        const float* from = x + ((n0 + n) * s.groups + group) * s.x_size() + c * s.pixels();
        for (int64_t l = 0; l < s.d.input; ++l)
          for (int64_t i = 0; i < s.h.input; ++i, from += s.w.input) {
            float* const to = lines.data() + (p * together + n) * plane +
                              (line.row(l + s.d.padding, i + s.h.padding) + s.w.padding) * deep;
            if (by_channels)
              copy_matrix(from, 1, s.pixels(), s.w.input, std::min(kLanes, s.channels - c), to, kLanes);
            else
              std::copy_n(from, s.w.input, to);
          }
      }
    });
    const float* const gradients = grad + (n0 * s.groups + group) * s.y_size();
    if (by_channels) filters.data = gradients;
    parallel_for(0, count * vectors, divide_up(kParallelCopy, vector), [&](int64_t begin, int64_t end) {
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t n = unit / vectors, v = unit % vectors;
        copy_matrix(gradients + n * s.groups * s.y_size() + v * vector, 1, positions, positions,
                    std::min(kLanes, s.filters - v * kLanes), grads.data() + (v * together + n) * vector, kLanes);
      }
    });
    add_products(s, values, in_lanes, by_channels ? cells : 2, count, n0 == 0, sums.data());
  }
  for (int64_t f = 0; f < s.filters; ++f)
    for (int64_t c = 0; c < s.channels; ++c)
      for (int64_t cell = 0; cell < cells; ++cell)
        *weight_grad++ = by_channels ? sums[f * row + (c / kLanes * cells + cell) * kLanes + c % kLanes]
                                     : sums[(c * cells + cell) * row + f];
}

}  // namespace

bool direct_floats(ConvPass pass, const ConvShape& s, float* x, float* weight, const float* bias, float* y) {
  if (pass == ConvPass::forward) {
    if (!forward_fits(s)) return false;
    forward(s, x, weight, bias, y);
  } else if (pass == ConvPass::input_grad) {
    if (!input_grad_fits(s, weight)) return false;
    input_grad(s, y, weight, x);
  } else {
    if (!weight_grad_fits(s)) return false;
    for (int64_t group = 0; group < s.groups; ++group) weight_grad_group(s, group, y, x, weight + group * s.w_size());
  }
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace ordo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ordo::kernels::cpu {

HWY_EXPORT(direct_floats);

bool direct_convolution(ConvPass pass, const ConvShape& s, float* x, float* weight, const float* bias, float* y) {
  return HWY_DYNAMIC_DISPATCH(direct_floats)(pass, s, x, weight, bias, y);
}

}  // namespace ordo::kernels::cpu
#endif
