#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/fingerprint/mix.h>

namespace ordo::kernels::cuda {
namespace {

constexpr int kWarp = 32;
constexpr int kWordsPerLane = kFingerprintWords / kWarp;
constexpr int64_t kBlocksPerWarp = 4;

/// Word i of the stream of bytes; zeros beyond its end.
template <class Element>
__device__ uint64_t word_at(const Layout<1>& layout, const Element* data, bool whole_words, int64_t i) {
  constexpr int kElements = int(sizeof(uint64_t) / sizeof(Element));
  const int64_t first = i * kElements;
  if (whole_words && first + kElements <= layout.numel) return reinterpret_cast<const uint64_t*>(data)[i];
  uint64_t word = 0;
  for (int k = 0; k < kElements; ++k) {
    if (first + k >= layout.numel) break;
    int64_t at[1];
    offsets_at(layout, first + k, at);
    word |= uint64_t(data[at[0]]) << (k * 8 * int(sizeof(Element)));
  }
  return word;
}

/// A warp takes a block at a time. Integers are added, so the order of warps does not show. sums[0] is the low half.
template <class Element>
__global__ void fingerprint_kernel(Layout<1> layout, const Element* data, int64_t blocks, bool whole_words,
                                   unsigned long long* sums) {
  const int lane = int(threadIdx.x) % kWarp;
  uint64_t keys[2][kWordsPerLane];
  for (int k = 0; k < kWordsPerLane; ++k) {
    keys[0][k] = word_key(0, k * kWarp + lane);
    keys[1][k] = word_key(1, k * kWarp + lane);
  }
  unsigned long long low = 0, high = 0;
  ORDO_NO_UNROLL
  for (int64_t block = ordo::cuda::thread_index() / kWarp; block < blocks;
       block += ordo::cuda::thread_count() / kWarp) {
    unsigned long long a = 0, b = 0;
    for (int k = 0; k < kWordsPerLane; ++k) {
      const uint64_t word = word_at(layout, data, whole_words, block * kFingerprintWords + k * kWarp + lane);
      a += word_term(word, keys[0][k]);
      b += word_term(word, keys[1][k]);
    }
    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
      a += __shfl_xor_sync(0xffffffffu, a, offset);
      b += __shfl_xor_sync(0xffffffffu, b, offset);
    }
    low += block_low(a, b, block);
    high += block_high(a, b, block);
  }
  if (lane == 0 && (low != 0 || high != 0)) {
    atomicAdd(sums, low);
    atomicAdd(sums + 1, high);
  }
}

}  // namespace

void fingerprints(const FingerprintArgs* args, int64_t count, Fingerprint* out) {
  if (count == 0) return;
  const Device device = args[0].device;
  const ordo::cuda::DeviceScope scope(device);
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  Scratch<unsigned long long> sums(2 * count, device);
  ordo::cuda::check(cudaMemsetAsync(sums.data(), 0, size_t(2 * count) * sizeof *sums.data(), stream),
                    "cudaMemsetAsync");
  for (int64_t k = 0; k < count; ++k) {
    const int64_t blocks = args[k].blocks();
    const bool whole_words = args[k].contiguous() && reinterpret_cast<uintptr_t>(args[k].data) % 8 == 0;
    dispatch_word(args[k].element_size, [&]<class Element>() {
      ordo::cuda::launch_over(fingerprint_kernel<Element>, (blocks + kBlocksPerWarp - 1) / kBlocksPerWarp * kWarp,
                              stream, args[k].layout, static_cast<const Element*>(args[k].data), blocks, whole_words,
                              sums.data() + 2 * k);
    });
  }
  std::vector<unsigned long long> host(size_t(2 * count));
  ordo::detail::copy_bytes(host.data(), Device(), sums.data(), device, host.size() * sizeof host[0]);
  for (int64_t k = 0; k < count; ++k) out[k] = {host[size_t(2 * k + 1)], host[size_t(2 * k)]};
}

}  // namespace ordo::kernels::cuda
