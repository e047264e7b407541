#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/memory.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/embedding_bag/bags.h>

namespace ordo::kernels::cuda {
namespace {

constexpr const char* kOffsets = "offsets (which begin at 0 and do not descend)";

template <class F, class... A>
void launch_over(Device device, int64_t count, F kernel, A... arguments) {
  ordo::cuda::launch_over(kernel, count, ordo::cuda::current_stream(device), arguments...);
}

}  // namespace

__global__ void embedding_bag_offsets_kernel(Bags bags, IndexCheck check) {
  ORDO_NO_UNROLL
  for (int64_t at = ordo::cuda::thread_index(); at < bags.offset_count; at += ordo::cuda::thread_count())
    bags.offset_ok(at, check);
}

void check_offsets(const Bags& bags, Device device) {
  if (bags.offsets == nullptr) return;
  const IndexGuard guard("embedding_bag", kOffsets, 0, bags.items + 1, device);
  launch_over(device, bags.offset_count, embedding_bag_offsets_kernel, bags, guard.check());
  guard.finish();
}

/// One thread per bag and column.
template <class T>
__global__ void embedding_bag_kernel(Bags bags, IndexView index, const T* weight, const T* sample_weights,
                                     EmbeddingBagMode mode, T* values, int64_t* from, int64_t columns) {
  using V = accumulate_t<T>;
  ORDO_NO_UNROLL
  for (int64_t t = ordo::cuda::thread_index(); t < bags.bags * columns; t += ordo::cuda::thread_count()) {
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
      from[t] = best_row;
    } else {
      const V divisor = mode == EmbeddingBagMode::mean && sum.count() > 0 ? V(sum.count()) : V(1);
      values[t] = T(sum.result() / divisor);
    }
  }
}

void embedding_bag(const Bags& bags, const Tensor& input, const Tensor& weight, const Tensor& sample_weights,
                   EmbeddingBagMode mode, const Tensor& values, const Tensor& rows) {
  const Device device = weight.device();
  const ordo::cuda::DeviceScope scope(device);
  check_offsets(bags, device);
  const IndexGuard guard("embedding_bag", "input", 0, weight.size(0), device);
  dispatch_floating("embedding_bag", weight.dtype(), [&]<class T>() {
    launch_over(device, values.numel(), embedding_bag_kernel<T>, bags, index_view(input, weight.size(0), guard),
                weight.data<T>(), sample_weights.defined() ? sample_weights.data<T>() : nullptr, mode, values.data<T>(),
                rows.defined() ? rows.data<int64_t>() : nullptr, weight.size(1));
  });
  guard.finish();
}

__global__ void embedding_bag_no_bag_kernel(Bags bags, int64_t* row_of, int64_t* bag_of) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < bags.items; i += ordo::cuda::thread_count()) {
    row_of[i] = -1;
    bag_of[i] = bags.bags;
  }
}

__global__ void embedding_bag_find_kernel(Bags bags, IndexView index, int64_t* row_of, int64_t* bag_of,
                                          int64_t* counts) {
  ORDO_NO_UNROLL
  for (int64_t b = ordo::cuda::thread_index(); b < bags.bags; b += ordo::cuda::thread_count()) {
    counts[b] = find_bag(bags, index, b, row_of, bag_of);
  }
}

void find_bags(const Bags& bags, const Tensor& input, int64_t rows, int64_t* row_of, int64_t* bag_of, int64_t* counts) {
  const Device device = input.device();
  const ordo::cuda::DeviceScope scope(device);
  check_offsets(bags, device);
  const IndexGuard guard("embedding_bag_backward", "input", 0, rows, device);
  launch_over(device, bags.items, embedding_bag_no_bag_kernel, bags, row_of, bag_of);
  launch_over(device, bags.bags, embedding_bag_find_kernel, bags, index_view(input, rows, guard), row_of, bag_of,
              counts);
  guard.finish();
}

template <class T>
__global__ void embedding_bag_sample_gradient_kernel(const int64_t* row_of, const int64_t* bag_of, const T* grad,
                                                     const T* weight, T* output, int64_t items, int64_t columns) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < items; i += ordo::cuda::thread_count()) {
    if (row_of[i] >= 0)
      output[i] = T(sample_gradient(grad + bag_of[i] * columns, weight + row_of[i] * columns, columns));
  }
}

void embedding_bag_sample_gradient(const Bags& bags, const Tensor& input, const Tensor& grad, const Tensor& weight,
                                   const Tensor& output) {
  const Device device = grad.device();
  const ordo::cuda::DeviceScope scope(device);
  const Scratch<int64_t> row_of(bags.items, device), bag_of(bags.items, device), counts(bags.bags, device);
  find_bags(bags, input, weight.size(0), row_of.data(), bag_of.data(), counts.data());
  dispatch_floating("embedding_bag_sample_gradient", grad.dtype(), [&]<class T>() {
    launch_over(device, bags.items, embedding_bag_sample_gradient_kernel<T>, row_of.data(), bag_of.data(),
                grad.data<T>(), weight.data<T>(), output.data<T>(), bags.items, weight.size(1));
  });
}

}  // namespace ordo::kernels::cuda
