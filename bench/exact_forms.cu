// What `exact_plan.h` has to decide between, measured: the forms of the algorithm `exact` on a GPU beside each other
// and beside `atomic`. Prints a table of median milliseconds, float32, single columns, int64 indices.
//   ordo_exact_forms [--quick]     small sizes, whose times mean nothing
// Exit status: 0, or 2 without a CUDA device or for an unknown argument.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/elapsed.h>
#include <ordo/engine/tensor.h>
#include <ordo/kernels/index_add/index_add_items.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>
#include "bench/cases.h"

namespace ordo::bench {
namespace {

using kernels::cuda::ExactForm;
using kernels::cuda::ExactPlan;

struct Size {
  int64_t items, destinations;
};

/// Items to add, on the device, in enough copies that no cache holds what the last run read.
class Problem {
 public:
  Problem(const Size& size, const std::string& distribution)
      : size_(size), output_(zeros({size.destinations}, {.device = "cuda"})) {
    const Place place{"cuda", float32, float32};
    const Tensor index = place.destinations(distribution, size.items, size.destinations);
    for (double held = 0; held < kMoreThanCaches; held += double(index.nbytes() + sources_.back().nbytes())) {
      sources_.push_back(place.values({size.items}));
      indices_.push_back(index.clone());
    }
  }

  /// The median of `repeats` runs.
  double median(int repeats, const ExactPlan* plan) {
    const IndexGuard guard("exact_forms", "index", 0, size_.destinations, "cuda");
    std::vector<double> times;
    for (int r = 0; r <= repeats; ++r) {
      const size_t copy = size_t(r) % sources_.size();
      const kernels::IndexAddItems<float> items{size_.items,
                                                sources_[copy].data<float>(),
                                                0,
                                                1,
                                                kernels::index_view(indices_[copy], size_.destinations, guard),
                                                1.0f};
      const kernels::AccumulateShape shape{size_.destinations, 1, 1};
      float* const output = output_.data<float>();
      const double ms = elapsed_ms("cuda", [&] {
        if (plan)
          kernels::cuda::accumulate_exact(items, output, shape, *plan, "cuda", cuda::current_stream("cuda"));
        else
          kernels::cuda::accumulate(items, output, shape, Algorithm::atomic, "cuda");
      });
      if (r > 0) times.push_back(ms);  // the first one warms up
    }
    std::nth_element(times.begin(), times.begin() + int(times.size()) / 2, times.end());
    return times[times.size() / 2];
  }

 private:
  Size size_;
  Tensor output_;
  std::vector<Tensor> indices_, sources_;
};

void measure(const std::vector<Size>& sizes, int repeats) {
  std::puts(
      "| M | N | destinations | `atomic` | direct | block_sums | ranges | chosen |\n|---|---|---|---|---|---|---|---|");
  const char* const names[] = {"direct", "block_sums", "ranges"};
  for (const Size& size : sizes)
    for (const char* distribution : {"uniform", "zipf", "half", "one"}) {
      const kernels::AccumulateShape shape{size.destinations, 1, 1};
      const ExactPlan chosen = kernels::cuda::plan_exact(size.items, shape);
      Problem problem(size, distribution);
      std::printf("| %lld | %lld | %s | %.4f |", static_cast<long long>(size.items),
                  static_cast<long long>(size.destinations), distribution, problem.median(repeats, nullptr));
      for (ExactForm form : {ExactForm::direct, ExactForm::block_sums, ExactForm::ranges}) {
        const ExactPlan plan{form, form == ExactForm::ranges ? kernels::cuda::kValuesPerRange
                                                             : kernels::cuda::values_per_block(size.destinations)};
        if (form == ExactForm::block_sums && size.destinations > kernels::cuda::kBlockSums)
          std::printf(" |");
        else
          std::printf(" %.4f |", problem.median(repeats, &plan));
      }
      std::printf(" %s |\n", names[int(chosen.form)]);
      std::fflush(stdout);
    }
}

}  // namespace
}  // namespace ordo::bench

int main(int argc, char** argv) {
  const bool quick = argc == 2 && std::strcmp(argv[1], "--quick") == 0;
  if (argc > 1 && !quick) {
    std::fprintf(stderr, "exact_forms: unknown argument '%s'; there is --quick\n", argv[argc - 1]);
    return 2;
  }
  if (!ordo::cuda::is_available()) {
    std::fputs("exact_forms: there is no CUDA device\n", stderr);
    return 2;
  }
  if (quick)
    ordo::bench::measure({{4096, 16}, {20000, 9000}}, 2);
  else
    ordo::bench::measure({{1 << 24, 256},
                          {1 << 24, 1 << 11},
                          {1 << 20, 1 << 16},
                          {1 << 24, 1 << 16},
                          {1 << 24, 1 << 20},
                          {1 << 24, 1 << 22},
                          {1 << 26, 1 << 24}},
                         30);
  return 0;
}
