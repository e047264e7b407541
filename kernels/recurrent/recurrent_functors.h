// The formulas of recurrent steps for one element of the state, shared by both devices. Half types are computed in
// float and rounded where they are stored. Internal.
#pragma once

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/kernels/math/math.h>
#include <ordo/kernels/recurrent/recurrent.h>

namespace ordo::kernels {

/// Element (row, j) of a step, or of the step back. advance() goes on; hold() is of a sequence that has ended, which
/// keeps its state.
template <class T, Recurrence kKind, bool kBack>
struct RecurrentElement {
  using Element = T;
  using A = accumulate_t<T>;
  static constexpr int kGates = int(gates_of(kKind));
  int64_t width, step;
  const int64_t* lengths;
  T *h, *c, *h_before, *c_before, *gates, *inner, *x, *hidden;
  const T *grad_h, *grad_c, *product;
  T *rest, *carried_c;

  static RecurrentElement of(const RecurrentStep& s) {
    const auto plain = [](const void* p) { return static_cast<T*>(const_cast<void*>(p)); };
    // What `all`, [T, B, parts H], has of this step.
    const auto part = [&](const void* all, int64_t parts = 1) {
      return all ? plain(all) + s.step * s.rows * s.width * parts : nullptr;
    };
    return {s.width,          s.step,
            s.lengths,        part(s.h),
            part(s.c),        part(s.h_before),
            part(s.c_before), part(s.gates, kGates),
            part(s.inner),    part(s.x, kGates),
            plain(s.hidden),  part(s.grad_h),
            part(s.grad_c),   plain(s.product),
            plain(s.rest),    plain(s.carried_c)};
  }

  ORDO_HD bool holds(int64_t row) const { return lengths && step >= lengths[row]; }
  ORDO_HD void hold(int64_t row, int64_t j) const requires(!kBack) {
    const int64_t at = row * width + j;
    h[at] = h_before[at];
    if constexpr (kKind == Recurrence::lstm) c[at] = c_before[at];
    if constexpr (kKind == Recurrence::gru) inner[at] = T(0.0f);
    if constexpr (kGates > 1)
      for (int g = 0; g < kGates; ++g) gates[row * width * kGates + g * width + j] = T(0.0f);
  }

  ORDO_HD void advance(int64_t row, int64_t j) const requires(!kBack) {
    const int64_t at = row * width + j, first = row * width * kGates + j;
    const auto part = [&](int g) { return A(x[first + g * width]) + A(hidden[first + g * width]); };
    if constexpr (kKind == Recurrence::lstm) {
      const A i = math::sigmoid(part(0)), f = math::sigmoid(part(1)), g = math::tanh(part(2)),
              o = math::sigmoid(part(3));
      const A cell = f * A(c_before[at]) + i * g;
      gates[first] = T(i), gates[first + width] = T(f), gates[first + 2 * width] = T(g),
      gates[first + 3 * width] = T(o);
      c[at] = T(cell);
      h[at] = T(o * math::tanh(cell));
    } else if constexpr (kKind == Recurrence::gru) {
      const A r = math::sigmoid(part(0)), z = math::sigmoid(part(1)), own = A(hidden[first + 2 * width]);
      const A n = math::tanh(A(x[first + 2 * width]) + r * own);
      gates[first] = T(r), gates[first + width] = T(z), gates[first + 2 * width] = T(n);
      inner[at] = T(own);
      h[at] = T((A(h_before[at]) - n) * z + n);
    } else if constexpr (kKind == Recurrence::rnn_tanh) {
      h[at] = T(math::tanh(part(0)));
    } else {
      const A v = part(0);
      h[at] = T(v > A(0) || v != v ? v : A(0));
    }
  }

  ORDO_HD A of_h(int64_t at) const {
    A d = A(rest[at]) + A(product[at]);
    if (grad_h) d = d + A(grad_h[at]);
    return d;
  }
  ORDO_HD A of_c(int64_t at) const {
    A d = A(carried_c[at]);
    if (grad_c) d = d + A(grad_c[at]);
    return d;
  }

  ORDO_HD void hold(int64_t row, int64_t j) const requires kBack {
    const int64_t at = row * width + j, first = row * width * kGates + j;
    rest[at] = T(of_h(at));
    if constexpr (kKind == Recurrence::lstm) carried_c[at] = T(of_c(at));
    for (int g = 0; g < kGates; ++g) {
      x[first + g * width] = T(0.0f);
      if constexpr (kKind == Recurrence::gru) hidden[first + g * width] = T(0.0f);
    }
  }

  ORDO_HD void advance(int64_t row, int64_t j) const requires kBack {
    const int64_t at = row * width + j, first = row * width * kGates + j;
    const A d = of_h(at);
    if constexpr (kKind == Recurrence::lstm) {
      const A i = A(gates[first]), f = A(gates[first + width]), g = A(gates[first + 2 * width]),
              o = A(gates[first + 3 * width]), t = math::tanh(A(c[at]));
      const A dc = of_c(at) + d * o * (A(1) - t * t);
      x[first] = T(dc * g * (i * (A(1) - i)));
      x[first + width] = T(dc * A(c_before[at]) * (f * (A(1) - f)));
      x[first + 2 * width] = T(dc * i * (A(1) - g * g));
      x[first + 3 * width] = T(d * t * (o * (A(1) - o)));
      carried_c[at] = T(dc * f);
      rest[at] = T(0.0f);
    } else if constexpr (kKind == Recurrence::gru) {
      const A r = A(gates[first]), z = A(gates[first + width]), n = A(gates[first + 2 * width]);
      const A dn = d * (A(1) - z) * (A(1) - n * n), dr = dn * A(inner[at]) * (r * (A(1) - r)),
              dz = d * (A(h_before[at]) - n) * (z * (A(1) - z));
      x[first] = hidden[first] = T(dr);
      x[first + width] = hidden[first + width] = T(dz);
      x[first + 2 * width] = T(dn);
      hidden[first + 2 * width] = T(dn * r);
      rest[at] = T(d * z);
    } else {
      const A v = A(h[at]);
      if constexpr (kKind == Recurrence::rnn_tanh)
        x[first] = T(d * (A(1) - v * v));
      else
        x[first] = T(v <= A(0) ? A(0) : d);
      rest[at] = T(0.0f);
    }
  }
};

/// f(element) for the step's type, kind and direction.
template <class F>
void with_element(const RecurrentStep& s, const F& f) {
  dispatch_floating("recurrent", s.dtype, [&]<class T>() {
    const auto of_kind = [&]<Recurrence kKind>() {
      s.back ? f(RecurrentElement<T, kKind, true>::of(s)) : f(RecurrentElement<T, kKind, false>::of(s));
    };
    if (s.kind == Recurrence::rnn_tanh) return of_kind.template operator()<Recurrence::rnn_tanh>();
    if (s.kind == Recurrence::rnn_relu) return of_kind.template operator()<Recurrence::rnn_relu>();
    if (s.kind == Recurrence::gru) return of_kind.template operator()<Recurrence::gru>();
    of_kind.template operator()<Recurrence::lstm>();
  });
}

}  // namespace ordo::kernels
