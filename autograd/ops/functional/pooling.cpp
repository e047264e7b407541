#include <ordo/autograd/ops/functional/pooling.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/kernels/pooling/fractional_max_pool.h>
#include <ordo/kernels/pooling/pool.h>
#include <ordo/kernels/scatter/scatter.h>
#include <ordo/kernels/windows/sliding.h>

namespace ordo {

using kernels::PoolArguments;

// -- maxima and averages: the recorded calls, over sliding or adaptive windows of any rank. Their names end in _call,
// because their arguments' namespace has functions of the short names.

static Tensor max_pool_backward_call(const Tensor& grad, const Saved& indices, const Dims& input_sizes,
                                     const PoolArguments& a) {
  const OpCall call(kernels::kMaxPoolBackward.of(a), grad, indices.get(), input_sizes, a);
  return record(call, kernels::max_pool_backward(grad, indices.get(), input_sizes, a), {grad},
                [indices, rank = a.rank](const Tensor& g) {
                  const Tensor& at = indices.get();  // flat positions in the last `rank` dimensions
                  return gather(g.flatten(-rank, -1), -1, at.flatten(-rank, -1)).reshape(at.sizes());
                });
}

static MaxPoolResult max_pool_forward(const OpCall& call, const Tensor& input, const PoolArguments& a) {
  MaxPoolResult result = kernels::max_pool_with_indices(input, a);
  result.values = record(call, std::move(result.values), {input},
                         [indices = Saved(result.indices), sizes = input.sizes(), a](const Tensor& grad) {
                           return max_pool_backward_call(grad, indices, sizes, a);
                         });
  call.done(result.indices);
  return result;
}

/// Without a gradient, no indices are needed.
static Tensor max_pool_call(const Tensor& input, const PoolArguments& a) {
  const OpCall call(kernels::kMaxPool.of(a), input, a);
  if (recorded(input)) return max_pool_forward(call, input, a).values;
  return call.done(kernels::max_pool(input, a));
}

static MaxPoolResult max_pool_with_indices_call(const Tensor& input, const PoolArguments& a) {
  const OpCall call(kernels::kMaxPoolWithIndices.of(a), input, a);
  return max_pool_forward(call, input, a);
}

static Tensor avg_pool_backward_call(const Tensor& grad, const Dims& input_sizes, const PoolArguments& a);

static Tensor avg_pool_call(const Tensor& input, const PoolArguments& a) {
  const OpCall call(kernels::kAvgPool.of(a), input, a);
  return record(call, kernels::avg_pool(input, a), {input},
                [a, sizes = input.sizes()](const Tensor& grad) { return avg_pool_backward_call(grad, sizes, a); });
}

// Linear, so the gradient of the backward pass is the forward pass.
static Tensor avg_pool_backward_call(const Tensor& grad, const Dims& input_sizes, const PoolArguments& a) {
  const OpCall call(kernels::kAvgPoolBackward.of(a), grad, input_sizes, a);
  return record(call, kernels::avg_pool_backward(grad, input_sizes, a), {grad},
                [a](const Tensor& g) { return avg_pool_call(g, a); });
}

template <int N>
static PoolArguments max_pool_arguments(const Size<N>& kernel, const MaxPoolOptions<N>& o) {
  return kernels::max_pool_arguments(kernel, o.stride, o.padding, o.dilation, o.ceil_mode);
}
template <int N>
static PoolArguments avg_pool_arguments(const Size<N>& kernel, const AvgPoolOptions<N>& o) {
  if constexpr (N == 1)
    return kernels::avg_pool_arguments(kernel, o.stride, o.padding, o.ceil_mode, o.count_include_pad);
  else
    return kernels::avg_pool_arguments(kernel, o.stride, o.padding, o.ceil_mode, o.count_include_pad,
                                       o.divisor_override);
}

// The functions of 1, 2 and 3 dimensions.
#define ORDO_POOLS(N)                                                                                          \
  Tensor max_pool##N##d(const Tensor& input, Size##N kernel, const MaxPoolOptions<N>& o) {                     \
    return max_pool_call(input, max_pool_arguments(kernel, o));                                                \
  }                                                                                                            \
  MaxPoolResult max_pool##N##d_with_indices(const Tensor& input, Size##N kernel, const MaxPoolOptions<N>& o) { \
    return max_pool_with_indices_call(input, max_pool_arguments(kernel, o));                                   \
  }                                                                                                            \
  Tensor avg_pool##N##d(const Tensor& input, Size##N kernel, const AvgPoolOptions<N>& o) {                     \
    return avg_pool_call(input, avg_pool_arguments(kernel, o));                                                \
  }                                                                                                            \
  Tensor adaptive_max_pool##N##d(const Tensor& input, Size##N output_size) {                                   \
    return max_pool_call(input, kernels::adaptive_pool_arguments(output_size));                                \
  }                                                                                                            \
  MaxPoolResult adaptive_max_pool##N##d_with_indices(const Tensor& input, Size##N output_size) {               \
    return max_pool_with_indices_call(input, kernels::adaptive_pool_arguments(output_size));                   \
  }                                                                                                            \
  Tensor adaptive_avg_pool##N##d(const Tensor& input, Size##N output_size) {                                   \
    return avg_pool_call(input, kernels::adaptive_pool_arguments(output_size));                                \
  }
