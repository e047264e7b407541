// What ctc_loss computes per state; shared by both devices. The recursions are those of A. Graves, S. Fernandez, F.
// Gomez, J. Schmidhuber, "Connectionist temporal classification", 2006, on logarithms.
#pragma once

#include <ordo/engine/dtype.h>
#include <ordo/kernels/accumulate/index_view.h>
#include <ordo/kernels/elementwise/math.h>
#include <ordo/kernels/loss/ctc_loss.h>
#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels {

/// The logarithm of 0.
template <class A>
ORDO_HD A ctc_never() {
  return A(-math::detail::infinity());
}

/// log(e^a + e^b + e^c), these three added from left to right.
template <class A>
ORDO_HD A ctc_add(A a, A b, A c) {
  A most = a;
  if (b > most) most = b;
  if (c > most) most = c;
  const A shift = most == ctc_never<A>() ? A(0) : most;
  return shift + math::log((math::exp(a - shift) + math::exp(b - shift)) + math::exp(c - shift));
}

template <class A>
ORDO_HD bool ctc_finite(A loss) {
  return loss - loss == A(0);
}

/// The class of state i % width of item i / width.
struct CtcStateClass {
  IndexView targets;
  const int64_t* labels;   // how many, of each item
  const int64_t* offsets;  // and where they begin
  int64_t width, blank;
  int64_t* states;

  ORDO_HD void operator()(int64_t i) const {
    const int64_t n = i / width, s = i % width;
    int64_t c = s > 2 * labels[n] ? -1 : blank;
    if (c >= 0 && s % 2 == 1) {
      c = targets[offsets[n] + s / 2];
      if (c < 0) c = blank;  // out of range, which is recorded
    }
    states[i] = c;
  }
};

/// The states of one item that have one class, in ascending order.
struct CtcLink {
  int64_t next;  // 0: none
  bool first;
};

struct CtcLinkOf {
  const int64_t* states;
  const int64_t* labels;
  int64_t width;
  CtcLink* links;

  ORDO_HD void operator()(int64_t i) const {
    const int64_t n = i / width, s = i % width;
    if (s <= 2 * labels[n]) links[i] = link(states + n * width, 2 * labels[n] + 1, s);
  }
  static ORDO_HD CtcLink link(const int64_t* states, int64_t count, int64_t s) {
    CtcLink link{s + 1, true};
    while (link.next < count && states[link.next] != states[s]) ++link.next;
    if (link.next == count) link.next = 0;
    for (int64_t before = s - 1; before >= 0 && link.first; --before) link.first = states[before] != states[s];
    return link;
  }
};

/// One item of the batch.
template <class T>
struct CtcItem {
  using A = accumulate_t<T>;
  const T* x;             // the log-probabilities of its first step
  int64_t stride;         // from one step to the next
  const int64_t* states;  // their classes
  int64_t steps, count;   // how many steps and states

  ORDO_HD A log_p(int64_t t, int64_t s) const { return A(x[t * stride + states[s]]); }
  /// Whether a path may go from state s - 2 to s: not past a label to its repetition, and not from blank to blank.
  ORDO_HD bool skips(int64_t s) const { return s >= 2 && states[s] != states[s - 2]; }

  /// The log-probability of all ways to state s before step t counts; `before`: alpha of the step before.
  ORDO_HD A to(const A* before, int64_t t, int64_t s) const {
    if (t == 0) return s < 2 ? A(0) : ctc_never<A>();
    return ctc_add(before[s], s > 0 ? before[s - 1] : ctc_never<A>(), skips(s) ? before[s - 2] : ctc_never<A>());
  }
  /// Of all ways from state s to the end, step t not counted; `after`: beta of the step after.
  ORDO_HD A from(const A* after, int64_t t, int64_t s) const {
    if (t == steps - 1) return s >= count - 2 ? A(0) : ctc_never<A>();
    return ctc_add(after[s], s + 1 < count ? after[s + 1] : ctc_never<A>(),
                   s + 2 < count && skips(s + 2) ? after[s + 2] : ctc_never<A>());
  }
  /// `last`: alpha of the last step.
  ORDO_HD A loss(const A* last) const {
    if (steps == 0) return count == 1 ? A(0) : -ctc_never<A>();
    return A(0) - (count == 1 ? last[0] : ctc_add(last[count - 1], last[count - 2], ctc_never<A>()));
  }
  /// The probability that a path is in a state, from alpha and what follows.
  static ORDO_HD A share(A alpha, A from, A loss) { return math::exp((alpha + from) + loss); }
};

template <class T>
struct CtcItems {
  using A = accumulate_t<T>;
  const T* x;
  int64_t batch, classes, width, kept;
  const int64_t* lengths;
  const int64_t* states;
  A* alpha;
  A* losses;

  CtcItems(const Tensor& log_probs, const CtcPlan& plan)
      : x(log_probs.data<T>()),
        batch(log_probs.size(1)),
        classes(log_probs.size(2)),
        width(plan.states.size(1)),
        kept(plan.alpha.size(1)),
        lengths(plan.lengths.data<int64_t>()),
        states(plan.states.data<int64_t>()),
        alpha(plan.alpha.data<A>()),
        losses(plan.losses.data<A>()) {}

  ORDO_HD CtcItem<T> item(int64_t n) const {
    return {x + n * classes, batch * classes, states + n * width, lengths[n], 2 * lengths[batch + n] + 1};
  }
  ORDO_HD A* alpha_of(int64_t n, int64_t t) const { return alpha + (n * kept + t % kept) * width; }
};

/// What a class's states come to in the gradient of step t: their shares by rule 1.
template <class A>
ORDO_HD A ctc_sum(const A* shares, const CtcLink* links, int64_t s) {
  OrderedSum<A> sum;
  do {
    sum.push(shares[s]);
    s = links[s].next;
  } while (s != 0);
  return sum.result();
}

/// The gradient of what no state has: 0, or NaN where the loss is no number. Of class i % classes, and so on.
template <class T>
struct CtcFill {
  using A = accumulate_t<T>;
  int64_t batch, classes;
  const int64_t* steps;
  const A* losses;
  bool zero_infinity;
  T* out;

  ORDO_HD static T value(A loss, bool zero_infinity) {
    if (ctc_finite(loss) || (zero_infinity && loss == -ctc_never<A>())) return T(0.0f);
    return T(float(math::detail::nan()));
  }
  ORDO_HD void operator()(int64_t i) const {
    const int64_t n = i / classes % batch, t = i / classes / batch;
    out[i] = t < steps[n] ? value(losses[n], zero_infinity) : T(0.0f);
  }
};

}  // namespace ordo::kernels
