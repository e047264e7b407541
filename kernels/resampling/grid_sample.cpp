#include <ordo/kernels/resampling/grid_sample.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/windows/sliding.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "grid_sample",
                  .family = "resampling",
                  .dtypes = kFloatingTypes,
                  .algorithms = accumulate_levels(),
                  .note = "the algorithms are the backward pass's, of the input"});

namespace {

constexpr const char* kOp = "grid_sample";
constexpr const char* kBackward = "grid_sample_backward";

GridShape grid_shape(const char* op, const Dims& input, const Dims& grid, const GridRules& rules) {
  const int rank = input.size() - 2;
  ORDO_CHECK(rank == 2 || rank == 3, ShapeError, op, "takes an input of shape [N, C, H, W] or [N, C, D, H, W], not {}",
             input);
  ORDO_CHECK(grid.size() == rank + 2 && grid[0] == input[0] && grid.back() == rank, ShapeError, op,
             "takes a grid of {} dimensions for {} samples, whose last holds {} coordinates, not one of shape {}",
             rank + 2, input[0], rank, grid);
  ORDO_CHECK(rules.kind != Resample::cubic || rank == 2, ShapeError, op,
             "mode bicubic takes an input of 4 dimensions, not of shape {}", input);
  check_not_empty(op, input, rank);
  const Size3 cells = in_three(input, rank);
  GridShape s{rules, rank, input[0], input[1], 1, cells[0], cells[1], cells[2]};
  for (int d = 1; d <= rank; ++d) s.positions *= grid[d];
  return s;
}

void check_grid(const char* op, const Tensor& values, const char* argument, const Tensor& grid) {
  ordo::detail::expect_defined(op, values, argument);
  ordo::detail::expect_defined(op, grid, "grid");
  ordo::detail::expect_same_device(op, values, grid);
  ordo::detail::expect_floating(op, values);
  ordo::detail::expect_same_dtype(op, values, grid);
}

Dims sampled_sizes(const Dims& input, const Dims& grid) {
  Dims sizes{input[0], input[1]};
  for (int d = 1; d + 1 < grid.size(); ++d) sizes.push_back(grid[d]);
  return sizes;
}

void check_grad(const Tensor& grad, const Dims& input, const Dims& grid) {
  ORDO_CHECK(grad.sizes() == sampled_sizes(input, grid), ShapeError, kBackward,
             "the gradient has shape {}, the result had {}", grad.sizes(), sampled_sizes(input, grid));
}

}  // namespace

GridRules grid_rules(InterpolateMode mode, GridPadding padding, bool align_corners) {
  const bool linear = mode == InterpolateMode::bilinear, cubic = mode == InterpolateMode::bicubic;
  ORDO_CHECK(linear || cubic || mode == InterpolateMode::nearest, ValueError, kOp,
             "takes the modes nearest, bilinear (also in 3 dimensions) and bicubic");
  ordo::detail::expect_enumerator(kOp, padding, GridPadding::reflection,
                                  "a padding: there are zeros, border and reflection");
  return {linear ? Resample::linear : cubic ? Resample::cubic : Resample::nearest, padding, align_corners};
}

Tensor grid_sample(const Tensor& input, const Tensor& grid, const GridRules& rules) {
  const ordo::detail::OperationName name(kOp);
  check_grid(kOp, input, "input", grid);
  const GridShape shape = grid_shape(kOp, input.sizes(), grid.sizes(), rules);
  const Tensor output = ordo::detail::result(sampled_sizes(input.sizes(), grid.sizes()), input.dtype(), input.device());
  if (output.numel() > 0)
    ORDO_ON_DEVICE(input.device(), grid_sample, contiguous(input), contiguous(grid), output, shape);
  return output;
}

Tensor grid_sample_backward_input(const Tensor& grad, const Tensor& grid, const Dims& input_sizes,
                                  const GridRules& rules, Algorithm algorithm) {
  const ordo::detail::OperationName name(kBackward);
  check_grid(kBackward, grad, "grad", grid);
  const GridShape s = grid_shape(kBackward, input_sizes, grid.sizes(), rules);
  check_grad(grad, input_sizes, grid.sizes());
  algorithm = choose_accumulate(kBackward, algorithm, grad.dtype(), {Algorithm::sorted, Algorithm::atomic});
  // Rows of channels, which the engine adds.
  const Tensor output = full({s.samples, s.cells(), s.channels}, 0, grad.dtype(), grad.device());
  if (output.numel() > 0 && grad.numel() > 0) {
    const Tensor planes = views::view(contiguous(grad), {s.samples, s.channels, s.positions});
    ORDO_ON_DEVICE(grad.device(), grid_sample_backward_input, contiguous(views::transpose(planes, 1, 2)),
                   contiguous(grid), output, s, algorithm);
  }
  return views::view(contiguous(views::transpose(output, 1, 2)), input_sizes);
}

Tensor grid_sample_backward_grid(const Tensor& grad, const Tensor& input, const Tensor& grid, const GridRules& rules) {
  const ordo::detail::OperationName name(kBackward);
  check_grid(kBackward, grad, "grad", grid);
  check_grid(kBackward, input, "input", grid);
  const GridShape shape = grid_shape(kBackward, input.sizes(), grid.sizes(), rules);
  check_grad(grad, input.sizes(), grid.sizes());
  // Nearest does not change with its coordinates.
  if (rules.kind == Resample::nearest || shape.channels == 0) return full(grid.sizes(), 0, grid.dtype(), grid.device());
  const Tensor output = ordo::detail::result_like(contiguous(grid));
  if (output.numel() > 0)
    ORDO_ON_DEVICE(grad.device(), grid_sample_backward_grid, contiguous(grad), contiguous(input), contiguous(grid),
                   output, shape);
  return output;
}

}  // namespace ordo::kernels
