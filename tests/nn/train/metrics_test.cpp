// accuracy and evaluate().
#include "tests/support/op_samples.h"

namespace ordo::test::metrics_test {
namespace {

TEST(Metrics, accuracy) {
  const Tensor logits = from_vector<float>({1, 2, 3, 0, 5, 5}, {3, 2});
  EXPECT_EQ(metrics::accuracy(logits, from_vector<int64_t>({1, 0, 0}, {3})), 1);
  EXPECT_EQ(metrics::accuracy(logits, from_vector<int64_t>({0, 0, 1}, {3})), 1.0 / 3);
  EXPECT_EQ(metrics::accuracy(logits.view({1, 3, 2}), from_vector<int64_t>({2, 1}, {1, 2})), 0.5) << "per pixel";
  EXPECT_ORDO_ERROR(metrics::accuracy(logits, zeros({2})), ShapeError, "given [3, 2] and [2]");
  EXPECT_ORDO_ERROR(metrics::accuracy(zeros({0, 2}), zeros({0})), ValueError, "[accuracy] of no rows");
  EXPECT_ORDO_ERROR(metrics::accuracy(Tensor(), zeros({2})), ValueError, "logits");
}

TEST(Metrics, evaluate_weights_by_rows_in_evaluation_mode) {
  nn::Sequential model{nn::ReLU(), nn::Sequential{nn::Dropout(0.9)}};
  model.named_modules().at(2).second->eval();  // the inner Sequential, and with it the dropout
  model.named_modules().at(1).second->train();
  const Tensor x = arange(5).to(float32).unsqueeze(1);
  data::DataLoader loader(x, zeros({5, 1}), {.batch_size = 3});
  bool recorded = true;
  const NamedNumbers all =
      evaluate(model, loader, {{"loss", nn::MSELoss()}, {"mean", [&](const Tensor& outputs, const Tensor&) {
                                                           recorded = grad_enabled();
                                                           return outputs.mean().item<double>();
                                                         }}});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "loss");
  EXPECT_EQ(all[1].value, 2);  // (1 * 3 + 3.5 * 2) / 5
  EXPECT_FLOAT_EQ(float(all[0].value), 6);
  EXPECT_FALSE(recorded);
  EXPECT_TRUE(grad_enabled());
  EXPECT_TRUE(model.is_training());
  EXPECT_FALSE(model.named_modules().at(2).second->is_training()) << "as it was";
  data::DataLoader none(zeros({0, 1}), zeros({0, 1}), {});
  EXPECT_ORDO_ERROR(evaluate(model, none, {{"loss", nn::MSELoss()}}), ValueError, "no rows");
}

}  // namespace
}  // namespace ordo::test::metrics_test
