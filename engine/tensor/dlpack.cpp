#include <ordo/engine/tensor/dlpack.h>

#include <dlpack/dlpack.h>

#include <memory>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/borrowed.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo {
namespace {

constexpr uint8_t kBool = 6;  // kDLBool, which headers before DLPack 0.8 do not name

struct Type {
  uint8_t code, bits;
  DType dtype;
};
constexpr Type kTypes[] = {{kBool, 8, boolean},     {kDLUInt, 8, uint8},     {kDLInt, 32, int32},
                           {kDLInt, 64, int64},     {kDLFloat, 16, float16}, {kDLBfloat, 16, bfloat16},
                           {kDLFloat, 32, float32}, {kDLFloat, 64, float64}};

/// What the structure of a tensor of ours points to.
struct Shared {
  DLManagedTensor managed;
  Tensor tensor;
  Dims sizes, strides;
};

/// Keeps the structure of a tensor of theirs.
struct Theirs {
  ~Theirs() {
    if (managed && managed->deleter) managed->deleter(managed);
  }
  DLManagedTensor* managed = nullptr;
};

DType element_type(const char* op, DLDataType type) {
  for (const Type& t : kTypes)
    if (t.code == type.code && t.bits == type.bits && type.lanes == 1) return t.dtype;
  detail::fail<DTypeError>(op, "Ordo has no element type of DLPack's code {}, {} bits and {} lanes", type.code,
                           type.bits, type.lanes);
}

Device device_of(const char* op, DLDevice device) {
  if (device.device_type == kDLCPU || device.device_type == kDLCUDAHost) return cpu;
  const bool gpu = device.device_type == kDLCUDA || device.device_type == kDLCUDAManaged;
  ORDO_CHECK(gpu && cuda::build() == "cuda", DeviceError, op, "this build has no device of DLPack's type {}",
             int(device.device_type));
  return Device(Device::Type::cuda, device.device_id);
}

}  // namespace

DLManagedTensor* to_dlpack(const Tensor& tensor) {
  const char* op = "to_dlpack";
  detail::expect_defined(op, tensor, "tensor");
  ORDO_CHECK(!tensor.requires_grad(), AutogradError, op, "the tensor requires a gradient; pass tensor.detach()");
  if (tensor.device().is_cuda()) {
    ORDO_CHECK(cuda::build() == "cuda", DeviceError, op, "the emulated {} has no memory that others know",
               tensor.device());
    cuda::synchronize(tensor.device());
  }
  auto* shared = new Shared{{}, tensor, tensor.sizes(), tensor.strides()};
  DLTensor& view = shared->managed.dl_tensor;
  view.data = tensor.data();
  view.device = {tensor.device().is_cuda() ? kDLCUDA : kDLCPU, tensor.device().index()};
  view.ndim = tensor.dim();
  for (const Type& t : kTypes)
    if (t.dtype == tensor.dtype()) view.dtype = {t.code, t.bits, 1};
  view.shape = shared->sizes.begin();
  view.strides = shared->strides.begin();
  view.byte_offset = 0;
  shared->managed.manager_ctx = shared;
  shared->managed.deleter = [](DLManagedTensor* self) { delete static_cast<Shared*>(self->manager_ctx); };
  return &shared->managed;
}

Tensor from_dlpack(DLManagedTensor* managed) {
  const char* op = "from_dlpack";
  ORDO_CHECK(managed, ValueError, op, "the structure is a null pointer");
  const DLTensor& view = managed->dl_tensor;
  const DType dtype = element_type(op, view.dtype);
  const Device device = device_of(op, view.device);
  ORDO_CHECK(view.ndim >= 0 && view.ndim <= kMaxDims, ShapeError, op, "{} dimensions; tensors have up to {}", view.ndim,
             kMaxDims);
  ORDO_CHECK(view.ndim == 0 || view.shape, ValueError, op, "the structure has {} dimensions, but no shape", view.ndim);
  const Dims sizes(view.shape, view.ndim);
  const auto strides = view.strides ? std::optional(Dims(view.strides, view.ndim)) : std::nullopt;
  const auto owner = std::make_shared<Theirs>();
  char* const data = view.data ? static_cast<char*>(view.data) + view.byte_offset : nullptr;
  Tensor result = detail::borrowed(op, owner, data, dtype, device, sizes, strides);
  owner->managed = managed;  // nothing throws any more
  return result;
}

}  // namespace ordo
