// The part of NCCL's interface that Ordo calls. NCCL is opened when processes first exchange CUDA tensors, and its
// header is not needed to build Ordo: these declarations are those of NVIDIA's "NCCL API" documentation, version 2.
// Internal.
#pragma once

#include <ordo/engine/cuda/cuda.h>

namespace ordo::distributed::nccl {

using Comm = struct ncclComm*;

/// By value, in this size, it is an argument.
struct UniqueId {
  char internal[128];
};

/// Of ncclCommInitRankConfig, as NCCL 2.14 has it: later versions read as much as `size` says.
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 21400;
  int blocking = 0;
};

enum Result : int {
  success = 0,
  unhandled_cuda_error = 1,
  system_error = 2,
  internal_error = 3,
  invalid_argument = 4,
  invalid_usage = 5,
  remote_error = 6,
  in_progress = 7,
};
enum DataType : int {
  type_int8 = 0,
  type_uint8 = 1,
  type_int32 = 2,
  type_int64 = 4,
  type_float32 = 7,
  type_float64 = 8
};
enum RedOp : int { op_sum = 0, op_product = 1, op_max = 2, op_min = 3 };

// name, arguments
#define ORDO_NCCL_FUNCTIONS(F)                                                                         \
  F(ncclGetVersion, (int* version))                                                                    \
  F(ncclGetUniqueId, (UniqueId * id))                                                                  \
  F(ncclCommInitRank, (Comm * comm, int ranks, UniqueId id, int rank))                                 \
  F(ncclCommDestroy, (Comm comm))                                                                      \
  F(ncclCommAbort, (Comm comm))                                                                        \
  F(ncclCommGetAsyncError, (Comm comm, Result * error))                                                \
  F(ncclGroupStart, ())                                                                                \
  F(ncclGroupEnd, ())                                                                                  \
  F(ncclSend, (const void* from, size_t count, DataType, int peer, Comm, cudaStream_t))                \
  F(ncclRecv, (void* to, size_t count, DataType, int peer, Comm, cudaStream_t))                        \
  F(ncclAllGather, (const void* from, void* to, size_t count, DataType, Comm, cudaStream_t))           \
  F(ncclBroadcast, (const void* from, void* to, size_t count, DataType, int root, Comm, cudaStream_t)) \
  F(ncclAllReduce, (const void* from, void* to, size_t count, DataType, RedOp, Comm, cudaStream_t))    \
  F(ncclReduceScatter, (const void* from, void* to, size_t count, DataType, RedOp, Comm, cudaStream_t))

/// The functions of a library that has been opened, by NCCL's names.
struct Functions {
#define ORDO_NCCL_MEMBER(name, arguments) Result(*name) arguments = nullptr;
  ORDO_NCCL_FUNCTIONS(ORDO_NCCL_MEMBER)
#undef ORDO_NCCL_MEMBER
  // Since 2.14: calls return at once, and ncclCommGetAsyncError says when they are done. Null before.
  Result (*ncclCommInitRankConfig)(Comm*, int ranks, UniqueId id, int rank, Config*) = nullptr;
  Result (*ncclCommFinalize)(Comm) = nullptr;
  const char* (*ncclGetErrorString)(Result) = nullptr;
  const char* (*ncclGetLastError)(Comm) = nullptr;  // since 2.13; null before
};

}  // namespace ordo::distributed::nccl
