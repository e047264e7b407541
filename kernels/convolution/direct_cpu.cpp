// An image with its padding, as one line of pixels: pixel q of the result needs pixels q + offset[k], one offset per
// kernel element and channel. So the result is a product of the weight with the same line, shifted K times, and nothing
// has to be unfolded. The line of the result has a few columns too many, where windows run over the right border; they
// are dropped.
//
// Every output element is summed by itself in the order of k (forward) or of samples and positions (weight gradient).
// Neither blocks nor threads change a bit.
#include <ordo/kernels/convolution/direct_cpu.h>

#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/matmul/packet.h>

#include <algorithm>
#include <vector>

namespace ordo::kernels::cpu {
namespace {

constexpr int kFilters = kManyRegisters ? 8 : 4;  // of a block
constexpr int kVectors = 3;                       // of pixels in a block
constexpr int kWindow = kManyRegisters ? 8 : 4;   // elements of the window in a block of the weight gradient
constexpr int64_t kParallelWork = 1 << 17;        // multiply-adds that are worth a thread

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The line of an image with padding, and what lies behind its end so that whole vectors can be read.
struct Line {
  int64_t pitch, layer, size, length;  // of a row, of a layer, of all; length: of the result's line
  explicit Line(const ConvShape& s)
      : pitch(s.w.input + 2 * s.w.padding),
        layer((s.h.input + 2 * s.h.padding) * pitch),
        size((s.d.input + 2 * s.d.padding) * layer),
        length(row(s.d.output - 1, s.h.output - 1) + s.w.output) {}
  // Where row i of layer l begins.
  int64_t row(int64_t l, int64_t i) const { return l * layer + i * pitch; }
  static constexpr int64_t slack() { return kVectors * 64; }
};

// Writes one group of one sample into lines whose padding is zero already.
template <class T>
void fill_lines(const ConvShape& s, const Line& line, const T* x, T* lines) {
  for (int64_t c = 0; c < s.channels; ++c)
    for (int64_t l = 0; l < s.d.input; ++l)
      for (int64_t i = 0; i < s.h.input; ++i, x += s.w.input)
        std::copy_n(x, s.w.input, lines + c * line.size + line.row(l + s.d.padding, i + s.h.padding) + s.w.padding);
}

std::vector<int32_t> make_offsets(const ConvShape& s, const Line& line) {
  std::vector<int32_t> offsets;
  offsets.reserve(size_t(s.window()));
  for (int64_t c = 0; c < s.channels; ++c)
    for (int64_t t = 0; t < s.d.kernel; ++t)
      for (int64_t u = 0; u < s.h.kernel; ++u)
        for (int64_t v = 0; v < s.w.kernel; ++v)
          offsets.push_back(int32_t(c * line.size + line.row(t * s.d.dilation, u * s.h.dilation) + v * s.w.dilation));
  return offsets;
}

// out[f][0..V vectors) = bias[f] + sum over k of weight[k][f] line[offset[k]...]
template <bool Fused, int F, int V, class T>
void correlate(const T* line, const int32_t* offsets, const T* weight, int64_t count, const T* bias, T* out,
               int64_t stride) {
  using P = Packet<T>;
  constexpr int64_t kLanes = P::lanes;
  for (int64_t k0 = 0; k0 < count; k0 += kOrderedBlock) {
    P sum[F][V];
#pragma GCC unroll 8
    for (int f = 0; f < F; ++f)
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) sum[f][v] = P::all(T(-0.0));
    const int64_t last = std::min(count, k0 + kOrderedBlock);
    for (int64_t k = k0; k < last; ++k) {
      const T* const from = line + offsets[k];
      P pixels[V];
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) pixels[v] = P::load(from + v * kLanes);
#pragma GCC unroll 8
      for (int f = 0; f < F; ++f) {
        const P w = P::all(weight[k * F + f]);
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) sum[f][v] = P::template add_product<Fused>(w, pixels[v], sum[f][v]);
      }
    }
#pragma GCC unroll 8
    for (int f = 0; f < F; ++f)
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) {
        T* const to = out + f * stride + v * kLanes;
        P value = k0 == 0 ? sum[f][v] : P::load(to) + sum[f][v];
        if (bias && last == count) value = value + P::all(bias[f]);
        value.store(to);
      }
  }
}

