#include <algorithm>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/optim/functors.h>

namespace ordo::kernels::cuda {
namespace {

// Steps of several parameters, as a kernel's argument.
template <class Element>
struct StepArguments {
  static constexpr int kMost = std::min(32, 3800 / int(sizeof(Element) + 2 * sizeof(int64_t)));
  int64_t last_chunk[kMost];  // of this parameter and those before it, and one
  int64_t numel[kMost];
  Element element[kMost];
};

constexpr int64_t kStepChunk = 1024;  // elements of a block

template <class Element>
__global__ void __launch_bounds__(ordo::cuda::LaunchTuning::kMostThreads)
    steps_kernel(StepArguments<Element> steps, int64_t chunks) {
  ORDO_NO_UNROLL
  for (int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    int k = 0;
    ORDO_NO_UNROLL
    while (chunk >= steps.last_chunk[k]) ++k;
    const int64_t begin = (chunk - (k == 0 ? 0 : steps.last_chunk[k - 1])) * kStepChunk, rest = steps.numel[k] - begin;
    const Element element = steps.element[k];
    ORDO_NO_UNROLL
    for (int64_t i = threadIdx.x; i < (rest < kStepChunk ? rest : kStepChunk); i += blockDim.x) element(begin + i);
  }
}

bool of_one_kind(const PlannedStep& a, const PlannedStep& b) {
  const Tensor &p = a.tensors.parameter, &q = b.tensors.parameter;
  return a.step.index() == b.step.index() && p.dtype() == q.dtype() && p.device() == q.device();
}

}  // namespace

void optimizer_steps(const std::vector<PlannedStep>& steps) {
  for (size_t next = 0; next < steps.size();) {
    const PlannedStep& first = steps[next];
    const Device device = first.tensors.parameter.device();
    const ordo::cuda::DeviceScope scope(device);
    with_step(first.tensors, first.step, [&]<class T, class Step>() {
      using Element = StepElement<T, Step>;
      StepArguments<Element> some{};
      int64_t chunks = 0;
      for (int k = 0; k < some.kMost && next < steps.size() && of_one_kind(first, steps[next]); ++k, ++next) {
        const auto& [tensors, step] = steps[next];
        some.numel[k] = tensors.parameter.numel();
        some.last_chunk[k] = chunks += (some.numel[k] + kStepChunk - 1) / kStepChunk;
        some.element[k] = Element::of(memory_of<T>(tensors), std::get<Step>(step));
      }
      ordo::cuda::launch(steps_kernel<Element>, ordo::cuda::grid_for(chunks, 1),
                         dim3(unsigned(ordo::cuda::launch_tuning().block)), 0, ordo::cuda::current_stream(device), some,
                         chunks);
    });
  }
}

}  // namespace ordo::kernels::cuda
