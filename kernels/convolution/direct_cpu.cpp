// An image with its padding, as one line of pixels: pixel q of the result needs pixels q + offset[k], one offset per
// kernel element and channel. So the result is a product of the weight with the same line, shifted K times, and nothing
// has to be unfolded. The line of the result has a few columns too many, where windows run over the right border; they
// are dropped.
//
// Every output element is summed by itself in the order of rule 4 (docs/ordering.md). Neither blocks nor threads nor
// vectors change a bit. Compiled once for each instruction set, as kernels/matmul/gemm_cpu.cpp is.
#include <ordo/kernels/vectors/targets.h>  // before Highway's headers

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <ordo/kernels/convolution/direct_cpu.cpp>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/convolution/direct_cpu.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/vectors/lanes-inl.h>

#include <algorithm>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace ordo::kernels::cpu {
namespace HWY_NAMESPACE {
namespace {

constexpr int kFilters = ORDO_MANY_REGISTERS ? 8 : 4;  // of a block
constexpr int kValues = ORDO_MANY_REGISTERS ? 8 : 4;   // of a block of the weight gradient
constexpr int kVectors = kDirectVectors;               // in a block
constexpr int64_t kRunBytes = 512 << 10;               // of samples that half of a second-level cache holds
constexpr int64_t kParallelWork = 1 << 17;             // multiply-adds that are worth a thread
constexpr int64_t kParallelCopy = 1 << 15;             // elements to copy that are worth one

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// A row of an image, after whose end the image has `after` more elements. Whole vectors reach into those, whose own
// rows come later.
template <class T>
HWY_INLINE void copy_row(const T* from, int64_t width, int64_t after, T* to) {
  using P = Lanes<T>;
  constexpr int64_t kLanes = P::count;
  if (after < kLanes)
    std::copy_n(from, width, to);
  else
    for (int64_t j = 0; j < width; j += kLanes) P::load(from + j).store(to + j);
}

// Writes one group of one sample into lines, `apart` from each other, whose padding is zero already.
template <class T>
void fill_lines(const ConvShape& s, const DirectLine& line, int64_t apart, const T* x, T* lines) {
  for (int64_t c = 0; c < s.channels; ++c)
    for (int64_t l = 0; l < s.d.input; ++l)
      for (int64_t i = 0; i < s.h.input; ++i, x += s.w.input)
        std::copy_n(x, s.w.input, lines + c * apart + line.row(l + s.d.padding, i + s.h.padding) + s.w.padding);
}

// The same of lines one after the other. Rows are whole vectors, of which the next row and padding take back what is
// theirs.
template <class T>
void fill_lines(const ConvShape& s, const DirectLine& line, const T* x, T* lines) {
  const int64_t width = s.w.input;
  int64_t after = s.x_size();  // this row
  for (int64_t c = 0; c < s.channels; ++c, lines += line.size)
    for (int64_t l = 0; l < s.d.input; ++l)
      for (int64_t i = 0; i < s.h.input; ++i, x += width) {
        T* const to = lines + line.row(l + s.d.padding, i + s.h.padding) + s.w.padding;
        after -= width;
        copy_row(x, width, after, to);
        Lanes<T>::all(T(0)).store(to + width);
      }
}

// Of lines that are `apart` from each other.
std::vector<int32_t> make_offsets(const ConvShape& s, const DirectLine& line, int64_t apart) {
  std::vector<int32_t> offsets;
  offsets.reserve(size_t(s.window()));
  for (int64_t c = 0; c < s.channels; ++c)
    for (int64_t t = 0; t < s.d.kernel; ++t)
      for (int64_t u = 0; u < s.h.kernel; ++u)
        for (int64_t v = 0; v < s.w.kernel; ++v)
          offsets.push_back(int32_t(c * apart + line.row(t * s.d.dilation, u * s.h.dilation) + v * s.w.dilation));
  return offsets;
}

// What a block of a weight's elements is multiplied with, and how the blocks' sums are added up.
struct Elements {
  std::vector<int32_t> offsets;  // in the order of the sum
  int64_t block;                 // elements that are summed together
  bool from_zero;                // the blocks are added to +0, which makes -0 +0
};

// out[f][0..V vectors) = bias[f] + sum over k of weight[k][f] line[offset[k]...]
template <int F, int V, class T>
void correlate(const T* line, const Elements& elements, const T* weight, const T* bias, T* out, int64_t stride) {
  const int32_t* const offsets = elements.offsets.data();
  const int64_t count = int64_t(elements.offsets.size()), size = elements.block;
  using P = Lanes<T>;
  constexpr int64_t kLanes = P::count;
  for (int64_t k0 = 0; k0 < count; k0 += size) {
    P sum[F][V];
#pragma GCC unroll 8
    for (int f = 0; f < F; ++f)
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) sum[f][v] = P::all(kNoValue<T>);
    const int64_t last = std::min(count, k0 + size);
    for (int64_t k = k0; k < last; ++k) {
      const T* const from = line + offsets[k];
      P pixels[V];
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) pixels[v] = P::load(from + v * kLanes);
#pragma GCC unroll 8
      for (int f = 0; f < F; ++f) {
        const P w = P::all(weight[k * F + f]);
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) sum[f][v] = P::fused(w, pixels[v], sum[f][v]);
      }
    }
#pragma GCC unroll 8
    for (int f = 0; f < F; ++f)
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) {
        T* const to = out + f * stride + v * kLanes;
        P value = k0 > 0 ? P::load(to) + sum[f][v] : elements.from_zero ? sum[f][v] + P::all(T(0)) : sum[f][v];
        if (bias && last == count) value = value + P::all(bias[f]);
        value.store(to);
      }
  }
}

