// A transformer's scores of each position are those of all positions at once, whether a text comes token by token, in
// pieces, or whole, with and without gradients.
#include <gtest/gtest.h>

#include <ordo/ordo.h>

#include "tests/support/op_samples.h"

namespace ordo::test::generation_test {
namespace {

constexpr int64_t kAlphabet = 11, kWidth = 16, kLength = 23, kLayers = 2;

struct Language : nn::ModuleOf<Language> {
  Language()
      : tokens(add("tokens", nn::Embedding(kAlphabet, kWidth))),
        places(add("places", nn::Embedding(kLength, kWidth))),
        layers(add("layers", nn::TransformerEncoder(nn::TransformerEncoderLayer(kWidth, 4,
                                                                                {.dim_feedforward = 32,
                                                                                 .dropout = 0,
                                                                                 .activation = "gelu",
                                                                                 .batch_first = true,
                                                                                 .norm_first = true}),
                                                    kLayers, nn::LayerNorm(kWidth)))),
        head(add("head", nn::Linear(kWidth, kAlphabet))) {}
  /// Token ids [n, length], of which the first is at `from` -> log-probabilities of the next ones.
  Tensor forward(const Tensor& ids, int64_t from, std::span<nn::KeyValueCache> caches) {
    const Tensor x = tokens(ids) + places(arange(ids.size(1)).to(ids.device()) + from);
    return log_softmax(head(layers(x, {.is_causal = true, .caches = caches})), -1);
  }
  Tensor forward(const Tensor& ids) { return forward(ids, 0, {}); }
  nn::Embedding tokens, places;
  nn::TransformerEncoder layers;
  nn::Linear head;
};

Tensor in_pieces(Language& model, const Tensor& ids, const std::vector<int64_t>& pieces) {
  const NoGrad guard;
  std::vector<nn::KeyValueCache> caches(kLayers);
  TensorList parts;
  int64_t at = 0;
  for (size_t i = 0; at < kLength; ++i) {
    const int64_t count = std::min(kLength - at, pieces[i % pieces.size()]);
    parts.push_back(model.forward(ids.narrow(1, at, count), at, caches));
    at += count;
    EXPECT_EQ(caches[0].length(), at);
  }
  return cat(parts, 1);
}

TEST(Generation, has_the_bits_of_the_whole) {
  for (const Device device : test_devices())
    for (const DType dtype : {float32, bfloat16})
      for (const Determinism level :
           {Determinism::not_guaranteed, Determinism::run_to_run, Determinism::device_to_device}) {
        if (device.is_cuda() && level != Determinism::device_to_device) continue;  // libraries choose by size
        const DeterminismGuard guard(level);
        manual_seed(3);
        Language model;
        model.to(device);
        model.to(dtype);
        const Tensor ids = test_indices({3, kLength}, kAlphabet, 5).to(device);
        const std::string whole = hash_of(model.forward(ids).detach());
        for (const std::vector<int64_t>& pieces : {std::vector<int64_t>{1}, {kLength}, {5}, {7, 1, 1, 4}})
          EXPECT_EQ(hash_of(in_pieces(model, ids, pieces)), whole)
              << device << " " << name(dtype) << " pieces of " << pieces[0] << " at " << name(level);
      }
}

// The first tokens, whatever follows on them, infinities and NaN included.
TEST(Generation, what_comes_later_is_not_there) {
  const NoGrad unrecorded;
  nn::MultiheadAttention attention(kWidth, 4, {.batch_first = true});
  const Tensor x = test_values({2, 9, kWidth}).to(float32);
  Tensor later = x.clone();
  later.narrow(1, 6, 3).fill_(1e30);
  const auto first = [&](const Tensor& t) { return attention(t, t, t, {.is_causal = true}).output.narrow(1, 0, 6); };
  EXPECT_EQ(hash_of(first(later).contiguous()), hash_of(first(x).contiguous()));
}

TEST(Generation, refuses_what_a_cache_cannot_keep) {
  nn::MultiheadAttention attention(8, 2, {.batch_first = true});
  nn::KeyValueCache cache;
  const Tensor x = ones({1, 2, 8});
  EXPECT_ORDO_ERROR(attention(x, x, x, {.is_causal = true, .cache = &cache}), AutogradError, "under NoGrad");
  const NoGrad guard;
  EXPECT_ORDO_ERROR(attention(x, x, x, {.attn_mask = zeros({2, 2}), .cache = &cache}), ValueError, "no masks");
  EXPECT_EQ(cache.length(), 0);
  (void)attention(x, x, x, {.is_causal = true, .cache = &cache});
  const Tensor other = ones({3, 2, 8});
  EXPECT_ORDO_ERROR(attention(other, other, other, {.is_causal = true, .cache = &cache}), ShapeError, "clear()");
  EXPECT_EQ(cache.length(), 2);
  cache.clear();
  EXPECT_EQ(cache.length(), 0);
  nn::TransformerEncoder encoder(nn::TransformerEncoderLayer(8, 2, {.batch_first = true}), 2);
  std::vector<nn::KeyValueCache> one(1);
  EXPECT_ORDO_ERROR(encoder(x, {.is_causal = true, .caches = one}), ValueError, "[TransformerEncoder]");
}

}  // namespace
}  // namespace ordo::test::generation_test
