#include <ordo/engine/run/graph.h>

#include <atomic>
#include <thread>
#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/initial_exec.h>
#include <ordo/engine/memory/memory.h>
#if ORDO_HAS_CUDA
#include <ordo/engine/cuda/backend.h>
#endif

namespace ordo {
namespace {

constinit thread_local bool t_captures ORDO_INITIAL_EXEC = false;

}  // namespace

void detail::expect_no_capture(const char* what) {
  ORDO_CHECK(!t_captures, CudaError, "Graph", "cannot hold {}: a replay would do the same again", what);
}

namespace cuda {

struct Graph::State {
  void* work = nullptr;
  Device device;
  uintptr_t pool = 0;
  std::thread::id thread;

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
  static std::atomic<uintptr_t> next = 1;  // odd, as no stream's name is
  auto state = std::make_shared<State>();
  state->device = device, state->thread = std::this_thread::get_id();
  backend::synchronize(device.index());
  state->pool = next.fetch_add(2);
  ordo::detail::keep_pool(device, state->pool, true);
  backend::begin_capture(device.index(), state->pool);
  t_captures = true;
  try {
    f();
  } catch (...) {
    t_captures = false;
    backend::abandon_capture(device.index());
    throw;
  }
  t_captures = false;
  state->work = backend::end_capture(device.index());
  state_ = std::move(state);
#else
  (void)f;
  ordo::detail::fail<DeviceError>("Graph", "this build of Ordo has no CUDA");
#endif
}

void Graph::replay() const {
  ORDO_CHECK(state_->work, CudaError, "Graph", "has captured nothing");
  ORDO_CHECK(state_->thread == std::this_thread::get_id(), CudaError, "Graph",
             "was captured by another thread, which alone can replay it");
  ordo::detail::expect_no_capture("another graph");
#if ORDO_HAS_CUDA
  backend::launch_graph(state_->work, state_->device.index());
#endif
}

}  // namespace cuda
}  // namespace ordo
