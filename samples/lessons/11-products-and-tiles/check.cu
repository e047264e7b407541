#include <cmath>

#include "check.h"
#include "exercise.h"

void lesson::check() {
  constexpr int n = 32;
  const std::vector<float> x = random_floats(n * n, 12), y = random_floats(n * n, 13);
  std::vector<double> reference(n * n), tolerance(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t k = 0; k < n; ++k) {
        const double product = double(x[i * n + k]) * double(y[k * n + j]);
        reference[i * n + j] += product;
        tolerance[i * n + j] += std::abs(product) * (n + 1) * std::ldexp(1.0, -24);  // each product and each sum rounds
      }
  DeviceArray<float> a(x), b(y);
  std::vector<Runs> by_tile;
  for (int tile : {8, 16, 32}) {
    say("Tiles of " + std::to_string(tile) + ":");
    const Runs runs = run_schedules([&] {
      DeviceArray<float> c(n * n);
      matmul(a, b, c, n, tile);
      return c.values();
    });
    expect_close(runs, reference, tolerance);
    expect_one_result(runs);
    expect_float_atomics(runs, 0);
    by_tile.push_back(runs);
  }
  for (size_t t = 1; t < by_tile.size(); ++t)
    for (size_t i = 0; i < n * n; ++i)
      if (by_tile[t].first()[i] != by_tile[0].first()[i])
        fail("ORDER", "the bits depend on the size of the tiles. Element " + std::to_string(i) + " is " +
                          bits_text(by_tile[0].first()[i]) + " with tiles of 8 and " +
                          bits_text(by_tile[t].first()[i]) + " with tiles of " + std::to_string(8 << t) + "." +
                          written_at(by_tile[t], 0, i));
}
