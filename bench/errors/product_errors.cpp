// Errors of sums of products for several lengths of rule 3's blocks (docs/ordering.md), as a Markdown table: root mean
// square over some sums, in units of 2^-24 of the products' absolute sum. --quick: short sums only.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include <ordo/kernels/ordering/ordered_sum.h>

namespace {

namespace kernels = ordo::kernels;

constexpr int64_t kWhole = int64_t(1) << 40;  // no blocks

float rule3(const std::vector<float>& a, const std::vector<float>& b, int64_t block) {
  const int64_t count = int64_t(a.size());
  kernels::OrderedSum<float> blocks;
  for (int64_t k0 = 0; k0 < count; k0 += block) {
    float sum = kernels::kNoValue<float>;
    for (int64_t k = k0; k < std::min(count, k0 + block); ++k) sum = std::fma(a[size_t(k)], b[size_t(k)], sum);
    blocks.push(sum);
  }
  return blocks.result();
}

double error(int64_t count, int64_t block, int repeats) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<float> uniform(0, 1);
  double squares = 0;
  for (int r = 0; r < repeats; ++r) {
    std::vector<float> a, b;
    long double sum = 0;  // of products that are positive, so of their magnitudes as well
    for (int64_t k = 0; k < count; ++k) {
      a.push_back(uniform(generator));
      b.push_back(uniform(generator));
      sum += static_cast<long double>(a.back()) * b.back();
    }
    const double off = double((rule3(a, b, block) - sum) / sum * 0x1p24);
    squares += off * off;
  }
  return std::sqrt(squares / repeats);
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  std::printf("| values of k | blocks of 64 | 128 | 256 | 512 | 1024 | no blocks |\n|---|---|---|---|---|---|---|\n");
  double worst = 0;
  for (int64_t count : {256, 1024, 4096, 65536, 1048576}) {
    if (quick && count > 4096) break;
    std::printf("| %lld ", static_cast<long long>(count));
    for (int64_t block : {int64_t(64), int64_t(128), int64_t(256), int64_t(512), int64_t(1024), kWhole}) {
      const double off = error(count, block, count > 100'000 ? 8 : 40);
      if (block == 256) worst = std::max(worst, off);
      std::printf("| %.1f ", off);
    }
    std::printf("|\n");
  }
  return worst < 8 ? 0 : 1;  // far above what the table shows, far below sums without blocks
}
