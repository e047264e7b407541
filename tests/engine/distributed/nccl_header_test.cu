// Ordo's declarations of NCCL beside those of NVIDIA's header, where that is installed.
#include <ordo/engine/distributed/nccl.h>

#if !ORDO_EMULATED && __has_include(<nccl.h>)
#include <nccl.h>

#include <type_traits>

namespace {

namespace ours = ordo::distributed::nccl;

static_assert(sizeof(ncclUniqueId) == sizeof(ours::UniqueId) && alignof(ncclUniqueId) == alignof(ours::UniqueId));
static_assert(ncclSuccess == int(ours::success) && ncclUnhandledCudaError == int(ours::unhandled_cuda_error) &&
              ncclSystemError == int(ours::system_error) && ncclInternalError == int(ours::internal_error) &&
              ncclInvalidArgument == int(ours::invalid_argument) && ncclInvalidUsage == int(ours::invalid_usage) &&
              ncclRemoteError == int(ours::remote_error) && ncclInProgress == int(ours::in_progress));
static_assert(ncclInt8 == int(ours::type_int8) && ncclUint8 == int(ours::type_uint8) &&
              ncclInt32 == int(ours::type_int32) && ncclInt64 == int(ours::type_int64) &&
              ncclFloat32 == int(ours::type_float32) && ncclFloat64 == int(ours::type_float64));
static_assert(ncclSum == int(ours::op_sum) && ncclProd == int(ours::op_product) && ncclMax == int(ours::op_max) &&
              ncclMin == int(ours::op_min));

/// What decides how an argument is passed.
template <class T>
constexpr int kKind = (std::is_pointer_v<T> ? 1000
                       : std::is_class_v<T> ? 2000
                                            : 3000) +
                      int(sizeof(T));
template <class A, class B>
constexpr bool kSame = false;
template <class R, class... A, class S, class... B>
constexpr bool kSame<R (*)(A...), S (*)(B...)> = [] {
  if constexpr (sizeof...(A) == sizeof...(B))
    return kKind<R> == kKind<S> && ((kKind<A> == kKind<B>)&&...);
  else
    return false;
}();

#define ORDO_NCCL_SAME(name, arguments) static_assert(kSame<decltype(&::name), decltype(ours::Functions::name)>);
ORDO_NCCL_FUNCTIONS(ORDO_NCCL_SAME)
ORDO_NCCL_SAME(ncclGetErrorString, )

}  // namespace
#endif
