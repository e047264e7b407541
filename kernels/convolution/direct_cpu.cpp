// An image with its padding, as one line of pixels: pixel q of the result needs pixels q + offset[k], one offset per
// kernel element and channel. So the result is a product of the weight with the same line, shifted K times, and nothing
// has to be unfolded. The line of the result has a few columns too many, where windows run over the right border; they
// are dropped. Only of floats: other types are unfolded.
//
// With strides, the pixels are sorted: an image has a part for each remainder of a place divided by the stride. From one
// window to the next, each offset leads to the next pixel of a part.
//
// The lanes of a vector have neighbouring pixels of the result or, where these are few, filters.
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
#include <ordo/kernels/convolution/conv_shape.h>
#include <ordo/kernels/convolution/direct_lines-inl.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/ordering/ordered_sum.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace ordo::kernels::cpu {
namespace HWY_NAMESPACE {
namespace {

constexpr int kFilters = ORDO_MANY_REGISTERS ? 8 : 4;  // of a block, with pixels in the lanes
constexpr int kPixels = 6;                             // of a block, with filters in the lanes
constexpr int kFilterVectors = ORDO_MANY_REGISTERS ? 4 : 2;

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
ConvShape gradient_image(const ConvShape& s) {
  ConvShape t = s;
  std::swap(t.channels, t.filters);
  const auto turn = [](const WindowAxis& a) {
    int64_t padding = 0;
    for (int64_t r = 0; r < std::min(a.stride, a.kernel); ++r)
      padding = std::max(padding, Reached(a, r).padding(a.output));
    return WindowAxis{a.output, a.input, 1, 1, padding, 1};
  };
  t.d = turn(s.d), t.h = turn(s.h), t.w = turn(s.w);
  return t;
}

// The gradient of such a convolution is one itself, with the padding that is missing. Its zeros change nothing, as long
// as the weight is finite. The blocks of a cell's filters are one group of rule 1, and so are the cells. With strides and
// dilation, elements with one remainder are not evenly spaced.
bool input_grad_fits(const ConvShape& s, const float* weight) {
  if (s.samples * s.outputs() < 64) return false;  // too few for weights to be packed
  const auto even = [](const WindowAxis& a) { return a.stride == 1 || a.dilation == 1 || a.kernel == 1; };
  if (!windows_overlap(s) || s.window() == 0 || s.filters == 0 || s.filters > kOrderedBlock * kOrderedGroup ||
      s.elements() > kOrderedGroup || !s.every(even) || !has_lines(gradient_image(s)))
    return false;
  std::atomic<bool> finite = true;
  parallel_for(0, s.groups * s.w_size(), kParallelCopy, [&](int64_t first, int64_t last) {
    bool all = true;
    for (int64_t i = first; i < last; ++i) all &= (std::bit_cast<uint32_t>(weight[i]) & 0x7f800000u) != 0x7f800000u;
    if (!all) finite = false;
  });
  return finite;
}

// A row of an image, after whose end the image has `after` more elements. Whole vectors reach into those, whose own
// rows come later.
HWY_INLINE void copy_row(const float* from, int64_t width, int64_t after, float* to) {
  if (after < kLanes)
    std::copy_n(from, width, to);
  else
    for (int64_t j = 0; j < width; j += kLanes) L::load(from + j).store(to + j);
}

// Writes an image into lines, one after the other, whose padding is zero already.
class LineFiller {
 public:
  LineFiller(const ConvShape& s, const DirectLine& line)
      : s_(s), line_(line), plain_(s.every([](const WindowAxis& a) { return a.stride == 1; })) {
    for (int64_t l = s.d.padding; l < s.d.padding + s.d.input; ++l)
      for (int64_t i = s.h.padding; i < s.h.padding + s.h.input; ++i)
        rows_.push_back(line.d.part(l) < line.d.parts && line.h.part(i) < line.h.parts ? line.at(l, i, 0) : -1);
    for (int64_t j = 0; j < std::min(s.w.stride, s.w.input); ++j) {
      const int64_t place = s.w.padding + j;
      columns_.push_back(line.w.part(place) < line.w.parts ? line.at(0, 0, place) : -1);
    }
  }
  void fill(const float* x, float* lines) const {
    const int64_t width = s_.w.input, stride = s_.w.stride;
    if (width == 0) return;
    int64_t after = s_.x_size();  // this row
    for (int64_t c = 0; c < s_.channels; ++c, lines += line_.size)
      for (const int64_t row : rows_) {
        after -= width;
        if (plain_) {  // whole vectors, of which the next row and padding take back what is theirs
          float* const to = lines + row + columns_[0];
          copy_row(x, width, after, to);
          L::all(0).store(to + width);
        } else if (row >= 0 && stride == 1) {
          std::copy_n(x, width, lines + row + columns_[0]);
        } else if (row >= 0) {
          for (size_t first = 0; first < columns_.size(); ++first) {
            if (columns_[first] < 0) continue;
            float* to = lines + row + columns_[first];
            for (int64_t j = int64_t(first); j < width; j += stride) *to++ = x[j];
          }
        }
        x += width;
      }
  }

