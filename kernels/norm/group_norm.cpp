#include <ordo/kernels/norm/group_norm.h>

#include <ordo/engine/op_registry.h>
#include <ordo/engine/operation_name.h>
#include <ordo/engine/parallel.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/elementwise/arithmetic.h>
#include <ordo/kernels/reduce/reduce.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "group_norm", .family = "norm", .dtypes = kFloatingTypes});

/// With fewer groups than threads, the parts use more of them.
bool in_one_pass(const Tensor& input, int64_t groups) {
  return input.device().is_cpu() && input.size(0) * groups >= num_threads();
}

/// The shapes that the parts give their tensors.
struct Parts {
  DType wide;
  Dims sizes, rows, columns, per_row, per_channel;

  Parts(const Tensor& input, int64_t groups)
      : wide(input.dtype() == float64 ? float64 : float32),
        sizes(input.sizes()),
        per_channel(Dims::filled(input.dim(), 1)) {
    per_channel[1] = sizes[1];
    int64_t inner = 1;
    for (int d = 2; d < sizes.size(); ++d) inner *= sizes[d];
    columns = {sizes[1] / groups * inner};
    rows = {sizes[0] * groups, columns[0]};
    per_row = {rows[0], 1};
  }
  Tensor as_rows(const Tensor& t) const { return views::view(contiguous(t), rows); }
  Tensor parameter(const Tensor& t) const { return views::view(contiguous(cast(t, wide)), per_channel); }
  /// The sum over all but the channels.
  Tensor of_parameter(const Tensor& t) const {
    Dims dims;
    for (int d = 0; d < sizes.size(); ++d)
      if (d != 1) dims.push_back(d);
    return sum(t, dims, false);
  }
};

RowNormResult of_parts(const Tensor& input, int64_t groups, const Tensor& weight, const Tensor& bias, double eps) {
  const Parts parts(input, groups);
  // Weight and bias go on before the one rounding to a half type.
  const Tensor x = weight.defined() || bias.defined() ? cast(input, parts.wide) : input;
  RowNormResult r = row_norm(RowNorm::layer, parts.as_rows(x), parts.columns, {}, {}, eps);
  r.out = views::view(r.out, parts.sizes);
  if (weight.defined()) r.out = mul(r.out, parts.parameter(weight));
  if (bias.defined()) r.out = add(r.out, parts.parameter(bias));
  r.out = cast(r.out, input.dtype());
  return r;
}

RowNormGradients of_parts_backward(const Tensor& grad, const Tensor& input, int64_t groups, const Tensor& weight,
                                   const RowNormResult& saved, bool for_input, bool for_weight, bool for_bias) {
  const Parts parts(input, groups);
  const Tensor g = cast(grad, parts.wide), x = cast(input, parts.wide);
  RowNormGradients out;
  if (for_input) {
    const Tensor h = weight.defined() ? mul(g, parts.parameter(weight)) : g;
    const RowNormGradients of_rows = row_norm_backward(RowNorm::layer, parts.as_rows(h), parts.as_rows(x), {}, saved,
                                                       parts.columns, true, false, false);
    out.input = cast(views::view(of_rows.input, parts.sizes), input.dtype());
  }
  if (for_weight) {
    const Tensor mean = views::view(saved.mean, parts.per_row), invstd = views::view(saved.invstd, parts.per_row);
    const Tensor normal = mul(sub(parts.as_rows(x), mean), invstd);
    out.weight = parts.of_parameter(mul(g, views::view(normal, parts.sizes)));
  }
  if (for_bias) out.bias = parts.of_parameter(g);
  return out;
}

}  // namespace

RowNormResult group_norm(const Tensor& input, int64_t groups, const Tensor& weight, const Tensor& bias, double eps) {
  const ordo::detail::OperationName name("group_norm");
  const auto compute = in_one_pass(input, groups) ? cpu::group_norm : of_parts;
  return compute(input, groups, weight, bias, eps);
}

RowNormGradients group_norm_backward(const Tensor& grad, const Tensor& input, int64_t groups, const Tensor& weight,
                                     const RowNormResult& saved, bool for_input, bool for_weight, bool for_bias) {
  const ordo::detail::OperationName name("group_norm_backward");
  const auto compute = in_one_pass(input, groups) ? cpu::group_norm_backward : of_parts_backward;
  return compute(grad, input, groups, weight, saved, for_input, for_weight, for_bias);
}

}  // namespace ordo::kernels
