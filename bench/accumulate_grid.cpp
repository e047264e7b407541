// The accumulate family over a grid of shapes, destinations and dtypes, beside peers/accumulate_grid.py.
//   accumulate_grid [--device cpu|cuda] [--threads N] [--repeats N] [--seconds S] [--grid FILE [--quick] | ROW... | -]
// A ROW is a JSON object, a row of grid.json with one value in place of each list; - reads rows from standard input,
// one a line. Prints one JSON line per row: the median and the least milliseconds of every algorithm in the operation's
// registry row, asked for by name, and of what run_to_run chooses.
//
// index_add and scatter_add add into an existing output; all others allocate their result, zeros first. Backward passes
// are timed alone.
#include <ordo/ordo.h>
#include <nlohmann/json.hpp>

#include <ordo/kernels/bincount/bincount.h>
#include <ordo/kernels/embedding/embedding.h>
#include <ordo/kernels/embedding_bag/embedding_bag.h>
#include <ordo/kernels/index_add/index_add.h>
#include <ordo/kernels/pooling/adaptive_avg_pool2d.h>
#include <ordo/kernels/pooling/adaptive_max_pool2d.h>
#include <ordo/kernels/pooling/avg_pool2d.h>
#include <ordo/kernels/pooling/max_pool2d.h>
#include <ordo/kernels/scatter_add/scatter_add.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>

