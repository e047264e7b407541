#include <ordo/kernels/loss/ctc_loss.h>

#include <algorithm>

#include <ordo/engine/checked.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/memory.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/loss/ctc_loss_functors.h>
#include <ordo/kernels/reduce/each_cpu.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "ctc_loss", .family = "loss", .dtypes = kFloatingTypes});

constexpr const char* kOp = "ctc_loss";

void check_arguments(const Tensor& log_probs, const Tensor& targets, const std::vector<int64_t>& input_lengths,
                     const std::vector<int64_t>& target_lengths, int64_t blank) {
  ordo::detail::expect_defined(kOp, log_probs, "log_probs");
  ordo::detail::expect_defined(kOp, targets, "targets");
  ordo::detail::expect_same_device(kOp, log_probs, targets);
  ordo::detail::expect_floating(kOp, log_probs);
  ordo::detail::expect_index_dtype(kOp, targets);
  ORDO_CHECK(log_probs.dim() == 3, ShapeError, kOp, "log_probs must have shape [T, N, C] or [T, C], but has {}",
             log_probs.sizes());
  ORDO_CHECK(targets.dim() == 1 || targets.dim() == 2, ShapeError, kOp,
             "targets must have shape [N, S], or one dimension with the labels of all items, but have {}",
             targets.sizes());
  const int64_t steps = log_probs.size(0), batch = log_probs.size(1), classes = log_probs.size(2);
  ORDO_CHECK(int64_t(input_lengths.size()) == batch && int64_t(target_lengths.size()) == batch, ShapeError, kOp,
             "there are {} items, but {} input_lengths and {} target_lengths", batch, input_lengths.size(),
             target_lengths.size());
  ORDO_CHECK(targets.dim() == 1 || targets.size(0) == batch, ShapeError, kOp,
             "targets of {} items must have as many rows, but have shape {}", batch, targets.sizes());
  const int64_t most = targets.size(-1);
  int64_t labels = 0;
  for (int64_t n = 0; n < batch; ++n) {
    const int64_t input = input_lengths[size_t(n)], target = target_lengths[size_t(n)];
    ORDO_CHECK(input >= 0 && target >= 0, ValueError, kOp,
               "lengths must not be negative, but those of item {} are {} and {}", n, input, target);
    ORDO_CHECK(input <= steps, ShapeError, kOp, "input_lengths[{}] = {} is more than the {} steps of log_probs", n,
               input, steps);
    ORDO_CHECK(target <= most, ShapeError, kOp, "target_lengths[{}] = {} is more than the {} labels of targets {}", n,
               target, most, targets.sizes());
    labels = checked::add(kOp, labels, target);
  }
  ORDO_CHECK(targets.dim() == 2 || labels == most, ShapeError, kOp,
             "targets have {} labels, but target_lengths add up to {}", most, labels);
  ORDO_CHECK(blank >= 0 && blank < classes, ValueError, kOp, "blank = {} must be one of {} classes", blank, classes);
}

/// In one tensor, which takes one copy to the device.
Tensor lengths_of(const Tensor& targets, const std::vector<int64_t>& input_lengths,
                  const std::vector<int64_t>& target_lengths) {
  const int64_t batch = int64_t(input_lengths.size());
  std::vector<int64_t> all = input_lengths;
  all.insert(all.end(), target_lengths.begin(), target_lengths.end());
  int64_t at = 0;
  for (int64_t n = 0; n < batch; ++n) {
    all.push_back(targets.dim() == 2 ? n * targets.size(1) : at);
    at += target_lengths[size_t(n)];
  }
  const Tensor lengths = ordo::detail::result({3, batch}, DType::int64, targets.device());
  ordo::detail::copy_bytes(lengths.data(), lengths.device(), all.data(), Device(), all.size() * sizeof(int64_t));
  return lengths;
}

}  // namespace

