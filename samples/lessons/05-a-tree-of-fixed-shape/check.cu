#include "check.h"
#include "exercise.h"

void lesson::check() {
  constexpr int kCount = 9000;
  const std::vector<float> values = random_floats(kCount, 5);
  const Reference reference = reference_sums(std::vector<int>(kCount), values, 1);
  DeviceArray<float> x(values);
  const Runs runs = run_schedules([&] {
    DeviceArray<float> total(1);
    sum(x, kCount, total);
    return total.values();
  });
  expect_close(runs, reference.sums, reference.tolerance);
  expect_one_result(runs);
  expect_float_atomics(runs, 0);
  expect_shared_work(runs, 600);
}