ORDO_POOLS(1)
ORDO_POOLS(2)
ORDO_POOLS(3)
#undef ORDO_POOLS

// -- powers

static const kernels::PoolRows kLpRows(kernels::kLpPool, "made of avg_pool; the algorithms are its backward pass's");

template <int N>
static Tensor lp_pool(const OpCall& call, const Tensor& input, double norm_type, Size<N> kernel, OptionalSize<N> stride,
                      bool ceil_mode) {
  const char* const op = call.name();
  detail::expect_floating(op, input, "input");
  ORDO_CHECK(norm_type != 0, ValueError, op, "norm_type must not be 0");
  kernels::check_each(op, "kernel_size", kernel, 1);
  double cells = 1;
  for (int64_t k : kernel) cells *= double(k);
  const Tensor powers =
      avg_pool_call(input.pow(norm_type), kernels::avg_pool_arguments<N>(kernel, stride, 0, ceil_mode));
  if (norm_type == 2) return call.done(sqrt(powers.mul(cells)));  // squares have no sign
  return call.done((powers.sign() * powers.abs().relu()).mul(cells).pow(1 / norm_type));
}

#define ORDO_LP_POOL(N)                                                                                         \
  Tensor lp_pool##N##d(const Tensor& input, double norm_type, Size##N kernel_size, const LPPoolOptions<N>& o) { \
    const OpCall call(kernels::kLpPool[N - 1], input, norm_type, kernel_size, o.stride.value_or(kernel_size),   \
                      o.ceil_mode);                                                                             \
    return lp_pool<N>(call, input, norm_type, kernel_size, o.stride, o.ceil_mode);                              \
  }
ORDO_LP_POOL(1)
ORDO_LP_POOL(2)
ORDO_LP_POOL(3)
#undef ORDO_LP_POOL

// -- maxima of windows at random places

ORDO_REGISTER_OPS({"fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d",
                   "fractional_max_pool3d_with_indices"},
                  {.family = "pooling",
                   .dtypes = kFloatingTypes,
                   .algorithms = kernels::accumulate_levels(kExactTypes),
                   .note = "the algorithms are those of the backward pass, which is a scatter_add"});

