// Layers of a transformer: names, formulas, gradients.
#include "tests/support/names_of.h"
#include "tests/support/op_samples.h"

namespace ordo::test::transformer_test {
namespace {

TEST(Transformer, names_are_pytorchs) {
  const nn::TransformerEncoderLayer layer(8, 2, {.dim_feedforward = 12});
  const std::string expected =
      "self_attn.in_proj_weight self_attn.in_proj_bias self_attn.out_proj.weight self_attn.out_proj.bias "
      "linear1.weight linear1.bias linear2.weight linear2.bias norm1.weight norm1.bias norm2.weight norm2.bias";
  EXPECT_EQ(names_of(layer.state_dict()), expected);
  EXPECT_EQ(layer.linear1.weight.sizes(), (Dims{12, 8}));
  const nn::TransformerEncoder encoder(layer, 3, nn::LayerNorm(8));
  EXPECT_EQ(names_of(encoder.layers[2].state_dict()), expected);
  const auto all = encoder.state_dict();
  ASSERT_EQ(all.size(), 3u * 12 + 2);
  EXPECT_EQ(all.front().name, "layers.0.self_attn.in_proj_weight");
  EXPECT_EQ(all[all.size() - 3].name, "layers.2.norm2.bias");
  EXPECT_EQ(all.back().name, "norm.bias");
  // Each layer has values of its own; the first is the given one.
  EXPECT_TRUE(encoder.layers[0].linear1.weight.is_same(layer.linear1.weight));
  EXPECT_NE(bytes_of(encoder.layers[1].linear1.weight), bytes_of(layer.linear1.weight));
  EXPECT_NE(bytes_of(encoder.layers[1].linear1.weight), bytes_of(encoder.layers[2].linear1.weight));

  const nn::TransformerDecoderLayer decoder(8, 2, {.dim_feedforward = 12});
  const auto of_decoder = decoder.state_dict();
  EXPECT_EQ(of_decoder.size(), 12u + 6);
  EXPECT_EQ(of_decoder[4].name, "multihead_attn.in_proj_weight");
  EXPECT_EQ(of_decoder.back().name, "norm3.bias");
  EXPECT_EQ(nn::TransformerEncoderLayer(8, 2, {.dim_feedforward = 12, .bias = false}).parameters().size(), 6u);
}

/// The result of the module for x has the bits of `expected`, which the same parameters gave, and the gradients of both
/// are the same.
void expect_computes(const nn::ModuleBase& module, const Tensor& x, const Tensor& result, const Tensor& expected) {
  EXPECT_EQ(bytes_of(result), bytes_of(expected));
  TensorList leaves = module.parameters();
  leaves.push_back(x);
  const TensorList weights{test_values(result.sizes(), 2)};
  const TensorList got = grad({result}, leaves, weights), wanted = grad({expected}, leaves, weights);
  for (size_t i = 0; i < leaves.size(); ++i) {
    EXPECT_GT(wanted[i].abs().max().item(), 0) << i;
    EXPECT_LT((got[i] - wanted[i]).abs().max().item(), 1e-12 * wanted[i].abs().max().item()) << i;
  }
}

TEST(Transformer, computes_its_formulas) {
  manual_seed(4);
  Tensor x = test_values({2, 5, 8});
  x.set_requires_grad();
  const Tensor memory = test_values({2, 3, 8}, 1);
  const Tensor padding = from_vector<uint8_t>({0, 0, 1, 0, 1, 0, 0, 0, 1, 0}, {2, 5}).to(boolean);
  for (const bool norm_first : {false, true}) {
    SCOPED_TRACE(norm_first);
    nn::TransformerEncoderLayer layer(
        8, 2, {.dim_feedforward = 12, .activation = "gelu", .batch_first = true, .norm_first = norm_first});
    layer.to(float64);
    layer.eval();
    const auto attend = [&](const Tensor& t) {
      return layer.self_attn(t, t, t, {.key_padding_mask = padding, .is_causal = true}).output;
    };
    const auto forward = [&](const Tensor& t) { return layer.linear2(gelu(layer.linear1(t))); };
    const auto beside = [&](const Tensor& t, nn::LayerNorm& norm, const auto& f) {
      return norm_first ? t + f(norm(t)) : norm(t + f(t));
    };
    Tensor expected = beside(beside(x, layer.norm1, attend), layer.norm2, forward);
    expect_computes(layer, x, layer(x, {.src_key_padding_mask = padding, .is_causal = true}), expected);

    nn::TransformerDecoderLayer decoder(8, 2, {.dim_feedforward = 12, .batch_first = true, .norm_first = norm_first});
    decoder.to(float64);
    decoder.eval();
    const auto itself = [&](const Tensor& t) { return decoder.self_attn(t, t, t, {.is_causal = true}).output; };
    const auto other = [&](const Tensor& t) { return decoder.multihead_attn(t, memory, memory).output; };
    const auto through = [&](const Tensor& t) { return decoder.linear2(relu(decoder.linear1(t))); };
    expected = beside(beside(beside(x, decoder.norm1, itself), decoder.norm2, other), decoder.norm3, through);
    expect_computes(decoder, x, decoder(x, memory, {.tgt_is_causal = true}), expected);
  }
}

TEST(Transformer, stacks) {
  manual_seed(6);
  nn::TransformerEncoder encoder(nn::TransformerEncoderLayer(8, 2, {.dim_feedforward = 12, .dropout = 0.3}), 2,
                                 nn::LayerNorm(8));
  const Tensor x = test_values({5, 2, 8}).to(float32);
  encoder.eval();
  const Tensor expected = (*encoder.norm)(encoder.layers[1](encoder.layers[0](x)));
  EXPECT_EQ(bytes_of(encoder(x)), bytes_of(expected));
  // A later element does not reach an earlier one.
  Tensor changed = x.clone();
  changed[4].fill_(7);
  const Tensor a = encoder(x, {.is_causal = true}), b = encoder(changed, {.is_causal = true});
  const Tensor masked = encoder(x, {.src_mask = nn::generate_square_subsequent_mask(5)});
  EXPECT_LT((a.narrow(0, 0, 4) - b.narrow(0, 0, 4)).abs().max().item(), 1e-5);
  EXPECT_GT((a[4] - b[4]).abs().max().item(), 1e-2);
  EXPECT_LT((a - masked).abs().max().item(), 1e-5);  // float32 values of about 1
  encoder.train();
  EXPECT_NE(bytes_of(encoder(x)), bytes_of(expected));
  encoder.eval();

  nn::TransformerDecoder decoder(nn::TransformerDecoderLayer(8, 2, {.dim_feedforward = 12}), 2);
  decoder.eval();
  const Tensor memory = encoder(x);
  EXPECT_EQ(bytes_of(decoder(x, memory)), bytes_of(decoder.layers[1](decoder.layers[0](x, memory), memory)));

  nn::TransformerEncoderLayer wide(8, 2, {.dim_feedforward = 12});
  wide.to(float64);
  EXPECT_EQ(nn::TransformerEncoder(wide, 2).layers[1].norm2.weight.dtype(), float64);
  nn::Sequential in_a_row{nn::TransformerEncoderLayer(8, 2, {.dim_feedforward = 12}), nn::Linear(8, 3)};
  EXPECT_EQ(in_a_row(x).sizes(), (Dims{5, 2, 3}));
  EXPECT_ORDO_ERROR(nn::TransformerEncoder(wide, 0), ValueError, "TransformerEncoder");
  EXPECT_ORDO_ERROR(nn::TransformerEncoderLayer(8, 2, {.activation = "tanh"}), ValueError, "activation");
}

}  // namespace
}  // namespace ordo::test::transformer_test
