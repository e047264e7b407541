#include <ordo/kernels/roi/roi_pool.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/accumulate/keyed.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/ordering/dense_sums_cpu.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/roi/roi_align.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "roi_pool",
                  .family = "roi",
                  .dtypes = kFloatingTypes,
                  .algorithms = accumulate_levels(),
                  .note = "the algorithms are the backward pass's"});

namespace {
constexpr const char* kOp = "roi_pool";
constexpr const char* kBackward = "roi_pool_backward";
}  // namespace

namespace cpu {

/// The maxima of a row of bins. The largest cells of each column are found first, in loops that vectorise; then the
/// largest columns of each bin.
template <class V>
class BinRow {
  using Row = std::conditional_t<sizeof(V) == 4, int32_t, int64_t>;

 public:
  explicit BinRow(int64_t width) : width_(width), most_(width, Device()), rows_(width, Device()) {}

  /// f(number, maximum) for each of `count` bins.
  template <class T, class F>
  void maxima(const T* plane, int64_t offset, const AxisCells& rows, const AxisCells* columns, int64_t count,
              const F& f) const {
    int64_t begin = width_, end = 0;
    for (int64_t c = 0; c < count; ++c) begin = std::min(begin, columns[c].begin), end = std::max(end, columns[c].end);
    const bool one_by_one = rows.end - rows.begin < 2 || rows.end - rows.begin > std::numeric_limits<int32_t>::max() ||
                            begin >= end ||
                            find_columns(plane + rows.begin * width_, begin, end, rows.end - rows.begin);
    for (int64_t c = 0; c < count; ++c) {
      if (one_by_one || columns[c].begin >= columns[c].end) {
        f(c, roi_maximum<V>(plane, offset, width_, rows, columns[c]));
        continue;
      }
      int64_t best = columns[c].begin;
      for (int64_t w = best + 1; w < columns[c].end; ++w)
        if (most_[w] > most_[best] || (most_[w] == most_[best] && rows_[w] < rows_[best])) best = w;
      const int64_t place = (rows.begin + rows_[best]) * width_ + best;
      f(c, MaxCell<V>{V(plane[place]), offset + place});
    }
  }

 private:
  /// Of each column the first of the largest of `count` cells. True where there is a NaN, for which that does not hold.
  template <class T>
  bool find_columns(const T* __restrict cells, int64_t begin, int64_t end, int64_t count) const {
    V* __restrict most = most_;
    Row* __restrict row = rows_, odd = 0;
    for (int64_t w = begin; w < end; ++w) most[w] = V(cells[w]), row[w] = 0, odd |= Row(most[w] != most[w]);
    for (int64_t r = 1; r < count; ++r) {
      cells += width_;
      for (int64_t w = begin; w < end; ++w) {
        const V v = V(cells[w]);
        const bool greater = v > most[w];
        row[w] = greater ? Row(r) : row[w];
        most[w] = greater ? v : most[w];
        odd |= Row(v != v);
      }
    }
    return odd != 0;
  }

