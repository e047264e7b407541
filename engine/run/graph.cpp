#include <ordo/engine/run/graph.h>

#include <atomic>
#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/initial_exec.h>
#include <ordo/engine/memory/memory.h>
#if ORDO_HAS_CUDA
#include <ordo/engine/cuda/backend.h>
#endif

namespace ordo {
namespace {

constinit thread_local uint64_t t_capture ORDO_INITIAL_EXEC = 0;
std::atomic<uint64_t> g_numbers = 0;
/// Never given twice, as a thread's id is.
uint64_t thread_number() {
  thread_local const uint64_t mine = ++g_numbers;
  return mine;
}

}  // namespace

void detail::expect_no_capture(const char* what) {
  ORDO_CHECK(t_capture == 0, CudaError, "Graph", "a graph cannot hold {}", what);
}

uint64_t detail::capture_number() { return t_capture; }

namespace cuda {

struct Graph::State {
#if ORDO_HAS_CUDA
  backend::CapturedGraph* work = nullptr;
#else
  void* work = nullptr;
#endif
  Device device;
  uintptr_t pool = 0;
  uint64_t thread = 0;

  ~State() { forget(); }
  void forget() noexcept {
#if ORDO_HAS_CUDA
    if (work) backend::destroy_graph(std::exchange(work, nullptr));
    if (pool) ordo::detail::keep_pool(device, std::exchange(pool, 0), false);
#endif
  }
};

Graph::Graph() : state_(std::make_shared<State>()) {}

void Graph::capture(const std::function<void()>& f, Device device) {
  ORDO_CHECK(device.is_cuda(), DeviceError, "Graph", "is of a CUDA device, not of {}", device);
  ordo::detail::expect_no_capture("another graph");
#if ORDO_HAS_CUDA
  state_ = std::make_shared<State>();
  auto state = std::make_shared<State>();
  state->device = device, state->thread = thread_number();
  backend::synchronize(device.index());
  const uint64_t number = ++g_numbers;
  state->pool = uintptr_t(2 * number + 1);  // odd, as no stream's name is
  ordo::detail::keep_pool(device, state->pool, true);
  backend::begin_capture(device.index(), state->pool);
  t_capture = number;
  try {
    f();
  } catch (...) {
    t_capture = 0;
    backend::abandon_capture(device.index());
    throw;
  }
  t_capture = 0;
  state->work = backend::end_capture(device.index());
  state_ = std::move(state);
#else
  (void)f;
  ordo::detail::fail<DeviceError>("Graph", "this build of Ordo has no CUDA");
#endif
}

void Graph::replay() const {
  ORDO_CHECK(state_->work, CudaError, "Graph", "has captured nothing");
  ORDO_CHECK(state_->thread == thread_number(), CudaError, "Graph",
             "was captured by another thread, which alone can replay it");
  ordo::detail::expect_no_capture("another graph");
#if ORDO_HAS_CUDA
  backend::launch_graph(state_->work);
#endif
}

}  // namespace cuda
}  // namespace ordo
