#include <ordo/kernels/sparse/sparse.h>

#include <optional>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/reduce/each_cpu.h>

namespace ordo::kernels {

ORDO_REGISTER_OPS({"coalesce", "to_dense"}, {.family = "sparse",
                                             .dtypes = kNumericTypes,
                                             .note = "adds as index_add",
                                             .no_rows = "items of any place add up"});
ORDO_REGISTER_OP({.name = "to_sparse", .family = "sparse", .dtypes = kNumericTypes, .note = "waits for the device"});
ORDO_REGISTER_OP({.name = "sparse_mm",
                  .family = "sparse",
                  .dtypes = kFloatingTypes,
                  .note = "gradient of the dense matrix: as embedding_bag's"});
ORDO_REGISTER_OP(
    {.name = "sparse_sum", .family = "sparse", .dtypes = kNumericTypes, .no_rows = "items of any place add up"});

namespace cpu {
void places_of(const PlaceOfCoordinates& f, Device) { each(f.items, f); }
void check_rows(const CheckRow& f, Device) { each(f.rows, f); }
}  // namespace cpu

namespace {

void find_places(const char* op, const Tensor& indices, const Dims& sizes, int64_t* places) {
  const int64_t items = indices.size(1);
  if (items == 0) return;
  PlaceOfCoordinates f{index_view(indices), items, places, sizes.size(), {}, {}};
  std::optional<IndexGuard> guards[kMaxDims];  // each names its dimension
  for (int d = 0; d < f.rank; ++d) {
    f.sizes[d] = sizes[d];
    f.checks[d] = guards[d].emplace(op, "indices", d, sizes[d], indices.device()).check();
  }
  ORDO_ON_DEVICE(indices.device(), places_of, f, indices.device());
  for (int d = 0; d < f.rank; ++d) guards[d]->finish();
}

}  // namespace

void check_coordinates(const char* op, const Tensor& indices, const Dims& sizes) {
  find_places(op, indices, sizes, nullptr);
}

Tensor places_of(const char* op, const Tensor& indices, const Dims& sizes) {
  const Tensor out = ordo::detail::result({indices.size(1)}, int64, indices.device());
  find_places(op, indices, sizes, out.data<int64_t>());
  return out;
}

void check_rows(const char* op, const Tensor& crow, const Tensor& col, int64_t columns) {
  const int64_t rows = crow.numel() - 1, items = col.numel();
  const Device device = crow.device();
  const IndexGuard crow_guard(op, "crow_indices (from 0 to the number of values, not descending)", 0, items + 1,
                              device);
  const IndexGuard col_guard(op, "col_indices (ascending in each row)", 1, columns, device);
  const CheckRow f{index_view(crow, items + 1, crow_guard), index_view(col, columns, col_guard), rows, items};
  ORDO_ON_DEVICE(device, check_rows, f, device);
  crow_guard.finish();
  col_guard.finish();
}

}  // namespace ordo::kernels
