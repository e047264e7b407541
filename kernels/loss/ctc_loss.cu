#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/loss/ctc_loss_functors.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

void ctc_states(const Tensor& targets, int64_t classes, int64_t blank, const CtcPlan& plan) {
  const IndexGuard guard("ctc_loss", "targets", -1, classes, targets.device());
  const int64_t batch = plan.states.size(0);
  const int64_t* const lengths = plan.lengths.data<int64_t>();
  each(plan.states.numel(),
       CtcStateClass{index_view(targets, classes, guard), lengths + batch, lengths + 2 * batch, plan.states.size(1),
                     blank, plan.states.data<int64_t>()},
       targets.device());
  guard.finish();
}

/// A block for each item, its threads for the states, from step to step.
template <class K, class... Args>
void launch_ctc(K kernel, int64_t batch, int64_t width, Device device, const Args&... args) {
  const ordo::cuda::DeviceScope scope(device);
  const auto& tuning = ordo::cuda::launch_tuning();
  const int64_t threads = std::min<int64_t>(tuning.block, (width + 31) / 32 * 32);
  ordo::cuda::launch(kernel, dim3(unsigned(std::min(batch, tuning.most_blocks))), dim3(unsigned(threads)), 0,
                     ordo::cuda::current_stream(device), args...);
}

template <class T, class A>
__global__ void __launch_bounds__(ordo::cuda::LaunchTuning::kMostThreads)
    ctc_alpha_kernel(CtcItems<T> items, A* losses, bool zero_infinity) {
  for (int64_t n = blockIdx.x; n < items.batch; n += gridDim.x) {
    const CtcItem<T> item = items.item(n);
    const A* alpha = nullptr;
    for (int64_t t = 0; t < item.steps; ++t) {
      A* const next = items.alpha_of(n, t);
      for (int64_t s = threadIdx.x; s < item.count; s += blockDim.x) next[s] = item.to(alpha, t, s) + item.log_p(t, s);
      __syncthreads();
      alpha = next;
    }
    if (threadIdx.x == 0) {
      const A loss = items.losses[n] = item.loss(alpha);
      losses[n] = zero_infinity && loss == -ctc_never<A>() ? A(0) : loss;
    }
  }
}

void ctc_loss(const Tensor& log_probs, const CtcPlan& plan, const Tensor& losses, bool zero_infinity) {
  dispatch_floating("ctc_loss", log_probs.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const CtcItems<T> items(log_probs, plan);
    launch_ctc(ctc_alpha_kernel<T, A>, items.batch, items.width, log_probs.device(), items, losses.data<A>(),
               zero_infinity);
  });
}

/// The states' shares of every step.
template <class T, class A>
__global__ void __launch_bounds__(ordo::cuda::LaunchTuning::kMostThreads)
    ctc_beta_kernel(CtcItems<T> items, A* betas, A* shares) {
  for (int64_t n = blockIdx.x; n < items.batch; n += gridDim.x) {
    const CtcItem<T> item = items.item(n);
    const A loss = items.losses[n];
    if (!ctc_finite(loss)) continue;
    for (int64_t t = item.steps - 1; t >= 0; --t) {
      A* const beta = betas + (2 * n + t % 2) * items.width;
      const A* const after = betas + (2 * n + (t + 1) % 2) * items.width;
      const A* const alpha = items.alpha_of(n, t);
      A* const share = shares + (n * items.kept + t) * items.width;
      for (int64_t s = threadIdx.x; s < item.count; s += blockDim.x) {
        const A from = item.from(after, t, s);
        beta[s] = from + item.log_p(t, s);
        share[s] = CtcItem<T>::share(alpha[s], from, loss);
      }
      __syncthreads();
    }
  }
}

/// The gradient of the class of state i % width at step i / width % kept of item i / width / kept, where that state is
/// its first.
template <class T>
struct CtcGradient {
  using A = accumulate_t<T>;
  CtcItems<T> items;
  const A* grad;
  const A* shares;
  const CtcLink* links;
  T* out;

  ORDO_HD void operator()(int64_t i) const {
    const int64_t s = i % items.width, row = i / items.width, t = row % items.kept, n = row / items.kept;
    const CtcItem<T> item = items.item(n);
    if (t >= item.steps || s >= item.count || !ctc_finite(items.losses[n])) return;
    const CtcLink* const own = links + n * items.width;
    if (own[s].first)
      out[(t * items.batch + n) * items.classes + item.states[s]] =
          T(-(grad[n] * ctc_sum(shares + row * items.width, own, s)));
  }
};

void ctc_loss_backward(const Tensor& grad, const Tensor& log_probs, const CtcPlan& plan, bool zero_infinity,
                       const Tensor& out) {
  const Device device = grad.device();
  dispatch_floating("ctc_loss", log_probs.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const CtcItems<T> items(log_probs, plan);
    each(out.numel(), CtcFill<T>{items.batch, items.classes, items.lengths, items.losses, zero_infinity, out.data<T>()},
         device);
    const Scratch<CtcLink> links(plan.states.numel(), device);
    each(plan.states.numel(), CtcLinkOf{items.states, items.lengths + items.batch, items.width, links.data()}, device);
    const Scratch<A> betas(2 * plan.states.numel(), device), shares(plan.alpha.numel(), device);
    launch_ctc(ctc_beta_kernel<T, A>, items.batch, items.width, device, items, betas.data(), shares.data());
    each(plan.alpha.numel(), CtcGradient<T>{items, grad.data<A>(), shares.data(), links.data(), out.data<T>()}, device);
  });
}

}  // namespace ordo::kernels::cuda
