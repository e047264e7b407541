#include "bench/measure.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <ordo/engine/run/elapsed.h>

#include "tools/demo/schedules.h"

namespace ordo::bench {

namespace {

// A repeat takes at least so long: short operations are run several times in it.
constexpr double kShortestMs = 0.5;

double bytes_of(const TensorList& tensors) {
  double sum = 0;
  for (const Tensor& t : tensors) sum += double(t.nbytes());
  return sum;
}

/// What a run reads and writes at least.
double bytes_moved(const Case& c, const TensorList& result) {
  return bytes_of(c.inputs) + bytes_of(result) * (c.adds ? 2 : 1);
}

std::string digest(const TensorList& tensors) {
  std::string all;
  for (const Tensor& t : tensors) {
    const Tensor here = t.to(cpu).contiguous();
    all += std::to_string(std::hash<std::string_view>{}({static_cast<const char*>(here.data()), here.nbytes()})) + " ";
  }
  return all;
}

// The distance from |x| to the next larger number of the dtype.
double ulp(double x, DType dtype) {
  const auto [digits, least] = dtype == float64    ? std::pair(53, -1021)
                               : dtype == float32  ? std::pair(24, -125)
                               : dtype == bfloat16 ? std::pair(8, -125)
                                                   : std::pair(11, -13);
  int exponent = least;
  if (x != 0) std::frexp(x, &exponent);
  return std::ldexp(1.0, std::max(exponent, least) - digits);
}

// Google Benchmark's reporter: keeps the times of repetitions.
class Times : public benchmark::BenchmarkReporter {
 public:
  explicit Times(std::vector<double>& ms) : ms_(ms) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.run_type == Run::RT_Iteration) ms_.push_back(run.real_accumulated_time / double(run.iterations) * 1e3);
  }

 private:
  std::vector<double>& ms_;
};

// Runs `repeat`, which does `batch` runs and returns their milliseconds, `count` times.
void repeat_and_time(const std::string& name, int count, int batch, const std::function<double()>& repeat,
                     std::vector<double>& ms) {
  std::exception_ptr failure;
  benchmark::RegisterBenchmark(name.c_str(),
                               [&](benchmark::State& state) {
                                 while (state.KeepRunningBatch(batch)) {
                                   try {
                                     state.SetIterationTime(repeat() / 1e3);
                                   } catch (...) {  // Google Benchmark does not expect it
                                     failure = std::current_exception();
                                     state.SkipWithError("failed");
                                     return;
                                   }
                                 }
                               })
      ->Iterations(batch)
      ->Repetitions(count)
      ->UseManualTime();
  Times times(ms);
  benchmark::RunSpecifiedBenchmarks(&times);
  benchmark::ClearRegisteredBenchmarks();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

RowRun::RowRun(const Row& row, Device device, const Effort& effort) : row_(row), device_(device), effort_(effort) {
  cases_.push_back(prepare(row, device));
  const double bytes = bytes_of(cases_[0].inputs);
  if (device.is_cuda() && cuda::build() == "cuda" && bytes > 0)
    for (double held = bytes; held < kMoreThanCaches; held += bytes) cases_.push_back(prepare(row, device));
}

double RowRun::max_ulp(const TensorList& result) {
  if (reference_.empty()) {
    const DeterminismGuard guard(Determinism::run_to_run);
    Case exact = prepare(row_, cpu, /*reference=*/true);
    exact.run({"reference"});
    for (const Tensor& t : exact.result()) reference_.push_back(t.to(float64).clone());
  }
  double worst = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    const Tensor got = result[i].to(cpu).to(float64).contiguous();
    const double *x = got.data<double>(), *y = reference_[i].data<double>();
    for (int64_t j = 0; j < got.numel(); ++j) {
      const double error = std::abs(x[j] - y[j]);
      // Where even the magnitude is out of range the error is, too.
      if (error > 0 || std::isnan(error))
        worst = std::max(worst, std::isfinite(error) ? error / ulp(y[j], result[i].dtype()) : INFINITY);
    }
  }
  return worst;
}

void RowRun::warm_up(const Path& path) {
  const DeterminismGuard guard(path.level);
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + std::chrono::milliseconds(50); Clock::now() < end;) {
    reset();
    next().run(path);
    if (device_.is_cuda()) cuda::synchronize(device_);
  }
}

void RowRun::reset() {
  for (Case& c : cases_) c.reset();
  if (device_.is_cuda()) cuda::synchronize(device_);
}

void RowRun::measure(const Path& path, Measured& measured) {
  const DeterminismGuard guard(path.level);
  measured.path = path.name;
  int schedule = measured.compared;
  // The first run warms up; its result is compared with the reference.
  reset();
  cases_[0].run(path);
  if (measured.max_ulp < 0) {
    const TensorList result = cases_[0].result();
    measured.max_ulp = max_ulp(result);
    if (!cases_[0].inputs.empty()) measured.bytes = bytes_moved(cases_[0], result);
  }
  const double once = elapsed_ms(device_, [&] { next().run(path); });
  if (!measured.batch) measured.batch = std::clamp(int(std::ceil(kShortestMs / std::max(once, 1e-6))), 1, 10000);
  const int batch = measured.batch;

  // A whole repeat, not timed: how many of them fit?
  const auto repeat = [&] {
    reset();
    demo::use_schedule(schedule++);
    Case* last = nullptr;
    const double ms = elapsed_ms(device_, [&] {
      for (int i = 0; i < batch; ++i) (last = &next())->run(path);
    });
    measured.patterns.insert(digest(last->result()));
    ++measured.compared;
    return ms;
  };
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  repeat();
  const double whole = std::chrono::duration<double>(Clock::now() - start).count();
  const int most = (effort_.repeats + effort_.rounds - 1) / effort_.rounds;
  const int least = std::min(most, (5 + effort_.rounds - 1) / effort_.rounds);
  const int count = std::clamp(int(effort_.seconds / effort_.rounds / whole), least, most);
  repeat_and_time(row_.name(path.name, device_), count, batch, repeat, measured.ms);
}

KernelWork count_kernels(const Row& row, const Path& path, Device device) {
  const DeterminismGuard guard(path.level);
  Case c = prepare(row, device);
  c.run(path);  // what is made once is there then
  if (c.reset) c.reset();
  cuda::synchronize(device);
  cuda::start_counting();
  c.run(path);
  cuda::synchronize(device);
  return {cuda::kernel_counts(), bytes_moved(c, c.result())};
}

double copy_bytes_per_second(Device device) {
  const Tensor from = zeros({int64_t(64) << 20}, {.device = device});
  Tensor to = zeros_like(from);
  std::vector<double> ms;
  to.copy_(from);
  for (int i = 0; i < 11; ++i) ms.push_back(elapsed_ms(device, [&] { to.copy_(from); }));
  std::nth_element(ms.begin(), ms.begin() + 5, ms.end());
  return 2.0 * double(from.nbytes()) / (ms[5] / 1e3);
}

}  // namespace ordo::bench
