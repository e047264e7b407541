#include "check.h"
#include "exercise.h"

void lesson::check() {
  constexpr int kItems = 500;
  const std::vector<int> bins = random_indices(kItems, kBins, 4);
  const std::vector<float> weights = random_floats(kItems, 4);
  const Reference reference = reference_sums(bins, weights, kBins);
  DeviceArray<int> bin(bins);
  DeviceArray<float> weight(weights);
  const Runs runs = run_schedules([&] {
    DeviceArray<float> sums(kBins);
    histogram(bin, weight, kItems, sums);
    return sums.values();
  });
  expect_close(runs, reference.sums, reference.tolerance);
  expect_one_result(runs);
  expect_float_atomics(runs, 0);
}
