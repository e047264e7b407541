#include <ordo/autograd/ops/functional/resampling.h>

#include <ordo/autograd/ops/functional/pooling.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/kernels/resampling/grid_sample.h>
#include <ordo/kernels/resampling/interpolate.h>
#include <ordo/kernels/resampling/pad.h>
#include <ordo/kernels/roi/roi_align.h>
#include <ordo/kernels/roi/roi_pool.h>

namespace ordo {

static Tensor interpolate_of(const OpCall& call, const Tensor& input, const kernels::ResampleArguments& a);

// Linear, so the gradient of the backward pass is the forward pass.
static Tensor interpolate_backward_call(const Tensor& grad, const kernels::ResampleArguments& a) {
  const OpCall call("interpolate_backward", grad, a);
  return record(call, kernels::interpolate_backward(grad, a), {grad},
                [a](const Tensor& g) { return interpolate_of(OpCall("interpolate", g, a), g, a); });
}

static Tensor interpolate_of(const OpCall& call, const Tensor& input, const kernels::ResampleArguments& a) {
  return record(call, kernels::interpolate(input, a), {input},
                [a](const Tensor& grad) { return interpolate_backward_call(grad, a); });
}

static Tensor area(const Tensor& input, const kernels::ResampleArguments& a) {
  const Size3& n = a.output;
  if (a.rank == 1) return adaptive_avg_pool1d(input, n[2]);
  if (a.rank == 2) return adaptive_avg_pool2d(input, {n[1], n[2]});
  return adaptive_avg_pool3d(input, n);
}

Tensor interpolate(const Tensor& input, const InterpolateOptions& o) {
  const OpCall call("interpolate", input, o.size, o.scale_factor, o.mode, o.align_corners, o.recompute_scale_factor);
  const kernels::ResampleArguments a =
      kernels::resample_arguments(input, o.size, o.scale_factor, o.mode, o.align_corners, o.recompute_scale_factor);
  if (o.mode == InterpolateMode::area) return call.done(area(input, a));
  return interpolate_of(call, input, a);
}

ORDO_REGISTER_OP({.name = "affine_grid", .family = "resampling", .dtypes = kFloatingTypes});

namespace {

Tensor grid_sample_call(const Tensor& input, const Tensor& grid, const kernels::GridRules& rules);

/// Where places stand along an axis: kernels/resampling/grid_sample.h in operations, for linear.
struct GridAxisPlaces {
  Tensor below;      // the cell below, a whole number
  Tensor weight[2];  // of that cell and of the next one
  Tensor slope;      // how fast a place moves with its coordinate
};

GridAxisPlaces places_along(const Tensor& coordinate, int64_t size, const kernels::GridRules& rules) {
  const bool corners = rules.align_corners;
  const double n = double(size), low = corners ? 0 : -0.5, span = corners ? n - 1 : n;
  GridAxisPlaces p;
  Tensor beyond;
  {
    const NoGrad guard;
    const Tensor& x = coordinate;
    Tensor at = corners ? (x + 1) / 2 * (n - 1) : ((x + 1) * n - 1) / 2;
    p.slope = full_like(x, corners ? (n - 1) / 2 : n / 2);
    if (rules.padding == GridPadding::reflection && span > 0) {
      const Tensor away = abs(at - low), extra = away.fmod(span), odd = ne(floor(away / span).remainder(2), 0);
      p.slope = where(ne(at < low, odd), -p.slope, p.slope);
      at = where(odd, span - extra, extra) + low;
    }
    if (rules.padding != GridPadding::zeros) {
      const Tensor inside = logical_and(at > 0, at < n - 1);
      p.slope = where(inside, p.slope, 0);
      at = where(inside, at, where(at >= n - 1, full_like(at, n - 1), 0));
    }
    at = where(logical_and(at >= -2147483648.0, at <= 2147483520.0), at, -100);
    p.below = floor(at);
    beyond = at - p.below;
  }
  // 0, with the slope as its derivative.
  const Tensor moved = where(isfinite(coordinate), coordinate - coordinate.detach(), 0) * p.slope;
  p.weight[0] = 1 - beyond - moved;
  p.weight[1] = beyond + moved;
  return p;
}

/// The gradient of the grid by linear interpolation, of operations on the corners, which can be differentiated again.
Tensor composed_grid_gradient(const Tensor& grad, const Tensor& input, const Tensor& grid,
                              const kernels::GridRules& rules) {
  const int rank = input.dim() - 2;
  const Dims rows{input.size(0), 1, grid.numel() / (input.size(0) * rank)};  // of places
  const Tensor planes = input.flatten(2), from = grad.flatten(2);
  std::vector<GridAxisPlaces> axes;
  for (int k = 0; k < rank; ++k)
    axes.push_back(places_along(grid.select(-1, k).reshape(rows), input.size(rank + 1 - k), rules));
  TensorList sums(static_cast<size_t>(rank));
  for (int corner = 0; corner < 1 << rank; ++corner) {
    Tensor cell, there;
    for (int k = rank - 1; k >= 0; --k) {
      const int64_t size = input.size(rank + 1 - k);
      const Tensor at = (axes[size_t(k)].below + (corner >> k & 1)).to(int64), in = logical_and(at >= 0, at < size);
      cell = cell.defined() ? cell * size + at : at;
      there = there.defined() ? logical_and(there, in) : in;
    }
    const Tensor values = gather(planes, 2, where(there, cell, 0).expand(from.sizes()));
    const Tensor product = where(there, sum(values * from, {1}, true), 0);
    for (int k = 0; k < rank; ++k) {
      Tensor part = corner >> k & 1 ? product : -product;
      for (int other = 0; other < rank; ++other)
        if (other != k) part = part * axes[size_t(other)].weight[corner >> other & 1];
      Tensor& all = sums[size_t(k)];
      all = all.defined() ? all + part : part;
    }
  }
  for (int k = 0; k < rank; ++k) sums[size_t(k)] = sums[size_t(k)] * axes[size_t(k)].slope;
  return stack(sums, -1).reshape(grid.sizes());
}

Tensor grid_gradient(const Tensor& grad, const Tensor& input, const Tensor& grid, const kernels::GridRules& rules) {
  const OpCall call("grid_sample_backward", grad, input, grid, rules);
  if (rules.kind == kernels::Resample::linear && recorded(grad, input, grid) && grid.numel() > 0) {
    if (grid.dtype() == float32 || grid.dtype() == float64)
      return call.done(composed_grid_gradient(grad, input, grid, rules));
    const Tensor wide = composed_grid_gradient(grad.to(float32), input.to(float32), grid.to(float32), rules);
    return call.done(wide.to(grid.dtype()));
  }
  return record(call, kernels::grid_sample_backward_grid(grad, input, grid, rules), {grad, input, grid},
                [cubic = rules.kind == kernels::Resample::cubic](const Tensor&) -> TensorList {
                  if (cubic)
                    detail::fail<AutogradError>("grid_sample",
                                                "bicubic's gradient of a grid cannot be differentiated again");
                  return TensorList(3);  // nearest's is 0
                });
}

// Linear in `grad`; how it depends on the grid is how the forward pass does.
Tensor input_gradient(const Tensor& grad, const Tensor& grid, const Dims& sizes, const kernels::GridRules& rules) {
  const OpCall call("grid_sample_backward", grad, grid, sizes, rules);
  return record(call, kernels::grid_sample_backward_input(grad, grid, sizes, rules), {grad, grid},
                [grad = Saved(grad), grid = Saved(grid), rules](const Tensor& g) -> TensorList {
                  return {needs(0) ? grid_sample_call(g, grid.get(), rules) : Tensor(),
                          needs(1) ? grid_gradient(grad.get(), g, grid.get(), rules) : Tensor()};
                });
}

Tensor sample_of(const OpCall& call, const Tensor& input, const Tensor& grid, const kernels::GridRules& rules) {
  Tensor result = kernels::grid_sample(input, grid, rules);
  return record(call, std::move(result), {input, grid},
                [input = saved_if(grid.requires_grad(), input), grid = Saved(grid), sizes = input.sizes(),
                 rules](const Tensor& grad) -> TensorList {
                  return {needs(0) ? input_gradient(grad, grid.get(), sizes, rules) : Tensor(),
                          needs(1) ? grid_gradient(grad, input.get(), grid.get(), rules) : Tensor()};
                });
}

Tensor grid_sample_call(const Tensor& input, const Tensor& grid, const kernels::GridRules& rules) {
  const OpCall call("grid_sample", input, grid, rules);
  return sample_of(call, input, grid, rules);
}

/// The coordinates of n cells along dimension `at` of [N, rank, D, H, W] or [N, rank, H, W].
Tensor coordinates(int64_t n, bool align_corners, int rank, int at, const Tensor& like) {
  std::vector<double> values = checked::vector<double>("affine_grid", n);
  for (int64_t i = 0; i < n; ++i)
    values[size_t(i)] = !align_corners ? (2 * double(i) + 1) / double(n) - 1
                        : n > 1        ? -1 + 2 * double(i) / double(n - 1)
                                       : 0;
  Dims sizes = Dims::filled(rank + 2, 1);
  sizes[at] = n;
  return from_vector<double>(values, sizes).to(like.device(), like.dtype());
}

}  // namespace

Tensor grid_sample(const Tensor& input, const Tensor& grid, const GridSampleOptions& o) {
  ORDO_AUTOCAST(raise, grid_sample, input, grid, o);
  const OpCall call("grid_sample", input, grid, o.mode, o.padding_mode, o.align_corners);
  return sample_of(call, input, grid, kernels::grid_rules(o.mode, o.padding_mode, o.align_corners));
}

Tensor affine_grid(const Tensor& theta, const Dims& size, bool align_corners) {
  const OpCall call("affine_grid", theta, size, align_corners);
  const char* const op = call.name();
  detail::expect_floating(op, theta, "theta");
  const int rank = size.size() - 2;
  ORDO_CHECK(rank == 2 || rank == 3, ShapeError, op, "takes a size [N, C, H, W] or [N, C, D, H, W], not {}", size);
  ORDO_CHECK(theta.sizes() == Dims({size[0], rank, rank + 1}), ShapeError, op,
             "takes a theta of shape {} for size {}, not {}", Dims({size[0], rank, rank + 1}), size, theta.sizes());
  for (int64_t n : size) ORDO_CHECK(n >= 1, ValueError, op, "takes sizes of at least 1, not {}", size);
  (void)size.product(op);
  Dims columns = Dims::filled(rank + 2, 1);  // [N, rank, 1, ..., 1]: a column of theta
  columns[0] = size[0];
  columns[1] = rank;
  const auto column = [&](int k) { return theta.select(2, k).reshape(columns); };
  Tensor grid;
  for (int k = 0; k < rank; ++k) {  // x stands along the innermost dimension
    const Tensor part = coordinates(size[rank + 1 - k], align_corners, rank, rank + 1 - k, theta) * column(k);
    grid = k == 0 ? part : grid + part;
  }
  return call.done((grid + column(rank)).movedim(1, -1).contiguous());  // the long dimension was the inner one
}

// Linear, so the gradient of the backward pass is the forward pass.
static Tensor pad_backward(const Tensor& grad, const Dims& input_sizes, const std::vector<int64_t>& padding,
                           PadMode mode) {
  const OpCall call("pad_backward", grad, input_sizes, padding, mode);
  return record(call, kernels::pad_backward(grad, input_sizes, padding, mode), {grad},
                [padding, mode](const Tensor& g) { return pad(g, padding, mode); });
}

Tensor pad(const Tensor& input, const std::vector<int64_t>& padding, PadMode mode, Scalar value) {
  const OpCall call("pad", input, padding, mode, value);
  return record(call, kernels::pad(input, padding, mode, value), {input},
                [padding, mode, sizes = input.sizes()](const Tensor& grad) {
                  if (mode != PadMode::constant) return pad_backward(grad, sizes, padding, mode);
                  std::vector<int64_t> back = padding;
                  for (int64_t& v : back) v = -v;
                  return pad(grad, back);
                });
}

/// [K, 5] of a list of boxes [L, 4] for every image.
static Tensor joined_boxes(const char* op, const Tensor& input, const TensorList& boxes) {
  detail::expect_floating(op, input, "input");
  // Numbers of images stand beside the coordinates, in their dtype.
  const size_t most = input.dtype() == bfloat16 ? 1 << 8 : input.dtype() == float16 ? 1 << 11 : 1 << 24;
  ORDO_CHECK(boxes.size() <= most, ValueError, op, "takes at most {} lists of boxes in {}, not {}", most, input.dtype(),
             boxes.size());
  const NoGrad guard;
  TensorList rows;
  for (const Tensor& list : boxes) {
    detail::expect_defined(op, list, "boxes");
    detail::expect_same_device(op, input, list);
    ORDO_CHECK(list.dtype() == input.dtype(), DTypeError, op, "boxes must be {} as input, not {}", input.dtype(),
               list.dtype());
    ORDO_CHECK(list.dim() == 2 && list.size(1) == 4, ShapeError, op, "takes lists of boxes [L, 4], not of shape {}",
               list.sizes());
    rows.push_back(cat({full({list.size(0), 1}, int64_t(rows.size()), list.options()), list.detach()}, 1));
  }
  return rows.empty() ? zeros({0, 5}, input.options()) : cat(rows);
}

static Tensor align_of(const OpCall& call, const Tensor& input, const Tensor& boxes,
                       const kernels::RoiAlignArguments& a);

static Tensor input_gradient(const Tensor& grad, const Tensor& boxes, const Dims& sizes,
                             const kernels::RoiAlignArguments& a) {
  const OpCall call("roi_align_backward", grad, boxes, sizes, a);
  // Linear, so its gradient is the forward pass.
  return record(call, kernels::roi_align_backward(grad, boxes, sizes, a), {grad},
                [boxes = Saved(boxes), a](const Tensor& g) {
                  return align_of(OpCall("roi_align", g, boxes.get(), a), g, boxes.get(), a);
                });
}

static Tensor align_of(const OpCall& call, const Tensor& input, const Tensor& boxes,
                       const kernels::RoiAlignArguments& a) {
  return record(call, kernels::roi_align(input, boxes, a), {input},
                [boxes = Saved(boxes), sizes = input.sizes(), a](const Tensor& grad) {
                  return input_gradient(grad, boxes.get(), sizes, a);
                });
}

Tensor roi_align(const Tensor& input, const Tensor& boxes, Size2 output_size, double spatial_scale,
                 int64_t sampling_ratio, bool aligned) {
  const OpCall call("roi_align", input, boxes, output_size, spatial_scale, sampling_ratio, aligned);
  return align_of(call, input, boxes, {output_size, {spatial_scale, sampling_ratio, aligned}});
}

Tensor roi_align(const Tensor& input, const TensorList& boxes, Size2 output_size, double spatial_scale,
                 int64_t sampling_ratio, bool aligned) {
  const OpCall call("roi_align", input, boxes, output_size, spatial_scale, sampling_ratio, aligned);
  return align_of(call, input, joined_boxes(call.name(), input, boxes),
                  {output_size, {spatial_scale, sampling_ratio, aligned}});
}

static Tensor input_gradient(const Tensor& grad, const Tensor& places, const Dims& sizes) {
  const OpCall call("roi_pool_backward", grad, places, sizes);
  return record(call, kernels::roi_pool_backward(grad, places, sizes), {grad},
                [places = Saved(places)](const Tensor& g) {
                  const Tensor& at = places.get();  // -1: of a bin without cells
                  if (g.numel() == 0) return zeros(at.sizes(), g.options());
                  return where(at >= 0, take(g, clamp(at, 0)), 0);
                });
}

static Tensor pool(const OpCall& call, const Tensor& input, const Tensor& boxes, Size2 output_size,
                   double spatial_scale) {
  kernels::RoiPoolResult r = kernels::roi_pool(input, boxes, output_size, spatial_scale);
  return record(call, std::move(r.values), {input},
                [places = Saved(r.places), sizes = input.sizes()](const Tensor& grad) {
                  return input_gradient(grad, places.get(), sizes);
                });
}

Tensor roi_pool(const Tensor& input, const Tensor& boxes, Size2 output_size, double spatial_scale) {
  const OpCall call("roi_pool", input, boxes, output_size, spatial_scale);
  return pool(call, input, boxes, output_size, spatial_scale);
}

Tensor roi_pool(const Tensor& input, const TensorList& boxes, Size2 output_size, double spatial_scale) {
  const OpCall call("roi_pool", input, boxes, output_size, spatial_scale);
  return pool(call, input, joined_boxes(call.name(), input, boxes), output_size, spatial_scale);
}

}  // namespace ordo
