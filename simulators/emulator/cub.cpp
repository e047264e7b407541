#include <ordo/simulators/emulator/cub.h>

#include <ordo/engine/calls/error.h>
#include <ordo/simulators/emulator/threads.h>

namespace ordo::cuda::emulator {

bool cub_size_query(void* temp, size_t& bytes, size_t need) {
  if (!temp) {
    bytes = need;
    return true;
  }
  if (bytes < need) throw CudaError("[emulator] CUB: temporary storage too small");
  return false;
}

cudaError_t queue_collective(void* temp, size_t bytes, cudaStream_t stream, std::function<void()> work) {
  if (!is_of_current_device(stream)) return result(cudaErrorInvalidResourceHandle);
  const uint64_t garbage = call_seed();
  queue_task(stream, [=] {
    fill_garbage(temp, bytes, garbage);
    work();
  });
  return cudaSuccess;
}

uint64_t float_collective_seed() {
  ++counters().float_collectives;
  return call_seed();
}

void cub_expect_disjoint(const void* in, size_t in_bytes, const void* out, size_t out_bytes) {
  const char *a = static_cast<const char*>(in), *b = static_cast<const char*>(out);
  if (a < b + out_bytes && b < a + in_bytes) throw CudaError("[emulator] CUB: output overlaps input");
}

}  // namespace ordo::cuda::emulator
