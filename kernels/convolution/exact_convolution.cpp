// Convolutions by the algorithm `exact` of products (docs/ordering.md, rule 5).
#include <algorithm>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/run/matmul_algorithm.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/convolution/convolution.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/indexing/cat.h>
#include <ordo/kernels/matmul/matmul.h>
#include <ordo/kernels/windows/unfold.h>

namespace ordo::kernels {
namespace {

/// The columns of images [samples, groups, channels, ...]: [samples, groups, channels * kernel cells, positions].
Tensor columns_of(const Tensor& images, const ConvShape& s, int64_t channels) {
  const Tensor columns =
      detail::result({s.samples, s.groups, channels * s.elements(), s.outputs()}, images.dtype(), images.device());
  if (columns.numel() > 0)
    ORDO_ON_DEVICE(images.device(), unfold_columns, images, columns, s.windows(s.samples * s.groups * channels));
  return columns;
}

/// a [groups, rows, k] times b [samples, groups, k, positions], and the bias of each row, which is one more product.
Tensor product(const char* op, Tensor a, Tensor b, const Tensor& bias) {
  if (bias.defined()) {
    a = cat({a, views::view(bias, {a.size(0), a.size(1), 1})}, -1);
    Dims row = b.sizes();
    row[2] = 1;
    b = cat({b, full(row, 1, b.dtype(), b.device())}, -2);
  }
  return exact_matmul(a, b, op);
}

/// Along an axis, the windows that an input is read by are windows over the outputs, which lie `stride` apart, with the
/// kernel reversed.
struct Reversed {
  WindowAxis axis;
  int64_t first;  ///< of the outputs, with what lies between them
  explicit Reversed(const WindowAxis& a) {
    const int64_t apart = (a.output - 1) * a.stride + 1, padding = (a.kernel - 1) * a.dilation - a.padding;
    first = std::min(std::max<int64_t>(0, -padding), apart);
    axis = {apart - first, a.input, a.kernel, 1, std::max<int64_t>(0, padding), a.dilation};
  }
};

Tensor input_grad(const char* op, const ConvShape& s, const Dims& sizes, const ConvTensors& t) {
  const Reversed d(s.d), h(s.h), w(s.w);
  ConvShape back = s;
  back.d = d.axis, back.h = h.axis, back.w = w.axis;
  if (back.inputs() == 0) {  // no input is read
    if (!t.bias.defined()) return full(sizes, 0, t.y.dtype(), t.y.device());
    Dims along = Dims::filled(sizes.size(), 1);
    along[1] = sizes[1];
    return contiguous(views::expand(views::view(t.bias, along), sizes));
  }
  const int64_t planes = s.samples * s.groups * s.filters;
  Tensor apart = full({planes, d.axis.input + d.first, h.axis.input + h.first, w.axis.input + w.first}, 0, t.y.dtype(),
                      t.y.device());
  Tensor places = apart;
  const Reversed* const axes[] = {&d, &h, &w};
  const WindowAxis* const given[] = {&s.d, &s.h, &s.w};
  for (int i = 0; i < 3; ++i) places = views::slice(places, i + 1, 0, INT64_MAX, given[i]->stride);
  copy_(places, views::view(t.y, {planes, s.d.output, s.h.output, s.w.output}));
  for (int i = 0; i < 3; ++i) apart = views::narrow(apart, i + 1, axes[i]->first, axes[i]->axis.input);
  // [groups, filters, channels, cells], reversed cells, as [groups, channels, filters * cells].
  const int64_t cells = s.elements();
  const Tensor weight = views::view(t.weight, {s.groups, s.filters, s.channels, cells});
  TensorList reversed;
  for (int64_t c = cells; c-- > 0;) reversed.push_back(views::narrow(weight, 3, c, 1));
  const Tensor rows = views::view(contiguous(views::permute(cat(reversed, 3), {0, 2, 1, 3})),
                                  {s.groups, s.channels, s.filters * cells});
  return views::view(product(op, rows, columns_of(contiguous(apart), back, s.filters), t.bias), sizes);
}

Tensor weight_grad(const char* op, const ConvShape& s, const Dims& sizes, const ConvTensors& t) {
  // One product for each group, over samples and positions.
  const int64_t count = s.samples * s.outputs();
  const Tensor y = views::view(t.y, {s.samples, s.groups, s.filters, s.outputs()});
  const Tensor left = views::view(contiguous(views::permute(y, {1, 2, 0, 3})), {s.groups, s.filters, count});
  const Tensor right = views::view(contiguous(views::permute(columns_of(t.x, s, s.channels), {1, 0, 3, 2})),
                                   {s.groups, count, s.window()});
  return views::view(exact_matmul(left, right, op), sizes);
}

/// f(shape, sizes, tensors) of so few samples at a time that their columns are no more than kMostColumns, where possible.
template <class F>
Tensor in_runs(const ConvShape& s, const Dims& sizes, const ConvTensors& t, int64_t columns, const F& f) {
  constexpr int64_t kMostColumns = int64_t(1) << 24;
  const int64_t run = std::max<int64_t>(1, kMostColumns / std::max<int64_t>(1, columns));
  if (run >= s.samples) return f(s, sizes, t);
  TensorList parts;
  for (int64_t first = 0; first < s.samples; first += run) {
    ConvShape part = s;
    part.samples = std::min(run, s.samples - first);
    Dims part_sizes = sizes;
    part_sizes[0] = part.samples;
    ConvTensors some = t;
    for (Tensor* each : {&some.x, &some.y})
      if (each->defined()) *each = views::narrow(*each, 0, first, part.samples);
    parts.push_back(f(part, part_sizes, some));
  }
  return cat(parts, 0);
}

}  // namespace

bool convolves_exactly(DType dtype) { return matmul_algorithm() == Algorithm::exact && kExactProductTypes.has(dtype); }

Tensor exact_convolve(const char* op, ConvPass pass, const ConvShape& s, const Dims& sizes, const ConvTensors& t) {
  OpCall::chose(Algorithm::exact);
  if (pass == ConvPass::weight_grad) return weight_grad(op, s, sizes, t);
  if (pass == ConvPass::input_grad)
    return in_runs(s, sizes, t, s.groups * s.filters * s.elements() * s.inputs(),
                   [op](const auto&... part) { return input_grad(op, part...); });
  const Tensor weight = views::view(t.weight, {s.groups, s.filters, s.window()});
  return in_runs(s, sizes, t, s.groups * s.columns(),
                 [&](const ConvShape& part, const Dims& part_sizes, const ConvTensors& some) {
                   const Tensor columns = columns_of(some.x, part, part.channels);
                   return views::view(product(op, weight, columns, t.bias), part_sizes);
                 });
}

}  // namespace ordo::kernels