// Takes the rows of F filters' images from a line's results, as soon as they are there: stores then wait for memory
// while the next results are computed.
template <int F, class T>
class ImageRows {
 public:
  ImageRows(const ConvShape& s, const DirectLine& line, T* y)
      : s_(s), line_(line), y_(y), rows_(s.d.output * s.h.output) {}
  // Those in the first `count` results, of which `results` has those of the filters `stride` apart.
  void take(const T* results, int64_t stride, int64_t count) {
    const int64_t width = s_.w.output, positions = s_.positions();
    for (; row_ < rows_ && at_ + width <= count; y_ += width) {
      ++row_;
      for (int f = 0; f < F; ++f)
        copy_row(results + f * stride + at_, width, positions - row_ * width, y_ + f * positions);
      at_ = line_.row(row_ / s_.h.output, row_ % s_.h.output);
    }
  }

 private:
  const ConvShape& s_;
  const DirectLine& line_;
  T* y_;
  int64_t rows_, row_ = 0, at_ = 0;  // at_: where the row is in the results
};

// All of a line's result for F filters, and from there into the image without the columns too many.
template <int F, class T>
void correlate_line(const ConvShape& s, const DirectLine& shape, const T* line, const Elements& elements,
                    const T* weight, const T* bias, T* scratch, int64_t stride, T* y) {
  constexpr int64_t kLanes = Lanes<T>::count;
  const int64_t vectors = divide_up(shape.length, kLanes), blocks = divide_up(vectors, kVectors);
  ImageRows<F, T> rows(s, shape, y);
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t first = vectors * block / blocks, last = vectors * (block + 1) / blocks, at = first * kLanes;
    switch (last - first) {
      case 1:
        correlate<F, 1>(line + at, elements, weight, bias, scratch + at, stride);
        break;
      case 2:
        correlate<F, 2>(line + at, elements, weight, bias, scratch + at, stride);
        break;
      default:
        correlate<F, 3>(line + at, elements, weight, bias, scratch + at, stride);
        break;
    }
    rows.take(scratch, stride, last * kLanes);
  }
}

// correlate_line() of kFilters, or a half of them, or a quarter, ...
template <int F = kFilters, class T>
void correlate_block(int count, const ConvShape& s, const DirectLine& shape, const T* line, const Elements& elements,
                     const T* weight, const T* bias, T* scratch, int64_t stride, T* y) {
  if constexpr (F > 1) {
    if (count < F) return correlate_block<F / 2>(count, s, shape, line, elements, weight, bias, scratch, stride, y);
  }
  correlate_line<F>(s, shape, line, elements, weight, bias, scratch, stride, y);
}

// A block of filters: how many, and which is its first.
struct FilterBlock {
  int64_t first;
  int count;
};

std::vector<FilterBlock> filter_blocks(int64_t filters) {
  std::vector<FilterBlock> blocks;
  int count = kFilters;
  for (int64_t first = 0; first < filters; first += count) {
    while (count > filters - first) count /= 2;
    blocks.push_back({first, count});
  }
  return blocks;
}

// weight[f][k], through `at(f, k)`, in the order that correlate() reads: per block, k by k.
template <class T, class At>
void pack_weight(const ConvShape& s, const std::vector<FilterBlock>& blocks, At at, T* packed) {
  for (const FilterBlock& block : blocks)
    for (int64_t k = 0; k < s.window(); ++k)
      for (int f = 0; f < block.count; ++f) *packed++ = at(block.first + f, k);
}

