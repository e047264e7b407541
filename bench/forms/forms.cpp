// What atomic_plan.h and exact_plan.h decide between: the forms of `atomic` and of `exact` beside each other, float32,
// int64 indices. Prints tables of median milliseconds on a GPU.
//   ordo_forms [--quick]     small sizes, whose times mean nothing
//   ordo_forms --model       on the PTX machine: predicted by its counts, not measured (docs/gpu-model.md); and the
//                            radix sort of `sorted`, beside a published time
// Exit status: 0, or 2 without a CUDA device or for an unknown argument.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <ordo/engine/cuda/backend.h>
#include <ordo/engine/run/elapsed.h>
#include <ordo/engine/run/emulation.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/ordo.h>

#include "bench/cases.h"
#include "bench/forms/forms.h"
#include "bench/gpu_model.h"

namespace ordo::bench {
namespace {

using kernels::AccumulateShape;
using kernels::cuda::AtomicForm;
using kernels::cuda::AtomicPlan;
using kernels::cuda::ExactForm;
using kernels::cuda::ExactPlan;

struct Size {
  int64_t items, destinations, columns = 1;
};
constexpr const char* kDistributions[] = {"uniform", "half"};

struct Effort {
  bool model = false;
  int repeats = 30;
  /// For whom there are times: the GPU that runs this, or those of the model.
  std::vector<std::string> gpus() const {
    if (model) return {"H100", "RTX 4090"};
    return {cuda::backend::device_properties(0).name};
  }
};

/// Items to add, on the device, in enough copies that no cache holds what the last run read.
class Problem {
 public:
  Problem(const Size& size, const std::string& distribution, const Effort& effort)
      : size_(size), effort_(effort), output_(zeros({size.destinations, size.columns}, {.device = "cuda"})) {
    const Setting setting{"cuda", float32, float32};
    const Tensor index = setting.destinations(distribution, size.items, size.destinations);
    const double enough = effort.model ? 1 : kMoreThanCaches;  // the model's caches are empty
    for (double held = 0; held < enough; held += double(index.nbytes() + sources_.back().nbytes())) {
      sources_.push_back(setting.values({size.items, size.columns}));
      indices_.push_back(index.clone());
    }
  }

  AccumulateShape shape() const { return {size_.destinations, 1, size_.columns}; }
  float* output() { return output_.data<float>(); }

  /// Milliseconds of f(items), for each of effort.gpus().
  template <class F>
  std::vector<double> times(const F& f) {
    const IndexGuard guard("forms", "index", 0, size_.destinations, "cuda");
    const auto items = [&](size_t copy) {
      return kernels::row_items<float>({kernels::keyed_rows(size_.destinations, size_.columns, size_.items),
                                        kernels::index_view(indices_[copy], size_.destinations, guard), nullptr,
                                        sources_[copy].data(), float32, "cuda"});
    };
    if (effort_.model) {
      cuda::start_counting();
      f(items(0));
      const std::vector<cuda::KernelCounts> counts = cuda::kernel_counts();
      std::vector<double> predicted;
      for (const std::string& name : effort_.gpus())
        for (const Gpu& gpu : gpus())
          if (gpu.name == name) predicted.push_back(predict(counts, gpu).ms);
      return predicted;
    }
    std::vector<double> measured;
    for (int r = 0; r <= effort_.repeats; ++r) {
      const double ms = elapsed_ms("cuda", [&] { f(items(size_t(r) % sources_.size())); });
      if (r > 0) measured.push_back(ms);  // the first one warms up
    }
    std::nth_element(measured.begin(), measured.begin() + int(measured.size()) / 2, measured.end());
    return {measured[measured.size() / 2]};
  }