CtcLosses ctc_loss(const Tensor& log_probs, const Tensor& targets, const std::vector<int64_t>& input_lengths,
                   const std::vector<int64_t>& target_lengths, int64_t blank, bool zero_infinity, bool keep) {
  const ordo::detail::OperationName name("ctc_loss");
  check_arguments(log_probs, targets, input_lengths, target_lengths, blank);
  const Device device = log_probs.device();
  const DType dtype = log_probs.dtype() == float64 ? float64 : float32;
  const int64_t steps = log_probs.size(0), batch = log_probs.size(1);
  int64_t most = 0;
  for (int64_t labels : target_lengths) most = std::max(most, labels);
  const int64_t width = checked::add(kOp, checked::mul(kOp, most, 2), 1);
  CtcLosses out;
  out.losses = ordo::detail::result({batch}, dtype, device);
  out.plan = {lengths_of(targets, input_lengths, target_lengths),
              ordo::detail::result({batch, width}, DType::int64, device),
              ordo::detail::result({batch, keep ? std::max<int64_t>(steps, 1) : 2, width}, dtype, device),
              ordo::detail::result({batch}, dtype, device)};
  ORDO_ON_DEVICE(device, ctc_states, contiguous(targets), log_probs.size(2), blank, out.plan);
  ORDO_ON_DEVICE(device, ctc_loss, contiguous(log_probs), out.plan, out.losses, zero_infinity);
  return out;
}

Tensor ctc_loss_backward(const Tensor& grad, const Tensor& log_probs, const CtcPlan& plan, bool zero_infinity) {
  const ordo::detail::OperationName name("ctc_loss");
  const Tensor out = ordo::detail::result_like(log_probs);
  ORDO_ON_DEVICE(grad.device(), ctc_loss_backward, contiguous(grad), contiguous(log_probs), plan, zero_infinity, out);
  return out;
}

namespace cpu {
namespace {

/// Items that a thread takes at a time.
int64_t ctc_grain(int64_t steps, int64_t width) {
  return std::max<int64_t>(1, 2048 / std::max<int64_t>(1, steps) / width);
}

/// What the loops over an item's states read beside alpha or beta, so that they vectorise.
template <class T>
class CtcRow {
 public:
  using A = accumulate_t<T>;
  using Mask = std::conditional_t<sizeof(A) == 4, int32_t, int64_t>;

  explicit CtcRow(int64_t width) : log_p_(width, Device()), skips_(width, Device()) {}
  void begin(const CtcItem<T>& item) {
    for (int64_t s = 0; s < item.count; ++s) skips_[s] = item.skips(s);
  }
  const A* log_p(const CtcItem<T>& item, int64_t t) {
    for (int64_t s = 0; s < item.count; ++s) log_p_[s] = item.log_p(t, s);
    return log_p_;
  }
  const Mask* skips() const { return skips_; }

