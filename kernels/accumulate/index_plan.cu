#include <ordo/kernels/accumulate/shared/index_plan_items.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>

namespace ordo::kernels::cuda {

std::shared_ptr<const IndexOrder> order_index(const IndexItems& items, int64_t destinations, Device device) {
  if (items.count == 0) return std::make_shared<IndexOrder>();
  const ordo::cuda::DeviceScope scope(device);
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  return with_index_type(items.count, destinations, [&]<class Index>() -> std::shared_ptr<const IndexOrder> {
    return std::make_shared<RunBuilder<Index>>(build_runs<Index>(items, destinations, device, stream));
  });
}

}  // namespace ordo::kernels::cuda