 private:
  Size size_;
  Effort effort_;
  Tensor output_;
  std::vector<Tensor> indices_, sources_;
};

/// What a form takes, empty where it cannot be; and the form that the plan chooses.
struct Forms {
  std::vector<std::vector<double>> times;
  size_t chosen;
};

/// A line for each GPU: the forms' milliseconds, the one that is chosen, and what it takes beside the fastest.
void print(const Size& size, const char* distribution, const Effort& effort, const Forms& forms,
           const std::vector<std::string>& names) {
  const std::vector<std::string> gpus = effort.gpus();
  for (size_t g = 0; g < gpus.size(); ++g) {
    std::string line =
        fmt::format("| {} | {} | {} | {} | {} |", size.items, size.destinations, size.columns, distribution, gpus[g]);
    double least = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& ms : forms.times) {
      line += ms.empty() ? " |" : fmt::format(" {:.4f} |", ms[g]);
      if (!ms.empty()) least = std::min(least, ms[g]);
    }
    std::puts(fmt::format("{} {} | {:.2f} |", line, names[forms.chosen], forms.times[forms.chosen][g] / least).c_str());
  }
  std::fflush(stdout);
}

void print_head(const char* algorithm, const Effort& effort, const std::vector<std::string>& names) {
  std::string head = "| M | N | D | destinations | GPU |", line = "|---|---|---|---|---|";
  for (const std::string& name : names) head += " " + name + " |", line += "---|";
  std::puts(fmt::format("\n{} milliseconds of the forms of `{}`:\n\n{} chosen | beside the fastest |\n{}---|---|",
                        effort.model ? "Predicted" : "Median", algorithm, head, line)
                .c_str());
}

/// A plan for each form that there is, none for a form that cannot be; and which of them is chosen.
template <class Plan>
struct Plans {
  size_t chosen;
  std::vector<std::optional<Plan>> forms;
};

/// A table of these sizes; plans(size, problem) are what it compares.
template <class F>
void compare(const char* algorithm, const std::vector<std::string>& names, const std::vector<Size>& sizes,
             const Effort& effort, const F& plans) {
  print_head(algorithm, effort, names);
  for (const Size& size : sizes)
    for (const char* distribution : kDistributions) {
      Problem problem(size, distribution, effort);
      const auto compared = plans(size, problem);
      Forms forms{.times = {}, .chosen = compared.chosen};
      for (const auto& plan : compared.forms) {
        const auto run = [&](const FormItems& items) {
          accumulate_as(*plan, items, problem.output(), problem.shape());
        };
        forms.times.push_back(plan ? problem.times(run) : std::vector<double>());
      }
      print(size, distribution, effort, forms, names);
    }
}

void compare_exact(const std::vector<Size>& sizes, const Effort& effort) {
  compare("exact", {"direct", "block_sums"}, sizes, effort, [](const Size& size, const Problem& problem) {
    Plans<ExactPlan> plans{size_t(kernels::cuda::plan_exact(size.items, problem.shape()).form), {}};
    for (ExactForm form : {ExactForm::direct, ExactForm::block_sums})
      plans.forms.push_back(ExactPlan{form, kernels::cuda::values_per_block(size.destinations)});
    if (size.destinations > kernels::cuda::kBlockSums) plans.forms.back().reset();
    return plans;
  });
}

void compare_atomic(const std::vector<Size>& sizes, const Effort& effort) {
  compare("atomic", {"warp", "rows", "histogram"}, sizes, effort, [](const Size& size, Problem& problem) {
    const int64_t outputs = size.destinations * size.columns;
    AtomicPlan plan = kernels::cuda::plan_atomic(size.items, problem.shape(), problem.output());
    Plans<AtomicPlan> plans{size_t(plan.form), {}};
    for (AtomicForm form : {AtomicForm::warp, AtomicForm::rows, AtomicForm::histogram}) {
      plan.form = form;
      plans.forms.push_back(plan);
    }
    AtomicPlan& histogram = *plans.forms.back();
    histogram.vector = 1;
    histogram.histogram_blocks = kernels::cuda::histogram_blocks(size.items * size.columns, outputs);
    if (outputs * 4 > kernels::cuda::kHistogramBytes) plans.forms.back().reset();
    return plans;
  });
}

/// CUB's radix sort of pairs of 32 bits each. An RTX 5090 (NVIDIA's data sheet: 170 multiprocessors, 2.41 GHz, 1792
/// GB/s) takes 3.10 ms for 67 million, says the author of libcusort.
void compare_sort(const Size& size) {
  constexpr double kPublishedMs = 3.10, kPublishedPairs = 67e6, kPasses = 32 / 8;
  const Gpu gpu{.name = "RTX 5090",
                .multiprocessors = 170,
                .gigahertz = 2.41,
                .dram_GB = 1792,
                .atomic_words_G = 188,
                .atomic_sectors_G = 66,
                .hot_word_G = 0.72};
  const Setting setting{"cuda", float32, float32};
  const Tensor sums = setting.values({size.destinations});
  const Tensor index = setting.destinations("uniform", size.items, size.destinations),
               source = setting.values({size.items});
  cuda::start_counting();
  index_add(sums, 0, index, source, 1, Algorithm::sorted);
  double bytes = 0;
  std::vector<cuda::KernelCounts> sort;
  for (cuda::KernelCounts& k : cuda::kernel_counts()) {
    const bool is_pass = k.kernel.find("OnesweepKernel") != std::string::npos;
    if (!is_pass && k.kernel.find("RadixSortHistogramKernel") == std::string::npos) continue;
    const double launches = k.counts["launches"];
    for (auto& [name, count] : k.counts)
      count *= kPublishedPairs / double(size.items) * (is_pass ? kPasses / launches : 1);
    k.counts["launches"] = is_pass ? kPasses : launches;
    bytes += k.counts["dram_sectors"] * 32 / kPublishedPairs;
    sort.push_back(k);
  }
  const double ms = predict(sort, gpu).ms;
  std::puts(
      fmt::format(
          "\nCUB's radix sort of 67 million pairs of 32 bits on an RTX 5090, from its counts for {} million in three "
          "passes:\n\n| bytes of DRAM for a pair | predicted, ms | published, ms | ratio |\n|---|---|---|---|\n"
          "| {:.1f} | {:.2f} | {:.2f} | {:.2f} |",
          size.items >> 20, bytes, ms, kPublishedMs, ms / kPublishedMs)
          .c_str());
}

}  // namespace
}  // namespace ordo::bench

