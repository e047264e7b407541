// index_add and scatter_add add into an existing output; all others allocate their result, zeros first. Of embedding
// and pooling the backward passes alone.
#include <fmt/format.h>

#include <ordo/kernels/bincount/bincount.h>
#include <ordo/kernels/embedding/embedding.h>
#include <ordo/kernels/embedding_bag/embedding_bag.h>
#include <ordo/kernels/pooling/pool.h>
#include <ordo/kernels/scatter/scatter.h>

#include "bench/cases.h"

namespace ordo::bench {

Case prepare_scatter(const Row& row, const Setting& setting) {
  const int64_t m = row.number("M"), n = row.number("N"), width = row.number("D");
  const Tensor index = setting.destinations(row.text("distribution"), m, n);
  const Dims in = width == 1 ? Dims{m} : Dims{m, width}, out = width == 1 ? Dims{n} : Dims{n, width};
  const Tensor source = setting.values(in), output = zeros(out, {source.dtype(), setting.device});
  Case result{{}, [=] { return TensorList{output}; }, [=] { Tensor(output).zero_(); }, {index, source}, true};
  const Tensor expanded = width == 1 ? index : index.reshape({m, 1}).expand({m, width});
  if (row.text("op") == "index_add")
    result.run = [=](const Path& path) { kernels::index_add_(output, 0, index, source, 1, path.algorithm); };
  else
    result.run = [=](const Path& path) { kernels::scatter_add_(output, 0, expanded, source, path.algorithm); };
  return result;
}

Case prepare_bincount(const Row& row, const Setting& setting) {
  const int64_t m = row.number("M"), n = row.number("N");
  const Tensor input = setting.destinations(row.text("distribution"), m, n), weights = setting.values({m});
  return pure_case({input, weights}, [=](Algorithm a) { return kernels::bincount(input, weights, n, a); });
}

Case prepare_embedding(const Row& row, const Setting& setting) {
  const int64_t bags = row.number("bags"), length = row.number("length"), n = row.number("N"), width = row.number("D");
  const Tensor input = setting.destinations(row.text("distribution"), bags * length, n).reshape({bags, length});
  if (row.text("op") == "embedding") {
    const Tensor gradient = setting.values({bags, length, width});
    return pure_case({input, gradient},
                     [=](Algorithm a) { return kernels::embedding_backward(gradient, input, n, std::nullopt, a); });
  }
  const std::string mode = row.text("mode");
  kernels::BagArguments arguments;
  arguments.input = input;
  arguments.mode = mode == "sum"    ? EmbeddingBagMode::sum
                   : mode == "mean" ? EmbeddingBagMode::mean
                                    : EmbeddingBagMode::max;
  const Tensor gradient = setting.values({bags, width});
  Tensor rows;
  if (arguments.mode == EmbeddingBagMode::max)
    rows = kernels::embedding_bag(arguments, setting.values({n, width})).rows;
  return pure_case({rows.defined() ? rows : input, gradient},
                   [=](Algorithm a) { return kernels::embedding_bag_backward(arguments, gradient, rows, n, {}, a); });
}

template <class Arguments>
static Case pooling_case(const Tensor& input, const Arguments& arguments, bool average, const Setting& setting) {
  const Dims sizes = input.sizes();
  if (average) {
    const Tensor gradient = setting.values(kernels::avg_pool(input, arguments).sizes());
    return pure_case({gradient},
                     [=](Algorithm a) { return kernels::avg_pool_backward(gradient, sizes, arguments, a); });
  }
  const auto forward = kernels::max_pool_with_indices(input, arguments);
  const Tensor gradient = setting.values(forward.values.sizes());
  return pure_case({gradient, forward.indices}, [=, indices = forward.indices](Algorithm a) {
    return kernels::max_pool_backward(gradient, indices, sizes, arguments, a);
  });
}

Case prepare_pooling(const Row& row, const Setting& setting) {
  const std::string op = row.text("op");
  const OpInfo* const info = find_op(op);
  if (!info || info->family != "pooling") throw ValueError(fmt::format("[bench] '{}' is no pooling operation", op));
  const bool average = op.find("avg") != op.npos;
  const Tensor input = setting.values(row.volume({row.number("images"), row.number("channels")}, "size"));
  return in_rank(row.rank(), [&]<int N>() {
    if (row.has("output"))
      return pooling_case(input, kernels::adaptive_pool_arguments<N>(row.number("output")), average, setting);
    return pooling_case(
        input, kernels::max_pool_arguments<N>(row.number("kernel"), row.number("stride"), row.number("padding")),
        average, setting);
  });
}

}  // namespace ordo::bench
