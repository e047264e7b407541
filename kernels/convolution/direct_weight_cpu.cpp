// The weight gradient of convolutions of floats on the CPU without unfolding: products of the output's gradient with the
// image's pixels, whose lanes have filters or channels.
//
// Every element is summed by itself in the order of rule 4 (docs/ordering.md). Neither blocks nor threads nor vectors
// change a bit. Compiled once for each instruction set, as kernels/matmul/gemm_cpu.cpp is.
#include <ordo/kernels/vectors/targets.h>  // before Highway's headers

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <ordo/kernels/convolution/direct_weight_cpu.cpp>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/convolution/conv_shape.h>
#include <ordo/kernels/convolution/direct_lines-inl.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/ordering/ordered_sum.h>

#include <algorithm>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace ordo::kernels::cpu {
namespace HWY_NAMESPACE {
namespace {

constexpr int kValues = ORDO_MANY_REGISTERS ? 8 : 4;  // of a block

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

// sample[b][v] = the sum over the positions of sample n.
template <int B, int V>
HWY_INLINE void correlate_sample(const WeightBlock& block, int64_t n, L (&sample)[B][V]) {
  const ConvShape& s = block.s;
  const L none = L::all(kNoValue<float>);
  const int64_t rows = s.d.output * s.h.output, width = s.w.output;
  fill(sample, none);
  if (s.outputs() <= kOrderedBlock) {
    for (int64_t at = 0, i = 0, layer = 0; at < rows; ++at, ++i) {
      if (i == s.h.output) i = 0, ++layer;
      add_positions(block.values.row(n, layer, i), block.vectors.row(n, layer, i), block, width, sample);
    }
    return;
  }
  L sum[B][V], group[B][V];  // of a block of rule 3, of a group of rule 1
  fill(sum, none);
  fill(group, none);
  int64_t left = kOrderedBlock, done = 0;
  for (int64_t at = 0, i = 0, layer = 0; at < rows; ++at, ++i) {
    if (i == s.h.output) i = 0, ++layer;
    const float *const value = block.values.row(n, layer, i), *const vector = block.vectors.row(n, layer, i);
    for (int64_t j = 0; j < width;) {
      const int64_t run = std::min(left, width - j);
      add_positions(value + j * block.values.step, vector + j * block.vectors.step, block, run, sum);
      j += run;
      left -= run;
      if (left > 0) continue;
      done += std::min(kOrderedBlock, s.outputs() - done);
      left = std::min(kOrderedBlock, s.outputs() - done);
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

// sums[values][vectors] = or += the products of `count` samples. Vectors come in chunks, of which a few are computed
// together with a block of values.
void add_products(const ConvShape& s, const Factor& values, const Factor& vectors, int64_t chunk, int64_t count,
                  bool first, float* sums) {
  const int64_t rows = int64_t(values.offsets.size()), columns = int64_t(vectors.offsets.size());
  const int64_t row = columns * kLanes, chunks = divide_up(columns, chunk), parts = divide_up(chunk, kVectors);
  const int64_t blocks =
      std::max(divide_up(rows, kValues), std::min<int64_t>(rows, divide_up(num_threads(), chunks * parts)));
  const int64_t units = chunks * blocks * parts, work = rows * row * s.outputs() * count;
  // A run of samples, of which a chunk's vectors and a block's values stay in a cache.
  const int64_t together = vectors.sample + kValues * s.outputs();
  const int64_t run = std::clamp<int64_t>(kRunBytes / int64_t(sizeof(float)) / together, 1, count);
  parallel_for(0, units, divide_up(kParallelWork * units, work), [&](int64_t begin, int64_t end) {
    for (int64_t n = 0; n < count; n += run)
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t from = unit / (blocks * parts) * chunk;
        const Range b(0, rows, unit / parts % blocks, blocks);
        const Range v(from, std::min(from + chunk, columns), unit % parts, parts);
        if (v.begin == v.end) continue;
        with_constant<kValues>(b.end - b.begin, [&]<int B>() {
          with_constant<kVectors>(v.end - v.begin, [&]<int V>() {
            correlate_weight<B, V>({s, values, vectors, &values.offsets[size_t(b.begin)],
                                    &vectors.offsets[size_t(v.begin)], n, std::min(n + run, count), first && n == 0,
                                    sums + b.begin * row + v.begin * kLanes, row});
          });
        });
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
  const int64_t positions = s.outputs(), cells = s.elements(), deep = by_channels ? kLanes : 1;
  const int64_t planes = divide_up(s.channels, deep), plane = line.size * deep;
  const int64_t vectors = by_channels ? 0 : divide_up(s.filters, kLanes), vector = positions * kLanes;
  // So many samples are prepared together that all of them stay in a cache.
  const int64_t together = std::clamp<int64_t>((int64_t(1) << 20) / (planes * plane + vectors * vector), 1, s.samples);
  const Scratch<float> lines(together * planes * plane, Device()), grads(together * vectors * vector, Device());
  std::fill(lines.data(), lines.data() + together * planes * plane, 0.0f);
  std::fill(grads.data(), grads.data() + together * vectors * vector, 0.0f);
  Factor pixels{lines.data(),      plane, line.layer * deep * s.d.stride, line.pitch * deep * s.h.stride,
                deep * s.w.stride, {}};
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
        const float* from = x + ((n0 + n) * s.groups + group) * s.x_size() + c * s.inputs();
        for (int64_t l = 0; l < s.d.input; ++l)
          for (int64_t i = 0; i < s.h.input; ++i, from += s.w.input) {
            float* const to = lines.data() + (p * together + n) * plane +
                              (line.row(l + s.d.padding, i + s.h.padding) + s.w.padding) * deep;
            if (by_channels)
              copy_matrix(from, 1, s.inputs(), s.w.input, std::min(kLanes, s.channels - c), to, kLanes);
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

bool direct_weight_grad(const ConvShape& s, const float* grad, const float* x, float* weight_grad) {
  // The blocks are at most as many groups as a group has blocks.
  if (!windows_overlap(s) || !has_lines(s) || s.outputs() > kOrderedBlock * kOrderedGroup * kOrderedGroup) return false;
  // Threads share the groups or, where these are few, each group's work.
  parallel_for(0, s.groups, s.groups >= num_threads() ? 1 : s.groups, [&](int64_t first, int64_t last) {
    for (int64_t group = first; group < last; ++group)
      weight_grad_group(s, group, grad, x, weight_grad + group * s.w_size());
  });
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace ordo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ordo::kernels::cpu {

HWY_EXPORT(direct_weight_grad);

bool direct_convolution_weight_grad(const ConvShape& s, const float* grad, const float* x, float* weight_grad) {
  return HWY_DYNAMIC_DISPATCH(direct_weight_grad)(s, grad, x, weight_grad);
}

}  // namespace ordo::kernels::cpu
#endif
