// Many window geometries: what covers what, against brute force; and the CPU's vectorised paths, bit for bit against
// the plain formulas of cells.h.
#include <ordo/engine/run/philox.h>
#include <ordo/kernels/pooling/cells.h>
#include <ordo/kernels/pooling/pool.h>
#include "tests/kernels/samples.h"

namespace ordo::test::pool_windows_test {
namespace {

using namespace ordo::kernels;

/// Sliding windows from the numbers of a Philox block; sizes up to 70 cells, depths up to 11.
Windows random_windows(uint64_t n) {
  const auto axis = [&](uint64_t stream) {
    const PhiloxBlock a = philox(7, stream, 2 * n), b = philox(7, stream, 2 * n + 1);
    const auto below = [](uint32_t v, uint32_t bound) { return int64_t(v % bound); };
    const int64_t kernel = 1 + below(a.v[0], stream == 2  ? 3
                                             : n % 4 == 0 ? 12
                                                          : 4),
                  dilation = a.v[1] % 3 == 0 ? 1 + below(a.v[2], 3) : 1;
    const int64_t padding = below(a.v[3], uint32_t(kernel / 2 + 1));
    const int64_t input = (kernel - 1) * dilation + 1 + below(b.v[0], stream == 2 ? 4 : 40);
    return WindowAxis{input, 0, kernel, 1 + below(b.v[1], n % 5 == 0 ? 20 : 3), padding, dilation};
  };
  // Every third has a depth.
  const WindowAxis d = n % 3 == 0 ? axis(2) : WindowAxis{1, 0, 1, 1, 0, 1}, h = axis(0), w = axis(1);
  PoolArguments arguments =
      max_pool_arguments<3>({d.kernel, h.kernel, w.kernel}, {d.stride, h.stride, w.stride},
                            {d.padding, h.padding, w.padding}, {d.dilation, h.dilation, w.dilation}, n % 2 == 0);
  arguments.count_include_pad = n % 5 < 2;
  return pool_windows("test", {1, d.input, h.input, w.input}, arguments);
}

Windows random_adaptive_windows(uint64_t n) {
  const PhiloxBlock a = philox(8, 0, n), b = philox(8, 1, n);
  const int64_t depth = n % 3 == 0 ? 1 + b.v[0] % 5 : 1, depth_out = n % 3 == 0 ? 1 + b.v[1] % 7 : 1;
  return {{WindowAxis::adaptive(depth, depth_out), WindowAxis::adaptive(1 + a.v[0] % 20, 1 + a.v[1] % 25),
           WindowAxis::adaptive(1 + a.v[2] % 40, 1 + a.v[3] % 30)}};
}

void expect_inverse(const WindowAxis& axis) {
  int64_t most = 0;
  for (int64_t i = 0; i < axis.input; ++i) {
    int64_t covering = 0;
    for (int64_t o = 0; o < axis.output; ++o) {
      bool covers = false;
      for (int64_t cell = axis.begin(o); cell < axis.end(o); cell += axis.dilation) covers |= cell == i;
      const bool found = o >= axis.first_output(i) && o < axis.end_output(i) && axis.covers(o, i);
      ASSERT_EQ(found, covers) << "output " << o << ", cell " << i;
      covering += o >= axis.first_output(i) && o < axis.end_output(i);
    }
    most = std::max(most, covering);
  }
  EXPECT_LE(most, axis.overlap());
  for (int64_t o = 0; o < axis.output; ++o) {
    EXPECT_LT(axis.begin(o), axis.end(o));
    EXPECT_LE((axis.end(o) - axis.begin(o) + axis.dilation - 1) / axis.dilation, axis.most_cells());
  }
}

template <class T>
void expect_plain_bits(const Windows& windows) {
  const int64_t planes = 3, inputs = windows.inputs(), outputs = windows.outputs();
  // Few distinct values, so that ties are common; gradients of mixed magnitude, so that the order shows.
  const auto as = [](const Tensor& t) { return t.to(dtype_of<T>); };
  const Tensor tied = as(test_indices({planes * inputs}, 7, 1)), mixed = as(test_mixed_values({planes * inputs}, 2)),
               grads = as(test_mixed_values({planes * outputs}, 3));
  const Tensor maxima = empty_like(grads), averages = empty_like(grads), chosen = empty({planes * outputs}, {int64});
  const Tensor max_grads = empty_like(tied), average_grads = empty_like(tied);
  cpu::max_pool(tied, maxima, chosen, windows);
  cpu::avg_pool(mixed, averages, windows);
  cpu::max_pool_backward(grads, chosen, max_grads, windows, Algorithm::gather);
  cpu::avg_pool_backward(grads, average_grads, windows, Algorithm::gather);
  const Tensor plain_maxima = empty_like(maxima), plain_averages = empty_like(averages),
               plain_chosen = empty_like(chosen);
  const Tensor plain_max_grads = empty_like(max_grads), plain_average_grads = empty_like(average_grads);
  const T* const grad = grads.data<T>();
  for (int64_t i = 0; i < planes * outputs; ++i) {
    at_position(MaxPoolElement<T>{{windows}, tied.data<T>(), plain_maxima.data<T>(), plain_chosen.data<int64_t>()}, i);
    at_position(AveragePoolElement<OrderedSum, T>{{windows}, mixed.data<T>(), plain_averages.data<T>()}, i);
  }
  for (int64_t i = 0; i < planes * inputs; ++i) {
    at_position(
        MaxPoolGradientElement<OrderedSum, T>{{windows}, grad, chosen.data<int64_t>(), plain_max_grads.data<T>()}, i);
    at_position(AveragePoolGradientElement<OrderedSum, T>{{windows}, grad, plain_average_grads.data<T>()}, i);
  }
  ASSERT_EQ(bytes_of(maxima), bytes_of(plain_maxima));
  ASSERT_EQ(bytes_of(chosen), bytes_of(plain_chosen));
  ASSERT_EQ(bytes_of(averages), bytes_of(plain_averages));
  ASSERT_EQ(bytes_of(max_grads), bytes_of(plain_max_grads));
  ASSERT_EQ(bytes_of(average_grads), bytes_of(plain_average_grads));
}

std::string describe(const Windows& w) {
  std::string text;
  for (const WindowAxis& a : {w.d, w.h, w.w}) {
    for (int64_t v : {a.input, a.output, a.kernel, a.stride, a.padding, a.dilation})
      text.append(std::to_string(v)).append(1, ' ');
  }
  return text;
}

TEST(PoolWindows, sliding) {
  int tried = 0;
  for (uint64_t n = 0; n < 150; ++n) {
    Windows windows{};
    try {
      windows = random_windows(n);
    } catch (const ValueError&) {
      continue;  // a window of padding only
    }
    ++tried;
    SCOPED_TRACE(describe(windows));
    expect_inverse(windows.d);
    expect_inverse(windows.h);
    expect_inverse(windows.w);
    expect_plain_bits<float>(windows);
    if (n % 5 == 0) expect_plain_bits<double>(windows);
    if (n % 5 == 1) expect_plain_bits<Half>(windows);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tried, 100);
}

TEST(PoolWindows, adaptive) {
  for (uint64_t n = 0; n < 60; ++n) {
    const Windows windows = random_adaptive_windows(n);
    SCOPED_TRACE(std::to_string(windows.d.input) + " to " + std::to_string(windows.d.output) + " by " +
                 std::to_string(windows.h.input) + "x" + std::to_string(windows.w.input) + " to " +
                 std::to_string(windows.h.output) + "x" + std::to_string(windows.w.output));
    expect_inverse(windows.d);
    expect_inverse(windows.h);
    expect_inverse(windows.w);
    expect_plain_bits<float>(windows);
    if (n % 5 == 0) expect_plain_bits<BFloat16>(windows);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace ordo::test::pool_windows_test
