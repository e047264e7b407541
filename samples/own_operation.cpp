// Adds an operation to Ordo from outside: segment_sum, with a gradient, both kinds of algorithm, and errors.
#include <ordo/extend.h>
#include <ordo/ordo.h>

#include <cstdio>

namespace mine {
using namespace ordo;

// What `ordo ops` would show. On the CPU only.
ORDO_REGISTER_OP({.name = "segment_sum",
                  .family = "mine",
                  .dtypes = kFloatingTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::sorted, Determinism::device_to_device}},
                  .cuda = false});

// Item i, row i of `values`, goes to row segments[i].
template <class T>
struct SegmentItems {
  using value_type = T;
  int64_t count, columns;
  const T* values;
  const int64_t* segments;
  int64_t destination(int64_t item) const { return segments[item]; }
  accumulate_t<T> value(int64_t item, int64_t column) const { return values[item * columns + column]; }
};

/// The sums of the rows of each segment: out[s] = sum of values[i] over all i with segments[i] == s. values [n,
/// columns] of a floating dtype, segments [n] int64 in [0, count); result [count, columns].
Tensor segment_sum(const Tensor& values, const Tensor& segments, int64_t count) {
  const OpCall call("segment_sum", values, segments, count);
  const char* op = call.name();
  extend::expect_defined(op, values, "values");
  extend::expect_defined(op, segments, "segments");
  extend::expect_floating(op, values);
  ORDO_CHECK(values.is_cpu() && segments.is_cpu(), DeviceError, op, "takes CPU tensors");
  ORDO_CHECK(values.dim() == 2 && segments.sizes() == Dims({values.size(0)}), ShapeError, op,
             "takes [n, columns] and [n], not {} and {}", values.sizes(), segments.sizes());
  ORDO_CHECK(segments.dtype() == int64, DTypeError, op, "takes int64 segments, not {}", segments.dtype());
  const Tensor rows = no_grad([&] { return values.contiguous(); }), where = segments.contiguous();
  for (int64_t i = 0; i < where.numel(); ++i)
    ORDO_CHECK(where.data<int64_t>()[i] >= 0 && where.data<int64_t>()[i] < count, IndexError, op,
               "segments[{}] = {} is out of range for {} segments", i, where.data<int64_t>()[i], count);

  const int64_t columns = values.size(1);
  const Tensor sums = zeros({count, columns}, values.options());
  const Algorithm algorithm =
      kernels::choose_accumulate(op, Algorithm::automatic, values.dtype(), {Algorithm::atomic, Algorithm::sorted});
  dispatch_floating(op, values.dtype(), [&]<class T>() {
    const SegmentItems<T> items{rows.size(0), columns, rows.data<T>(), where.data<int64_t>()};
    kernels::cpu::accumulate(items, sums.data<T>(), {count, 1, columns}, algorithm);
  });
  return record(call, sums, {values}, [segments = Saved(segments)](const Tensor& grad) -> TensorList {
    return {index_select(grad, 0, segments.get())};
  });
}

}  // namespace mine

int main() try {
  using namespace ordo;
  use_deterministic_algorithms(true);
  manual_seed(1);
  const OpListener listener([](const OpEvent& e) {
    if (e.depth == 0)
      std::printf("%-12s %-10s %zu inputs\n", std::string(e.name).c_str(), std::string(name(e.algorithm)).c_str(),
                  e.inputs.size());
  });
  const Tensor values = randn({100000, 3}, {.requires_grad = true}), segments = randint(0, 50, {100000}, {int64});
  const Tensor sums = mine::segment_sum(values, segments, 50);
  (sums * sums).sum().backward();
  std::printf("sums     %s\ngradient %s\n", sha256_hex({sums}).c_str(), sha256_hex({values.grad()}).c_str());
  mine::segment_sum(values, segments, 10);
} catch (const ordo::IndexError& error) {
  std::printf("%s\n", error.what());
}