template <class T>
void forward_group(const ConvShape& s, int64_t group, const Elements& elements, const T* x, const T* packed,
                   const std::vector<FilterBlock>& blocks, const T* bias, T* y) {
  const DirectLine line(s);
  const int64_t stride = divide_up(line.length, Lanes<T>::count) * Lanes<T>::count;
  const auto convolve = [&](const FilterBlock& block, const T* lines, T* scratch, T* sample_y) {
    const T* const w = packed + block.first * s.window();
    const T* const b = bias ? bias + group * s.filters + block.first : nullptr;
    T* const to = sample_y + block.first * s.positions();
    correlate_block(block.count, s, line, lines, elements, w, b, scratch, stride, to);
  };
  const int64_t work = s.filters * s.columns(), line_count = s.channels * line.size + line.slack();
  // Threads share samples or, where there are few, the filters of each.
  const bool share_samples = s.samples >= num_threads();
  const int64_t grain = share_samples ? divide_up(kParallelWork, work) : s.samples;
  parallel_for(0, s.samples, grain, [&](int64_t begin, int64_t end) {
    const Scratch<T> lines(line_count, Device()), scratch(share_samples ? kFilters * stride : 0, Device());
    std::fill(lines.data(), lines.data() + line_count, T(0));
    for (int64_t n = begin; n < end; ++n) {
      fill_lines(s, line, x + (n * s.groups + group) * s.x_size(), lines.data());
      T* const sample_y = y + (n * s.groups + group) * s.y_size();
      if (share_samples) {
        for (const FilterBlock& block : blocks) convolve(block, lines.data(), scratch.data(), sample_y);
        continue;
      }
      parallel_for(0, int64_t(blocks.size()), divide_up(kParallelWork * int64_t(blocks.size()), work),
                   [&](int64_t first, int64_t last) {
                     const Scratch<T> own(kFilters * stride, Device());
                     for (int64_t b = first; b < last; ++b)
                       convolve(blocks[size_t(b)], lines.data(), own.data(), sample_y);
                   });
    }
  });
}

// One factor of the weight gradient's products: elements, each of which has a value, or a vector of values, for every
// position of every sample.
template <class T>
struct Factor {
  const T* data;
  int64_t sample, layer, pitch;  // from a sample, a layer or a row to the next
  std::vector<int64_t> offsets;  // of the elements
  const T* row(int64_t n, int64_t l, int64_t i) const { return data + n * sample + l * layer + i * pitch; }
};

// A block of elements of both factors: the offsets of B values and of V vectors.
struct WeightBlock {
  const int64_t *values, *vectors;
};

// sum[b][v] = sum[b][v] + the products of B values and V vectors at `count` positions of a row.
template <int B, int V, class T>
HWY_INLINE void add_positions(const T* value, const T* vector, WeightBlock block, int64_t count,
                              Lanes<T> (&sum)[B][V]) {
  using P = Lanes<T>;
  const T *values[B], *vectors[V];
#pragma GCC unroll 8
  for (int b = 0; b < B; ++b) values[b] = value + block.values[b];
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) vectors[v] = vector + block.vectors[v];
  for (int64_t i = 0; i < count; ++i) {
    P g[V];
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) g[v] = P::load(vectors[v] + i * int64_t(P::count));
#pragma GCC unroll 8
    for (int b = 0; b < B; ++b) {
      const P all = P::all(values[b][i]);
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) sum[b][v] = P::fused(g[v], all, sum[b][v]);
    }
  }
}

