#include <ordo/ordo.h>

#include <cstdio>

int main() {
  ordo::Tensor x = ordo::from_vector<float>({1, 2, 3}, {3}).set_requires_grad();
  ordo::Tensor y = (x * x).sum();
  y.backward();
  std::printf("%g %s\n", y.item(), x.grad().str().c_str());
  return y.item() == 14 && x.grad().to_vector<float>() == std::vector<float>{2, 4, 6} ? 0 : 1;
}
