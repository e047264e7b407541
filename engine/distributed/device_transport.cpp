#include <ordo/engine/distributed/device_transport.h>

namespace ordo::distributed {

#if !ORDO_HAS_CUDA  // else NCCL's (nccl_cuda.cpp)
bool offers_device(const GroupState&, Device) { return false; }
void connect_devices(GroupState&, Device) {}
std::string device_transport_name() { return "this build has no CUDA tensors"; }
#endif

}  // namespace ordo::distributed
