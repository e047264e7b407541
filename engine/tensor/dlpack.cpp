#include <ordo/engine/tensor/dlpack.h>

#include <dlpack/dlpack.h>

#include <memory>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/device_check.h>
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
  const Device named(Device::Type::cuda, device.device_id);
  detail::check_device(op, named);
  return named;
}

/// The elements from the first to the last of a tensor of these sizes and strides; 0 when it has none.
int64_t extent_of(const char* op, const Dims& sizes, const Dims& strides) {
  if (sizes.product(op) == 0) return 0;
  int64_t last = 0;
  for (int i = 0; i < sizes.size(); ++i) {
    int64_t reach;
    ORDO_CHECK(!__builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) && !__builtin_add_overflow(last, reach, &last),
               ShapeError, op, "sizes {} and strides {} reach further than memory can", sizes, strides);
  }
  return last + 1;
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
  Dims sizes, strides;
  for (int i = 0; i < view.ndim; ++i) {
    ORDO_CHECK(view.shape[i] >= 0, ShapeError, op, "size {} of dimension {} is negative", view.shape[i], i);
    sizes.push_back(view.shape[i]);
  }
  if (view.strides)
    for (int i = 0; i < view.ndim; ++i) {
      ORDO_CHECK(view.strides[i] >= 0, ShapeError, op, "stride {} of dimension {} is negative; copy the array first",
                 view.strides[i], i);
      strides.push_back(view.strides[i]);
    }
  else
    strides = contiguous_strides(sizes);
  const int64_t extent = extent_of(op, sizes, strides);
  int64_t bytes;
  ORDO_CHECK(!__builtin_mul_overflow(extent, int64_t(size_of(dtype)), &bytes), ShapeError, op,
             "sizes {} and strides {} reach further than memory can", sizes, strides);
  auto* const data = static_cast<char*>(view.data) + view.byte_offset;
  ORDO_CHECK(extent == 0 || view.data, ValueError, op, "the structure has elements, but no memory");
  ORDO_CHECK(extent == 0 || reinterpret_cast<uintptr_t>(data) % size_of(dtype) == 0, ShapeError, op,
             "the memory is not aligned to elements of {} bytes", size_of(dtype));
  const auto owner = std::make_shared<Theirs>();
  Tensor result = detail::make_tensor(
      std::make_shared<Storage>(owner, extent == 0 ? nullptr : data, size_t(bytes), device), dtype, sizes, strides, 0);
  owner->managed = managed;  // nothing throws any more
  return result;
}

}  // namespace ordo
