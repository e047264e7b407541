// Reductions, matrix products and convolution.
#include <fmt/format.h>

#include <ordo/kernels/convolution/convolution.h>

#include "bench/cases.h"

namespace ordo::bench {

Case prepare_reduction(const Row& row, const Place& place) {
  const Tensor x = place.values({row.number("R"), row.number("C")});
  const std::string op = row.text("op"), mode = row.text("mode");
  const Dims dims = mode == "all" ? Dims{} : mode == "rows" ? Dims{1} : Dims{0};  // rows: one sum for each row
  if (op == "sum") return pure_case({x}, [=](Algorithm) { return sum(x, dims); });
  if (op == "norm") return pure_case({x}, [=](Algorithm) { return norm(x, 2, dims); });
  if (op == "var") return pure_case({x}, [=](Algorithm) { return var(x, dims); });
  if (op == "softmax") return pure_case({x}, [=](Algorithm) { return softmax(x, 1); });
  throw ValueError(fmt::format("[bench] there is no reduction '{}'", op));
}

Case prepare_matmul(const Row& row, const Place& place) {
  const Tensor a = place.values({row.number("M"), row.number("K")}),
               b = place.values({row.number("K"), row.number("N")});
  return pure_case({a, b}, [=](Algorithm) { return matmul(a, b); });
}

Case prepare_conv2d(const Row& row, const Place& place) {
  const int64_t size = row.number("size"), kernel = row.number("kernel");
  const auto options = kernels::conv_arguments<2>(1, row.number("padding"));
  const Tensor x = place.values({row.number("images"), row.number("in"), size, size});
  const Tensor weight = place.values({row.number("out"), row.number("in"), kernel, kernel});
  const std::string mode = row.text("mode");
  if (mode == "forward")
    return pure_case({x, weight}, [=](Algorithm) { return kernels::convolution(x, weight, {}, options); });
  const Tensor gradient = place.values(kernels::convolution(x, weight, {}, options).sizes());
  if (mode == "input_gradient")
    return pure_case({gradient, weight}, [=, sizes = x.sizes()](Algorithm) {
      return kernels::convolution_input_grad(gradient, weight, sizes, options);
    });
  return pure_case({gradient, x}, [=, sizes = weight.sizes()](Algorithm) {
    return kernels::convolution_weight_grad(gradient, x, sizes, options);
  });
}

}  // namespace ordo::bench