// sample[b][v] = the sum over the positions of sample n.
template <int B, int V, class T>
HWY_INLINE void correlate_sample(const ConvShape& s, const Factor<T>& values, const Factor<T>& vectors, int64_t n,
                                 WeightBlock elements, Lanes<T> (&sample)[B][V]) {
  using P = Lanes<T>;
  P sum[B][V], group[B][V];  // of a block of rule 3, of a group of rule 1
#pragma GCC unroll 8
  for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) sum[b][v] = group[b][v] = sample[b][v] = P::all(kNoValue<T>);
  int64_t left = std::min(kOrderedBlock, s.positions()), done = 0;
  const int64_t rows = s.d.output * s.h.output;
  for (int64_t at = 0, i = 0, layer = 0; at < rows; ++at, ++i) {
    if (i == s.h.output) i = 0, ++layer;
    const T *const value = values.row(n, layer, i), *const vector = vectors.row(n, layer, i);
    for (int64_t j = 0; j < s.w.output;) {
      const int64_t run = std::min(left, s.w.output - j);
      add_positions(value + j, vector + j * int64_t(P::count), elements, run, sum);
      j += run;
      left -= run;
      if (left > 0) continue;
      done += std::min(kOrderedBlock, s.positions() - done);
      left = std::min(kOrderedBlock, s.positions() - done);
      const bool group_ends = left == 0 || done % (kOrderedBlock * kOrderedGroup) == 0;
#pragma GCC unroll 8
      for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) {
          group[b][v] = group[b][v] + sum[b][v];
          sum[b][v] = P::all(kNoValue<T>);
          if (!group_ends) continue;
          sample[b][v] = sample[b][v] + group[b][v];
          group[b][v] = P::all(kNoValue<T>);
        }
    }
  }
}

// Samples that follow each other, and whether the first of all is among them.
struct Samples {
  int64_t begin, end;
  bool first;
};

// sums[b][...] = or += the samples' products, one sample after the other.
template <int B, int V, class T>
void correlate_weight(const ConvShape& s, const Factor<T>& values, const Factor<T>& vectors, WeightBlock elements,
                      Samples samples, int64_t row, T* sums) {
  using P = Lanes<T>;
  P total[B][V], sample[B][V];
#pragma GCC unroll 8
  for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v)
      total[b][v] = samples.first ? P::all(kNoValue<T>) : P::load(sums + b * row + v * int64_t(P::count));
  for (int64_t n = samples.begin; n < samples.end; ++n) {
    correlate_sample(s, values, vectors, n, elements, sample);
#pragma GCC unroll 8
    for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) total[b][v] = total[b][v] + sample[b][v];
  }
#pragma GCC unroll 8
  for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) total[b][v].store(sums + b * row + v * int64_t(P::count));
}

// correlate_weight() of at most kValues values and kVectors vectors.
template <int B = kValues, int V = kVectors, class T>
void correlate_weight_block(int64_t value_count, int64_t vector_count, const ConvShape& s, const Factor<T>& values,
                            const Factor<T>& vectors, WeightBlock elements, Samples samples, int64_t row, T* sums) {
  if constexpr (B > 1) {
    if (value_count < B)
      return correlate_weight_block<B - 1, V>(value_count, vector_count, s, values, vectors, elements, samples, row,
                                              sums);
  }
  if constexpr (V > 1) {
    if (vector_count < V)
      return correlate_weight_block<B, V - 1>(value_count, vector_count, s, values, vectors, elements, samples, row,
                                              sums);
  }
  correlate_weight<B, V>(s, values, vectors, elements, samples, row, sums);
}

// Part `part` of `parts` almost equal ones of [begin, end).
struct Part {
  int64_t begin, end;
  Part(int64_t from, int64_t to, int64_t part, int64_t parts)
      : begin(from + (to - from) * part / parts), end(from + (to - from) * (part + 1) / parts) {}
};

// sums[values][vectors] = or += the products of `count` samples. Vectors come in chunks, of which a few are computed
// together with a block of values.
template <class T>
void add_products(const ConvShape& s, const Factor<T>& values, const Factor<T>& vectors, int64_t chunk, int64_t count,
                  bool first, T* sums) {
  const int64_t rows = int64_t(values.offsets.size()), columns = int64_t(vectors.offsets.size());
  const int64_t row = columns * Lanes<T>::count, chunks = divide_up(columns, chunk), parts = divide_up(chunk, kVectors);
  const int64_t blocks =
      std::max(divide_up(rows, kValues), std::min<int64_t>(rows, divide_up(num_threads(), chunks * parts)));
  const int64_t units = chunks * blocks * parts, work = rows * row * s.positions() * count;
  // A run of samples, of which a chunk's vectors and a block's values stay in a cache.
  const int64_t together = vectors.sample + kValues * s.positions();
  const int64_t run = std::clamp<int64_t>(kRunBytes / int64_t(sizeof(T)) / together, 1, count);
  parallel_for(0, units, divide_up(kParallelWork * units, work), [&](int64_t begin, int64_t end) {
    for (int64_t n = 0; n < count; n += run)
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t from = unit / (blocks * parts) * chunk;
        const Part b(0, rows, unit / parts % blocks, blocks);
        const Part v(from, std::min(from + chunk, columns), unit % parts, parts);
        if (v.begin == v.end) continue;
        correlate_weight_block(b.end - b.begin, v.end - v.begin, s, values, vectors,
                               {&values.offsets[size_t(b.begin)], &vectors.offsets[size_t(v.begin)]},
                               {n, std::min(n + run, count), first && n == 0}, row,
                               sums + b.begin * row + v.begin * Lanes<T>::count);
      }
  });
}