int main(int argc, char** argv) {
  using namespace ordo::bench;
  const std::string option = argc > 1 ? argv[1] : "";
  if (argc > 2 || (argc == 2 && option != "--quick" && option != "--model")) {
    std::fprintf(stderr, "forms: unknown argument '%s'; there are --quick and --model\n", argv[argc - 1]);
    return 2;
  }
  if (!ordo::cuda::is_available()) {
    std::fputs("forms: there is no CUDA device\n", stderr);
    return 2;
  }
  if (option == "--model" && !(ordo::cuda::is_simulated() && ordo::cuda::build() == "cuda")) {
    std::fputs("forms: --model counts what nvcc made, on the PTX machine (docs/ptx.md), which is not here\n", stderr);
    return 2;
  }
  const int64_t k = 1 << 10, m = 1 << 20;
  if (option == "--quick") {
    compare_exact({{4096, 16}, {20000, 9000}}, {.repeats = 2});
    compare_atomic({{4096, 16}, {512, 90, 16}}, {.repeats = 2});
  } else if (option == "--model") {
    compare_exact({{64 * k, 2 * k},
                   {m, 1},
                   {m, 256},
                   {m, 2 * k},
                   {m, 64 * k},
                   {4 * m, 1 * m},
                   {8 * m, 4 * m},
                   {8 * m, 8 * m},
                   {32 * m, 32 * m}},
                  {.model = true});
    compare_atomic({{64 * k, 64},
                    {256 * k, 256},
                    {m, 256},
                    {m, k},
                    {m, 8 * k},
                    {4 * m, 8 * k},
                    {m, k, 8},
                    {64 * k, 4 * k, 8},
                    {64 * k, 4 * k, 16},
                    {64 * k, 4 * k, 32},
                    {64 * k, 4 * k, 64}},
                   {.model = true});
    compare_sort({16 * m, 16 * m});
  } else {
    compare_exact(
        {{16 * m, 256}, {16 * m, 2 * k}, {m, 64 * k}, {16 * m, 64 * k}, {16 * m, m}, {16 * m, 4 * m}, {64 * m, 16 * m}},
        {});
    compare_atomic({{m, 64},
                    {m, k},
                    {m, 8 * k},
                    {16 * m, 8 * k},
                    {m, 64 * k, 8},
                    {m, 64 * k, 16},
                    {m, 64 * k, 32},
                    {m, 64 * k, 64}},
                   {});
  }
  return 0;
}
