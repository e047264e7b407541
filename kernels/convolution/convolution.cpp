#include <ordo/kernels/convolution/convolution.h>

#include <algorithm>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/run/determinism.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/elementwise/arithmetic.h>
#include <ordo/kernels/matmul/matmul.h>

namespace ordo::kernels {
namespace {

struct ConvRows {
  explicit ConvRows(ConvNames& names, std::string_view no_rows = {}) {
    for (const char* name : names)
      ordo::detail::OpRegistration(
          {.name = name,
           .family = "convolution",
           .dtypes = kFloatingTypes,
           .algorithms = {{Algorithm::library, Determinism::run_to_run},
                          {Algorithm::direct, Determinism::device_to_device},
                          {Algorithm::exact, Determinism::device_to_device, kExactProductTypes}},
           .no_rows = no_rows});
  }
};
const ConvRows kRows(kConv), kInputGradRows(kConvInputGrad),
    kWeightGradRows(kConvWeightGrad, "it sums over the samples"), kTransposeRows(kConvTranspose);

constexpr const char* kSpatial[] = {"W", "H, W", "D, H, W"};
constexpr const char* kKernel[] = {"kW", "kH, kW", "kD, kH, kW"};

// x and weight of `rank` + 2 dimensions. `first` and `second`: what the weight's leading dimensions are.
void check_ranks(const char* op, const Dims& x, const Dims& weight, int rank, const char* first, const char* second) {
  ORDO_CHECK(x.size() == rank + 2, ShapeError, op, "the input must be [N, C, {}] or [C, {}], not {}",
             kSpatial[rank - 1], kSpatial[rank - 1], x);
  ORDO_CHECK(weight.size() == rank + 2, ShapeError, op, "the weight must be [{}, {} / groups, {}], not {}", first,
             second, kKernel[rank - 1], weight);
  for (int i = 2; i < rank + 2; ++i)
    ORDO_CHECK(weight[i] >= 1, ShapeError, op, "the kernel is empty: the weight is {}", weight);
}

// Both defined and floating, of one dtype, on one device.
void check_conv_operands(const char* op, const Tensor& a, const Tensor& b) {
  ordo::detail::expect_floating(op, a);
  ordo::detail::expect_same_device(op, a, b);
  ordo::detail::expect_same_dtype(op, a, b);
}

void check_conv_arguments(const char* op, const ConvArguments& a) {
  check_each(op, "stride", a.stride, a.rank, 1);
  check_each(op, "padding", a.padding, a.rank, 0);
  check_each(op, "dilation", a.dilation, a.rank, 1);
  check_each(op, "groups", &a.groups, 1, 1);
}

// The shape of a convolution of x with weight, both given by their sizes.
ConvShape conv_shape(const char* op, const Dims& x, const Dims& weight, const ConvArguments& a) {
  check_ranks(op, x, weight, a.rank, "O", "C");
  check_conv_arguments(op, a);
  ORDO_CHECK(x[1] % a.groups == 0 && x[1] / a.groups == weight[1], ShapeError, op,
             "an input of {} has {} channels, but a weight of {} takes {} in each of groups = {}", x, x[1], weight,
             weight[1], a.groups);
  ORDO_CHECK(weight[0] % a.groups == 0, ShapeError, op, "the weight's {} filters do not divide into {} groups",
             weight[0], a.groups);
  const Size3 inputs = in_three(x, a.rank), kernels = in_three(weight, a.rank);
  const auto axis = [&](int i) {
    WindowAxis made = sliding_axis(op, kAxisNames[i], inputs[i], kernels[i], a.stride[i], a.padding[i], a.dilation[i]);
    if (a.outputs[i] > 0) made.output = std::min(made.output, a.outputs[i]);
    return made;
  };
  const ConvShape s{{axis(0), axis(1), axis(2)}, x[0], a.groups, weight[1], weight[0] / a.groups};
  // The unfolded input, which is also the number of multiplications for one filter.
  check_addressable(op, {a.groups, s.channels, kernels[0], kernels[1], kernels[2], s.d.output, s.h.output, s.w.output});
  return s;
}

// The sizes of its result: ShapeError where so many elements cannot be addressed.
Dims conv_output_sizes(const char* op, const ConvShape& s, int rank) {
  Dims sizes = with_last(Dims::filled(rank + 2, s.samples), rank, {s.d.output, s.h.output, s.w.output});
  sizes[1] = s.groups * s.filters;
  return check_addressable(op, sizes);
}

// The sizes of a transposed convolution's result.
Dims transposed_sizes(const char* op, const Dims& x, const Dims& weight, const ConvArguments& a,
                      const Size3& output_padding) {
  check_ranks(op, x, weight, a.rank, "C", "O");
  check_conv_arguments(op, a);
  check_each(op, "output_padding", output_padding, a.rank, 0);
  ORDO_CHECK(x[1] == weight[0], ShapeError, op, "an input of {} has {} channels, but a weight of {} takes {}", x, x[1],
             weight, weight[0]);
  ORDO_CHECK(x[1] % a.groups == 0, ShapeError, op, "the {} channels do not divide into {} groups", x[1], a.groups);
  int64_t channels = 0;
  ORDO_CHECK(!__builtin_mul_overflow(weight[1], a.groups, &channels), ShapeError, op,
             "{} groups of {} channels are more than can be counted", a.groups, weight[1]);
  const Size3 inputs = in_three(x, a.rank), kernels = in_three(weight, a.rank);
  Dims sizes{x[0], channels};
  for (int i = 3 - a.rank; i < 3; ++i) {
    ORDO_CHECK(
        output_padding[i] < std::max(a.stride[i], a.dilation[i]), ValueError, op,
        "output_padding must be smaller than stride or dilation: {} {} is too much for stride {} and dilation {}",
        kAxisNames[i], output_padding[i], a.stride[i], a.dilation[i]);
    ORDO_CHECK(inputs[i] >= 1, ShapeError, op, "takes an input whose {} is not 0, not {}", kAxisNames[i], x);
    sizes.push_back(transposed_outputs(op, kAxisNames[i], inputs[i], kernels[i], a.stride[i], a.padding[i],
                                       a.dilation[i], output_padding[i]));
  }
  return check_addressable(op, sizes);
}

// `bias` is undefined or [filters], like x; `weight` is for the message.
void check_conv_bias(const char* op, const Tensor& x, const Tensor& bias, const Dims& weight, int64_t filters) {
  if (!bias.defined()) return;
  check_conv_operands(op, x, bias);
  ORDO_CHECK(bias.dim() == 1 && bias.sizes()[0] == filters, ShapeError, op,
             "the bias must be [{}] for a weight of {}, not {}", filters, weight, bias.sizes());
}

void check_conv_grad(const char* op, const Tensor& grad, const ConvShape& s, int rank) {
  const Dims expected = conv_output_sizes(op, s, rank);
  ORDO_CHECK(grad.sizes() == expected, ShapeError, op, "the gradient of the output must be {}, not {}", expected,
             grad.sizes());
}

// What the pass writes, of `sizes`; the arguments are checked.
Tensor computed(const char* op, ConvPass pass, const ConvShape& s, const Dims& sizes, ConvTensors t) {
  Tensor& out = pass == ConvPass::forward ? t.y : pass == ConvPass::input_grad ? t.x : t.weight;
  const Tensor& in = pass == ConvPass::input_grad ? t.weight : t.x;
  check_addressable(op, sizes);
  if (t.y.defined() && t.y.numel() == 0) return full(sizes, 0, in.dtype(), in.device());
  if (sizes.product() == 0) return ordo::detail::result(sizes, in.dtype(), in.device());
  for (Tensor* each : {&t.x, &t.weight, &t.y, &t.bias})
    if (each->defined()) *each = contiguous(*each);
  if (convolves_exactly(in.dtype())) return exact_convolve(op, pass, s, sizes, t);
  out = ordo::detail::result(sizes, in.dtype(), in.device());
  ORDO_ON_DEVICE(out.device(), convolve, pass, s, t);
  return out;
}

}  // namespace

Tensor convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvArguments& arguments) {
  const char* const op = kConv[arguments.rank - 1];
  check_conv_operands(op, x, weight);
  const ConvShape s = conv_shape(op, x.sizes(), weight.sizes(), arguments);
  check_conv_bias(op, x, bias, weight.sizes(), weight.size(0));
  return computed(op, ConvPass::forward, s, conv_output_sizes(op, s, arguments.rank),
                  {.x = x, .weight = weight, .y = {}, .bias = bias});
}

