#include <ordo/kernels/reduce/reduce.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/reduce/reduce_shape.h>

namespace ordo::kernels {

unsigned reduced_mask(const char* op, int rank, const Dims& dims) {
  if (dims.empty()) return (1u << rank) - 1;
  unsigned mask = 0;
  for (int64_t d : dims) {
    const int at = wrap_dim(op, d, rank);
    if (rank == 0) continue;
    ORDO_CHECK(!(mask >> at & 1u), ValueError, op, "dimension {} appears twice in dims {}", d, dims);
    mask |= 1u << at;
  }
  return mask;
}

Dims sizes_after(const Dims& sizes, unsigned mask, bool keepdim) {
  Dims out;
  for (int d = 0; d < sizes.size(); ++d) {
    if (!(mask >> d & 1u))
      out.push_back(sizes[d]);
    else if (keepdim)
      out.push_back(1);
  }
  return out;
}

ReduceShape reduce_shape(const Dims& sizes, const Dims& strides, unsigned mask) {
  ReduceShape g;
  const auto append = [](int& n, Divisor* loop_sizes, int64_t* loop_strides, int64_t size, int64_t stride) {
    if (size == 1) return;
    if (n > 0 && loop_strides[n - 1] == size * stride) {
      loop_sizes[n - 1] = Divisor(loop_sizes[n - 1].value * size);
      loop_strides[n - 1] = stride;
      return;
    }
    loop_sizes[n] = Divisor(size);
    loop_strides[n++] = stride;
  };
  for (int d = 0; d < sizes.size(); ++d) {
    if (mask >> d & 1u) {
      g.length *= sizes[d];
      append(g.reduced, g.reduced_sizes, g.reduced_strides, sizes[d], strides[d]);
    } else {
      g.outputs *= sizes[d];
      append(g.kept, g.kept_sizes, g.kept_strides, sizes[d], strides[d]);
    }
  }
  return g;
}

namespace {

ORDO_REGISTER_OPS({"sum", "nansum", "prod", "max", "min", "amax", "amin"}, {.family = "reduce", .dtypes = kAllTypes});
ORDO_REGISTER_OPS({"mean", "nanmean", "norm", "square_sum", "var", "std", "var_mean", "std_mean", "logsumexp"},
                  {.family = "reduce", .dtypes = kFloatingTypes});
ORDO_REGISTER_OPS({"count_nonzero", "any", "all", "argmax", "argmin"},
                  {.family = "reduce", .dtypes = kAllTypes, .differentiable = false});

/// The dtype of results: the input's, int64 for integers and bools, or bool. `floating` takes only such inputs, and
/// `extreme` only some values.
enum class Results { extreme, floating, wide, boolean };

void expect_values(const char* op, const ReduceShape& g, const Tensor& t) {
  ORDO_CHECK(g.length > 0 || g.outputs == 0, ValueError, op, "has no result over no values: the input's shape is {}",
             t.sizes());
}

/// Checks the arguments and calls loops(out, shape).
template <class Loops>
Tensor reduced(const char* op, Results results, const Tensor& t, const Dims& dims, bool keepdim, const Loops& loops) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, t, "input");
  if (results == Results::floating) ordo::detail::expect_floating(op, t);
  const unsigned mask = reduced_mask(op, t.dim(), dims);
  const bool wide = results == Results::wide && !is_floating(t.dtype());
  const DType dtype = results == Results::boolean ? boolean : wide ? int64 : t.dtype();
  const ReduceShape g = reduce_shape(t, mask);
  if (results == Results::extreme) expect_values(op, g, t);
  Tensor out = ordo::detail::result(sizes_after(t.sizes(), mask, keepdim), dtype, t.device());
  loops(out, g);
  return out;
}
#define ORDO_REDUCE(f, p) [&](const Tensor& out, const ReduceShape& g) { ORDO_ON_DEVICE(t.device(), f, t, out, g, p); }

