#include "check.h"
#include "exercise.h"

void lesson::check() {
  constexpr int kItems = 1000;
  const std::vector<int> bins = random_indices(kItems, kBins, 3);
  const std::vector<float> weights = random_floats(kItems, 3);
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
  expect_shared_work(runs, 200);
}
