// A transformer's scores of each position are those of all positions at once, whether a text comes token by token, in
// pieces, or whole, with and without gradients.
#include <cmath>

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
      for (const Determinism level : kLevels) {
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

/// Sequences of the given lengths, padded by `filler` on the left, on the right, or in between, and where the padding is.
std::pair<Tensor, Tensor> padded(const TensorList& sequences, int64_t length, const char* where_to, double filler) {
  TensorList rows, paddings;
  for (const Tensor& x : sequences) {
    const int64_t own = x.size(0), more = length - own;
    const Tensor fill = full({more, x.size(1)}, filler, x.options());
    const Tensor yes = ones({more}, {boolean, x.device()}), no = zeros({own}, {boolean, x.device()});
    const std::string at = where_to;
    if (at == "between") {
      rows.push_back(cat({x.narrow(0, 0, 1), fill, x.narrow(0, 1, own - 1)}, 0));
      paddings.push_back(cat({no.narrow(0, 0, 1), yes, no.narrow(0, 1, own - 1)}, 0));
    } else {
      rows.push_back(at == "left" ? cat({fill, x}, 0) : cat({x, fill}, 0));
      paddings.push_back(at == "left" ? cat({yes, no}, 0) : cat({no, yes}, 0));
    }
  }
  return {stack(rows, 0), stack(paddings, 0)};
}

// Padded on the left, on the right, in between, or alone: outputs and gradients of the inputs are the same, whatever
// lies in the padding. Where all that is added to a gradient is 0, the sign of the sum may differ, and a NaN among the
// queries reaches gradients, as 0 times it.
TEST(Generation, padding_is_not_there) {
  for (const Device device : test_devices())
    for (const bool causal : {false, true})
      for (const double filler : {0.0, 1e30, double(NAN)}) {
        const bool small = device.is_cuda();  // simulated devices take their time
        if (small && filler == 0) continue;
        const DeterminismGuard guard(Determinism::device_to_device);
        manual_seed(5);
        nn::MultiheadAttention attention(kWidth, 4, {.batch_first = true});
        attention.to(device);
        TensorList sequences;
        const int64_t longest = small ? 18 : 300;
        for (const int64_t own : {int64_t(5), longest, int64_t(2)})
          sequences.push_back(test_values({own, kWidth}).to(float32).to(device));
        const auto results = [&](const Tensor& x, const Tensor& padding, const Tensor& real, bool weights) {
          const Tensor input = x.detach().requires_grad_();
          const auto y = attention(input, input, input,
                                   {.key_padding_mask = padding, .is_causal = causal, .need_weights = weights});
          const Tensor at = real.unsqueeze(1).expand({real.size(0), kWidth});
          const Tensor out = masked_select(y.output.flatten(0, -2), at);
          (out * out).sum().backward();
          const Tensor grad = masked_select(input.grad().flatten(0, -2), at) + 0;  // -0 becomes 0
          return hash_of(std::isnan(filler) ? out.detach() : cat({out.detach(), grad}));
        };
        for (const bool weights : {false, true}) {
          if (small && weights != causal) continue;
          std::vector<std::string> alone;
          for (const Tensor& x : sequences)
            alone.push_back(results(x.unsqueeze(0), {}, ones({x.size(0)}, {boolean, device}), weights));
          for (const char* where_to : {"left", "right", "between"}) {
            const auto [x, padding] = padded(sequences, longest + 7, where_to, filler);
            for (size_t i = 0; i < sequences.size(); ++i) {
              const Tensor real = logical_not(padding);
              Tensor own = zeros_like(real);
              own[int64_t(i)].copy_(real[int64_t(i)]);
              EXPECT_EQ(results(x, padding, own.flatten(), weights), alone[i])
                  << device << " " << where_to << " causal " << causal << " filler " << filler << " row " << i
                  << " weights " << weights;
            }
          }
        }
      }
}

TEST(Generation, packed_is_alone) {
  for (const Device device : test_devices())
    for (const bool causal : {false, true}) {
      const DeterminismGuard guard(Determinism::device_to_device);
      const std::vector<int64_t> queries = {3, 0, 20, 1}, keys = {5, 2, 300, 1};
      std::vector<int32_t> cu_q = {0}, cu_k = {0};
      for (size_t i = 0; i < keys.size(); ++i)
        cu_q.push_back(cu_q.back() + int32_t(queries[i])), cu_k.push_back(cu_k.back() + int32_t(keys[i]));
      const auto place = [&](const std::vector<int32_t>& cu) { return tensor(cu).to(device); };
      const auto values = [&](int64_t n, int64_t size, int seed) {
        return (test_values({n, 2, size}) * (1.0 + 0.1 * seed)).to(float32).to(device).requires_grad_();
      };
      const Tensor q = values(cu_q.back(), 8, 1), k = values(cu_k.back(), 8, 2), v = values(cu_k.back(), 5, 3);
      const Tensor out = varlen_attn(q, k, v, place(cu_q), place(cu_k), 20, 300, causal);
      ASSERT_EQ(out.sizes(), (Dims{24, 2, 5}));
      (out * out).sum().backward();
      for (size_t i = 0; i < keys.size(); ++i) {
        const auto own = [&](const Tensor& t, const std::vector<int32_t>& cu) {
          return t.detach().narrow(0, cu[i], cu[i + 1] - cu[i]).contiguous();
        };
        const auto alone = [&](const Tensor& t, const std::vector<int32_t>& cu) {
          return own(t, cu).transpose(0, 1).unsqueeze(0).contiguous().requires_grad_();
        };
        const Tensor a = alone(q, cu_q), b = alone(k, cu_k), c = alone(v, cu_k);
        const Tensor y = scaled_dot_product_attention(a, b, c, {}, 0, causal);
        (y * y).sum().backward();
        const auto tokens = [](const Tensor& t) { return hash_of(t.squeeze(0).transpose(0, 1).contiguous()); };
        SCOPED_TRACE(testing::Message() << device << " causal " << causal << " sequence " << i);
        EXPECT_EQ(hash_of(own(out, cu_q)), tokens(y.detach()));
        EXPECT_EQ(hash_of(own(q.grad() + 0, cu_q)), tokens(a.grad() + 0));
        EXPECT_EQ(hash_of(own(k.grad() + 0, cu_k)), tokens(b.grad() + 0));
        EXPECT_EQ(hash_of(own(v.grad() + 0, cu_k)), tokens(c.grad() + 0));
      }
    }
  const Tensor x = ones({3, 1, 4}), cu = tensor(std::vector<int32_t>{0, 3});
  EXPECT_ORDO_ERROR(varlen_attn(x, x, x, cu, tensor(std::vector<int32_t>{0, 1, 3}), 3, 3), ShapeError, "cu_seq_k");
  EXPECT_ORDO_ERROR(varlen_attn(x[0], x, x, cu, cu, 3, 3), ShapeError, "[tokens, heads, size]");
}

// A sample drops the same elements in any batch and at any place, in another step others.
TEST(Generation, row_streams_belong_to_samples) {
  for (const Device device : test_devices()) {
    const DeterminismGuard guard(Determinism::device_to_device);
    manual_seed(9);
    nn::Sequential model{nn::Linear(kWidth, 32), nn::Dropout(0.4), nn::GELU(), nn::Linear(32, 6), nn::Dropout(0.1)};
    model.to(device);
    const Tensor all = test_values({7, kWidth}).to(float32).to(device);
    const auto of = [&](const std::vector<int64_t>& samples, int64_t step) {
      const RowStreams streams(samples, step);
      TensorList rows;
      for (const int64_t s : samples) rows.push_back(all.narrow(0, s, 1));
      const Tensor x = cat(rows, 0).detach().requires_grad_(), y = model(x);
      (y * y).sum().backward();
      return cat({y.detach(), x.grad()}, 1);
    };
    const Tensor batch = of({0, 1, 2, 3, 4, 5, 6}, 12);
    EXPECT_EQ(hash_of(of({4}, 12)), hash_of(batch.narrow(0, 4, 1).contiguous())) << device;
    const Tensor others = of({6, 4, 1}, 12);
    for (const auto& [place, sample] : {std::pair(0, 6), {1, 4}, {2, 1}})
      EXPECT_EQ(hash_of(others[place].contiguous()), hash_of(batch[sample].contiguous())) << device << " " << sample;
    EXPECT_NE(hash_of(of({4}, 13)), hash_of(batch.narrow(0, 4, 1).contiguous()));
    const RowStreams streams({1, 2});
    EXPECT_ORDO_ERROR(dropout(all), ShapeError, "RowStreams has 2 samples");
    Generator own(3);
    EXPECT_EQ(dropout(all, 0.5, true, &own).sizes(), all.sizes());
  }
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
