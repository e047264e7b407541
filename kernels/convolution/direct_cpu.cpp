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
constexpr int kWindow = ORDO_MANY_REGISTERS ? 8 : 4;   // elements of the window in a block of the weight gradient
constexpr int kVectors = kDirectVectors;               // of pixels in a block
constexpr int64_t kRunBytes = 512 << 10;               // of samples that half of a second-level cache holds
constexpr int64_t kParallelWork = 1 << 17;             // multiply-adds that are worth a thread

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

// sum[b][v] = or += the products of B pixels with V vectors of filters at a position.
template <int B, int V, class T>
HWY_INLINE void add_position(const T* pixel, const int32_t* offsets, const T* grads, Lanes<T> (&sum)[B][V]) {
  using P = Lanes<T>;
  P g[V];
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) g[v] = P::load(grads + v * int64_t(P::count));
#pragma GCC unroll 8
  for (int b = 0; b < B; ++b) {
    const P value = P::all(pixel[offsets[b]]);
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) sum[b][v] = P::fused(g[v], value, sum[b][v]);
  }
}

// sum[b][v] = the sample's products of B elements of the window with V vectors of filters. `grads` has V vectors for
// each position.
template <int B, int V, class T>
HWY_INLINE void correlate_sample(const ConvShape& s, const DirectLine& line, const T* lines, const int32_t* offsets,
                                 const T* grads, Lanes<T> (&sample)[B][V]) {
  using P = Lanes<T>;
  P sum[B][V], group[B][V];  // of a block of rule 3, of a group of rule 1
#pragma GCC unroll 8
  for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) sum[b][v] = group[b][v] = sample[b][v] = P::all(kNoValue<T>);
  int64_t left = std::min(kOrderedBlock, s.positions()), done = 0;
  const int64_t rows = s.d.output * s.h.output;
  for (int64_t at = 0, i = 0, layer = 0; at < rows; ++at, ++i) {
    if (i == s.h.output) i = 0, layer += line.layer;
    for (int64_t j = 0; j < s.w.output;) {
      const int64_t run = std::min(left, s.w.output - j);
      const T* pixel = lines + layer + i * line.pitch + j;
      for (int64_t r = 0; r < run; ++r, ++pixel, grads += V * P::count) add_position(pixel, offsets, grads, sum);
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

// The same where a sample's positions are one block, which is all there is to add up.
template <int B, int V, class T>
HWY_INLINE void correlate_block_of_sample(const ConvShape& s, const DirectLine& line, const T* lines,
                                          const int32_t* offsets, const T* grads, Lanes<T> (&sample)[B][V]) {
  using P = Lanes<T>;
#pragma GCC unroll 8
  for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) sample[b][v] = P::all(kNoValue<T>);
  for (int64_t l = 0; l < s.d.output; ++l)
    for (int64_t i = 0; i < s.h.output; ++i) {
      const T* pixel = lines + line.row(l, i);
      for (int64_t j = 0; j < s.w.output; ++j, ++pixel, grads += V * P::count)
        add_position(pixel, offsets, grads, sample);
    }
}

// Samples that follow each other: their number, and whether the first of all is among them.
struct Samples {
  int64_t count;
  bool first;
};

// sums[b][...] = or += the samples' products, one sample after the other.
template <bool kOneBlock, int B, int V, class T>
void correlate_weight(const ConvShape& s, const DirectLine& line, const T* lines, const int32_t* offsets,
                      const T* grads, Samples samples, int64_t row, T* sums) {
  using P = Lanes<T>;
  P total[B][V], sample[B][V];
#pragma GCC unroll 8
  for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v)
      total[b][v] = samples.first ? P::all(kNoValue<T>) : P::load(sums + b * row + v * int64_t(P::count));
  for (int64_t n = 0; n < samples.count; ++n, lines += line.size, grads += s.positions() * V * P::count) {
    if constexpr (kOneBlock)
      correlate_block_of_sample(s, line, lines, offsets, grads, sample);
    else
      correlate_sample(s, line, lines, offsets, grads, sample);
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

// correlate_weight() of `count` <= kWindow elements.
template <int V, int B = kWindow, class T>
void correlate_weight_block(int count, const ConvShape& s, const DirectLine& line, const T* lines,
                            const int32_t* offsets, const T* grads, Samples samples, int64_t row, T* sums) {
  if constexpr (B > 1) {
    if (count < B) return correlate_weight_block<V, B - 1>(count, s, line, lines, offsets, grads, samples, row, sums);
  }
  if (s.positions() <= kOrderedBlock)
    return correlate_weight<true, B, V>(s, line, lines, offsets, grads, samples, row, sums);
  correlate_weight<false, B, V>(s, line, lines, offsets, grads, samples, row, sums);
}

template <class T>
void weight_grad_group(const ConvShape& s, int64_t group, const T* grad, const T* x, T* weight_grad) {
  constexpr int64_t kLanes = Lanes<T>::count, kSlice = 2 * kLanes;
  const DirectLine line(s);
  const int64_t window = s.window(), row = divide_up(s.filters, kLanes) * kLanes, positions = s.positions();
  const int64_t lines_size = s.channels * line.size, grads_size = positions * row;
  // Samples that are prepared together. A channel's lines of all of them lie side by side, and so do the gradients of a
  // slice of filters, two vectors or one.
  const int64_t together = std::clamp<int64_t>((int64_t(1) << 20) / (lines_size + grads_size), 1, s.samples);
  const int64_t apart = together * line.size;
  const std::vector<int32_t> offsets = make_offsets(s, line, apart);
  const Scratch<T> lines(together * lines_size, Device()), grads(together * grads_size, Device()),
      sums(window * row, Device());
  std::fill(lines.data(), lines.data() + together * lines_size, T(0));
  const auto width_at = [&](int64_t f) { return std::min(kSlice, row - f); };
  const auto grads_of = [&](int64_t f, int64_t n) {
    return grads.data() + positions * (f * together + n * width_at(f));
  };
  const int64_t blocks = std::max(divide_up(window, kWindow), std::min<int64_t>(window, num_threads()));
  const int64_t sample_work = window * row * positions;
  for (int64_t n0 = 0; n0 < s.samples; n0 += together) {
    const int64_t count = std::min(together, s.samples - n0);
    parallel_for(0, count, divide_up(32768, lines_size + grads_size), [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        const int64_t image = (n0 + n) * s.groups + group;
        fill_lines(s, line, apart, x + image * s.x_size(), lines.data() + n * line.size);
        for (int64_t f = 0; f < row; f += kSlice)
          copy_matrix(grad + image * s.y_size() + f * positions, 1, positions, positions,
                      std::min(width_at(f), s.filters - f), grads_of(f, n), width_at(f));
      }
    });
    // A run of samples, of which a slice's gradients and a block's lines stay in a cache.
    const int64_t run =
        std::clamp<int64_t>(kRunBytes / int64_t(sizeof(T)) / (positions * kSlice + 2 * line.size), 1, count);
    parallel_for(0, blocks, divide_up(kParallelWork * blocks, sample_work * count), [&](int64_t begin, int64_t end) {
      for (int64_t n = 0; n < count; n += run)
        for (int64_t f = 0; f < row; f += kSlice)
          for (int64_t block = begin; block < end; ++block) {
            const int64_t first = window * block / blocks, last = window * (block + 1) / blocks;
            const auto correlate =
                width_at(f) == kSlice ? correlate_weight_block<2, kWindow, T> : correlate_weight_block<1, kWindow, T>;
            correlate(int(last - first), s, line, lines.data() + n * line.size, &offsets[size_t(first)], grads_of(f, n),
                      {std::min(run, count - n), n0 + n == 0}, row, sums.data() + first * row + f);
          }
    });
  }
  for (int64_t f = 0; f < s.filters; ++f)
    for (int64_t k = 0; k < window; ++k) weight_grad[group * s.w_size() + f * window + k] = sums[k * row + f];
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
  for (int64_t group = 0; group < s.groups; ++group) weight_grad_group(s, group, grad, x, weight_grad);
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
