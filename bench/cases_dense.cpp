// Elementwise functions, reductions, matrix products and convolution. What is called is found by its name in a table.
#include <fmt/format.h>

#include <map>

#include <ordo/kernels/convolution/convolution.h>

#include "bench/cases.h"

namespace ordo::bench {

namespace {

// clang-format off
#define ORDO_UNARY(name) {#name, [](const Tensor& x) { return name(x); }},
#define ORDO_BINARY(name) {#name, [](const Tensor& a, const Tensor& b) { return name(a, b); }},
// clang-format on
const std::map<std::string, Tensor (*)(const Tensor&)> kUnary = {
#define ORDO_FUNCTION(name, ...) ORDO_UNARY(name)
#define ORDO_FUNCTION_OF ORDO_FUNCTION
#define ORDO_FUNCTION_OF2 ORDO_FUNCTION
#define ORDO_PREDICATE ORDO_FUNCTION
#include <ordo/kernels/elementwise/functions.def>
    ORDO_UNARY(gelu)  //
};
const std::map<std::string, Tensor (*)(const Tensor&, const Tensor&)> kBinary = {
#define ORDO_FUNCTION2(name, ...) ORDO_BINARY(name)
#include <ordo/kernels/elementwise/binary_functions.def>
    ORDO_BINARY(add) ORDO_BINARY(sub) ORDO_BINARY(mul) ORDO_BINARY(div)  //
    ORDO_BINARY(pow) ORDO_BINARY(minimum) ORDO_BINARY(maximum)           //
};
#undef ORDO_UNARY
#undef ORDO_BINARY

#define ORDO_REDUCTION(name)                                               \
  {                                                                        \
#name, [](const Tensor& x, const Dims& dims) { return name(x, dims); } \
  }
const std::map<std::string, Tensor (*)(const Tensor&, const Dims&)> kReductions = {
    ORDO_REDUCTION(sum),
    ORDO_REDUCTION(mean),
    ORDO_REDUCTION(var),
    ORDO_REDUCTION(std),
    ORDO_REDUCTION(amax),
    ORDO_REDUCTION(amin),
    {"norm", [](const Tensor& x, const Dims& dims) { return norm(x, 2, dims); }},
    {"softmax", [](const Tensor& x, const Dims& dims) { return softmax(x, dims[0]); }},
    {"log_softmax", [](const Tensor& x, const Dims& dims) { return log_softmax(x, dims[0]); }},
};
#undef ORDO_REDUCTION

/// What the row's operation calls.
template <class F>
F function_of(const Row& row, const std::map<std::string, F>& table) {
  const auto found = table.find(row.text("op"));
  if (found != table.end()) return found->second;
  throw ValueError(fmt::format("[bench] the family '{}' has no operation '{}'", row.text("family"), row.text("op")));
}

}  // namespace

Case prepare_unary(const Row& row, const Setting& setting) {
  const Tensor x = setting.values({row.number("N")});
  if (row.has("mode"))  // backward
    return backward_case(function_of(row, kUnary)(Tensor(x).set_requires_grad()), {x}, setting);
  return pure_case({x}, [=, f = function_of(row, kUnary)](Algorithm) { return f(x); });
}

Case prepare_binary(const Row& row, const Setting& setting) {
  const Tensor a = setting.values({row.number("N")}), b = setting.values({row.number("N")});
  return pure_case({a, b}, [=, f = function_of(row, kBinary)](Algorithm) { return f(a, b); });
}

Case prepare_reduction(const Row& row, const Setting& setting) {
  const Tensor x = setting.values({row.number("R"), row.number("C")});
  const std::string mode = row.text("mode");
  const Dims dims = mode == "all" ? Dims{} : mode == "rows" ? Dims{1} : Dims{0};  // rows: one sum for each row
  return pure_case({x}, [=, f = function_of(row, kReductions)](Algorithm) { return f(x, dims); });
}

Case prepare_matmul(const Row& row, const Setting& setting) {
  const Tensor a = setting.values({row.number("M"), row.number("K")}),
               b = setting.values({row.number("K"), row.number("N")});
  return pure_case({a, b}, [=](Algorithm) { return matmul(a, b); });
}

Case prepare_convolution(const Row& row, const Setting& setting) {
  const int64_t stride = row.has("stride") ? row.number("stride") : 1;
  const auto options =
      in_rank(row.rank(), [&]<int N>() { return kernels::conv_arguments<N>(stride, row.number("padding")); });
  const Tensor x = setting.values(row.volume({row.number("images"), row.number("in")}, "size"));
  const Tensor weight = setting.values(row.volume({row.number("out"), row.number("in")}, "kernel"));
  const std::string mode = row.text("mode");
  if (mode == "forward")
    return pure_case({x, weight}, [=](Algorithm) { return kernels::convolution(x, weight, {}, options); });
  const Tensor gradient = setting.values(kernels::convolution(x, weight, {}, options).sizes());
  if (mode == "input_gradient")
    return pure_case({gradient, weight}, [=, sizes = x.sizes()](Algorithm) {
      return kernels::convolution_input_grad(gradient, weight, sizes, options);
    });
  return pure_case({gradient, x}, [=, sizes = weight.sizes()](Algorithm) {
    return kernels::convolution_weight_grad(gradient, x, sizes, options);
  });
}

}  // namespace ordo::bench
