#include <ordo/autograd/ops/shapes.h>

#include <ordo/autograd/ops/operation.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "movedim", .family = "views", .dtypes = kAllTypes, .note = "no data is copied"});
ORDO_REGISTER_OP({.name = "meshgrid", .family = "views", .dtypes = kAllTypes, .note = "no data is copied"});

Tensor movedim(const Tensor& t, const Dims& source, const Dims& destination) {
  const OpCall call("movedim", t, source, destination);
  detail::expect_defined("movedim", t, "input");
  ORDO_CHECK(source.size() == destination.size(), ValueError, "movedim", "moves {} to {}, which are not as many",
             source, destination);
  Dims order = Dims::filled(t.dim(), -1);  // from where each dimension comes
  unsigned moved = 0;
  for (int i = 0; i < source.size(); ++i) {
    ORDO_CHECK(t.dim() > 0, IndexError, "movedim", "a 0-d tensor has no dimension to move");
    const int from = wrap_dim("movedim", source[i], t.dim()), to = wrap_dim("movedim", destination[i], t.dim());
    ORDO_CHECK(!(moved >> from & 1u) && order[to] < 0, ValueError, "movedim",
               "moves {} to {}, where a dimension appears twice", source, destination);
    moved |= 1u << from;
    order[to] = from;
  }
  int next = 0;
  for (int64_t& from : order) {
    if (from >= 0) continue;
    while (moved >> next & 1u) ++next;
    from = next++;
  }
  return call.done(t.permute(order));
}

Tensor swapaxes(const Tensor& t, int64_t axis0, int64_t axis1) {
  const OpCall call("swapaxes", t, axis0, axis1);
  detail::expect_defined("swapaxes", t, "input");
  return call.done(t.transpose(axis0, axis1));
}

Tensor unflatten(const Tensor& t, int64_t dim, const Dims& sizes) {
  const OpCall call("unflatten", t, dim, sizes);
  detail::expect_defined("unflatten", t, "input");
  ORDO_CHECK(t.dim() > 0, IndexError, "unflatten", "a 0-d tensor has no dimension to unflatten");
  ORDO_CHECK(!sizes.empty(), ValueError, "unflatten", "needs at least one size");
  const int d = wrap_dim("unflatten", dim, t.dim());
  const Dims parts = views::infer_size("unflatten", sizes, t.sizes()[d]);
  Dims all(t.sizes().begin(), d);
  for (int64_t n : parts) all.push_back(n);
  for (int i = d + 1; i < t.dim(); ++i) all.push_back(t.sizes()[i]);
  return call.done(t.view(all));
}

Tensor broadcast_to(const Tensor& t, const Dims& sizes) {
  const OpCall call("broadcast_to", t, sizes);
  detail::expect_defined("broadcast_to", t, "input");
  return call.done(t.expand(sizes));
}

Tensor expand_as(const Tensor& t, const Tensor& other) {
  const OpCall call("expand_as", t, other);
  detail::expect_defined("expand_as", t, "input");
  detail::expect_defined("expand_as", other, "other");
  return call.done(t.expand(other.sizes()));
}

TensorList meshgrid(const TensorList& tensors, std::string_view indexing) {
  const OpCall call("meshgrid", tensors, indexing);
  ORDO_CHECK(!tensors.empty(), ValueError, "meshgrid", "needs at least one tensor");
  ORDO_CHECK(indexing == "ij" || indexing == "xy", ValueError, "meshgrid", "indexing is \"ij\" or \"xy\", not \"{}\"",
             indexing);
  const bool exchanged = indexing == "xy" && tensors.size() > 1;
  Dims sizes;
  for (const Tensor& t : tensors) {
    detail::expect_defined("meshgrid", t, "tensors");
    detail::expect_same_device("meshgrid", tensors[0], t);
    detail::expect_same_dtype("meshgrid", tensors[0], t);
    ORDO_CHECK(t.dim() <= 1, ShapeError, "meshgrid", "takes tensors of at most one dimension, not of shape {}",
               t.sizes());
    sizes.push_back(t.numel());
  }
  if (exchanged) std::swap(sizes[0], sizes[1]);
  TensorList grids;
  for (int k = 0; k < sizes.size(); ++k) {
    Dims own = Dims::filled(sizes.size(), 1);
    const int at = exchanged && k < 2 ? 1 - k : k;
    own[at] = sizes[at];
    grids.push_back(tensors[size_t(k)].view(own).expand(sizes));
  }
  return call.done(std::move(grids));
}

Tensor cartesian_prod(const TensorList& tensors) {
  const OpCall call("cartesian_prod", tensors);
  ORDO_CHECK(!tensors.empty(), ValueError, "cartesian_prod", "needs at least one tensor");
  for (const Tensor& t : tensors) {
    detail::expect_defined("cartesian_prod", t, "tensors");
    ORDO_CHECK(t.dim() == 1, ShapeError, "cartesian_prod", "takes 1-d tensors, not of shape {}", t.sizes());
  }
  if (tensors.size() == 1) return call.done(tensors[0]);
  const Tensor all = stack(meshgrid(tensors), -1);
  return call.done(all.view({all.numel() / int64_t(tensors.size()), int64_t(tensors.size())}));
}

}  // namespace ordo
