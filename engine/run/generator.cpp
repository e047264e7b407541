#include <ordo/engine/run/generator.h>

#include <mutex>

#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/memory/initial_exec.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/run/fork.h>
#include <ordo/engine/run/generator_scope.h>
#include <ordo/engine/run/graph.h>

namespace ordo {

struct Generator::Shared {
  GeneratorState state;
};

/// Of the states of all generators: it is held for some instructions of an operation.
static std::mutex& states_mutex() { return detail::process_mutex(detail::ProcessLock::generators); }

Generator::Generator(uint64_t seed, uint64_t stream) {
  const detail::LibraryCall library;
  shared_ = std::make_shared<Shared>();
  shared_->state = {seed, stream, 0};
}

void Generator::manual_seed(uint64_t seed) {
  const std::lock_guard lock(states_mutex());
  shared_->state = {seed, shared_->state.stream, 0};
}

GeneratorState Generator::state() const {
  const std::lock_guard lock(states_mutex());
  return shared_->state;
}

void Generator::set_state(const GeneratorState& state) {
  const std::lock_guard lock(states_mutex());
  shared_->state = state;
}

GeneratorState Generator::reserve(uint64_t blocks) {
  detail::expect_no_capture("random numbers");
  GeneratorState before;
  {
    const std::lock_guard lock(states_mutex());
    before = shared_->state;
    shared_->state.offset += blocks;
  }
  if (detail::op_listened()) [[unlikely]]
    detail::report_draw(before, blocks);
  return before;
}

static thread_local Generator* g_generator_in_force ORDO_INITIAL_EXEC = nullptr;

Generator& default_generator() {
  static Generator& generator = *new Generator;  // never destroyed: a trace that ends with the process names its seed
  return g_generator_in_force ? *g_generator_in_force : generator;
}

detail::GeneratorScope::GeneratorScope(Generator& generator) : outer_(g_generator_in_force) {
  g_generator_in_force = &generator;
}
detail::GeneratorScope::~GeneratorScope() { g_generator_in_force = outer_; }

void manual_seed(uint64_t seed) { default_generator().manual_seed(seed); }

}  // namespace ordo
