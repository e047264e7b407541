// Calls of public functions on inputs that their rows describe: op and its variant, and then "backward" for its
// gradient alone.
#include <fmt/format.h>

#include <map>
#include <sstream>

#include "bench/cases.h"

namespace ordo::bench {

namespace {

using Call = Tensor (*)(const TensorList& x);

/// The lengths of n sequences that are all as long.
std::vector<int64_t> lengths(int64_t n, int64_t length) { return std::vector<int64_t>(size_t(n), length); }

// clang-format off
const std::map<std::string, Call> kCalls = {
#define ORDO_CALL(name, call) {name, [](const TensorList& x) { return Tensor(call); }},
// Into places that a tensor names, and from them.
ORDO_CALL("scatter", scatter(x[0], 0, x[1], x[2]))
ORDO_CALL("scatter_reduce-sum", scatter_reduce(x[0], 0, x[1], x[2], Reduce::sum))
ORDO_CALL("scatter_reduce-mean", scatter_reduce(x[0], 0, x[1], x[2], Reduce::mean))
ORDO_CALL("scatter_reduce-prod", scatter_reduce(x[0], 0, x[1], x[2], Reduce::prod))
ORDO_CALL("scatter_reduce-amax", scatter_reduce(x[0], 0, x[1], x[2], Reduce::amax))
ORDO_CALL("index_reduce-mean", index_reduce(x[0], 0, x[1], x[2], Reduce::mean))
ORDO_CALL("index_reduce-prod", index_reduce(x[0], 0, x[1], x[2], Reduce::prod))
ORDO_CALL("index_reduce-amax", index_reduce(x[0], 0, x[1], x[2], Reduce::amax))
ORDO_CALL("index_copy", index_copy(x[0], 0, x[1], x[2]))
ORDO_CALL("index_fill", index_fill(x[0], 0, x[1], 2))
ORDO_CALL("index_select", index_select(x[0], 0, x[1]))
ORDO_CALL("gather", gather(x[0], 1, x[1]))
ORDO_CALL("put", put(x[0], x[1], x[2]))
ORDO_CALL("put-accumulate", put(x[0], x[1], x[2], true))
ORDO_CALL("take", take(x[0], x[1]))
ORDO_CALL("take_along_dim", take_along_dim(x[0], x[1], 1))
ORDO_CALL("masked_select", masked_select(x[0], x[1]))
ORDO_CALL("masked_scatter", masked_scatter(x[0], x[1], x[2]))
ORDO_CALL("nonzero", nonzero(x[0]))
ORDO_CALL("repeat_interleave", repeat_interleave(x[0], 4, 0))
ORDO_CALL("repeat_interleave-tensor", repeat_interleave(x[0], x[1], 0))
ORDO_CALL("select_scatter", select_scatter(x[0], x[1], 0, 1))
ORDO_CALL("slice_scatter", slice_scatter(x[0], x[1], 0, 8, 520))
ORDO_CALL("diagonal_scatter", diagonal_scatter(x[0], x[1]))
// Order.
ORDO_CALL("sort", sort(x[0]).values)
ORDO_CALL("argsort", argsort(x[0]))
ORDO_CALL("topk", topk(x[0], 16).values)
ORDO_CALL("kthvalue", kthvalue(x[0], 100).values)
ORDO_CALL("median", median(x[0], 1).values)
ORDO_CALL("mode", mode(x[0], 1).values)
ORDO_CALL("quantile", quantile(x[0], 0.3, 1))
ORDO_CALL("unique", unique(x[0]).output)
ORDO_CALL("unique_consecutive", unique_consecutive(x[0]).output)
ORDO_CALL("searchsorted", searchsorted(x[0], x[1]))
ORDO_CALL("bucketize", bucketize(x[0], x[1]))
ORDO_CALL("histc", histc(x[0], 100, 0, 1))
// Along a dimension.
ORDO_CALL("cumsum", cumsum(x[0], 1))
ORDO_CALL("cumprod", cumprod(x[0], 1))
ORDO_CALL("logcumsumexp", logcumsumexp(x[0], 1))
ORDO_CALL("cummax", cummax(x[0], 1).values)
ORDO_CALL("diff", diff(x[0]))
ORDO_CALL("prod", prod(x[0], 1))
ORDO_CALL("logsumexp", logsumexp(x[0], 1))
ORDO_CALL("var_mean", var_mean(x[0], 1).first)
ORDO_CALL("norm-one", norm(x[0], 1, 1))
ORDO_CALL("norm-infinity", norm(x[0], INFINITY, 1))
ORDO_CALL("nansum", nansum(x[0], 1))
ORDO_CALL("count_nonzero", count_nonzero(x[0], 1))
ORDO_CALL("normalize", normalize(x[0]))
ORDO_CALL("pairwise_distance", pairwise_distance(x[0], x[1]))
ORDO_CALL("cdist", cdist(x[0], x[1]))
ORDO_CALL("layer_norm", layer_norm(x[0], {x[0].size(-1)}, x[1], x[2]))
ORDO_CALL("rms_norm", rms_norm(x[0], {x[0].size(-1)}, x[1]))
ORDO_CALL("group_norm", group_norm(x[0], 8, x[1], x[2]))
ORDO_CALL("instance_norm", instance_norm(x[0], {}, {}, x[1], x[2]))
ORDO_CALL("local_response_norm", local_response_norm(x[0], 5))
// Images.
ORDO_CALL("lp_pool2d", lp_pool2d(x[0], 2, 3, {.stride = 2}))
ORDO_CALL("max_unpool2d", max_unpool2d(x[0], x[1], 2))
ORDO_CALL("pad-constant", pad(x[0], {2, 2, 2, 2}))
ORDO_CALL("pad-reflect", pad(x[0], {2, 2, 2, 2}, PadMode::reflect))
ORDO_CALL("pad-replicate", pad(x[0], {2, 2, 2, 2}, PadMode::replicate))
ORDO_CALL("pad-circular", pad(x[0], {2, 2, 2, 2}, PadMode::circular))
ORDO_CALL("interpolate-nearest", interpolate(x[0], {.scale_factor = {2, 2}}))
ORDO_CALL("interpolate-bilinear", interpolate(x[0], {.scale_factor = {2, 2}, .mode = InterpolateMode::bilinear}))
ORDO_CALL("interpolate-bilinear_down", interpolate(x[0], {.scale_factor = {0.5, 0.5}, .mode = InterpolateMode::bilinear}))
ORDO_CALL("interpolate-bicubic", interpolate(x[0], {.scale_factor = {2, 2}, .mode = InterpolateMode::bicubic}))
ORDO_CALL("grid_sample", grid_sample(x[0], x[1]))
ORDO_CALL("grid_sample-nearest", grid_sample(x[0], x[1], {.mode = InterpolateMode::nearest}))
// Sorted, a row of five numbers in [0, 1) is a box of the first image, for images 56 cells wide.
ORDO_CALL("roi_align", roi_align(x[0], sort(x[1]).values, 7, 56))
ORDO_CALL("roi_align-two", roi_align(x[0], sort(x[1]).values, 7, 56, 2))
ORDO_CALL("roi_pool", roi_pool(x[0], sort(x[1]).values, 7, 56))
ORDO_CALL("affine_grid", affine_grid(x[0], {x[0].size(0), 3, 128, 128}))
ORDO_CALL("unfold", unfold(x[0], 3, {.padding = 1}))
ORDO_CALL("fold", fold(x[0], 56, 3, {.padding = 1}))
ORDO_CALL("pixel_shuffle", pixel_shuffle(x[0], 2))
ORDO_CALL("pixel_unshuffle", pixel_unshuffle(x[0], 2))
// Losses and layers.
ORDO_CALL("smooth_l1_loss", smooth_l1_loss(x[0], x[1]))
ORDO_CALL("huber_loss", huber_loss(x[0], x[1]))
ORDO_CALL("ctc_loss", ctc_loss(x[0], x[1], lengths(x[0].size(1), x[0].size(0)), lengths(x[1].size(0), x[1].size(1))))
ORDO_CALL("binary_cross_entropy", binary_cross_entropy(x[0], x[1]))
ORDO_CALL("kl_div", kl_div(x[0], x[1], {.reduction = Reduction::batchmean}))
ORDO_CALL("cross_entropy-probabilities", cross_entropy(x[0], x[1]))
ORDO_CALL("soft_margin_loss", soft_margin_loss(x[0], x[1]))
ORDO_CALL("multilabel_soft_margin_loss", multilabel_soft_margin_loss(x[0], x[1]))
ORDO_CALL("multi_margin_loss", multi_margin_loss(x[0], x[1]))
ORDO_CALL("triplet_margin_loss", triplet_margin_loss(x[0], x[1], x[2]))
ORDO_CALL("prelu", prelu(x[0], x[1]))
ORDO_CALL("glu", glu(x[0]))
ORDO_CALL("rnn_tanh", rnn_tanh(x[0], x[1], {x[2], x[3], x[4], x[5]}).output)
ORDO_CALL("gru", gru(x[0], x[1], {x[2], x[3], x[4], x[5]}).output)
ORDO_CALL("lstm", lstm(x[0], x[1], x[1], {x[2], x[3], x[4], x[5]}).output)
ORDO_CALL("scaled_dot_product_attention", scaled_dot_product_attention(x[0], x[1], x[2]))
ORDO_CALL("scaled_dot_product_attention-causal", scaled_dot_product_attention(x[0], x[1], x[2], {}, 0, true))
// Linear algebra.
ORDO_CALL("cholesky", cholesky(x[0]))
ORDO_CALL("solve", solve(x[0], x[1]))
ORDO_CALL("inverse", inverse(x[0]))
ORDO_CALL("det", det(x[0]))
ORDO_CALL("slogdet", slogdet(x[0]).logabsdet)
ORDO_CALL("qr", qr(x[0]).R)
ORDO_CALL("svd", svd(x[0]).S)
ORDO_CALL("einsum", einsum("bij,bjk->bik", {x[0], x[1]}))
ORDO_CALL("tensordot", tensordot(x[0], x[1], 1))
ORDO_CALL("addmm", addmm(x[0], x[1], x[2]))
ORDO_CALL("baddbmm", baddbmm(x[0], x[1], x[2]))
ORDO_CALL("dot", dot(x[0], x[1]))
ORDO_CALL("mv", mv(x[0], x[1]))
ORDO_CALL("outer", outer(x[0], x[1]))
ORDO_CALL("cross", cross(x[0], x[1]))
ORDO_CALL("kron", kron(x[0], x[1]))
// Elements, moved or computed.
ORDO_CALL("flip", flip(x[0], {0, 1}))
ORDO_CALL("roll", roll(x[0], {5, 7}, {0, 1}))
ORDO_CALL("rot90", rot90(x[0]))
ORDO_CALL("repeat", repeat(x[0], {2, 3}))
ORDO_CALL("tril", tril(x[0]))
ORDO_CALL("diag_embed", diag_embed(x[0]))
ORDO_CALL("lerp", lerp(x[0], x[1], x[2]))
ORDO_CALL("addcmul", addcmul(x[0], x[1], x[2]))
ORDO_CALL("addcdiv", addcdiv(x[0], x[1], x[2]))
#undef ORDO_CALL
};
// clang-format on

/// Of "1024x16", what `kind`, the mark behind it, says; `below` is the number behind "<".
Tensor input_of(const Setting& setting, const Dims& sizes, char kind, int64_t below) {
  if (kind == '<') return setting.destinations("uniform", sizes.product(), below).reshape(sizes);
  if (kind == '%') return randperm(sizes[0]).to(setting.device);
  const Tensor values = setting.values(sizes);
  if (kind == '?') return values < 0.5;
  if (kind == '/') return sort(values).values;
  if (kind == '#') return values + eye(sizes.back(), values.options()) * double(sizes.back());
  if (kind == '^')
    return matmul(values, values.transpose(-2, -1)) / double(sizes.back()) + eye(sizes.back(), values.options());
  return values;
}

}  // namespace

Case backward_case(const Tensor& output, const TensorList& leaves, const Setting& setting) {
  const Tensor gradient = setting.values(output.sizes());
  const auto result = std::make_shared<TensorList>();
  return {[=](const Path&) { *result = grad({output}, leaves, {gradient}, /*retain_graph=*/true); },
          [=] { return *result; },
          [] {},
          {gradient}};
}

Case prepare_call(const Row& row, const Setting& setting) {
  std::string name = row.operation();
  const bool backward = name.ends_with("-backward");
  if (backward) name.resize(name.size() - std::string_view("-backward").size());
  const auto found = kCalls.find(name);
  if (found == kCalls.end()) throw ValueError(fmt::format("[bench] the family 'call' has no operation '{}'", name));
  TensorList inputs, leaves;
  std::istringstream described(row.text("inputs"));
  for (std::string one; described >> one;) {
    std::istringstream numbers(one);
    Dims sizes;
    int64_t number = 0, below = 0;
    char mark = 'x';
    while (mark == 'x' && numbers >> number) {
      sizes.push_back(number);
      if (!(numbers >> mark)) mark = 0;
    }
    numbers >> below;
    inputs.push_back(input_of(setting, sizes, mark, below));
    if (backward && mark != '!' && inputs.back().dtype() == setting.dtype) {
      inputs.back() = inputs.back().detach();
      leaves.push_back(inputs.back().set_requires_grad());
    }
  }
  if (backward) return backward_case(found->second(inputs), leaves, setting);
  return pure_case(inputs, [=, call = found->second](Algorithm) { return call(inputs); });
}

}  // namespace ordo::bench
