#include <cmath>

#include "check.h"
#include "exercise.h"

void lesson::check() {
  constexpr int kItems = 1000;
  const std::vector<int> bins = random_indices(kItems, kBins, 6);
  std::vector<float> weights = random_floats(kItems, 6);
  for (float& w : weights) w = std::ldexp(std::nearbyint(std::ldexp(w, 21)), -21);
  // Doubles hold these sums exactly: 14 bits before the point, 21 behind it. So the tolerance is 0 once they are
  // rounded to float.
  std::vector<double> exact = reference_sums(bins, weights, kBins).sums;
  for (double& sum : exact) sum = double(float(sum));
  DeviceArray<int> bin(bins);
  DeviceArray<float> weight(weights);
  const Runs runs = run_schedules([&] {
    DeviceArray<float> sums(kBins);
    histogram(bin, weight, kItems, sums);
    return sums.values();
  });
  expect_one_result(runs);
  expect_float_atomics(runs, 0);
  expect_close(runs, exact, std::vector<double>(kBins));
}
