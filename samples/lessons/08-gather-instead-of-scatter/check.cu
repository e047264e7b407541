#include "check.h"
#include "exercise.h"

void lesson::check() {
  constexpr int kOutputs = 300, kInputs = kStride * (kOutputs - 1) + kWindow;
  const std::vector<float> x = random_floats(kInputs, 8), gradients = random_floats(kOutputs, 9);
  std::vector<int> maxima(kOutputs);
  for (int o = 0; o < kOutputs; ++o) {
    maxima[size_t(o)] = kStride * o;
    for (int i = kStride * o; i < kStride * o + kWindow; ++i)
      if (x[size_t(i)] > x[size_t(maxima[size_t(o)])]) maxima[size_t(o)] = i;
  }
  const Reference reference = reference_sums(maxima, gradients, kInputs);
  DeviceArray<float> output_gradient(gradients);
  DeviceArray<int> largest(maxima);
  const Runs runs = run_schedules([&] {
    DeviceArray<float> input_gradient(kInputs);
    max_pool_backward(output_gradient, largest, kOutputs, input_gradient, kInputs);
    return input_gradient.values();
  });
  expect_close(runs, reference.sums, reference.tolerance);
  expect_one_result(runs);
  expect_float_atomics(runs, 0);
}
