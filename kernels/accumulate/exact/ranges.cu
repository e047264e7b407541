#include <bit>

#include <ordo/kernels/accumulate/exact/exact_cuda.cuh>
#include <ordo/kernels/accumulate/shared/radix_sort_cuda.cuh>

namespace ordo::kernels::cuda {

RangeBuilder::RangeBuilder(int64_t count, Device device)
    : count_(count),
      device_(device),
      elements_(std::make_unique<Scratch<uint32_t>>(count, device)),
      values_(std::make_unique<Scratch<float>>(count, device)) {}

void RangeBuilder::sort(int64_t elements, cudaStream_t stream) {
  const int bits = std::bit_width(uint64_t(elements - 1));
  if (bits > kRangeBits) radix_sort(elements_, values_, count_, kRangeBits, bits, device_, stream);
}

/// The values of a range are added to sums of the block's own unless they are few.
__global__ void accumulate_exact_ranges_kernel(RangeEntries ranges, int64_t total, ExactSums sums, int64_t per_block) {
  ORDO_DYNAMIC_SHARED(double, memory);
  ExactAdder adder(sums);
  ORDO_NO_UNROLL
  for (int64_t block = blockIdx.x; block * per_block < total; block += gridDim.x) {
    const int64_t end = (block + 1) * per_block < total ? (block + 1) * per_block : total;
    for (int64_t first = block * per_block, last; first < end; first = last) {
      last = ranges.range_end(first, end);
      const int64_t base = ranges.range(first) * kRangeElements;
      const int64_t count = kRangeElements < sums.count - base ? kRangeElements : sums.count - base;
      const ExactBlockSums own{memory, base, count, last - first < kRangeElements / 8 ? 0 : 1};
      clear(own);
      by_whole_warps(first, last, threadIdx.x, blockDim.x, [&](int64_t t) {
        adder(t < 0 ? kNowhere : int64_t(ranges.elements[t]), t < 0 ? 0 : ranges.values[t], own);
      });
      hand_on(own, adder);
      __syncthreads();
    }
  }
}

void add_ranges(const RangeEntries& ranges, int64_t total, const ExactSums& sums, int64_t per_block,
                cudaStream_t stream) {
  launch_blocks(accumulate_exact_ranges_kernel, total, per_block, kRangeElements, stream, ranges, total, sums,
                per_block);
}

}  // namespace ordo::kernels::cuda