 private:
  const ConvShape& s_;
  const DirectLine& line_;
  const bool plain_;
  std::vector<int64_t> rows_, columns_;  // where rows and the first of each remainder begin; -1: no window reads them
};

// Results that are sums of the same elements: all of a convolution or, of its gradient, those with one remainder.
struct Results {
  std::vector<int32_t> offsets = {};  // of the elements, in the order of the sum
  int64_t block;                      // elements whose blocks of rule 3 are folded before they are added
  bool from_zero;                     // the blocks are added to +0, which makes -0 +0
  int64_t d, h, w;                    // how many there are
  int64_t first;                      // where the first one is in its image
  int64_t layer, pitch, step;         // from there to the next layer, row, column
  std::vector<int64_t> cells = {};    // of the kernel, of a gradient

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
void correlate_line(const Results& results, const DirectLine& layout, int64_t positions, const float* line,
                    const float* weight, const float* bias, float* scratch, int64_t stride, float* y) {
  const int64_t vectors = divide_up(results.length(layout), kLanes), blocks = divide_up(vectors, kVectors);
  ImageRows<F> rows(results, layout, positions, y);
  for (int64_t block = 0; block < blocks; ++block) {
    const Range range(0, vectors, block, blocks);
    const int64_t at = range.begin * kLanes;
    with_constant<kVectors>(range.end - range.begin,
                            [&]<int V>() { correlate<F, V>(line + at, results, weight, bias, scratch + at, stride); });
    rows.take(scratch, stride, range.end * kLanes);
  }
}

// A block of filters, as many as are computed together.
struct FilterBlock {
  int64_t first, count;
};

// sums[p][V vectors of filters] += the sum over elements of weight[k][...] pixels[p][offset[k]], of P pixels at `places`
// in the line.
template <int P, int V>
void correlate_pixels(const float* line, const int32_t* places, const int32_t* offsets, int64_t count,
                      const float* weight, float* sums) {
  const float* pixels[P];
#pragma GCC unroll 8
  for (int p = 0; p < P; ++p) pixels[p] = line + places[p];
  L total[P][V], sum[P][V];
  fill(total, L::all(kNoValue<float>));
  for (int64_t k0 = 0; k0 < count; k0 += kOrderedBlock) {
    fill(sum, L::all(kNoValue<float>));
    const int64_t last = std::min(count, k0 + kOrderedBlock);
    for (int64_t k = k0; k < last; ++k) {
      L w[V];
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) w[v] = L::load(weight + (k * V + v) * kLanes);
#pragma GCC unroll 8
      for (int p = 0; p < P; ++p) {
        const L pixel = L::all(pixels[p][offsets[k]]);
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) sum[p][v] = L::fused(w[v], pixel, sum[p][v]);
      }
    }
    add(total, sum);
  }
#pragma GCC unroll 8
  for (int p = 0; p < P; ++p)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v, sums += kLanes) (L::load(sums) + total[p][v]).store(sums);
}

