#include <algorithm>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/embedding_bag/bags.h>
#include <ordo/kernels/ordering/ordered_row_cpu.h>
#include <ordo/kernels/reduce/each_cpu.h>

namespace ordo::kernels::cpu {

void embedding_bag_sums(const Bags& bags, const IndexView& index, const Tensor& weight, const Tensor& sample_weights,
                        bool mean, const Tensor& values) {
  const int64_t columns = weight.size(1);
  dispatch_floating("embedding_bag", weight.dtype(), [&]<class T>() {
    using V = accumulate_t<T>;
    const T* const table = weight.data<T>();
    const T* const factors = sample_weights.defined() ? sample_weights.data<T>() : nullptr;
    // One bag's sum (or mean) in columns [first, first + width).
    const auto sum_bag = [&](int64_t bag, int64_t first, int width, T* out) {
      OrderedRows<V> sums(width);
      for (int64_t i = bags.begin(bag), end = bags.end(bag); i < end; ++i) {
        const int64_t row = index.raw(i);
        if (row == bags.padding) continue;
        const T* const from = table + row * columns + first;
        if (factors != nullptr)
          sums.add([from, factor = V(factors[i])](int j) { return V(from[j]) * factor; });
        else
          sums.add([from](int j) { return V(from[j]); });
      }
      if (sums.count() == 0) return (void)std::fill_n(out, width, T(0.f));
      const V divisor = mean ? V(sums.count()) : V(1);
      const V* const sum = sums.finish();
      for (int j = 0; j < width; ++j) out[j] = T(sum[j] / divisor);
    };
    T* const out = values.data<T>();
    parallel_for(0, bags.bags, row_grain(bags.mean_length() * columns), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b)
        for (int64_t c = 0; c < columns; c += kColumnBlock)
          sum_bag(b, c, int(std::min<int64_t>(kColumnBlock, columns - c)), out + b * columns + c);
    });
  });
}

}  // namespace ordo::kernels::cpu
