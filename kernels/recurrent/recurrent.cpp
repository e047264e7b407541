#include <ordo/kernels/recurrent/recurrent.h>

#include <algorithm>
#include <memory>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/independent.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/elementwise/arithmetic.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/matmul/matmul.h>
#include <ordo/kernels/recurrent/recurrent_functors.h>
#include <ordo/kernels/reduce/reduce.h>
#include <ordo/kernels/vectors/vector_targets.h>

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

/// A step without what the direction adds.
RecurrentStep step_of(const RecurrentArguments& a, const RecurrentStates& s, bool back) {
  return {.kind = a.kind,
          .back = back,
          .dtype = a.x.dtype(),
          .device = a.x.device(),
          .rows = a.x.size(1),
          .width = a.h.size(1),
          .lengths = data_or_null<int64_t>(a.lengths),
          .h = data_of(s.h),
          .c = data_of(s.c),
          .h_before = data_of(s.before),
          .c_before = data_of(s.c_before),
          .gates = data_of(s.gates),
          .inner = data_of(s.inner)};
}

/// a b + bias, which every step computes with another a; zeros before the first. The CPU packs b once.
class StepProduct {
 public:
  /// b is contiguous.
  StepProduct(int64_t rows, const Tensor& b, const Tensor& bias)
      : b_(b),
        bias_(contiguous_or_none(bias)),
        out_(zeros({rows, b.size(1)}, {b.dtype(), b.device()})),
        g_{.m = rows,
           .n = b.size(1),
           .k = b.size(0),
           .b = {b_.data(), b.size(1)},
           .c = {out_.data(), b.size(1)},
           .dtype = b.dtype(),
           .c_dtype = b.dtype(),
           .bias = data_of(bias_)} {
    if (b.is_cpu()) packed_ = cpu::pack(g_);
    g_.packed = packed_ ? packed_->data() : nullptr;
  }
  void compute(const Tensor& a) {
    g_.a = {a.data(), g_.k};
    gemm(g_, out_.device());
  }
  const Tensor& result() const { return out_; }

 private:
  Tensor b_, bias_, out_;
  Gemm g_;
  std::unique_ptr<Scratch<char>> packed_;
};

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
  StepProduct hidden(rows, contiguous(views::transpose(a.weight, 0, 1)), a.bias);
  RecurrentStep step = step_of(a, s, false);
  step.x = x.data();
  for (int64_t k = 0; k < steps; ++k) {
    const int64_t t = a.reverse ? steps - 1 - k : k;
    hidden.compute(at_step(s.before, t));
    step.step = t;
    step.hidden = hidden.result().data();
    ORDO_ON_DEVICE(x.device(), recurrent_step, step);
  }
  return s;
}

RecurrentGradients recurrent_backward(const RecurrentArguments& a, const RecurrentStates& s, const Tensor& grad_h,
                                      const Tensor& grad_c) {
  const int64_t steps = a.x.size(0), rows = a.x.size(1), width = a.h.size(1), gates = gates_of(a.kind) * width;
  const DType dtype = a.x.dtype();
  const Device device = a.x.device();
  const Tensor from_h = contiguous_or_none(grad_h), from_c = contiguous_or_none(grad_c);
  RecurrentGradients g;
  g.x = ordo::detail::result(a.x.sizes(), dtype, device);
  const Tensor hidden = a.kind == Recurrence::gru ? ordo::detail::result(a.x.sizes(), dtype, device) : g.x;
  const Tensor rest = zeros({rows, width}, {dtype, device});
  StepProduct product(rows, contiguous(a.weight), {});
  if (a.kind == Recurrence::lstm) g.c = zeros({rows, width}, {dtype, device});
  RecurrentStep step = step_of(a, s, true);
  step.x = g.x.data();
  step.grad_h = data_of(from_h);
  step.grad_c = data_of(from_c);
  step.rest = rest.data();
  step.carried_c = data_of(g.c);
  for (int64_t k = 0; k < steps; ++k) {
    step.step = a.reverse ? k : steps - 1 - k;
    const Tensor of_hidden = at_step(hidden, step.step);
    step.hidden = of_hidden.data();
    step.product = product.result().data();
    ORDO_ON_DEVICE(device, recurrent_step, step);
    product.compute(of_hidden);
  }
  g.h = add(rest, product.result());
  const Tensor flat = views::view(hidden, {steps * rows, gates}), states = views::view(s.before, {steps * rows, width});
  g.weight = matmul(views::transpose(flat, 0, 1), states);
  if (a.bias.defined()) g.bias = sum(flat, Dims{0}, false);
  return g;
}

// No store can change an element's members, because it is a copy.
template <bool kHold, class E>
[[gnu::noinline]] static void compute_row(const E e, int64_t row) {
  const auto elements = [=] {
    ORDO_INDEPENDENT
    for (int64_t j = 0; j < e.width; ++j) kHold ? e.hold(row, j) : e.advance(row, j);
  };
  if constexpr (std::is_same_v<typename E::Element, float>)
    cpu::vectorised(e.width, elements);
  else
    elements();
}

void cpu::recurrent_step(const RecurrentStep& s) {
  with_element(s, [&]<class E>(const E& element) {
    parallel_for(0, s.rows, std::max<int64_t>(1, 2048 / std::max<int64_t>(s.width, 1)),
                 [&](int64_t first, int64_t last) {
                   for (int64_t row = first; row < last; ++row)
                     (element.holds(row) ? compute_row<true, E> : compute_row<false, E>)(element, row);
                 });
  });
}

}  // namespace ordo::kernels