 private:
  Scratch<A> log_p_;
  Scratch<Mask> skips_;
};

/// CtcItem::to of all states.
template <class T, class A>
void ctc_forward(const CtcItem<T>& item, CtcRow<T>& row, const A* before, int64_t t, A* alpha) {
  const A* const log_p = row.log_p(item, t);
  const auto* const skips = row.skips();
  const int64_t peeled = t == 0 ? item.count : std::min<int64_t>(2, item.count);
  for (int64_t s = 0; s < peeled; ++s) alpha[s] = item.to(before, t, s) + log_p[s];
  for (int64_t s = peeled; s < item.count; ++s) {
    const A skipped = before[s - 2];
    alpha[s] = ctc_add(before[s], before[s - 1], skips[s] ? skipped : ctc_never<A>()) + log_p[s];
  }
}

/// CtcItem::from of all states, and the shares of the states.
template <class T, class A>
void ctc_backward(const CtcItem<T>& item, CtcRow<T>& row, const A* alpha, const A* after, int64_t t, A loss, A* beta,
                  A* shares) {
  const A* const log_p = row.log_p(item, t);
  const auto* const skips = row.skips();
  const int64_t whole = t == item.steps - 1 ? 0 : std::max<int64_t>(0, item.count - 2);
  for (int64_t s = 0; s < whole; ++s) {
    const A skipped = after[s + 2];
    const A from = ctc_add(after[s], after[s + 1], skips[s + 2] ? skipped : ctc_never<A>());
    beta[s] = from + log_p[s];
    shares[s] = CtcItem<T>::share(alpha[s], from, loss);
  }
  for (int64_t s = whole; s < item.count; ++s) {
    const A from = item.from(after, t, s);
    beta[s] = from + log_p[s];
    shares[s] = CtcItem<T>::share(alpha[s], from, loss);
  }
}

}  // namespace

void ctc_states(const Tensor& targets, int64_t classes, int64_t blank, const CtcPlan& plan) {
  const IndexGuard guard(kOp, "targets", -1, classes, targets.device());
  const int64_t batch = plan.states.size(0);
  const int64_t* const lengths = plan.lengths.data<int64_t>();
  each(plan.states.numel(), CtcStateClass{index_view(targets, classes, guard), lengths + batch, lengths + 2 * batch,
                                          plan.states.size(1), blank, plan.states.data<int64_t>()});
  guard.finish();
}

void ctc_loss(const Tensor& log_probs, const CtcPlan& plan, const Tensor& losses, bool zero_infinity) {
  dispatch_floating(kOp, log_probs.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const CtcItems<T> items(log_probs, plan);
    A* const out = losses.data<A>();
    parallel_for(0, items.batch, ctc_grain(log_probs.size(0), items.width), [&](int64_t first, int64_t last) {
      CtcRow<T> row(items.width);
      for (int64_t n = first; n < last; ++n) {
        const CtcItem<T> item = items.item(n);
        row.begin(item);
        const A* alpha = nullptr;
        for (int64_t t = 0; t < item.steps; ++t) {
          A* const next = items.alpha_of(n, t);
          ctc_forward(item, row, alpha, t, next);
          alpha = next;
        }
        const A loss = items.losses[n] = item.loss(alpha);
        out[n] = zero_infinity && loss == -ctc_never<A>() ? A(0) : loss;
      }
    });
  });
}

void ctc_loss_backward(const Tensor& grad, const Tensor& log_probs, const CtcPlan& plan, bool zero_infinity,
                       const Tensor& out) {
  dispatch_floating(kOp, log_probs.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const CtcItems<T> items(log_probs, plan);
    const A* const grads = grad.data<A>();
    T* const gradient = out.data<T>();
    const int64_t steps = log_probs.size(0), width = items.width, classes = items.classes;
    parallel_for(0, items.batch, ctc_grain(steps, width + classes / 16), [&](int64_t first, int64_t last) {
      CtcRow<T> row(width);
      const Scratch<CtcLink> links(width, Device());
      const Scratch<A> betas(checked::mul(kOp, width, 2), Device()), shares(width, Device());
      for (int64_t n = first; n < last; ++n) {
        const CtcItem<T> item = items.item(n);
        const A loss = items.losses[n];
        const bool finite = ctc_finite(loss);
        row.begin(item);
        for (int64_t s = 0; finite && s < item.count; ++s) links[s] = CtcLinkOf::link(item.states, item.count, s);
        for (int64_t t = steps - 1; t >= 0; --t) {
          T* const to = gradient + (t * items.batch + n) * classes;
          const bool inside = t < item.steps;
          std::fill_n(to, classes, inside ? CtcFill<T>::value(loss, zero_infinity) : T(0.0f));
          if (!inside || !finite) continue;
          A *const beta = betas.data() + t % 2 * width, *const after = betas.data() + (t + 1) % 2 * width;
          ctc_backward(item, row, items.alpha_of(n, t), after, t, loss, beta, shares.data());
          for (int64_t s = 0; s < item.count; ++s)
            if (links[s].first) to[item.states[s]] = T(-(grads[n] * ctc_sum(shares.data(), links.data(), s)));
        }
      }
    });
  });
}

}  // namespace cpu

}  // namespace ordo::kernels
