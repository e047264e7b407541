// any and all.
#pragma once

#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/kernels/reduce/reduce.h>

namespace ordo::kernels {

/// Whether any elements differ from zero, or all do: none is zero. The state is 1 once one was found. An element
/// differs from zero where its bits do, but for the sign of a floating-point number, so that one functor serves all
/// types of a width.
template <class Bits>
struct TruthReducer {
  using State = Bits;
  const Bits* x;
  bool* out;
  Bits mask;
  bool all;
  static ORDO_HD State identity() { return 0; }
  static ORDO_HD State empty() { return 0; }
  static ORDO_HD State combine(State a, State b) { return State(a | b); }
  ORDO_HD State load(int64_t offset, int64_t, int64_t) const { return State(((x[offset] & mask) != 0) != all); }
  ORDO_HD void store(int64_t o, State s) const { out[o] = (s != 0) != all; }
};

namespace ORDO_LOOPS_DEVICE {
namespace {

void truth(const Tensor& t, const Tensor& out, const ReduceShape& g, bool all) {
  dispatch_word(t.element_size(), [&]<class Bits>() {
    const Bits ones = Bits(~Bits(0)), mask = is_floating(t.dtype()) ? Bits(ones >> 1) : ones;
    reduce(TruthReducer<Bits>{static_cast<const Bits*>(t.data()), out.data<bool>(), mask, all}, g, t.device());
  });
}

}  // namespace

void any(const Tensor& t, const Tensor& out, const ReduceShape& g, double) { truth(t, out, g, false); }
void all(const Tensor& t, const Tensor& out, const ReduceShape& g, double) { truth(t, out, g, true); }

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