template <int N>
static MaxPoolResult fractional(const OpCall& call, const Tensor& input, Size<N> kernel,
                                const FractionalMaxPoolOptions<N>& o) {
  const char* const op = call.name();
  const OptionalSize<N>& output_size = o.output_size;
  const std::vector<double>& ratio = o.output_ratio;
  Tensor samples = o.random_samples;
  kernels::check_pool_input(op, input, N);
  kernels::check_each(op, "kernel_size", kernel, 1);
  // An output_size that is left out takes any default.
  const bool given = output_size.value_or(0)[0] == output_size.value_or(1)[0];
  Dims wanted = Dims::filled(N, 0);
  for (int i = 0; i < N; ++i) wanted[i] = output_size.value_or(0)[i];
  ORDO_CHECK(given == ratio.empty(), ValueError, op, "takes either an output_size or an output_ratio");
  if (!ratio.empty()) {
    ORDO_CHECK(ratio.size() == 1 || ratio.size() == size_t(N), ValueError, op,
               "takes an output_ratio of 1 or {} numbers, not {}", N, ratio.size());
    for (int i = 0; i < N; ++i) {
      const double r = ratio[ratio.size() == 1 ? 0 : size_t(i)];
      ORDO_CHECK(r > 0 && r < 1, ValueError, op, "output_ratio must be between 0 and 1, but is {}", r);
      wanted[i] = int64_t(double(input.size(i - N)) * r);
    }
  }
  const Size3 outputs = kernels::in_three(wanted, N);
  kernels::check_each(op, "output_size", outputs, N, 1);
  const bool batched = input.dim() == N + 2;
  const Dims expected = {batched ? input.size(0) : 1, input.size(batched ? 1 : 0), N};
  if (samples.defined()) {
    detail::expect_same_device(op, input, samples);
    ORDO_CHECK(samples.dtype() == input.dtype(), DTypeError, op, "random_samples must be {} as input, not {}",
               name(input.dtype()), name(samples.dtype()));
    ORDO_CHECK(samples.sizes() == expected, ShapeError, op, "random_samples must have shape {}, not {}", expected,
               samples.sizes());
  } else {
    samples = no_grad([&] { return rand(expected, input.options(), o.generator); });
  }
  MaxPoolResult result = kernels::fractional_max_pool(op, input, N, kernels::in_three(kernel, 1), outputs, samples);
  result.values =
      record(call, std::move(result.values), {input},
             [indices = Saved(result.indices), sizes = input.sizes()](const Tensor& grad) {
               const Tensor zero = zeros(sizes, grad.options()).flatten(-N, -1);
               return scatter_add(zero, -1, indices.get().flatten(-N, -1), grad.flatten(-N, -1)).reshape(sizes);
             });
  return result;
}

#define ORDO_FRACTIONAL(N)                                                                                           \
  Tensor fractional_max_pool##N##d(const Tensor& input, Size##N kernel_size, const FractionalMaxPoolOptions<N>& o) { \
    const OpCall call(kernels::kFractionalMaxPool[N - 1], input, kernel_size, o.output_size.value_or(0),             \
                      o.output_ratio, o.random_samples);                                                             \
    return fractional<N>(call, input, kernel_size, o).values;                                                        \
  }                                                                                                                  \
  MaxPoolResult fractional_max_pool##N##d_with_indices(const Tensor& input, Size##N kernel_size,                     \
                                                       const FractionalMaxPoolOptions<N>& o) {                       \
    const OpCall call(kernels::kFractionalMaxPoolWithIndices[N - 1], input, kernel_size, o.output_size.value_or(0),  \
                      o.output_ratio, o.random_samples);                                                             \
    MaxPoolResult result = fractional<N>(call, input, kernel_size, o);                                               \
    call.done(result.indices);                                                                                       \
    return result;                                                                                                   \
  }
ORDO_FRACTIONAL(2)
ORDO_FRACTIONAL(3)
#undef ORDO_FRACTIONAL

// -- maxima put back

ORDO_REGISTER_OPS({"max_unpool1d", "max_unpool2d", "max_unpool3d"}, {.family = "pooling", .dtypes = kFloatingTypes});