namespace {

using namespace ordo;
using nlohmann::json;

/// An operation on data that is ready: does it once, by that algorithm.
using Run = std::function<Tensor(Algorithm)>;

struct Options {
  Device device = cpu;
  int repeats = 7;
  double seconds = 2;  // for one algorithm; at least one repeat, and one before it to warm up
};

/// `count` destinations in [0, n): uniform; zipf, P(rank r) ~ r^-1.1, ranks spread over the range; half, every other
/// item on average to n / 2; one, all to n / 2.
Tensor destinations(const std::string& distribution, int64_t count, int64_t n, const Options& options) {
  std::mt19937_64 random(1);
  std::vector<int64_t> d(static_cast<size_t>(count), n / 2);
  std::uniform_int_distribution<int64_t> any(0, n - 1);
  if (distribution == "uniform") {
    for (int64_t& v : d) v = any(random);
  } else if (distribution == "half") {
    for (int64_t& v : d)
      if (random() & 1) v = any(random);
  } else if (distribution == "zipf") {
    std::vector<double> below(static_cast<size_t>(n));  // cumulated weights
    double sum = 0;
    for (int64_t r = 0; r < n; ++r) below[size_t(r)] = sum += std::pow(double(r + 1), -1.1);
    std::uniform_real_distribution<double> place(0, sum);
    for (int64_t& v : d) {
      const int64_t rank = std::upper_bound(below.begin(), below.end(), place(random)) - below.begin();
      v = std::min(rank, n - 1) * 7919 % n;
    }
  } else if (distribution != "one") {
    throw ValueError("accumulate_grid: there is no distribution " + distribution);
  }
  return from_vector(d, {count}).to(options.device);
}

Tensor values(const Dims& sizes, const json& row, const Options& options) {
  return randn(sizes).to(dtype_from_name(row.at("dtype").get<std::string>())).to(options.device);
}

Run prepare_scatter(const json& row, const Options& options) {
  const int64_t m = row.at("M"), n = row.at("N"), width = row.at("D");
  const Tensor index = destinations(row.at("distribution"), m, n, options);
  const Dims in = width == 1 ? Dims{m} : Dims{m, width}, out = width == 1 ? Dims{n} : Dims{n, width};
  const Tensor source = values(in, row, options), output = zeros(out, {source.dtype(), options.device});
  if (row.at("op") == "index_add")
    return [=](Algorithm a) {
      kernels::index_add_(output, 0, index, source, 1, a);
      return output;
    };
  const Tensor expanded = width == 1 ? index : index.reshape({m, 1}).expand({m, width});
  return [=](Algorithm a) {
    kernels::scatter_add_(output, 0, expanded, source, a);
    return output;
  };
}

Run prepare_bincount(const json& row, const Options& options) {
  const int64_t m = row.at("M"), n = row.at("N");
  const Tensor input = destinations(row.at("distribution"), m, n, options), weights = values({m}, row, options);
  return [=](Algorithm a) { return kernels::bincount(input, weights, n, a); };
}

Run prepare_embedding(const json& row, const Options& options) {
  const int64_t bags = row.at("bags"), length = row.at("length"), n = row.at("N"), width = row.at("D");
  const Tensor input = destinations(row.at("distribution"), bags * length, n, options).reshape({bags, length});
  if (row.at("op") == "embedding") {
    const Tensor gradient = values({bags, length, width}, row, options);
    return [=](Algorithm a) { return kernels::embedding_backward(gradient, input, n, std::nullopt, a); };
  }
  const std::string mode = row.at("mode");
  kernels::BagArguments arguments;
  arguments.input = input;
  arguments.mode = mode == "sum"    ? EmbeddingBagMode::sum
                   : mode == "mean" ? EmbeddingBagMode::mean
                                    : EmbeddingBagMode::max;
  const Tensor gradient = values({bags, width}, row, options);
  Tensor rows;
  if (arguments.mode == EmbeddingBagMode::max)
    rows = kernels::embedding_bag(arguments, values({n, width}, row, options)).rows;
  return [=](Algorithm a) { return kernels::embedding_bag_backward(arguments, gradient, rows, n, {}, a); };
}

Run prepare_pooling(const json& row, const Options& options) {
  const std::string op = row.at("op");
  const int64_t size = row.at("size");
  const Tensor input = values({row.at("images"), row.at("channels"), size, size}, row, options);
  const Dims sizes = input.sizes();
  if (op == "adaptive_avg_pool2d") {
    const Tensor gradient =
        values(kernels::adaptive_avg_pool2d(input, row.at("output").get<int64_t>()).sizes(), row, options);
    return [=](Algorithm a) { return kernels::adaptive_avg_pool2d_backward(gradient, sizes, a); };
  }
  if (op == "adaptive_max_pool2d") {
    const auto forward = kernels::adaptive_max_pool2d_with_indices(input, row.at("output").get<int64_t>());
    const Tensor gradient = values(forward.values.sizes(), row, options);
    return [=, indices = forward.indices](Algorithm a) {
      return kernels::adaptive_max_pool2d_backward(gradient, indices, sizes, a);
    };
  }
  const Size2 kernel = row.at("kernel").get<int64_t>(), stride = row.at("stride").get<int64_t>(),
              padding = row.at("padding").get<int64_t>();
  if (op == "avg_pool2d") {
    const Tensor gradient = values(kernels::avg_pool2d(input, kernel, stride, padding).sizes(), row, options);
    return [=](Algorithm a) {
      return kernels::avg_pool2d_backward(gradient, sizes, kernel, stride, padding, false, true, std::nullopt, a);
    };
  }
  const auto forward = kernels::max_pool2d_with_indices(input, kernel, stride, padding);
  const Tensor gradient = values(forward.values.sizes(), row, options);
  return [=, indices = forward.indices](Algorithm a) {
    return kernels::max_pool2d_backward(gradient, indices, sizes, kernel, stride, padding, 1, false, a);
  };
}

Run prepare(const json& row, const Options& options) {
  const std::string op = row.at("op");
  manual_seed(1);
  if (op == "index_add" || op == "scatter_add") return prepare_scatter(row, options);
  if (op == "bincount") return prepare_bincount(row, options);
  if (op == "embedding" || op == "embedding_bag") return prepare_embedding(row, options);
  if (op.ends_with("pool2d")) return prepare_pooling(row, options);
  throw ValueError("accumulate_grid: there is no operation " + op + " in this program");
}

struct Times {
  double median, least;
};

Times measure_ms(const Run& run, Algorithm algorithm, const Options& options) {
  using Clock = std::chrono::steady_clock;
  const auto once = [&] {
    const auto start = Clock::now();
    const Tensor result = run(algorithm);
    if (options.device.is_cuda()) cuda::synchronize(options.device);
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  double spent = once();
  std::vector<double> times;
  while (times.empty() || (int(times.size()) < options.repeats && spent < options.seconds * 1e3))
    spent += times.emplace_back(once());
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[0]};
}

json measure(const json& row, const Options& options) {
  // Rounds of a driver come with the same row again: what was prepared last is kept.
  static json last;
  static Run run;
  if (row != last) {
    last = nullptr;
    run = prepare(row, options);
    last = row;
  }
  json median, least;
  const auto note = [&](std::string_view path, Algorithm algorithm) {
    const Times times = measure_ms(run, algorithm, options);
    median[std::string(path)] = times.median;
    least[std::string(path)] = times.least;
  };
  for (const AlgorithmLevel& a : find_op(row.at("op").get<std::string>())->algorithms)
    note(name(a.algorithm), a.algorithm);
  const DeterminismGuard guard(Determinism::run_to_run);
  note("run_to_run", Algorithm::automatic);
  return {{"row", row},
          {"version", "Ordo " + std::string(version())},
          {"device", options.device.str()},
          {"threads", num_threads()},
          {"ms", median},
          {"least_ms", least}};
}

/// The rows for which a row of the table stands: the product of its lists. An object, the shape, is merged in.
std::vector<json> expand(const json& row) {
  for (const auto& [key, value] : row.items()) {
    if (!value.is_array()) continue;
    std::vector<json> all;
    for (const json& choice : value) {
      json one = row;
      one.erase(key);
      if (choice.is_object())
        one.update(choice);
      else
        one[key] = choice;
      const auto rest = expand(one);
      all.insert(all.end(), rest.begin(), rest.end());
    }
    return all;
  }
  return {row};
}

void run(int argc, char** argv) {
  Options options;
  std::vector<json> rows;
  std::string grid;
  bool quick = false, input = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) throw ValueError("accumulate_grid: " + argument + " needs a value");
      return argv[++i];
    };
    if (argument == "--device")
      options.device = Device(value());
    else if (argument == "--threads")
      set_num_threads(std::stoi(value()));
    else if (argument == "--repeats")
      options.repeats = std::stoi(value());
    else if (argument == "--seconds")
      options.seconds = std::stod(value());
    else if (argument == "--grid")
      grid = value();
    else if (argument == "--quick")
      quick = true;
    else if (argument == "-")
      input = true;
    else
      rows.push_back(json::parse(argument));
  }
  if (!grid.empty()) {
    std::ifstream file(grid);
    for (const json& row : json::parse(file).at(quick ? "quick" : "rows"))
      for (const json& one : expand(row)) rows.push_back(one);
  }
  const auto answer = [&](const json& row) { std::cout << measure(row, options).dump() << std::endl; };
  for (const json& row : rows) answer(row);
  for (std::string line; input && std::getline(std::cin, line);) answer(json::parse(line));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
