#include <algorithm>
#include <vector>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/parallel.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/embedding_bag/bags.h>
#include <ordo/kernels/ordering/ordered_row_cpu.h>

namespace ordo::kernels::cpu {
namespace {

int64_t bag_grain(int64_t cost) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, cost)); }

int64_t mean_cost(const Bags& bags, int64_t columns) {
  return (bags.items / std::max<int64_t>(1, bags.bags) + 1) * columns;
}

void check_offsets(const Bags& bags) {
  if (bags.offsets == nullptr) return;
  for (int64_t at = 0, least = 0; at < bags.offset_count; least = bags.offsets[at++]) {
    ORDO_CHECK(
        bags.offsets[at] >= least && bags.offsets[at] <= (at == 0 ? 0 : bags.items), IndexError, "embedding_bag",
        "offsets[{}] = {} is out of range: offsets begin with 0, do not descend and end at the number of items, {}", at,
        bags.offsets[at], bags.items);
  }
}

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

/// One bag's maxima; the first of equal ones, and NaN over everything.
template <class T>
void max_bag(const Bags& bags, int64_t bag, const IndexView& index, const T* weight, int64_t columns, T* out,
             int64_t* from) {
  using V = accumulate_t<T>;
  bool empty = true;
  for (int64_t i = bags.begin(bag), end = bags.end(bag); i < end; ++i) {
    const int64_t row = index.raw(i);
    if (row == bags.padding) continue;
    const T* values = weight + row * columns;
    for (int64_t c = 0; c < columns; ++c) {
      const V v = values[c], best = out[c];
      if (empty || v > best || v != v) {
        out[c] = values[c];
        from[c] = row;
      }
    }
    empty = false;
  }
  if (!empty) return;
  std::fill_n(out, columns, T(0.f));
  std::fill_n(from, columns, int64_t(-1));
}

/// So many dot products are formed at a time: each is a chain of additions that wait for one another.
constexpr int kChains = 8;

/// sample_gradient of one row and kChains others.
template <class T>
void sample_gradients(const T* grad, const T* const* rows, int64_t columns, accumulate_t<T>* out) {
  using V = accumulate_t<T>;
  const auto fold = [&](int64_t first, int64_t last, V* group) {
    for (int k = 0; k < kChains; ++k) group[k] = kNoValue<V>;
    for (int64_t c = first; c < last; ++c)
      for (int k = 0; k < kChains; ++k) group[k] += V(grad[c]) * V(rows[k][c]);
  };
  if (columns > 0 && columns <= kOrderedGroup) return fold(0, columns, out);
  OrderedSum<V> sums[kChains];
  const int64_t whole = columns / kOrderedGroup * kOrderedGroup;
  for (int64_t first = 0; first < whole; first += kOrderedGroup) {
    V group[kChains];
    fold(first, first + kOrderedGroup, group);
    for (int k = 0; k < kChains; ++k) sums[k].push_group(group[k]);
  }
  for (int64_t c = whole; c < columns; ++c)
    for (int k = 0; k < kChains; ++k) sums[k].push(V(grad[c]) * V(rows[k][c]));
  for (int k = 0; k < kChains; ++k) out[k] = sums[k].result();
}

}  // namespace

void embedding_bag(const Bags& bags, const Tensor& input, const Tensor& weight, const Tensor& sample_weights,
                   EmbeddingBagMode mode, const Tensor& values, const Tensor& rows) {
  check_offsets(bags);
  const int64_t table_rows = weight.size(0), columns = weight.size(1);
  const IndexGuard guard("embedding_bag", "input", 0, table_rows, weight.device());
  const IndexView index = index_view(input, table_rows, guard);
  for (int64_t i = 0; i < bags.items; ++i)
    if (index[i] < 0) break;
  guard.finish();
  dispatch_floating("embedding_bag", weight.dtype(), [&]<class T>() {
    const T* table = weight.data<T>();
    const T* factors = sample_weights.defined() ? sample_weights.data<T>() : nullptr;
    T* out = values.data<T>();
    parallel_for(0, bags.bags, bag_grain(mean_cost(bags, columns)), [&](int64_t first, int64_t last) {
      for (int64_t b = first; b < last; ++b) {
        if (mode == EmbeddingBagMode::max) {
          max_bag(bags, b, index, table, columns, out + b * columns, rows.data<int64_t>() + b * columns);
          continue;
        }
        for (int64_t c = 0; c < columns; c += kColumnBlock)
          sum_bag(bags, b, index, table, factors, columns, c, int(std::min<int64_t>(kColumnBlock, columns - c)),
                  mode == EmbeddingBagMode::mean, out + b * columns);
      }
    });
  });
}

void find_bags(const Bags& bags, const Tensor& input, int64_t rows, int64_t* row_of, int64_t* bag_of, int64_t* counts) {
  check_offsets(bags);
  const IndexGuard guard("embedding_bag_backward", "input", 0, rows, Device());
  const IndexView index = index_view(input, rows, guard);
  std::fill_n(row_of, bags.items, int64_t(-1));
  std::fill_n(bag_of, bags.items, bags.bags);
  for (int64_t b = 0; b < bags.bags; ++b) counts[b] = find_bag(bags, index, b, row_of, bag_of);
  guard.finish();
}

void embedding_bag_sample_gradient(const Bags& bags, const Tensor& input, const Tensor& grad, const Tensor& weight,
                                   const Tensor& output) {
  check_offsets(bags);
  const int64_t rows = weight.size(0), columns = weight.size(1);
  const IndexGuard guard("embedding_bag_sample_gradient", "input", 0, rows, grad.device());
  const IndexView index = index_view(input, rows, guard);
  dispatch_floating("embedding_bag_sample_gradient", grad.dtype(), [&]<class T>() {
    parallel_for(0, bags.bags, bag_grain(mean_cost(bags, columns)), [&](int64_t first, int64_t last) {
      for (int64_t b = first; b < last; ++b) {
        const T* const from = grad.data<T>() + b * columns;
        const T* table_rows[kChains];
        int64_t items[kChains];
        int count = 0;
        const auto write = [&] {
          accumulate_t<T> products[kChains];
          if (count < kChains / 2) {
            for (int k = 0; k < count; ++k) products[k] = sample_gradient(from, table_rows[k], columns);
          } else {
            for (int k = count; k < kChains; ++k) table_rows[k] = table_rows[0];
            sample_gradients(from, table_rows, columns, products);
          }
          for (int k = 0; k < count; ++k) output.data<T>()[items[k]] = T(products[k]);
          count = 0;
        };
        for (int64_t i = bags.begin(b), end = bags.end(b); i < end; ++i) {
          const int64_t row = index[i];
          if (row < 0 || row == bags.padding) continue;
          items[count] = i;
          table_rows[count++] = weight.data<T>() + row * columns;
          if (count == kChains) write();
        }
        if (count > 0) write();
      }
    });
  });
  guard.finish();
}

}  // namespace ordo::kernels::cpu
