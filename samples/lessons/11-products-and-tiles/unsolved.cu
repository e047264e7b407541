// Lesson 11: products, and why a GEMM's bits depend on its tiles.
#include "exercise.h"

// A block has a tile of c, a thread an element. The block walks over k in steps of a tile: it loads a tile of a and one
// of b to shared memory, and each thread adds up the products.
template <int kTile>
__global__ void matmul_kernel(const float* a, const float* b, float* c, int n) {
  ORDO_SHARED(float, a_tile, [kTile][kTile]);
  ORDO_SHARED(float, b_tile, [kTile][kTile]);
  const int x = int(threadIdx.x) % kTile, y = int(threadIdx.x) / kTile, tiles = n / kTile;
  const int row = int(blockIdx.x) / tiles * kTile + y, column = int(blockIdx.x) % tiles * kTile + x;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    a_tile[y][x] = a[row * n + k + x];
    b_tile[y][x] = b[(k + y) * n + column];
    __syncthreads();
    float tile_sum = 0;
    for (int j = 0; j < kTile; ++j) tile_sum += a_tile[y][j] * b_tile[j][x];
    sum += tile_sum;  // in which order are the n products added? change it
    __syncthreads();
  }
  c[row * n + column] = sum;
}

void matmul(const float* a, const float* b, float* c, int n, int tile) {
  const int blocks = (n / tile) * (n / tile);
  launch(tile == 8    ? matmul_kernel<8>
         : tile == 16 ? matmul_kernel<16>
                      : matmul_kernel<32>,
         blocks, tile * tile, a, b, c, n);
}
