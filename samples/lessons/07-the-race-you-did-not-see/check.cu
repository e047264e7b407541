#include <algorithm>
#include <cmath>

#include "check.h"
#include "exercise.h"

void lesson::check() {
  constexpr int kRows = 6;
  std::vector<float> x = random_floats(kRows * kThreads, 7);
  for (float& v : x) v /= 4;                                       // so that all elements of a row count
  std::vector<double> reference(2 * kRows), tolerance(2 * kRows);  // the maxima, then the sums
  for (int r = 0; r < kRows; ++r) {
    double largest = -1e30, sum = 0;
    for (int t = 0; t < kThreads; ++t) largest = std::max(largest, double(x[size_t(r * kThreads + t)]));
    for (int t = 0; t < kThreads; ++t) sum += std::exp(double(x[size_t(r * kThreads + t)]) - largest);
    reference[size_t(r)] = largest;
    reference[size_t(kRows + r)] = sum;
    tolerance[size_t(kRows + r)] = sum * 1e-6;  // 7 additions in a tree, and expf: some 10 * 2^-24
  }
  DeviceArray<float> data(x);
  const Runs runs = run_schedules([&] {
    DeviceArray<float> maximum(kRows), sum(kRows);
    row_statistics(data, kRows, maximum, sum);
    std::vector<float> results = maximum.values();
    const std::vector<float> sums = sum.values();
    results.insert(results.end(), sums.begin(), sums.end());
    return results;
  });
  expect_close(runs, reference, tolerance);
  expect_one_result(runs);
  expect_float_atomics(runs, 0);
}
