#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/random/draws.h>

namespace ordo::kernels::cuda {
namespace {

/// One thread per block of numbers.
template <class T, class Draw>
__global__ void draw_kernel(int64_t numel, T* out, uint64_t seed, uint64_t stream, uint64_t offset, Draw draw) {
  constexpr int per_block = Draw::kPerBlock;
  const int64_t blocks = (numel + per_block - 1) / per_block;
  ORDO_NO_UNROLL
  for (int64_t block = ordo::cuda::thread_index(); block < blocks; block += ordo::cuda::thread_count()) {
    const PhiloxBlock b = philox(seed, stream, offset + uint64_t(block));
    for (int lane = 0; lane < per_block; ++lane) {
      const int64_t i = block * per_block + lane;
      if (i < numel) out[i] = draw(b.v + lane * (4 / per_block), i);
    }
  }
}

template <template <class> class Draw, class T>
void draw_loop(const DrawArgs& args, const Draw<T>& draw) {
  ordo::cuda::DeviceScope scope(args.device);
  const int64_t blocks = (args.numel + Draw<T>::kPerBlock - 1) / Draw<T>::kPerBlock;
  ordo::cuda::launch_over(draw_kernel<T, Draw<T>>, blocks, ordo::cuda::current_stream(args.device), args.numel,
                          static_cast<T*>(args.out), args.state.seed, args.state.stream, args.state.offset, draw);
}

}  // namespace

void draw(const DrawArgs& args) {
  with_draw(args, [&](const auto& draw) { draw_loop(args, draw); });
}

}  // namespace ordo::kernels::cuda