// All of a line's result for F filters, and from there into the image without the columns too many.
template <bool Fused, int F, class T>
void correlate_line(const ConvShape& s, const Line& shape, const T* line, const int32_t* offsets, const T* weight,
                    const T* bias, T* scratch, int64_t stride, T* y) {
  constexpr int64_t kLanes = Packet<T>::lanes;
  const int64_t vectors = divide_up(shape.length, kLanes), blocks = divide_up(vectors, kVectors);
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t first = vectors * block / blocks, at = first * kLanes;
    switch (vectors * (block + 1) / blocks - first) {
      case 1:
        correlate<Fused, F, 1>(line + at, offsets, weight, s.window(), bias, scratch + at, stride);
        break;
      case 2:
        correlate<Fused, F, 2>(line + at, offsets, weight, s.window(), bias, scratch + at, stride);
        break;
      default:
        correlate<Fused, F, 3>(line + at, offsets, weight, s.window(), bias, scratch + at, stride);
        break;
    }
  }
#pragma GCC unroll 8
  for (int f = 0; f < F; ++f)
    for (int64_t l = 0; l < s.d.output; ++l)
      for (int64_t i = 0; i < s.h.output; ++i, y += s.w.output)
        std::copy_n(scratch + f * stride + shape.row(l, i), s.w.output, y);
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

template <bool Fused, class T>
void forward_group(const ConvShape& s, int64_t group, const T* x, const T* packed,
                   const std::vector<FilterBlock>& blocks, const T* bias, T* y) {
  const Line line(s);
  const std::vector<int32_t> offsets = make_offsets(s, line);
  const int64_t stride = divide_up(line.length, Packet<T>::lanes) * Packet<T>::lanes;
  const auto convolve = [&](const FilterBlock& block, const T* lines, T* scratch, T* sample_y) {
    const T* const w = packed + block.first * s.window();
    const T* const b = bias ? bias + group * s.filters + block.first : nullptr;
    T* const to = sample_y + block.first * s.positions();
    switch (block.count) {
      case 1:
        correlate_line<Fused, 1>(s, line, lines, offsets.data(), w, b, scratch, stride, to);
        break;
      case 2:
        correlate_line<Fused, 2>(s, line, lines, offsets.data(), w, b, scratch, stride, to);
        break;
      case 4:
        correlate_line<Fused, 4>(s, line, lines, offsets.data(), w, b, scratch, stride, to);
        break;
      default:
        correlate_line<Fused, kFilters>(s, line, lines, offsets.data(), w, b, scratch, stride, to);
        break;
    }
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

// sums[b][...] = or += the sample's products of B elements of the window with V vectors of filters. `grads` has a row
// of `row` filters for each position.
template <bool Fused, int B, int V, class T>
void correlate_weight(const ConvShape& s, const Line& line, const T* lines, const int32_t* offsets, const T* grads,
                      int64_t row, T* sums, bool first_sample) {
  using P = Packet<T>;
  constexpr int64_t kLanes = P::lanes;
  P sum[B][V], sample[B][V];
  const auto start = [&] {
#pragma GCC unroll 8
    for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) sum[b][v] = P::all(T(-0.0));
  };
  start();
  int64_t left = Fused ? s.positions() : std::min(kOrderedBlock, s.positions()), done = 0;
  const int64_t rows = s.d.output * s.h.output;
  for (int64_t at = 0, i = 0, layer = 0; at < rows; ++at, ++i) {
    if (i == s.h.output) i = 0, layer += line.layer;
    for (int64_t j = 0; j < s.w.output;) {
      const int64_t run = std::min(left, s.w.output - j);
      const T* pixel = lines + layer + i * line.pitch + j;
      for (int64_t r = 0; r < run; ++r, ++pixel, grads += row) {
        P g[V];
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) g[v] = P::load(grads + v * kLanes);
#pragma GCC unroll 8
        for (int b = 0; b < B; ++b) {
          const P value = P::all(pixel[offsets[b]]);
#pragma GCC unroll 8
          for (int v = 0; v < V; ++v) sum[b][v] = P::template add_product<Fused>(g[v], value, sum[b][v]);
        }
      }
      j += run;
      left -= run;
      if (left > 0) continue;
      const int64_t block = Fused ? s.positions() : kOrderedBlock;
#pragma GCC unroll 8
      for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) sample[b][v] = done == 0 ? sum[b][v] : sample[b][v] + sum[b][v];
      done += std::min(block, s.positions() - done);
      left = std::min(block, s.positions() - done);
      if (left > 0) start();
    }
  }