// Convolutions of one shape: y from the lines of x. pack(group, first, count, results, to, pitch) writes the weights of
// `count` filters for element k of the results to to + k pitch.
//
// An image is a group of a sample, number sample * groups + group.
template <class Pack>
class Correlation {
 public:
  Correlation(const ConvShape& s, const std::vector<Results>& all, const Pack& pack)
      : s_(s), all_(all), pack_(pack), line_(s), filler_(s, line_), images_(s.samples * s.groups) {
    int64_t in_pixels = 0, in_filters = 0, most = 0;  // vectors of results, with pixels or filters in the lanes
    for (const Results& r : all) {
      elements_ += int64_t(r.offsets.size());
      longest_ = std::max(longest_, divide_up(r.length(line_), kLanes) * kLanes);
      most = std::max(most, r.count());
      work_ += s.filters * int64_t(r.offsets.size()) * r.count();
      in_pixels += divide_up(r.length(line_), kLanes) * s.filters;
      in_filters += r.count() * divide_up(s.filters, kLanes);
      wide_ = wide_ || r.block > kOrderedBlock;
    }
    // With filters in the lanes, results are copied once more: a tenth must be saved.
    by_filters_ = s.filters > kLanes && in_filters + in_filters / 10 < in_pixels;
    places_.resize(all.size());
    for (size_t i = 0; i < all.size() && by_filters_; ++i)
      for (int64_t row = 0; row < all[i].d * all[i].h; ++row)
        for (int64_t j = 0; j < all[i].w; ++j)
          places_[i].push_back(int32_t(line_.row(row / all[i].h, row % all[i].h) + j));
    // Threads share the images or, where these are few, the filters as well.
    share_images_ = images_ >= num_threads();
    int64_t vectors = kFilterVectors;
    while (vectors > 1 && !share_images_ && images_ * divide_up(s.filters, vectors * kLanes) < num_threads())
      vectors /= 2;
    for (int64_t first = 0; first < s.filters; first += blocks_.back().count) {
      const int64_t left = s.filters - first, fit = int64_t(std::bit_floor(uint64_t(divide_up(left, kLanes))));
      blocks_.push_back({first, by_filters_ ? std::min(left, kLanes * std::min(vectors, fit))
                                            : std::min<int64_t>(kFilters, int64_t(std::bit_floor(uint64_t(left))))});
    }
    // copy_row() may read a vector behind the last row.
    scratch_ = by_filters_ ? most * pitch(blocks_[0]) : kFilters * longest_ + kLanes;
  }
  // Pixels in the lanes take one block of rule 3 at a time.
  bool fits() const { return by_filters_ || !wide_; }

  void run(const float* x, const float* bias, float* y) const {
    const Scratch<float> packed(s_.groups * group_size(), Device());
    pack(packed.data());
    const int64_t lines = s_.channels * line_.size, blocks = int64_t(blocks_.size());
    // With filters in the lanes, a block's weights are read once for a run of images, whose results stay in a cache.
    const int64_t together = !share_images_ ? images_
                             : by_filters_ && s_.groups == 1
                                 ? std::clamp<int64_t>(std::min(kRunBytes / 8 / scratch_, kRunBytes / 4 / lines), 1, 16)
                                 : 1;
    parallel_for(
        0, images_, share_images_ ? divide_up(kParallelWork, work_) : images_, [&](int64_t begin, int64_t end) {
          const int64_t most = std::min(together, end - begin);
          const Scratch<float> filled(most * lines + DirectLine::kSlack, Device());
          std::fill_n(filled.data(), most * lines + DirectLine::kSlack, 0.0f);
          for (int64_t n = begin; n < end; n += together) {
            const int64_t count = std::min(together, end - n), each = share_images_ ? count : 1, parts = count / each;
            parallel_for(0, count, divide_up(kParallelCopy, s_.x_size() + 1), [&](int64_t first, int64_t last) {
              for (int64_t i = first; i < last; ++i) filler_.fill(x + (n + i) * s_.x_size(), filled.data() + i * lines);
            });
            parallel_for(0, blocks * parts, divide_up(kParallelWork * blocks, work_), [&](int64_t first, int64_t last) {
              const Scratch<float> own(each * scratch_, Device());
              for (int64_t unit = first; unit < last; ++unit) {
                const int64_t i = unit / blocks, group = (n + i) % s_.groups;
                convolve(blocks_[size_t(unit % blocks)], filled.data() + i * lines, each,
                         packed.data() + group * group_size(), bias ? bias + group * s_.filters : nullptr, own.data(),
                         y + (n + i) * s_.y_size());
              }
            });
          }
        });
  }