// How many samples are prepared together, so that all of them stay in a cache.
int64_t samples_together(const ConvShape& s, int64_t elements) {
  return std::clamp<int64_t>((int64_t(1) << 20) / elements, 1, s.samples);
}

// The weight gradient with filters in the lanes. Pixels lie in lines, a channel's of all samples side by side, and the
// gradients are transposed to vectors of filters.
template <class T>
void weight_grad_by_filters(const ConvShape& s, int64_t group, const T* grad, const T* x, T* weight_grad) {
  constexpr int64_t kLanes = Lanes<T>::count;
  const DirectLine line(s);
  const int64_t window = s.window(), vectors = divide_up(s.filters, kLanes), positions = s.positions();
  const int64_t lines_size = s.channels * line.size, grads_size = vectors * kLanes * positions;
  const int64_t together = samples_together(s, lines_size + grads_size), row = vectors * kLanes;
  const Scratch<T> lines(together * lines_size, Device()), grads(together * grads_size, Device()),
      sums(window * row, Device());
  std::fill(lines.data(), lines.data() + together * lines_size, T(0));
  std::fill(grads.data(), grads.data() + together * grads_size, T(0));
  const std::vector<int32_t> cells = make_offsets(s, line, together * line.size);
  const Factor<T> pixels{lines, line.size, line.layer, line.pitch, {cells.begin(), cells.end()}};
  const int64_t pitch = s.w.output * kLanes;
  Factor<T> filters{grads, positions * kLanes, s.h.output * pitch, pitch, {}};
  for (int64_t v = 0; v < vectors; ++v) filters.offsets.push_back(v * together * positions * kLanes);
  for (int64_t n0 = 0; n0 < s.samples; n0 += together) {
    const int64_t count = std::min(together, s.samples - n0);
    parallel_for(0, count, divide_up(kParallelCopy, lines_size + grads_size), [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        const int64_t image = (n0 + n) * s.groups + group;
        fill_lines(s, line, together * line.size, x + image * s.x_size(), lines.data() + n * line.size);
        for (int64_t v = 0; v < vectors; ++v)
          copy_matrix(grad + image * s.y_size() + v * kLanes * positions, 1, positions, positions,
                      std::min(kLanes, s.filters - v * kLanes), grads.data() + (v * together + n) * positions * kLanes,
                      kLanes);
      }
    });
    add_products(s, pixels, filters, 2, count, n0 == 0, sums.data());
  }
  for (int64_t f = 0; f < s.filters; ++f)
    for (int64_t k = 0; k < window; ++k) weight_grad[f * window + k] = sums[k * row + f];
}

// The weight gradient with channels in the lanes. Lines of pixels are transposed to vectors of channels, a vector's of
// all samples side by side; the gradients are read where they are.
template <class T>
void weight_grad_by_channels(const ConvShape& s, int64_t group, const T* grad, const T* x, T* weight_grad) {
  constexpr int64_t kLanes = Lanes<T>::count;
  const DirectLine line(s);
  const int64_t vectors = divide_up(s.channels, kLanes), positions = s.positions(), cells = s.kernel_cells();
  const int64_t together = samples_together(s, vectors * kLanes * line.size), row = vectors * cells * kLanes;
  const Scratch<T> lines(together * vectors * kLanes * line.size, Device()), sums(s.filters * row, Device());
  std::fill(lines.data(), lines.data() + together * vectors * kLanes * line.size, T(0));
  Factor<T> pixels{lines, line.size * kLanes, line.layer * kLanes, line.pitch * kLanes, {}};
  ConvShape one = s;
  one.channels = 1;
  for (int64_t v = 0; v < vectors; ++v)
    for (const int32_t cell : make_offsets(one, line, 0))
      pixels.offsets.push_back((v * together * line.size + cell) * kLanes);
  Factor<T> filters{nullptr, s.groups * s.y_size(), s.h.output * s.w.output, s.w.output, {}};
  for (int64_t f = 0; f < s.filters; ++f) filters.offsets.push_back(f * positions);
  for (int64_t n0 = 0; n0 < s.samples; n0 += together) {
    const int64_t count = std::min(together, s.samples - n0);
    const int64_t grain = divide_up(kParallelCopy, kLanes * line.size);
    parallel_for(0, count * vectors, grain, [&](int64_t begin, int64_t end) {
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t n = unit / vectors, c = unit % vectors * kLanes;
        const T* from = x + ((n0 + n) * s.groups + group) * s.x_size() + c * s.pixels();
        T* const to = lines.data() + (unit % vectors * together + n) * line.size * kLanes;
        for (int64_t l = 0; l < s.d.input; ++l)
          for (int64_t i = 0; i < s.h.input; ++i, from += s.w.input)
            copy_matrix(from, 1, s.pixels(), s.w.input, std::min(kLanes, s.channels - c),
                        to + (line.row(l + s.d.padding, i + s.h.padding) + s.w.padding) * kLanes, kLanes);
      }
    });
    filters.data = grad + (n0 * s.groups + group) * s.y_size();
    add_products(s, filters, pixels, cells, count, n0 == 0, sums.data());
  }
  for (int64_t f = 0; f < s.filters; ++f)
    for (int64_t c = 0; c < s.channels; ++c)
      for (int64_t cell = 0; cell < cells; ++cell)
        *weight_grad++ = sums[f * row + (c / kLanes * cells + cell) * kLanes + c % kLanes];
}

