#include <ordo/kernels/accumulate/index_plan.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/accumulate/shared/index_plan_items.h>
#include <ordo/kernels/accumulate/sorted/sorted_items_cpu.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo {

namespace kernels::cpu {
std::shared_ptr<const IndexOrder> order_index(const IndexItems& items, int64_t destinations, Device) {
  return std::make_shared<accumulate_detail::SortedItems>(items, destinations);
}
}  // namespace kernels::cpu

IndexPlan::IndexPlan(const Tensor& index, int64_t size) : size_(size) {
  constexpr const char* op = "IndexPlan";
  const ordo::detail::OperationName name(op);
  detail::expect_defined(op, index, "index");
  detail::expect_index_dtype(op, index);
  ORDO_CHECK(size >= 0, ValueError, op, "size must not be negative, but is {}", size);
  index_ = kernels::clone(index.detach());
  const Device device = index.device();
  const IndexGuard guard(op, "index", 0, size, device);
  const kernels::IndexItems items{index.numel(), kernels::index_view(index_, size, guard)};
  namespace cpu = kernels::cpu;
  namespace cuda = kernels::cuda;
  order_ = ORDO_ON_DEVICE(device, order_index, items, size, device);
  guard.finish();
}

}  // namespace ordo