Tensor convolution_input_grad(const Tensor& grad, const Tensor& weight, const Dims& sizes,
                              const ConvArguments& arguments) {
  const char* const op = kConvInputGrad[arguments.rank - 1];
  check_conv_operands(op, grad, weight);
  const ConvShape s = conv_shape(op, sizes, weight.sizes(), arguments);
  check_conv_grad(op, grad, s, arguments.rank);
  return computed(op, ConvPass::input_grad, s, sizes, {.x = {}, .weight = weight, .y = grad});
}

Tensor convolution_weight_grad(const Tensor& grad, const Tensor& x, const Dims& sizes, const ConvArguments& arguments) {
  const char* const op = kConvWeightGrad[arguments.rank - 1];
  check_conv_operands(op, grad, x);
  const ConvShape s = conv_shape(op, x.sizes(), sizes, arguments);
  check_conv_grad(op, grad, s, arguments.rank);
  return computed(op, ConvPass::weight_grad, s, sizes, {.x = x, .weight = {}, .y = grad});
}

Tensor conv_transpose(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvArguments& arguments,
                      const Size3& output_padding) {
  const char* const op = kConvTranspose[arguments.rank - 1];
  check_conv_operands(op, x, weight);
  const Dims sizes = transposed_sizes(op, x.sizes(), weight.sizes(), arguments, output_padding);
  check_conv_bias(op, x, bias, weight.sizes(), sizes[1]);
  ConvArguments back = arguments;
  back.outputs = in_three(x.sizes(), arguments.rank);
  const ConvShape shape = conv_shape(op, sizes, weight.sizes(), back);
  const bool exact = convolves_exactly(x.dtype());  // the bias included
  const ConvTensors given{.x = {}, .weight = weight, .y = x, .bias = exact ? bias : Tensor()};
  const Tensor y = computed(op, ConvPass::input_grad, shape, sizes, given);
  if (!bias.defined() || (exact && x.numel() > 0)) return y;
  Dims along = Dims::filled(sizes.size(), 1);
  along[1] = sizes[1];
  return add(y, views::view(contiguous(bias), along));
}

}  // namespace ordo::kernels