template <class T>
void forward(const ConvShape& s, const T* x, const T* weight, const T* bias, T* y) {
  const std::vector<FilterBlock> blocks = filter_blocks(s.filters);
  const Elements elements{make_offsets(s, DirectLine(s), DirectLine(s).size), kOrderedBlock, false};
  const Scratch<T> packed(s.w_size(), Device());
  for (int64_t group = 0; group < s.groups; ++group) {
    const T* const w = weight + group * s.w_size();
    pack_weight(
        s, blocks, [&](int64_t f, int64_t k) { return w[f * s.window() + k]; }, packed.data());
    forward_group(s, group, elements, x, packed.data(), blocks, bias, y);
  }
}

template <class T>
void input_grad(const ConvShape& s, const T* grad, const T* weight, T* x_grad) {
  const ConvShape t = transposed(s);
  const std::vector<FilterBlock> blocks = filter_blocks(t.filters);
  const Scratch<T> packed(t.w_size(), Device());
  const int64_t area = s.kernel_cells();
  // A block for each cell of the kernel, whose elements are the filters. The cell that comes first is the last of t's.
  const std::vector<int32_t> offsets = make_offsets(t, DirectLine(t), DirectLine(t).size);
  Elements elements{{}, s.filters, true};
  for (int64_t cell = 0; cell < area; ++cell)
    for (int64_t f = 0; f < s.filters; ++f) elements.offsets.push_back(offsets[size_t(f * area + area - 1 - cell)]);
  for (int64_t group = 0; group < s.groups; ++group) {
    const T* const w = weight + group * s.w_size();
    pack_weight(
        t, blocks,
        [&](int64_t channel, int64_t k) { return w[k % s.filters * s.window() + channel * area + k / s.filters]; },
        packed.data());
    forward_group<T>(t, group, elements, grad, packed.data(), blocks, nullptr, x_grad);
  }
}

template <class T>
void weight_grad(const ConvShape& s, const T* grad, const T* x, T* weight_grad) {
  // Lanes have what fills them better; channels then need fewer copies.
  const auto filled = [](int64_t count) { return double(count) / double(divide_up(count, Lanes<T>::count)); };
  const bool by_channels = filled(s.channels) >= filled(s.filters);
  for (int64_t group = 0; group < s.groups; ++group)
    (by_channels ? weight_grad_by_channels<T> : weight_grad_by_filters<T>)(s, group, grad, x,
                                                                           weight_grad + group * s.w_size());
}

}  // namespace

DirectConvolution<float> direct_floats() { return {forward<float>, input_grad<float>, weight_grad<float>}; }
DirectConvolution<double> direct_doubles() { return {forward<double>, input_grad<double>, weight_grad<double>}; }

}  // namespace HWY_NAMESPACE
}  // namespace ordo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ordo::kernels::cpu {

HWY_EXPORT(direct_floats);
HWY_EXPORT(direct_doubles);

template <>
DirectConvolution<float> direct_convolution() {
  return HWY_DYNAMIC_DISPATCH(direct_floats)();
}
template <>
DirectConvolution<double> direct_convolution() {
  return HWY_DYNAMIC_DISPATCH(direct_doubles)();
}

}  // namespace ordo::kernels::cpu
#endif