#pragma GCC unroll 8
  for (int b = 0; b < B; ++b)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      T* const to = sums + b * row + v * kLanes;
      (first_sample ? sample[b][v] : P::load(to) + sample[b][v]).store(to);
    }
}

template <bool Fused, int V, class T>
void correlate_weight_block(int count, const ConvShape& s, const Line& line, const T* lines, const int32_t* offsets,
                            const T* grads, int64_t row, T* sums, bool first) {
  switch (count) {
    case 1:
      return correlate_weight<Fused, 1, V>(s, line, lines, offsets, grads, row, sums, first);
    case 2:
      return correlate_weight<Fused, 2, V>(s, line, lines, offsets, grads, row, sums, first);
    case 3:
      return correlate_weight<Fused, 3, V>(s, line, lines, offsets, grads, row, sums, first);
    case 4:
      return correlate_weight<Fused, 4, V>(s, line, lines, offsets, grads, row, sums, first);
    case 5:
      return correlate_weight<Fused, 5, V>(s, line, lines, offsets, grads, row, sums, first);
    case 6:
      return correlate_weight<Fused, 6, V>(s, line, lines, offsets, grads, row, sums, first);
    case 7:
      return correlate_weight<Fused, 7, V>(s, line, lines, offsets, grads, row, sums, first);
    default:
      return correlate_weight<Fused, 8, V>(s, line, lines, offsets, grads, row, sums, first);
  }
}

template <bool Fused, class T>
void weight_grad_group(const ConvShape& s, int64_t group, const T* grad, const T* x, T* weight_grad) {
  constexpr int64_t kLanes = Packet<T>::lanes;
  const Line line(s);
  const std::vector<int32_t> offsets = make_offsets(s, line);
  const int64_t window = s.window(), row = divide_up(s.filters, kLanes) * kLanes, positions = s.positions();
  const int64_t lines_size = s.channels * line.size, grads_size = positions * row;
  // Samples that are prepared together; the sums go on through all of them.
  const int64_t together = std::clamp<int64_t>((int64_t(1) << 20) / (lines_size + grads_size), 1, s.samples);
  const Scratch<T> lines(together * lines_size, Device()), grads(together * grads_size, Device()),
      sums(window * row, Device());
  std::fill(lines.data(), lines.data() + together * lines_size, T(0));
  const int64_t blocks = std::max(divide_up(window, kWindow), std::min<int64_t>(window, num_threads()));
  const int64_t sample_work = window * row * positions;
  for (int64_t n0 = 0; n0 < s.samples; n0 += together) {
    const int64_t count = std::min(together, s.samples - n0);
    parallel_for(0, count, divide_up(32768, lines_size + grads_size), [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        fill_lines(s, line, x + ((n0 + n) * s.groups + group) * s.x_size(), lines.data() + n * lines_size);
        transpose_padded(grad + ((n0 + n) * s.groups + group) * s.y_size(), s.filters, positions, row,
                         grads.data() + n * grads_size);
      }
    });
    parallel_for(0, blocks, divide_up(kParallelWork * blocks, sample_work * count), [&](int64_t begin, int64_t end) {
      for (int64_t n = 0; n < count; ++n)
        for (int64_t block = begin; block < end; ++block) {
          const int64_t first = window * block / blocks, last = window * (block + 1) / blocks;
          for (int64_t f = 0; f < row;) {
            const T* const g = grads.data() + n * grads_size + f;
            T* const to = sums.data() + first * row + f;
            const T* const from = lines.data() + n * lines_size;
            if (row - f >= 2 * kLanes) {
              correlate_weight_block<Fused, 2>(int(last - first), s, line, from, &offsets[size_t(first)], g, row, to,
                                               n0 + n == 0);
              f += 2 * kLanes;
            } else {
              correlate_weight_block<Fused, 1>(int(last - first), s, line, from, &offsets[size_t(first)], g, row, to,
                                               n0 + n == 0);
              f += kLanes;
            }
          }
        }
    });
  }
  for (int64_t f = 0; f < s.filters; ++f)
    for (int64_t k = 0; k < window; ++k) weight_grad[group * s.w_size() + f * window + k] = sums[k * row + f];
}

