// The sums that the site's page on orders computes in a browser, here: those of the operations, and to the byte what the
// page says of them (docs/site/check_site.py compares with the same file). For the emulator, on which the page runs.
#include <gtest/gtest.h>

#include <bit>
#include <fstream>

#include <ordo/engine/run/emulation.h>
#include <ordo/nn/checksum.h>
#include <ordo/ordo.h>
#include "docs/site/live/sums.h"

namespace ordo::test::page_sums_test {
namespace {

using namespace ordo::site;

template <class T>
double by_operation(SumOp op, const std::vector<double>& values) {
  const DType dtype = std::is_same_v<T, float> ? float32 : float64;
  const int64_t n = int64_t(values.size());
  const Tensor all = from_vector(values, {n}, {.dtype = dtype}).to(kGpu);
  if (op == SumOp::sum) return sum(all).item<double>();
  if (op == SumOp::matmul)
    return matmul(all.view({1, n}), ones({n, 1}, {.dtype = dtype, .device = kGpu})).item<double>();
  const Tensor items = all.narrow(0, 0, n - 1), old = all.narrow(0, n - 1, 1);
  const Tensor index = zeros({n - 1}, {.dtype = int64, .device = kGpu});
  if (op == SumOp::index_add) return index_add(old, 0, index, items).item<double>();
  const Tensor rows = items.view({n - 1, 1}).expand({n - 1, kRowColumns}).contiguous();
  const Tensor place = old.view({1, 1}).expand({1, kRowColumns}).contiguous();
  return index_add(place, 0, index, rows).select(0, 0).select(0, 0).item<double>();
}

template <class T>
void expect_the_operations_bits(SumOp op, DType dtype) {
  for (const int size : {2, 16, 50, 64}) {
    const std::vector<double> values = spread_values(size + has_old(op), dtype);
    EXPECT_EQ(std::bit_cast<uint64_t>(sum_on_gpu<T>(op, chosen_algorithm(op, size, dtype), values)),
              std::bit_cast<uint64_t>(by_operation<T>(op, values)))
        << int(op) << " of " << size;
  }
}

TEST(PageSums, have_the_bits_of_the_operations) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (const SumOp op : {SumOp::rows, SumOp::index_add, SumOp::sum, SumOp::matmul}) {
    expect_the_operations_bits<float>(op, float32);
    expect_the_operations_bits<double>(op, float64);
  }
}

#if !ORDO_RACE_CHECKER  // which draws more of a schedule
TEST(PageSums, are_those_of_the_page) {
  const cuda::Schedule before = cuda::schedule();
  std::string lines;
  for (const SumOp op : {SumOp::rows, SumOp::index_add, SumOp::sum, SumOp::matmul})
    for (const int dtype : {0, 1})
      for (const Determinism level : {Determinism::not_guaranteed, Determinism::run_to_run})
        lines += look_at_sum(op, 24, dtype, level, 3,
                             [&](int schedule) {
                               cuda::restart_schedule();
                               cuda::set_schedule({.seed = uint64_t(schedule), .order = "random", .yield = 0.1});
                             }) +
                 "\n";
  cuda::set_schedule(before);
  std::string expected;
  std::ifstream(ORDO_SOURCE_DIR "/docs/site/live/sums.sha256") >> expected;
  EXPECT_EQ(sha256_hex(lines), expected) << lines;
}
#endif

}  // namespace
}  // namespace ordo::test::page_sums_test
