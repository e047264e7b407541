#include <ordo/kernels/pooling/fractional_max_pool.h>

#include <limits>

#include <ordo/engine/check.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/pooling/rows_cpu.h>

namespace ordo::kernels {

namespace cpu {
namespace {

/// One row of outputs, (od, oh), in two steps: of every column of its windows' rows the maximum, in loops that
/// vectorise; of those, every window's. `best` and `rank` have room for a row of the input; rank: which of the rows
/// holds it.
template <class T, class V, class I>
void fractional_row(const T* volume, const FractionalWindows& s, int64_t d0, int64_t h0, const int64_t* w_begin,
                    V* best, I* rank, T* values, int64_t* indices) {
  const int64_t width = s.w.input, rows = s.d.kernel * s.h.kernel;
  const auto row_begin = [&](int64_t r) { return ((d0 + r / s.h.kernel) * s.h.input + h0 + r % s.h.kernel) * width; };
  const T* const first = volume + row_begin(0);
  for (int64_t w = 0; w < width; ++w) best[w] = V(first[w]), rank[w] = 0;
  for (int64_t r = 1; r < rows; ++r) {
    const T* const row = volume + row_begin(r);
    const I at = I(r);
    for (int64_t w = 0; w < width; ++w) {
      const V v = V(row[w]);
      const bool take = (v > best[w]) | (v != v);
      best[w] = take ? v : best[w];
      rank[w] = take ? at : rank[w];
    }
  }
  for (int64_t o = 0; o < s.w.output; ++o) {
    int64_t at = w_begin[o];
    for (int64_t w = at + 1; w < w_begin[o] + s.w.kernel; ++w) {
      const bool nan = best[w] != best[w], had_nan = best[at] != best[at];
      // In row-major order a number must come first among its equals, a NaN last.
      const bool take =
          nan ? !had_nan || rank[w] >= rank[at] : best[w] > best[at] || (best[w] == best[at] && rank[w] < rank[at]);
      if (take) at = w;
    }
    values[o] = T(best[at]);
    indices[o] = row_begin(rank[at]) + at;
  }
}

template <class T>
void fractional_max_pool(const T* input, const T* samples, T* values, int64_t* indices, int64_t rows,
                         const FractionalWindows& s) {
  using V = accumulate_t<T>;
  using I = std::conditional_t<sizeof(V) == 4, int32_t, int64_t>;  // one width for values and ranks
  // Windows that leave most columns out read only their own cells.
  const bool by_columns = 2 * s.w.output * s.w.kernel >= s.w.input && s.inputs() < std::numeric_limits<int32_t>::max();
  const int64_t cells = s.d.kernel * s.h.kernel * (by_columns ? s.w.input : s.w.output * s.w.kernel);
  parallel_for(0, rows, pool_grain(cells), [&](int64_t begin, int64_t end) {
    const Scratch<int64_t> w_begin(s.w.output, Device());
    const Scratch<V> best(by_columns ? s.w.input : 0, Device());
    const Scratch<I> rank(by_columns ? s.w.input : 0, Device());
    int64_t known = -1;  // the volume of w_begin
    for (int64_t r = begin; r < end; ++r) {
      const VolumeRow at(r, s.d.output, s.h.output);
      const T* const u = samples + at.volume * s.axes();
      const T* const volume = input + at.volume * s.inputs();
      if (by_columns) {
        if (known != at.volume)
          for (int64_t o = 0; o < s.w.output; ++o) w_begin.data()[o] = s.w_begin(u, o);
        known = at.volume;
        fractional_row(volume, s, s.d_begin(u, at.d), s.h_begin(u, at.h), w_begin.data(), best.data(), rank.data(),
                       values + r * s.w.output, indices + r * s.w.output);
        continue;
      }
      for (int64_t o = 0; o < s.w.output; ++o) {
        const auto cell = fractional_max(volume, u, s, at.d, at.h, o);
        values[r * s.w.output + o] = T(cell.value);
        indices[r * s.w.output + o] = cell.index;
      }
    }
  });
}

}  // namespace

void fractional_max_pool(const Tensor& input, const Tensor& samples, const Tensor& values, const Tensor& indices,
                         const FractionalWindows& windows) {
  dispatch_floating("fractional_max_pool", input.dtype(), [&]<class T>() {
    fractional_max_pool(input.data<T>(), samples.data<T>(), values.data<T>(), indices.data<int64_t>(),
                        values.numel() / windows.w.output, windows);
  });
}
}  // namespace cpu

MaxPoolResult fractional_max_pool(const char* op, const Tensor& input, int rank, const Size3& kernel,
                                  const Size3& output_size, const Tensor& samples) {
  const ordo::detail::OperationName name(op);
  const Dims& sizes = input.sizes();
  const Size3 inputs = in_three(sizes, rank);
  for (int i = 3 - rank; i < 3; ++i)
    ORDO_CHECK(kernel[i] <= inputs[i] && output_size[i] <= inputs[i] - kernel[i] + 1, ShapeError, op,
               "{} {} is too small for {} windows of {}", kAxisNames[i], inputs[i], output_size[i], kernel[i]);
  Dims pooled = sizes;
  for (int i = 1; i <= rank; ++i) pooled[pooled.size() - i] = output_size[3 - i];
  const FractionalWindows windows{{inputs[0], output_size[0], kernel[0]},
                                  {inputs[1], output_size[1], kernel[1]},
                                  {inputs[2], output_size[2], kernel[2]},
                                  rank};
  const MaxPoolResult result{ordo::detail::result(pooled, input.dtype(), input.device()),
                             ordo::detail::result(pooled, DType::int64, input.device())};
  if (result.values.numel() > 0)
    ORDO_ON_DEVICE(input.device(), fractional_max_pool, contiguous(input), contiguous(samples), result.values,
                   result.indices, windows);
  return result;
}

}  // namespace ordo::kernels
