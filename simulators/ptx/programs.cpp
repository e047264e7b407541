#include "simulators/ptx/programs.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "simulators/ptx/fat_binary.h"

namespace ordo::ptx {
namespace {

/// Adds the time until its end to a sum.
class Timer {
 public:
  explicit Timer(double& sum) : sum_(sum) {}
  ~Timer() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Timer(const Timer&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

void Runtime::add_module(const void* fat_binary) {
  auto module = std::make_unique<Module>();
  std::vector<PtxText> texts = ptx_of(fat_binary);
  std::erase_if(texts, [](const PtxText& t) { return t.architecture > kArchitecture; });
  if (!texts.empty()) {
    const auto newest = std::max_element(
        texts.begin(), texts.end(), [](const PtxText& a, const PtxText& b) { return a.architecture < b.architecture; });
    module->text = std::make_unique<ModuleText>(std::move(newest->text));
    for (const auto& [name, variable] : module->text->variables()) {
      if (variable.space == "shared") continue;
      auto* const data = static_cast<uint8_t*>(device.memory.allocate(variable.size));
      std::memset(data, 0, variable.size);
      std::copy(variable.initial.begin(), variable.initial.end(), data);
      device.memory.set_written(data, variable.size);
      module->globals[name] = reinterpret_cast<uint64_t>(data);
    }
    module->registers = registers_of(fat_binary, kArchitecture);
  }
  modules.push_back(std::move(module));
}

void Runtime::queue(cudaStream_t stream, const std::string& what, std::function<void()> work, size_t bytes) {
  queues.queue(
      stream,
      [this, what, work = std::move(work)] {
        if (fault != cudaSuccess) return;
        free_what_is_due();
        try {
          work();
        } catch (const Fault& e) {
          std::fprintf(stderr, "PTX machine: %s\n  %s\n", e.what(), what.c_str());
          fault = e.kind == Fault::Kind::illegal_address       ? cudaErrorIllegalAddress
                  : e.kind == Fault::Kind::misaligned_address  ? cudaErrorMisalignedAddress
                  : e.kind == Fault::Kind::illegal_instruction ? cudaErrorIllegalInstruction
                  : e.kind == Fault::Kind::timeout             ? cudaErrorLaunchTimeout
                                                               : cudaErrorLaunchFailure;
        }
      },
      bytes);
}

void* Runtime::allocate(size_t bytes) {
  free_what_is_due();
  if (void* const data = device.memory.allocate(bytes)) return data;
  queues.finish_all();
  free_what_is_due();
  return device.memory.allocate(bytes);
}

bool Runtime::free(void* data) {
  const Memory::Piece* piece = device.memory.find(reinterpret_cast<uint64_t>(data));
  if (!piece || piece->freed || piece->pinned || piece->begin != reinterpret_cast<uint64_t>(data) ||
      std::any_of(freed_.begin(), freed_.end(), [=](const Freed& f) { return f.data == data; }))
    return false;
  freed_.push_back({data, queues.next_number()});
  free_what_is_due();
  return true;
}

void Runtime::free_what_is_due() {
  if (freed_.empty()) return;
  const uint64_t done = queues.all_done_before();
  std::erase_if(freed_, [&](const Freed& f) { return f.number <= done && device.memory.free(f.data); });
}

cudaError_t Runtime::launch(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                            cudaStream_t stream) {
  const auto at = kernels.find(stub);
  if (at == kernels.end()) return cudaErrorInvalidDeviceFunction;
  Kernel& kernel = at->second;
  try {
    const Program& program = decoded(kernel);
    const Dim3 g{grid.x, grid.y, grid.z}, b{block.x, block.y, block.z};
    if (g.count() == 0 || b.count() == 0 || b.count() > kMostThreads || b.z > kMostDepth || g.x > kMostGridX ||
        g.y > kMostGridYZ || g.z > kMostGridYZ)
      return cudaErrorInvalidConfiguration;
    if (program.most_threads > 0 && b.count() > uint64_t(program.most_threads)) return cudaErrorInvalidValue;
    const uint64_t warps = (b.count() + kLanes - 1) / kLanes;
    const uint64_t of_warp = (registers(kernel) * uint64_t(kLanes) + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
    if (warps * of_warp > kMostRegisters) return cudaErrorLaunchOutOfResources;
    if (shared > kernel.most_dynamic_shared || shared + program.shared_bytes > kSharedOptIn ||
        (kernel.most_dynamic_shared == kSharedPerBlock && shared + program.shared_bytes > kSharedPerBlock))
      return cudaErrorInvalidValue;
    Launch launch{&program, g, b, shared, std::vector<uint8_t>(program.parameter_bytes)};
    for (size_t i = 0; i < kernel.offsets.size(); ++i)
      std::memcpy(launch.parameters.data() + kernel.offsets[i], arguments[i], kernel.sizes[i]);
    const size_t bytes = sizeof launch + launch.parameters.size();
    queue(
        stream, "kernel " + kernel.name,
        [this, &kernel, launch = std::move(launch)] {
          const Timer timer(seconds);
          const Counts before = device.counts;
          run(device, launch);
          kernel.counts = kernel.counts + (device.counts - before);
        },
        bytes);
  } catch (const SyntaxError& e) {
    std::fprintf(stderr, "PTX machine: %s\n", e.what());
    return cudaErrorInvalidPtx;
  }
  return cudaSuccess;
}

uint32_t Runtime::registers(const Kernel& kernel) {
  const auto at = kernel.module->registers.find(kernel.name);
  return at == kernel.module->registers.end() ? 0 : at->second;
}

const Program& Runtime::decoded(Kernel& kernel) {
  if (!kernel.program) {
    if (!kernel.module->text) throw SyntaxError(fmt::format("there is no PTX of {}", kernel.name));
    kernel.program = std::make_unique<Program>(decode(*kernel.module->text, kernel.name, kernel.module->globals));
    if (kernel.program->parameter_bytes > kMostParameters)
      throw SyntaxError(fmt::format("{} has {} bytes of parameters", kernel.name, kernel.program->parameter_bytes));
    size_t at = 0;
    for (const auto& [name, v] : kernel.module->text->kernel(kernel.name).parameters) {
      at = (at + v.alignment - 1) / v.alignment * v.alignment;
      kernel.offsets.push_back(at);
      kernel.sizes.push_back(v.size);
      at += v.size;
    }
  }
  return *kernel.program;
}

void Runtime::set_schedule(const char* order, uint64_t seed, bool is_eager) {
  queues.finish_all();
  eager = is_eager;
  using Order = Schedule::Order;
  device.schedule = {std::strcmp(order, "forward") == 0   ? Order::forward
                     : std::strcmp(order, "reverse") == 0 ? Order::reverse
                                                          : Order::random,
                     seed};
}

Runtime::Runtime() {
  const char *order = std::getenv("ORDO_PTX_ORDER"), *seed = std::getenv("ORDO_PTX_SEED"),
             *now = std::getenv("ORDO_PTX_EAGER");
  set_schedule(order ? order : "random", seed ? std::strtoull(seed, nullptr, 10) : 1, now && *now == '1');
  const char *counts = std::getenv("ORDO_PTX_COUNTS"), *ran = std::getenv("ORDO_PTX_KERNELS");
  if (counts && std::strcmp(counts, "1") != 0) device.cache = std::make_unique<SectorCache>(kCacheBytes);
  if (counts || ran) std::atexit([] { get().at_end(); });
  if (std::getenv("ORDO_PTX_RACES")) find_races(device);
}

void Runtime::at_end() {
  queues.finish_all();
  if (const char* counts = std::getenv("ORDO_PTX_COUNTS")) {
    report();
    if (std::strcmp(counts, "1") != 0) record_counts(counts);
  }
  if (const char* ran = std::getenv("ORDO_PTX_KERNELS")) record_kernels(ran);
}

void Runtime::record_kernels(const char* path) const {
  std::string names;
  for (const auto& [stub, kernel] : kernels)
    if (kernel.counts.launches > 0) names += kernel.name + "\n";
  if (std::FILE* file = std::fopen(path, "a")) {
    std::fwrite(names.data(), 1, names.size(), file);
    std::fclose(file);
  }
}

void Runtime::record_counts(const char* path) const {
  std::string text;
  for (const auto& [stub, kernel] : kernels) {
    if (kernel.counts.launches == 0) continue;
    text += fmt::format("{}\n  \"{}\": {{", text.empty() ? "" : ",", kernel.name);
    const char* comma = "";
    kernel.counts.for_each([&](std::string_view name, uint64_t count) {
      text += fmt::format("{}\"{}\": {}", std::exchange(comma, ", "), name, count);
    });
    text += "}";
  }
  std::FILE* const file = std::fopen(path, "w");
  if (!file || std::fputs(("{\"kernels\": {" + text + "\n}}\n").c_str(), file) < 0)
    std::fprintf(stderr, "PTX machine: %s cannot be written\n", path);
  if (file) std::fclose(file);
}

void Runtime::report() const {
  const Counts& c = device.counts;
  const std::string text = fmt::format(
      "PTX machine: {} launches in {:.2f} s; instructions: {} of threads ({:.0f} million a second), {} of warps; {} "
      "loads and "
      "{} stores of warps in global memory, {} sectors of 32 bytes; {} atomics, {} of them of floats; {} barriers\n",
      c.launches, seconds, c.instructions, seconds > 0 ? double(c.instructions) / seconds * 1e-6 : 0,
      c.warp_instructions, c.global_loads, c.global_stores, c.sectors, c.atomics, c.float_atomics, c.barriers);
  std::fputs(text.c_str(), stderr);
}

}  // namespace ordo::ptx
