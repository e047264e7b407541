// ordo info: versions, devices, threads, libraries, current settings.
#include <fmt/format.h>
#include <ordo/engine/distributed/device_transport.h>
#include <ordo/kernels/vectors/vector_targets.h>
#include <ordo/ordo.h>

#include "tools/ordo/cli.h"
#include "tools/ordo/say.h"

namespace {

using namespace ordo;

void line(std::string_view key, std::string_view value) { say("  {:<26}{}\n", key, value); }
const char* on_off(bool on) { return on ? "on" : "off"; }

void print_info() {
  say("Ordo {}\n", version());
  line("CUDA in this build", cuda::build());
  line("operations", std::to_string(ops().size()));

  say("\nDevices\n");
  for (const DeviceDescription& d : devices())
    line(d.device.str(),
         d.memory_bytes ? fmt::format("{}, {:.1f} GiB", d.name, double(d.memory_bytes) / (1 << 30)) : d.name);
  if (!cuda::is_available())
    line("cuda", cuda::build() == "none" ? "not in this build (ORDO_CUDA=OFF, no nvcc, or ./run found no GPU)"
                                         : why_no_cuda_device() + "; ./run --emulated runs the kernels on the CPU");
  line("CPU threads", std::to_string(num_threads()));
  line("CPU vectors", kernels::cpu::vector_targets().front() + " (products, convolutions, loops over elements)");

  say("\nLibraries\n");
  for (const LibraryVersion& l : libraries()) line(l.name, l.version);
  for (const std::string& setting : library_settings()) line("environment", setting);
  if (cuda::build() != "none") line("CUDA between processes", distributed::device_transport_name());

  say("\nSettings\n");
  line("determinism", name(determinism()));
  line("warn only", on_off(determinism_warn_only()));
  line("fill uninitialized memory", on_off(fill_uninitialized_memory()));
  line("cudnn.benchmark", on_off(cudnn_settings().benchmark));
  line("cudnn.deterministic", on_off(cudnn_settings().deterministic));
  line("seed", std::to_string(default_generator().state().seed));
}

}  // namespace

const Command kInfo{"info", "Show versions, devices, threads, libraries and current settings",
                    [](Arguments) -> std::function<void()> { return print_info; }};
