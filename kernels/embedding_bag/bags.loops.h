// Bags, element by element and item by item.
#pragma once

#include <ordo/kernels/embedding_bag/bags.h>
#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels {

/// Element t of the values, and the row that a maximum comes from: the first of equal ones, and NaN over everything.
template <class T>
struct BagElement {
  using V = accumulate_t<T>;
  Bags bags;
  IndexView index;
  const T* weight;
  const T* sample_weights;
  EmbeddingBagMode mode;
  int64_t columns;
  T* values;
  int64_t* rows;
  ORDO_HD void operator()(int64_t t) const {
    const int64_t bag = t / columns, column = t - bag * columns, end = bags.end(bag);
    OrderedSum<V> sum;
    V best = V(0);
    int64_t best_row = -1;
    for (int64_t i = bags.begin(bag); i < end; ++i) {
      const int64_t row = index[i];
      if (row < 0 || row == bags.padding) continue;
      const V v = weight[row * columns + column];
      if (mode == EmbeddingBagMode::max) {
        if (best_row < 0 || v > best || v != v) {
          best = v;
          best_row = row;
        }
      } else {
        sum.push(sample_weights != nullptr ? v * V(sample_weights[i]) : v);
      }
    }
    if (mode == EmbeddingBagMode::max) {
      values[t] = T(best);
      rows[t] = best_row;
    } else {
      const V divisor = mode == EmbeddingBagMode::mean && sum.count() > 0 ? V(sum.count()) : V(1);
      values[t] = T(sum.result() / divisor);
    }
  }
};

struct ItemInNoBag {
  int64_t bags;
  int64_t* row_of;
  int64_t* bag_of;
  ORDO_HD void operator()(int64_t item) const {
    row_of[item] = -1;
    bag_of[item] = bags;
  }
};

/// A bag's items, by a team.
struct FindBag {
  Bags bags;
  IndexView index;
  int64_t* row_of;
  int64_t* bag_of;
  int64_t* counts;
  template <class Team>
  ORDO_TEAM void operator()(int64_t b, const Team& team) const {
    const int64_t begin = bags.begin(b);
    if (team.first()) counts[b] = 0;
    team.wait();
    int64_t count = 0;
    team.each(bags.end(b) - begin, [&](int64_t k) {
      const int64_t i = begin + k, row = index[i];
      bag_of[i] = b;
      if (row < 0 || row == bags.padding) return;
      row_of[i] = row;
      ++count;
    });
    team.add(counts + b, count);
  }
};

/// <grad row, table row> by rule 1.
template <class T>
struct SampleGradient {
  using V = accumulate_t<T>;
  const int64_t* row_of;
  const int64_t* bag_of;
  const T* grad;
  const T* weight;
  T* output;
  int64_t columns;
  ORDO_HD void operator()(int64_t item) const {
    if (row_of[item] < 0) return;
    const T *const g = grad + bag_of[item] * columns, *const row = weight + row_of[item] * columns;
    OrderedSum<V> sum;
    for (int64_t c = 0; c < columns; ++c) sum.push(V(g[c]) * V(row[c]));
    output[item] = T(sum.result());
  }
};

namespace ORDO_LOOPS_DEVICE {

void embedding_bag(const Bags& bags, const IndexView& index, const Tensor& weight, const Tensor& sample_weights,
                   EmbeddingBagMode mode, const Tensor& values, const Tensor& rows) {
  dispatch_floating("embedding_bag", weight.dtype(), [&]<class T>() {
    each_of(bags.mean_length(), values.numel(),
            BagElement<T>{bags, index, weight.data<T>(), sample_weights.defined() ? sample_weights.data<T>() : nullptr,
                          mode, weight.size(1), values.data<T>(), rows.defined() ? rows.data<int64_t>() : nullptr},
            weight.device());
  });
}

void find_bags(const Bags& bags, const IndexView& index, Device device, int64_t* row_of, int64_t* bag_of,
               int64_t* counts) {
  each(bags.items, ItemInNoBag{bags.bags, row_of, bag_of}, device);
  each_team(bags.bags, bags.mean_length(), FindBag{bags, index, row_of, bag_of, counts}, device, bags.mean_length());
}

void embedding_bag_sample_gradient(int64_t items, const int64_t* row_of, const int64_t* bag_of, const Tensor& grad,
                                   const Tensor& weight, const Tensor& output) {
  dispatch_floating("embedding_bag_sample_gradient", grad.dtype(), [&]<class T>() {
    each_of(weight.size(1), items,
            SampleGradient<T>{row_of, bag_of, grad.data<T>(), weight.data<T>(), output.data<T>(), weight.size(1)},
            grad.device());
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