 private:
  int64_t pitch(const FilterBlock& b) const { return by_filters_ ? divide_up(b.count, kLanes) * kLanes : b.count; }
  // Of a group's packed weights.
  int64_t group_size() const { return divide_up(s_.filters, kLanes) * kLanes * elements_; }

  // Per group and block, in the order of the elements.
  void pack(float* packed) const {
    const int64_t blocks = int64_t(blocks_.size());
    parallel_for(0, s_.groups * blocks, divide_up(kParallelCopy * blocks, s_.filters * elements_),
                 [&](int64_t first, int64_t last) {
                   for (int64_t b = first; b < last; ++b) {
                     const FilterBlock block = blocks_[size_t(b % blocks)];
                     float* to = packed + b / blocks * group_size() + block.first * elements_;
                     if (pitch(block) > block.count) std::fill_n(to, pitch(block) * elements_, 0.0f);
                     for (const Results& r : all_) {
                       pack_(b / blocks, block.first, block.count, r, to, pitch(block));
                       to += pitch(block) * int64_t(r.offsets.size());
                     }
                   }
                 });
  }

  // One block's filters of `count` images, whose results begin at y.
  void convolve(const FilterBlock& block, const float* lines, int64_t count, const float* packed, const float* bias,
                float* scratch, float* y) const {
    const float* weights = packed + block.first * elements_;
    const int64_t positions = s_.outputs();
    if (bias) bias += block.first;
    y += block.first * positions;
    for (size_t i = 0; i < all_.size(); ++i) {
      const Results& r = all_[i];
      if (by_filters_)
        convolve_by_filters(r, places_[i].data(), block, lines, count, weights, bias, scratch, y);
      else
        with_constant<kFilters, true>(block.count, [&]<int F>() {
          correlate_line<F>(r, line_, positions, lines, weights, bias, scratch, longest_, y);
        });
      weights += int64_t(r.offsets.size()) * pitch(block);
    }
  }

  void convolve_by_filters(const Results& r, const int32_t* places, const FilterBlock& block, const float* lines,
                           int64_t count, const float* weights, const float* bias, float* sums, float* y) const {
    const int64_t width = pitch(block), size = r.count() * width, elements = int64_t(r.offsets.size());
    const int64_t parts = divide_up(r.count(), kPixels), image = s_.channels * line_.size;
    std::fill_n(sums, count * size, r.from_zero ? 0.0f : kNoValue<float>);
    for (int64_t k = 0; k < elements; k += r.block)
      for (int64_t n = 0; n < count; ++n)
        for (int64_t part = 0; part < parts; ++part) {
          const Range pixels(0, r.count(), part, parts);
          with_constant<kPixels>(pixels.end - pixels.begin, [&]<int P>() {
            with_constant<kFilterVectors, true>(width / kLanes, [&]<int V>() {
              correlate_pixels<P, V>(lines + n * image, places + pixels.begin, &r.offsets[size_t(k)],
                                     std::min(r.block, elements - k), weights + k * width,
                                     sums + n * size + pixels.begin * width);
            });
          });
        }
    for (int64_t n = 0; n < count; ++n, sums += size, y += s_.y_size()) {
      for (int64_t i = 0; bias && i < size; i += width)
        for (int64_t f = 0; f < block.count; ++f) sums[i + f] += bias[f];
      if (r.count() == s_.outputs()) {
        copy_matrix(sums, 1, width, block.count, r.count(), y, s_.outputs());
        continue;
      }
      const float* from = sums;
      for (int64_t row = 0; row < r.d * r.h; ++row) {
        float* to = y + r.first + row / r.h * r.layer + row % r.h * r.pitch;
        for (int64_t j = 0; j < r.w; ++j, from += width, to += r.step)
          for (int64_t f = 0; f < block.count; ++f) to[f * s_.outputs()] = from[f];
      }
    }
  }

