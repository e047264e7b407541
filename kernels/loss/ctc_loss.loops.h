// ctc_loss. The recursions are those of A. Graves, S. Fernandez, F. Gomez, J. Schmidhuber, "Connectionist temporal
// classification", 2006, on logarithms.
#pragma once

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/kernels/accumulate/index_view.h>
#include <ordo/kernels/loss/ctc_loss.h>
#include <ordo/kernels/math/math.h>
#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels {

/// So many places lie on either side of an item's states, so that each of these has neighbours.
inline constexpr int64_t kCtcBeside = 2;

/// The logarithm of 0.
template <class A>
ORDO_HD A ctc_never() {
  return A(-math::detail::infinity());
}

/// log(e^a + e^b + e^c), these three added from left to right.
template <class A>
[[gnu::always_inline]] ORDO_HD A ctc_add(A a, A b, A c) {
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

/// The class of place i % width of item i / width.
struct CtcStateClass {
  IndexView targets;
  const int64_t* labels;   // how many, of each item
  const int64_t* offsets;  // and where they begin
  int64_t width, blank;
  int64_t* states;

  ORDO_HD void operator()(int64_t i) const {
    const int64_t n = i / width, s = i % width - kCtcBeside;
    int64_t c = s < 0 || s > 2 * labels[n] ? -1 : blank;
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
    const int64_t n = i / width, s = i % width - kCtcBeside, count = 2 * labels[n] + 1;
    if (s < 0 || s >= count) return;
    const int64_t* const own = states + n * width + kCtcBeside;
    CtcLink link{s + 1, true};
    while (link.next < count && own[link.next] != own[s]) ++link.next;
    if (link.next == count) link.next = 0;
    for (int64_t before = s - 1; before >= 0 && link.first; --before) link.first = own[before] != own[s];
    links[i] = link;
  }
};

/// One item of the batch. States -2, -1, count and count + 1 have no class and, but at the ends, probability 0.
template <class T>
struct CtcItem {
  using A = accumulate_t<T>;
  const T* x;             // the log-probabilities of its first step
  int64_t stride;         // from one step to the next
  const int64_t* states;  // their classes
  int64_t steps, count;   // how many steps and states

  ORDO_HD A log_p(int64_t t, int64_t s) const { return A(x[t * stride + states[s]]); }
  /// Whether a path may go from state s - 2 to s: not past a label to its repetition, and not from blank to blank.
  ORDO_HD bool skips(int64_t s) const { return states[s] != states[s - 2]; }

  /// The log-probability of all ways to state s before a step counts; `before`: alpha of the step before.
  ORDO_HD A to(const A* before, int64_t s) const {
    const A skipped = before[s - 2];
    return ctc_add(before[s], before[s - 1], skips(s) ? skipped : ctc_never<A>());
  }
  /// Of all ways from state s to the end, a step not counted; `after`: beta of the step after.
  ORDO_HD A from(const A* after, int64_t s) const {
    const A skipped = after[s + 2];
    return ctc_add(after[s], after[s + 1], skips(s + 2) ? skipped : ctc_never<A>());
  }
  /// `last`: alpha of the last step.
  ORDO_HD A loss(const A* last) const {
    return A(0) - (count == 1 ? last[0] : ctc_add(last[count - 1], last[count - 2], ctc_never<A>()));
  }
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

  static CtcItems of(const Tensor& log_probs, const CtcPlan& plan) {
    return {log_probs.data<T>(),         log_probs.size(1),    log_probs.size(2),
            plan.states.size(1),         plan.alpha.size(1),   plan.lengths.data<int64_t>(),
            plan.states.data<int64_t>(), plan.alpha.data<A>(), plan.losses.data<A>()};
  }
  ORDO_HD CtcItem<T> item(int64_t n) const {
    return {x + n * classes, batch * classes, states + n * width + kCtcBeside, lengths[n], 2 * lengths[batch + n] + 1};
  }
  /// The first state's value of step t of item n, in alpha or what has its shape. Step -1 is before the first one.
  ORDO_HD A* row(A* values, int64_t n, int64_t t) const {
    return values + (n * kept + (t + 1) % kept) * width + kCtcBeside;
  }
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

namespace ORDO_LOOPS_DEVICE {
namespace {

/// Alpha of an item, step by step.
template <class T>
struct CtcForward {
  using A = accumulate_t<T>;
  CtcItems<T> items;
  A* losses;
  bool zero_infinity;

  template <class Team>
  ORDO_TEAM void operator()(int64_t n, const Team& team) const {
    const CtcItem<T> item = items.item(n);
    A* last = items.row(items.alpha, n, -1);
    team.each(1, [&](int64_t) { last[0] = A(0); });  // all ways begin there
    team.wait();
    for (int64_t t = 0; t < item.steps; ++t) {
      const A* const before = last;
      A* const alpha = items.row(items.alpha, n, t);
      team.each(item.count, [&](int64_t s) { alpha[s] = item.log_p(t, s); });  // apart: the other loop vectorises
      team.each(item.count, [&](int64_t s) { alpha[s] = item.to(before, s) + alpha[s]; });
      team.wait();
      last = alpha;
    }
    if (!team.first()) return;
    const A loss = items.losses[n] = item.loss(last);
    losses[n] = zero_infinity && loss == -ctc_never<A>() ? A(0) : loss;
  }
};

/// Beta of an item, and its states' shares of every step. Where the loss is no number, nor is the gradient, unless an
/// infinite loss counts as 0.
template <class T>
struct CtcBackward {
  using A = accumulate_t<T>;
  CtcItems<T> items;
  A *betas, *shares;  // three rows of each item; those of alpha
  T* out;
  bool zero_infinity;

  template <class Team>
  ORDO_TEAM void operator()(int64_t n, const Team& team) const {
    const CtcItem<T> item = items.item(n);
    const A loss = items.losses[n];
    if (!ctc_finite(loss)) {
      if (zero_infinity && loss == -ctc_never<A>()) return;
      for (int64_t t = 0; t < item.steps; ++t) {
        T* const to = out + (t * items.batch + n) * items.classes;
        team.each(items.classes, [&](int64_t c) { to[c] = T(float(math::detail::nan())); });
      }
      return;
    }
    A* const rows = betas + 3 * n * items.width;
    const int64_t last = 2 * items.width + kCtcBeside, end = last + item.count;  // all ways end behind the states
    team.each(3 * items.width, [&](int64_t i) { rows[i] = i == end ? A(0) : ctc_never<A>(); });
    team.wait();
    for (int64_t t = item.steps - 1; t >= 0; --t) {
      const A* const after = rows + (t == item.steps - 1 ? last : (t + 1) % 2 * items.width + kCtcBeside);
      const A* const alpha = items.row(items.alpha, n, t);
      A *const beta = rows + t % 2 * items.width + kCtcBeside, *const share = items.row(shares, n, t);
      team.each(item.count, [&](int64_t s) { beta[s] = item.log_p(t, s); });
      team.each(item.count, [&](int64_t s) {
        const A from = item.from(after, s);
        beta[s] = from + beta[s];
        share[s] = math::exp((alpha[s] + from) + loss);  // the probability that a path is in the state
      });
      team.wait();
    }
  }
};

/// The gradient of the class of place i % width at step i / width % kept - 1 of item i / width / kept, where a state is
/// there that is the first of its class.
template <class T>
struct CtcGradient {
  using A = accumulate_t<T>;
  CtcItems<T> items;
  const A* grad;
  const A* shares;
  const CtcLink* links;
  T* out;

  ORDO_HD void operator()(int64_t i) const {
    const int64_t s = i % items.width - kCtcBeside, row = i / items.width, t = row % items.kept - 1,
                  n = row / items.kept;
    const CtcItem<T> item = items.item(n);
    if (t < 0 || t >= item.steps || s < 0 || s >= item.count || !ctc_finite(items.losses[n])) return;
    const CtcLink* const own = links + n * items.width + kCtcBeside;
    if (own[s].first)
      out[(t * items.batch + n) * items.classes + item.states[s]] = T(-(grad[n] * ctc_sum(shares + (i - s), own, s)));
  }
};

}  // namespace

void ctc_loss(const Tensor& log_probs, const Tensor& targets, int64_t blank, const CtcPlan& plan, const Tensor& losses,
              bool zero_infinity) {
  const int64_t batch = log_probs.size(1), classes = log_probs.size(2);
  const IndexGuard guard("ctc_loss", "targets", -1, classes, targets.device());
  const int64_t* const lengths = plan.lengths.data<int64_t>();
  each(plan.states.numel(),
       CtcStateClass{index_view(targets, classes, guard), lengths + batch, lengths + 2 * batch, plan.states.size(1),
                     blank, plan.states.data<int64_t>()},
       targets.device());
  guard.finish();
  dispatch_floating("ctc_loss", log_probs.dtype(), [&]<class T>() {
    const auto items = CtcItems<T>::of(log_probs, plan);
    each_team(items.batch, items.width, CtcForward<T>{items, losses.data<accumulate_t<T>>(), zero_infinity},
              log_probs.device(), 8 * log_probs.size(0) * items.width);
  });
}

void ctc_loss_backward(const Tensor& grad, const Tensor& log_probs, const CtcPlan& plan, bool zero_infinity,
                       const Tensor& out) {
  const Device device = grad.device();
  dispatch_floating("ctc_loss", log_probs.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const auto items = CtcItems<T>::of(log_probs, plan);
    const Scratch<A> betas(3 * plan.states.numel(), device), shares(plan.alpha.numel(), device);
    each_team(items.batch, items.width,
              CtcBackward<T>{items, betas.data(), shares.data(), out.data<T>(), zero_infinity}, device,
              8 * log_probs.size(0) * items.width);
    const Scratch<CtcLink> links(plan.states.numel(), device);
    each(plan.states.numel(), CtcLinkOf{items.states, items.lengths + items.batch, items.width, links.data()}, device);
    each(plan.alpha.numel(), CtcGradient<T>{items, grad.data<A>(), shares.data(), links.data(), out.data<T>()}, device);
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