  int64_t width_;
  Scratch<V> most_;
  Scratch<Row> rows_;
};

/// Planes [first, last), which are a box in a channel each. What the channels of a box share is found once.
template <class T>
static void pool_planes(const RoiPoolElement<T>& f, int64_t first, int64_t last) {
  using V = accumulate_t<T>;
  const RoiShape& s = f.s;
  const Scratch<AxisCells> rows(s.rows, Device()), columns(s.columns, Device());
  const BinRow<V> bins(s.width);
  for (int64_t plane = first, found = -1; plane < last; ++plane) {
    const int64_t number = plane / s.channels, channel = plane - number * s.channels;
    const T* const box = f.boxes + number * kBoxNumbers;
    const int64_t image = box_image(V(box[0]));
    T* value = f.values + plane * s.bins();
    int64_t* place = f.places + plane * s.bins();
    if (!f.check.ok(number * kBoxNumbers, image, s.images)) {
      std::fill_n(value, s.bins(), T(V(0)));
      std::fill_n(place, s.bins(), -1);
      continue;
    }
    if (number != found) {
      for (int64_t r = 0; r < s.rows; ++r) rows[r] = f.rows_of(box, r);
      for (int64_t c = 0; c < s.columns; ++c) columns[c] = f.columns_of(box, c);
      found = number;
    }
    const int64_t offset = (image * s.channels + channel) * s.cells();
    for (int64_t r = 0; r < s.rows; ++r, value += s.columns, place += s.columns)
      bins.maxima(f.input + offset, offset, rows[r], columns.data(), s.columns, [&](int64_t c, const MaxCell<V>& best) {
        value[c] = T(best.value);
        place[c] = best.index;
      });
  }
}

void roi_pool(const Tensor& input, const Tensor& boxes, const RoiPoolResult& result, const RoiShape& s, double scale) {
  const IndexGuard guard("roi_pool", "boxes", 0, s.images, input.device());
  dispatch_floating("roi_pool", input.dtype(), [&]<class T>() {
    const RoiPoolElement<T> f{s,
                              scale,
                              input.data<T>(),
                              boxes.data<T>(),
                              result.values.data<T>(),
                              result.places.data<int64_t>(),
                              guard.check()};
    parallel_for(0, s.boxes * s.channels, row_grain(16 * s.bins()),
                 [&](int64_t first, int64_t last) { pool_planes(f, first, last); });
  });
  guard.finish();
}

/// What is added to a few planes of the input at a time, whose sums stay in the cache: the values of all boxes of their
/// image, in the boxes' order.
static void roi_pool_backward(const Tensor& grad, const Tensor& places, const Tensor& output) {
  constexpr int64_t kPlanes = 4;
  const int64_t boxes = grad.size(0), channels = grad.size(1), bins = grad.size(2) * grad.size(3);
  const int64_t images = output.size(0), cells = output.size(2) * output.size(3);
  const int64_t groups = (channels + kPlanes - 1) / kPlanes;
  const int64_t* const all = places.data<int64_t>();
  std::vector<std::vector<int64_t>> boxes_of;
  boxes_of.resize(size_t(images));
  for (int64_t box = 0, per_box = channels * bins; box < boxes; ++box) {
    const int64_t* const first = all + box * per_box;
    const int64_t* const found = std::find_if(first, first + per_box, [](int64_t place) { return place >= 0; });
    if (found != first + per_box) boxes_of[size_t(*found / (channels * cells))].push_back(box);
  }
  dispatch_floating(kBackward, grad.dtype(), [&]<class T>() {
    using V = accumulate_t<T>;
    parallel_for(0, images * groups, 1, [&](int64_t group, int64_t last) {
      DenseSums<V> sums(kPlanes * cells, kPlanes * boxes * bins);
      for (; group < last; ++group) {
        const int64_t image = group / groups, channel = group % groups * kPlanes;
        const int64_t planes = std::min(kPlanes, channels - channel), begin = (image * channels + channel) * cells;
        sums.begin(planes * cells);
        for (const int64_t box : boxes_of[size_t(image)]) {
          const int64_t from = (box * channels + channel) * bins;
          const int64_t* const at = all + from;
          const T* const value = grad.data<T>() + from;
          for (int64_t i = 0; i < planes * bins; ++i)
            if (at[i] >= 0) sums.add(at[i] - begin, V(value[i]));
        }
        sums.finish(0, planes * cells, output.data<T>() + begin);
      }
    });
  });
}

}  // namespace cpu

RoiPoolResult roi_pool(const Tensor& input, const Tensor& boxes, Size2 output_size, double spatial_scale) {
  const ordo::detail::OperationName name(kOp);
  ordo::detail::expect_floating(kOp, input, "input");
  const RoiShape s = roi_shape(kOp, input.sizes(), input.dtype(), input.device(), boxes, output_size);
  const Dims sizes{s.boxes, s.channels, s.rows, s.columns};
  const RoiPoolResult r{ordo::detail::result(sizes, input.dtype(), input.device()),
                        ordo::detail::result(sizes, int64, input.device())};
  if (s.outputs() > 0)
    ORDO_ON_DEVICE(input.device(), roi_pool, contiguous(input), contiguous(boxes), r, s, spatial_scale);
  return r;
}

Tensor roi_pool_backward(const Tensor& grad, const Tensor& places, const Dims& input_sizes, Algorithm algorithm) {
  const ordo::detail::OperationName name(kBackward);
  ordo::detail::expect_floating(kBackward, grad, "grad");
  ORDO_CHECK(grad.sizes() == places.sizes(), ShapeError, kBackward,
             "the gradient has shape {}, which is not the result's {}", grad.sizes(), places.sizes());
  const Tensor output = full(input_sizes, 0, grad.dtype(), grad.device());
  algorithm = choose_accumulate(kBackward, algorithm, grad.dtype(), {Algorithm::sorted, Algorithm::atomic});
  if (grad.numel() == 0) return output;
  const Tensor values = contiguous(grad);
  if (grad.is_cpu()) {
    cpu::roi_pool_backward(values, places, output);
    return output;
  }
  add_by_key(
      keyed_items({1, output.numel(), 1, grad.numel()}, index_view(places, output.numel()), output, values, true),
      algorithm);
  return output;
}

}  // namespace ordo::kernels
