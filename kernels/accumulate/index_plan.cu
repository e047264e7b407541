#include <ordo/kernels/accumulate/shared/index_plan_items.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>

namespace ordo::kernels::cuda {

std::shared_ptr<const IndexOrder> order_index(const IndexItems& items, int64_t destinations, Device device) {
  if (items.count == 0) return std::make_shared<IndexOrder>();
  const ordo::cuda::DeviceScope scope(device);
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  if (narrow_index_fits(items.count, destinations))
    return std::make_shared<PlannedRuns<int32_t>>(build_runs<int32_t>(items, destinations, device, stream));
  return std::make_shared<PlannedRuns<int64_t>>(build_runs<int64_t>(items, destinations, device, stream));
}

}  // namespace ordo::kernels::cuda