  const ConvShape& s_;
  const std::vector<Results>& all_;
  const Pack& pack_;
  const DirectLine line_;
  const LineFiller filler_;
  const int64_t images_;
  std::vector<FilterBlock> blocks_;
  std::vector<std::vector<int32_t>> places_;  // of all results, in the line; with filters in the lanes
  int64_t elements_ = 0, longest_ = 0, work_ = 0, scratch_ = 0;
  bool by_filters_ = false, share_images_ = false, wide_ = false;
};

// The results that elements d, d + stride, ... of the kernel reach, likewise in the other directions. A block for each
// cell of the kernel, whose elements are the filters.
Results reached(const ConvShape& s, const ConvShape& t, const DirectLine& line, const Reached& d, const Reached& h,
                const Reached& w, int64_t first_cell) {
  const int64_t row = s.w.input, layer = s.h.input * row;
  Results r{.block = s.filters,
            .from_zero = true,
            .d = d.count,
            .h = h.count,
            .w = w.count,
            .first = d.first * layer + h.first * row + w.first,
            .layer = s.d.stride * layer,
            .pitch = s.h.stride * row,
            .step = s.w.stride};
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

}  // namespace

bool direct_forward(const ConvShape& s, const float* x, const float* weight, const float* bias, float* y) {
  // The blocks of rule 3 are one group of rule 1.
  if (!windows_overlap(s) || !has_lines(s) || s.window() > kOrderedBlock * kOrderedGroup) return false;
  const std::vector<Results> all{{.offsets = make_offsets(s, DirectLine(s), s.channels),
                                  .block = kOrderedBlock,
                                  .from_zero = false,
                                  .d = s.d.output,
                                  .h = s.h.output,
                                  .w = s.w.output,
                                  .first = 0,
                                  .layer = s.h.output * s.w.output,
                                  .pitch = s.w.output,
                                  .step = 1}};
  const auto pack = [&](int64_t group, int64_t first, int64_t count, const Results&, float* to, int64_t pitch) {
    copy_matrix(weight + group * s.w_size() + first * s.window(), 1, s.window(), s.window(), count, to, pitch);
  };
  Correlation(s, all, pack).run(x, bias, y);
  return true;
}

bool direct_input_grad(const ConvShape& s, const float* grad, const float* weight, float* x_grad) {
  if (!input_grad_fits(s, weight)) return false;
  const ConvShape t = gradient_image(s);
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
  const auto pack = [&](int64_t group, int64_t first, int64_t channels, const Results& r, float* to, int64_t pitch) {
    // Filter by filter: its values for all cells are in the cache then.
    const float* from = weight + group * s.w_size() + first * s.elements();
    for (int64_t f = 0; f < s.filters; ++f, from += s.window(), to += pitch)
      for (size_t i = 0; i < r.cells.size(); ++i)
        for (int64_t c = 0; c < channels; ++c)
          to[int64_t(i) * s.filters * pitch + c] = from[c * s.elements() + r.cells[i]];
  };
  const Correlation correlation(t, all, pack);
  if (!correlation.fits()) return false;
  if (count < s.inputs()) std::fill_n(x_grad, s.samples * s.groups * s.x_size(), 0.0f);
  if (!all.empty()) correlation.run(grad, nullptr, x_grad);
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace ordo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ordo::kernels::cpu {

HWY_EXPORT(direct_forward);
HWY_EXPORT(direct_input_grad);

bool direct_convolution(const ConvShape& s, const float* x, const float* weight, const float* bias, float* y) {
  return HWY_DYNAMIC_DISPATCH(direct_forward)(s, x, weight, bias, y);
}

bool direct_convolution_input_grad(const ConvShape& s, const float* grad, const float* weight, float* x_grad) {
  return HWY_DYNAMIC_DISPATCH(direct_input_grad)(s, grad, weight, x_grad);
}

}  // namespace ordo::kernels::cpu
#endif
