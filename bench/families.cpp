// The five families at every level, on every device: wall-clock time of one operation.
// Takes Google Benchmark's arguments, e.g. --benchmark_filter=index_add --benchmark_format=json
#include <benchmark/benchmark.h>

#include "tools/demo/families.h"

int main(int argc, char** argv) {
  using namespace ordo;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;

  std::vector<Device> devices{cpu};
  if (cuda::is_available()) devices.push_back("cuda");
  for (const Device device : devices)
    for (const demo::Family& family : demo::families(device, cuda::build() == "emulated" ? 100 : 1))
      for (const Determinism level :
           {Determinism::not_guaranteed, Determinism::run_to_run, Determinism::device_to_device}) {
        const std::string label = family.name + "/" + device.str() + "/" + std::string(name(level));
        benchmark::RegisterBenchmark(label.c_str(),
                                     [=](benchmark::State& state) {
                                       const DeterminismGuard guard(level);
                                       const auto run = family.prepare();
                                       for (auto _ : state) {
                                         benchmark::DoNotOptimize(run());
                                         if (device.is_cuda()) cuda::synchronize(device);
                                       }
                                     })
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond);
      }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
