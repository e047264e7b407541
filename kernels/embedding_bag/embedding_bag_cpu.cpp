#include <algorithm>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/embedding_bag/bags.h>
#include <ordo/kernels/ordering/ordered_row_cpu.h>
#include <ordo/kernels/reduce/each_cpu.h>

namespace ordo::kernels::cpu {
namespace {

/// One bag's sum (or mean) in columns [first, first + width).
template <class T>
void sum_bag(const Bags& bags, int64_t bag, const IndexView& index, const T* weight, const T* sample_weights,
             int64_t columns, int64_t first, int width, bool mean, T* out) {
  using V = accumulate_t<T>;
  OrderedRows<V> sums(width);
  for (int64_t i = bags.begin(bag), end = bags.end(bag); i < end; ++i) {
    const int64_t row = index.raw(i);
    if (row == bags.padding) continue;
    const T* const from = weight + row * columns + first;
    if (sample_weights != nullptr)
      sums.add([from, factor = V(sample_weights[i])](int j) { return V(from[j]) * factor; });
    else
      sums.add([from](int j) { return V(from[j]); });
  }
  if (sums.count() == 0) {
    std::fill_n(out + first, width, T(0.f));
    return;
  }
  const V divisor = mean ? V(sums.count()) : V(1);
  const V* const sum = sums.finish();
  for (int j = 0; j < width; ++j) out[first + j] = T(sum[j] / divisor);
}

}  // namespace

void embedding_bag_sums(const Bags& bags, const IndexView& index, const Tensor& weight, const Tensor& sample_weights,
                        bool mean, const Tensor& values) {
  const int64_t columns = weight.size(1), cost = bags.mean_length() * columns;
  dispatch_floating("embedding_bag", weight.dtype(), [&]<class T>() {
    const T* table = weight.data<T>();
    const T* factors = sample_weights.defined() ? sample_weights.data<T>() : nullptr;
    T* out = values.data<T>();
    parallel_for(0, bags.bags, row_grain(cost), [&](int64_t first, int64_t last) {
      for (int64_t b = first; b < last; ++b)
        for (int64_t c = 0; c < columns; c += kColumnBlock)
          sum_bag(bags, b, index, table, factors, columns, c, int(std::min<int64_t>(kColumnBlock, columns - c)), mean,
                  out + b * columns);
    });
  });
}

}  // namespace ordo::kernels::cpu