// The convolution that takes the gradient of the output to the one of the input.
ConvShape transposed(const ConvShape& s) {
  ConvShape t = s;
  std::swap(t.channels, t.filters);
  for (SlidingAxis* axis : {&t.d, &t.h, &t.w}) {
    std::swap(axis->input, axis->output);
    axis->padding = axis->dilation * (axis->kernel - 1) - axis->padding;
  }
  return t;
}

}  // namespace

bool direct_fits(const ConvShape& s) {
  if (s.pointwise() || s.window() == 0 || !s.every([](const SlidingAxis& a) { return a.stride == 1; })) return false;
  // 32-bit offsets reach every pixel of the channels' lines.
  int64_t size = s.channels;
  return s.every([&](const SlidingAxis& a) { return !__builtin_mul_overflow(size, a.input + 2 * a.padding, &size); }) &&
         size < (int64_t(1) << 31) - Line::slack();
}

bool direct_input_grad_fits(const ConvShape& s) {
  const ConvShape t = transposed(s);
  return direct_fits(s) && s.complete() && t.every([](const SlidingAxis& a) { return a.padding >= 0; }) &&
         direct_fits(t);
}

template <class T>
void direct_forward(const ConvShape& s, const T* x, const T* weight, const T* bias, T* y, bool ordered) {
  const std::vector<FilterBlock> blocks = filter_blocks(s.filters);
  const Scratch<T> packed(s.w_size(), Device());
  for (int64_t group = 0; group < s.groups; ++group) {
    const T* const w = weight + group * s.w_size();
    pack_weight(
        s, blocks, [&](int64_t f, int64_t k) { return w[f * s.window() + k]; }, packed.data());
    if (ordered)
      forward_group<false>(s, group, x, packed.data(), blocks, bias, y);
    else
      forward_group<true>(s, group, x, packed.data(), blocks, bias, y);
  }
}

template <class T>
void direct_input_grad(const ConvShape& s, const T* grad, const T* weight, T* x_grad) {
  const ConvShape t = transposed(s);
  const std::vector<FilterBlock> blocks = filter_blocks(t.filters);
  const Scratch<T> packed(t.w_size(), Device());
  const int64_t area = s.kernel_cells();
  for (int64_t group = 0; group < s.groups; ++group) {
    const T* const w = weight + group * s.w_size();
    // The kernel turned around, and channels exchanged with filters.
    pack_weight(
        t, blocks, [&](int64_t f, int64_t k) { return w[k / area * s.window() + f * area + area - 1 - k % area]; },
        packed.data());
    forward_group<true, T>(t, group, grad, packed.data(), blocks, nullptr, x_grad);
  }
}

template <class T>
void direct_weight_grad(const ConvShape& s, const T* grad, const T* x, T* weight_grad, bool ordered) {
  for (int64_t group = 0; group < s.groups; ++group)
    if (ordered)
      weight_grad_group<false>(s, group, grad, x, weight_grad);
    else
      weight_grad_group<true>(s, group, grad, x, weight_grad);
}

template void direct_forward(const ConvShape&, const float*, const float*, const float*, float*, bool);
template void direct_forward(const ConvShape&, const double*, const double*, const double*, double*, bool);
template void direct_input_grad(const ConvShape&, const float*, const float*, float*);
template void direct_input_grad(const ConvShape&, const double*, const double*, double*);
template void direct_weight_grad(const ConvShape&, const float*, const float*, float*, bool);
template void direct_weight_grad(const ConvShape&, const double*, const double*, double*, bool);

}  // namespace ordo::kernels::cpu