/// The values, if wanted, and the indices.
std::pair<Tensor, Tensor> extremes(const char* op, bool max, bool with_values, const Tensor& t, const Dims& dims,
                                   bool keepdim) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, t, "input");
  const unsigned mask = reduced_mask(op, t.dim(), dims);
  const ReduceShape g = reduce_shape(t, mask);
  expect_values(op, g, t);
  const Dims sizes = sizes_after(t.sizes(), mask, keepdim);
  std::pair<Tensor, Tensor> out;
  if (with_values) out.first = ordo::detail::result(sizes, t.dtype(), t.device());
  out.second = ordo::detail::result(sizes, int64, t.device());
  ORDO_ON_DEVICE(t.device(), arg_extremum, max, t, out.first, out.second, g);
  return out;
}

}  // namespace

#define ORDO_REDUCTION(name, results)                                                \
  Tensor name(const Tensor& t, const Dims& dims, bool keepdim) {                     \
    return reduced(#name, Results::results, t, dims, keepdim, ORDO_REDUCE(name, 0)); \
  }
ORDO_REDUCTION(sum, wide)
ORDO_REDUCTION(mean, floating)
ORDO_REDUCTION(prod, wide)
ORDO_REDUCTION(any, boolean)
ORDO_REDUCTION(all, boolean)
ORDO_REDUCTION(square_sum, floating)
ORDO_REDUCTION(logsumexp, floating)
ORDO_REDUCTION(amax, extreme)
ORDO_REDUCTION(amin, extreme)

Tensor nansum(const Tensor& t, const Dims& dims, bool keepdim) {
  return reduced("nansum", Results::wide, t, dims, keepdim, [&](const auto&... to) {
    if (!is_floating(t.dtype())) return ORDO_ON_DEVICE(t.device(), sum, t, to..., 0);
    ORDO_ON_DEVICE(t.device(), nansum, t, to..., 0);
  });
}
Tensor dot(const Tensor& a, const Tensor& b) {
  Tensor out = ordo::detail::result({}, a.dtype(), a.device());
  ORDO_ON_DEVICE(a.device(), dot, a, b, out);
  return out;
}
Tensor norm(const Tensor& t, double p, const Dims& dims, bool keepdim) {
  return reduced("norm", Results::floating, t, dims, keepdim, [&](const Tensor& out, const ReduceShape& g) {
    ORDO_CHECK(p == p, ValueError, "norm", "p must be a number, but is NaN");
    ORDO_CHECK(p >= 0 || g.length > 0 || g.outputs == 0, ValueError, "norm",
               "has no result over no values for p = {}: the input's shape is {}", p, t.sizes());
    ORDO_ON_DEVICE(t.device(), norm, t, out, g, p);
  });
}
Tensor var(const Tensor& t, const Dims& dims, double correction, bool keepdim) {
  return reduced("var", Results::floating, t, dims, keepdim, ORDO_REDUCE(var, correction));
}
Tensor std(const Tensor& t, const Dims& dims, double correction, bool keepdim) {
  return reduced("std", Results::floating, t, dims, keepdim, ORDO_REDUCE(deviation, correction));
}

std::pair<Tensor, Tensor> max(const Tensor& t, int64_t dim, bool keepdim) {
  return extremes("max", true, true, t, {dim}, keepdim);
}
std::pair<Tensor, Tensor> min(const Tensor& t, int64_t dim, bool keepdim) {
  return extremes("min", false, true, t, {dim}, keepdim);
}
Tensor argmax(const Tensor& t, std::optional<int64_t> dim, bool keepdim) {
  return extremes("argmax", true, false, t, dim ? Dims{*dim} : Dims{}, keepdim).second;
}
Tensor argmin(const Tensor& t, std::optional<int64_t> dim, bool keepdim) {
  return extremes("argmin", false, false, t, dim ? Dims{*dim} : Dims{}, keepdim).second;
}

std::optional<std::pair<double, double>> known_range(const Tensor& t) {
  if (!t.is_cpu() || t.numel() == 0) return {};
  return std::pair(amin(t).item<double>(), amax(t).item<double>());
}

}  // namespace ordo::kernels
