#include "check.h"
#include "exercise.h"

void lesson::check() {
  constexpr int kItems = 600, kBins = 8;
  const std::vector<int> bins = random_indices(kItems, kBins, 2);
  const std::vector<float> weights = random_floats(kItems, 2);
  const Reference reference = reference_sums(bins, weights, kBins);
  DeviceArray<int> bin(bins);
  DeviceArray<float> weight(weights);

  say("Counts:");
  const Runs counted = run_schedules([&] {
    DeviceArray<unsigned> counts(kBins);
    count(bin, kItems, counts);
    const std::vector<unsigned> values = counts.values();
    return std::vector<float>(values.begin(), values.end());
  });
  const Reference ones = reference_sums(bins, std::vector<float>(kItems, 1.f), kBins);
  expect_close(counted, ones.sums, std::vector<double>(kBins));

  say("Sums of weights:");
  const Runs summed = run_schedules([&] {
    DeviceArray<float> sums(kBins);
    histogram(bin, weight, kItems, sums);
    return sums.values();
  });
  expect_close(summed, reference.sums, reference.tolerance);

  if (only_seed()) return;
  if (counts_are_always_the_same() != (counted.distinct == 1))
    fail("PREDICTION", "counts_are_always_the_same() says otherwise than the schedules did. Why is that?");
  if (sums_are_always_the_same() != (summed.distinct == 1))
    fail("PREDICTION", "sums_are_always_the_same() says otherwise than the schedules did. Why is that?");
}
