#include <ordo/kernels/recurrent/recurrent.h>

#include <algorithm>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/independent.h>
#include <ordo/engine/parallel.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/elementwise/arithmetic.h>
#include <ordo/kernels/matmul/matmul.h>
#include <ordo/kernels/recurrent/recurrent_functors.h>
#include <ordo/kernels/reduce/reduce.h>

namespace ordo::kernels {

namespace {

/// Step t of [T, ...].
Tensor at_step(const Tensor& t, int64_t step) { return views::select(t, 0, step); }
Tensor steps_from(const Tensor& t, int64_t first, int64_t count) { return views::slice(t, 0, first, first + count, 1); }
void* data_of(const Tensor& t) { return t.defined() ? t.data() : nullptr; }

/// [T + 1, B, H] with `first` where the steps begin.
Tensor states_from(const RecurrentArguments& a, const Tensor& first) {
  const int64_t steps = a.x.size(0), rows = a.x.size(1), width = first.size(1);
  const Tensor all = ordo::detail::result({steps + 1, rows, width}, a.x.dtype(), a.x.device());
  copy_(at_step(all, a.reverse ? steps : 0), first);
  return all;
}

}  // namespace

RecurrentStates recurrent(const RecurrentArguments& a) {
  const int64_t steps = a.x.size(0), rows = a.x.size(1), width = a.h.size(1);
  const bool is_lstm = a.kind == Recurrence::lstm, is_gru = a.kind == Recurrence::gru;
  const Tensor x = contiguous(a.x), h_all = states_from(a, a.h), c_all = is_lstm ? states_from(a, a.c) : Tensor();
  const int64_t after = a.reverse ? 0 : 1, before = a.reverse ? 1 : 0;
  RecurrentStates s;
  s.h = steps_from(h_all, after, steps);
  s.before = steps_from(h_all, before, steps);
  if (is_lstm) s.c = steps_from(c_all, after, steps), s.c_before = steps_from(c_all, before, steps);
  if (is_lstm || is_gru) s.gates = ordo::detail::result(a.x.sizes(), a.x.dtype(), a.x.device());
  if (is_gru) s.inner = ordo::detail::result({steps, rows, width}, a.x.dtype(), a.x.device());
  // Every step copies the weights into panels, which is quicker where their columns are contiguous.
  const Tensor weight = views::transpose(contiguous(views::transpose(a.weight, 0, 1)), 0, 1);
  for (int64_t k = 0; k < steps; ++k) {
    const int64_t t = a.reverse ? steps - 1 - k : k;
    const auto here = [t](const Tensor& all) { return all.defined() ? at_step(all, t) : Tensor(); };
    const Tensor hidden = linear(here(s.before), weight, a.bias);
    const RecurrentStep step{.kind = a.kind,
                             .dtype = x.dtype(),
                             .device = x.device(),
                             .rows = rows,
                             .width = width,
                             .step = t,
                             .x = data_of(here(x)),
                             .hidden = data_of(hidden),
                             .h_before = data_of(here(s.before)),
                             .c_before = data_of(here(s.c_before)),
                             .h = data_of(here(s.h)),
                             .c = data_of(here(s.c)),
                             .gates = data_of(here(s.gates)),
                             .inner = data_of(here(s.inner)),
                             .lengths = a.lengths.defined() ? a.lengths.data<int64_t>() : nullptr};
    ORDO_ON_DEVICE(x.device(), recurrent_step, step);
  }
  return s;
}

RecurrentGradients recurrent_backward(const RecurrentArguments& a, const RecurrentStates& s, const Tensor& grad_h,
                                      const Tensor& grad_c) {
  const int64_t steps = a.x.size(0), rows = a.x.size(1), width = a.h.size(1), gates = gates_of(a.kind) * width;
  const DType dtype = a.x.dtype();
  const Device device = a.x.device();
  const Tensor from_h = grad_h.defined() ? contiguous(grad_h) : Tensor(),
               from_c = grad_c.defined() ? contiguous(grad_c) : Tensor();
  RecurrentGradients g;
  g.x = ordo::detail::result(a.x.sizes(), dtype, device);
  const Tensor hidden = a.kind == Recurrence::gru ? ordo::detail::result(a.x.sizes(), dtype, device) : g.x;
  const Tensor rest = zeros({rows, width}, {dtype, device});
  Tensor product = zeros({rows, width}, {dtype, device});
  if (a.kind == Recurrence::lstm) g.c = zeros({rows, width}, {dtype, device});
  for (int64_t k = 0; k < steps; ++k) {
    const int64_t t = a.reverse ? k : steps - 1 - k;
    const auto here = [t](const Tensor& all) { return all.defined() ? at_step(all, t) : Tensor(); };
    const RecurrentStepBack step{.kind = a.kind,
                                 .dtype = dtype,
                                 .device = device,
                                 .rows = rows,
                                 .width = width,
                                 .step = t,
                                 .h = data_of(here(s.h)),
                                 .c = data_of(here(s.c)),
                                 .h_before = data_of(here(s.before)),
                                 .c_before = data_of(here(s.c_before)),
                                 .gates = data_of(here(s.gates)),
                                 .inner = data_of(here(s.inner)),
                                 .grad_h = data_of(here(from_h)),
                                 .grad_c = data_of(here(from_c)),
                                 .product = data_of(product),
                                 .rest = data_of(rest),
                                 .carried_c = data_of(g.c),
                                 .grad_x = data_of(here(g.x)),
                                 .grad_hidden = data_of(here(hidden)),
                                 .lengths = a.lengths.defined() ? a.lengths.data<int64_t>() : nullptr};
    ORDO_ON_DEVICE(device, recurrent_step_back, step);
    product = matmul(here(hidden), a.weight);
  }
  g.h = add(rest, product);
  const Tensor flat = views::view(hidden, {steps * rows, gates}), states = views::view(s.before, {steps * rows, width});
  g.weight = matmul(views::transpose(flat, 0, 1), states);
  if (a.bias.defined()) g.bias = sum(flat, Dims{0}, false);
  return g;
}

namespace cpu {

namespace {

template <class E>
void each(const E& element, int64_t rows) {
  const int64_t width = element.width;
  parallel_for(0, rows, std::max<int64_t>(1, 2048 / std::max<int64_t>(width, 1)), [&](int64_t first, int64_t last) {
    const E e = element;  // no store can change its members
    for (int64_t row = first; row < last; ++row)
      if (e.holds(row)) {
        ORDO_INDEPENDENT
        for (int64_t j = 0; j < width; ++j) e.hold(row, j);
      } else {
        ORDO_INDEPENDENT
        for (int64_t j = 0; j < width; ++j) e.advance(row, j);
      }
  });
}

}  // namespace

void recurrent_step(const RecurrentStep& s) {
  dispatch_floating("recurrent", s.dtype, [&]<class T>() {
    dispatch_recurrence(s.kind, [&]<Recurrence kKind>() { each(RecurrentElement<T, kKind>(s), s.rows); });
  });
}

void recurrent_step_back(const RecurrentStepBack& s) {
  dispatch_floating("recurrent", s.dtype, [&]<class T>() {
    dispatch_recurrence(s.kind, [&]<Recurrence kKind>() { each(RecurrentElementBack<T, kKind>(s), s.rows); });
  });
}

}  // namespace cpu

}  // namespace ordo::kernels
