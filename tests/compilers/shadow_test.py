#!/usr/bin/env python3
"""The public headers are quiet under -Wshadow, in programs whose own sources must be: shadow_test.py INCLUDE COMPILER..."""
import subprocess
import sys

PROGRAM = """
#include <ordo/extend.h>
#include <ordo/ordo.h>
struct Net : ordo::nn::ModuleOf<Net> {
  ordo::nn::Later<ordo::nn::Linear> fc{"fc"};
  Net() { fc = add("fc", ordo::nn::weight_norm(ordo::nn::Linear(2, 2))); }
  ordo::Tensor forward(const ordo::Tensor& x) { return relu(fc(x)); }
};
int main() {
  using namespace ordo::indexing;
  Net net;
  ordo::optim::AdamW optimizer(net.parameters(), {.lr = 0.1});
  ordo::data::DataLoader loader(ordo::ones({4, 2}), ordo::ones({4}), {.batch_size = 2});
  for (auto [x, y] : loader) {
    const ordo::Tensor loss = mse_loss(net(x).index({Slice(), 0}), y);
    loss.backward();
    optimizer.step();
  }
  const ordo::OpListener listener([](const ordo::OpEvent&) {});
  std::vector<float> values(4);
  ordo::parallel_for(0, 4, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) values[size_t(i)] = 1;
  });
  return ordo::nn::clone(net).parameter_count() == 6 ? 0 : 1;
}
"""

failed = 0
for compiler in filter(None, sys.argv[2:]):
    made = subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Wshadow", "-Werror", f"-I{sys.argv[1]}", "-fsyntax-only",
                           "-xc++", "-"], input=PROGRAM, capture_output=True, text=True)
    print(f"{compiler}: {'quiet' if made.returncode == 0 else 'warns'}\n{made.stderr}", end="")
    failed += made.returncode != 0
sys.exit(failed)