template <int N>
static Dims unpooled_sizes(const char* op, const Tensor& input, Size<N> kernel, Size<N> stride, Size<N> padding,
                           const Dims& output_size) {
  kernels::check_each(op, "kernel_size", kernel, 1);
  kernels::check_each(op, "stride", stride, 1);
  kernels::check_each(op, "padding", padding, 0);
  ORDO_CHECK(output_size.empty() || output_size.size() == N || output_size.size() == input.dim(), ValueError, op,
             "takes an output_size of {} or {} numbers, not {}", N, input.dim(), output_size);
  Dims sizes = input.sizes();
  for (int i = 1; i <= N; ++i) {
    const int64_t step = stride[N - i], spread = checked::mul(op, input.size(-i) - 1, step);
    const int64_t fit = checked::add(op, spread, kernel[N - i] - 2 * padding[N - i]);
    const int64_t size = output_size.empty() ? fit : output_size[output_size.size() - i];
    ORDO_CHECK(size >= 1 && size < checked::add(op, fit, step) && size > fit - step, ValueError, op,
               "{} {} of a pooled size {} must be at least 1 and between {} and {}", kernels::kAxisNames[3 - i], size,
               input.size(-i), fit - step + 1, fit + step - 1);
    sizes[sizes.size() - i] = size;
  }
  return kernels::check_addressable(op, sizes);
}

template <int N>
static Tensor unpool(const OpCall& call, const Tensor& input, const Tensor& indices, Size<N> kernel, Size<N> stride,
                     Size<N> padding, const Dims& output_size) {
  const char* const op = call.name();
  detail::expect_pair(op, input, "input", indices, "indices");
  detail::expect_floating(op, input);
  detail::expect_index_dtype(op, indices);
  ORDO_CHECK(input.dim() == N + 1 || input.dim() == N + 2, ShapeError, op,
             "takes an input of {} or {} dimensions, not of shape {}", N + 1, N + 2, input.sizes());
  ORDO_CHECK(indices.sizes() == input.sizes(), ShapeError, op,
             "input and indices must have one shape, but have {} and {}", input.sizes(), indices.sizes());
  kernels::check_not_empty(op, input.sizes(), N);
  const Dims sizes = unpooled_sizes(op, input, kernel, stride, padding, output_size);
  int64_t planes = 1, places = 1, cells = 1;
  for (int d = 0; d < input.dim(); ++d) {
    const bool spatial = d >= input.dim() - N;
    (spatial ? places : planes) *= input.sizes()[d];
    if (spatial) cells *= sizes[d];
  }
  // Element [plane, place] goes to [plane, index].
  const Tensor place = indices.reshape({planes, places});
  Tensor result = no_grad([&] {
    const Tensor all = zeros({planes, cells}, input.options());
    kernels::scatter_(op, kernels::IndexOf::elements, all, 1, place, input.reshape({planes, places}));
    return views::view(all, sizes);
  });
  return record(call, std::move(result), {input},
                [place = Saved(place), planes, cells, from = input.sizes()](const Tensor& grad) {
                  return gather(grad.reshape({planes, cells}), 1, place.get()).reshape(from);
                });
}

#define ORDO_UNPOOL(N)                                                                                          \
  Tensor max_unpool##N##d(const Tensor& input, const Tensor& indices, Size##N kernel_size,                      \
                          const MaxUnpoolOptions<N>& o) {                                                       \
    const Size##N step = o.stride.value_or(kernel_size);                                                        \
    const OpCall call(kernels::kMaxUnpool[N - 1], input, indices, kernel_size, step, o.padding, o.output_size); \
    return unpool<N>(call, input, indices, kernel_size, step, o.padding, o.output_size);                        \
  }
ORDO_UNPOOL(1)
ORDO_UNPOOL(2)
ORDO_UNPOOL(3)
#undef ORDO_UNPOOL

}  // namespace ordo
