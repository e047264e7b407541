// Numbers that do not fit a dtype are refused wherever one is stored; conversions of data agree with each other.
#include <cmath>
#include <limits>

#include <ordo/engine/tensor/fits.h>
#include "tests/support/op_samples.h"

namespace ordo::test::fits_test {
namespace {

const double kInf = std::numeric_limits<double>::infinity(), kNan = std::nan("");

TEST(Fits, one_rule) {
  const auto fits = [](Scalar value, DType dtype) {
    try {
      detail::expect_fits("op", value, dtype);
      return true;
    } catch (const ValueError& e) {
      EXPECT_NE(std::string(e.what()).find("[op] the number"), std::string::npos) << e.what();
      return false;
    }
  };
  struct Row {
    Scalar value;
    std::vector<DType> refused;
  };
  const std::vector<Row> rows = {
      {0, {}},
      {true, {}},
      {-1, {}},
      {255.9, {}},
      {256, {uint8}},
      {-256, {uint8}},
      {-256.0, {uint8}},
      {65504, {uint8}},
      {65505, {uint8, float16}},
      {int64_t(1) << 31, {uint8, int32, float16}},
      {2147483647.5, {uint8, float16}},
      {-2147483648.5, {uint8, float16}},
      {INT64_MIN, {uint8, int32, float16}},
      {0x1p63, {uint8, int32, int64, float16}},
      {-0x1p63, {uint8, int32, float16}},
      {3.5e38, {uint8, int32, int64, float16, bfloat16, float32}},
      {kInf, {uint8, int32, int64}},
      {-kInf, {uint8, int32, int64}},
      {kNan, {uint8, int32, int64}},
  };
  for (const Row& row : rows)
    for (DType t : {boolean, uint8, int32, int64, float16, bfloat16, float32, float64})
      EXPECT_EQ(fits(row.value, t), std::find(row.refused.begin(), row.refused.end(), t) == row.refused.end())
          << row.value.to_double() << " in " << name(t);
}

TEST(Fits, everywhere_a_number_meets_a_dtype) {
  for (Device device : test_devices()) {
    const TensorOptions bytes{.dtype = uint8, .device = device}, halves{.dtype = float16, .device = device};
    Tensor t = zeros({3}, bytes);
    const Tensor mask = ones({3}, {.dtype = boolean, .device = device}), h = zeros({3}, halves);
    EXPECT_ORDO_ERROR(full({2}, 300, bytes), ValueError, "[full]");
    EXPECT_ORDO_ERROR(full_like(t, 300), ValueError, "[full_like]");
    EXPECT_ORDO_ERROR(scalar_tensor(1e6, halves), ValueError, "[scalar_tensor]");
    EXPECT_ORDO_ERROR(t.fill_(kNan), ValueError, "[fill_]");
    EXPECT_ORDO_ERROR(t.masked_fill_(mask, 300), ValueError, "[masked_fill_]");
    EXPECT_ORDO_ERROR(where(mask, 1e6, h), ValueError, "[where]");
    EXPECT_ORDO_ERROR(clamp(h, {}, 1e6), ValueError, "[clamp]");
    EXPECT_ORDO_ERROR(t.mul_(300), ValueError, "[mul_]");
    EXPECT_ORDO_ERROR(arange(0, 1e6, 1e5, halves), ValueError, "[arange]");
    EXPECT_ORDO_ERROR(linspace(0, 1e6, 3, halves), ValueError, "[linspace]");
    EXPECT_ORDO_ERROR(uniform_(h, 0, 1e6), ValueError, "[uniform_]");
    EXPECT_ORDO_ERROR(normal_(h, 1e6, 1), ValueError, "[normal_]");
    EXPECT_EQ(t.to_vector<int64_t>(), (std::vector<int64_t>{0, 0, 0})) << "a refused number changed something";
    EXPECT_EQ(randperm(256, bytes).to(int64).sum().item<int64_t>(), 255 * 128);
    EXPECT_EQ(randperm(2049, halves).to(int64).sum().item<int64_t>(), 2048 * 2049 / 2);
    EXPECT_EQ(t.fill_(-1).to_vector<int64_t>(), (std::vector<int64_t>{255, 255, 255})) << "wraps, as in PyTorch";
    EXPECT_EQ(t.fill_(-1.0).to_vector<int64_t>(), (std::vector<int64_t>{255, 255, 255}));
    EXPECT_EQ(full({1}, 0.5, {.dtype = boolean, .device = device}).item<int64_t>(), 1);
    EXPECT_EQ(full({1}, -kInf, halves).item(), -kInf);
    EXPECT_EQ((h + 1e6).to_vector<double>()[0], kInf) << "computed in float32, rounded like any result";
  }
}

TEST(Fits, item_and_to_vector_convert_as_to_does) {
  const std::vector<double> values = {0.5, -0.5, 0, kNan, kInf, -kInf, 1e10, -1e10, 3e9, 1e19, -1e19, 300, -3.9, 255};
  for (Device device : test_devices()) {
    for (DType dtype : {float16, bfloat16, float32, float64}) {
      for (double v : values) {
        const Tensor t = from_vector<double>({v}, {}, {.dtype = dtype, .device = device});
        SCOPED_TRACE(t.str() + " " + std::string(name(dtype)));
        EXPECT_EQ(t.item<bool>(), t.to(boolean).item<int64_t>() != 0);
        EXPECT_EQ(t.item<int64_t>(), t.to(int64).item<int64_t>());
        EXPECT_EQ(t.item<int32_t>(), t.to(int32).item<int32_t>());
        EXPECT_EQ(t.item<uint8_t>(), t.to(uint8).item<int64_t>());
        EXPECT_EQ(t.to_vector<bool>()[0], t.item<bool>());
        EXPECT_EQ(t.to_vector<int64_t>()[0], t.item<int64_t>());
        EXPECT_EQ(t.to_vector<int32_t>()[0], t.item<int32_t>());
        EXPECT_EQ(t.to_vector<uint8_t>()[0], t.item<uint8_t>());
        EXPECT_EQ(t.item<int64_t>(), Scalar(t.item()).to_int64());
      }
    }
    const Tensor half = full({}, 0.5, {.device = device});
    EXPECT_TRUE(half.item<bool>());
    EXPECT_EQ(full({}, kInf, {.device = device}).item<int64_t>(), INT64_MAX);
    EXPECT_EQ(full({}, kInf, {.device = device}).item<size_t>(), SIZE_MAX);
    EXPECT_EQ(full({}, -kInf, {.device = device}).item<int>(), INT32_MIN);
    EXPECT_EQ(full({}, 300, {.dtype = int64, .device = device}).item<uint8_t>(), 44) << "integers wrap, as with to()";
  }
}

TEST(Fits, literals) {
  EXPECT_EQ(tensor({1.0, 2.0}).dtype(), float32);
  EXPECT_EQ(tensor({1LL, 2LL}).dtype(), int64);
  EXPECT_EQ(tensor<float>({}).dtype(), float32);
  EXPECT_EQ(tensor({1, -2}).to_vector<int64_t>(), (std::vector<int64_t>{1, -2}));
  EXPECT_EQ(from_vector<double>({1.0}, {1}).dtype(), float64);
  EXPECT_EQ(from_vector<int32_t>({1}, {1}).dtype(), int32);
  EXPECT_EQ(scalar_tensor(1.0).dtype(), float32);
  EXPECT_EQ(full({1}, 1.0).dtype(), float32);
  EXPECT_EQ(mm(tensor({1.0, 2.0}).view({1, 2}), ones({2, 1})).item(), 3);
}

TEST(Fits, numbers_that_are_no_algorithm_level_mode_or_dtype) {
  const Tensor x = ones({2, 3}), index = from_vector<int64_t>({0, 1}, {2});
  EXPECT_ORDO_ERROR(cross_entropy(x, index, {.reduction = Reduction(9)}), ValueError, "[cross_entropy]");
  EXPECT_ORDO_ERROR(mse_loss(x, x, Reduction(9)), ValueError, "[mse_loss]");
  EXPECT_ORDO_ERROR(binary_cross_entropy_with_logits(x, x, {.reduction = Reduction(9)}), ValueError, "9");
  EXPECT_ORDO_ERROR(mse_loss(x, x, Reduction::batchmean), ValueError, "[mse_loss]");
  EXPECT_ORDO_ERROR(set_determinism(Determinism(9)), ValueError, "9");
  EXPECT_ORDO_ERROR(DeterminismGuard(Determinism(9)), ValueError, "9");
  EXPECT_ORDO_ERROR(empty({2}, {.dtype = DType(50)}), DTypeError, "[empty]");
  EXPECT_ORDO_ERROR(x.to(DType(50)), DTypeError, "50");
  EXPECT_EQ(name(Algorithm(77)), "invalid");
  EXPECT_EQ(name(TrainEnd(77)), "invalid");
  for (const Dims& sizes : {Dims{2}, Dims{0}})
    EXPECT_ORDO_ERROR(empty(sizes, {.device = Device(Device::Type(9))}), DeviceError, "no device invalid");
  EXPECT_EQ(name(distributed::ReduceOp(77)), "invalid");
  EXPECT_ORDO_ERROR(div(x, x, RoundingMode(9)), ValueError, "[div] number 9");
  EXPECT_ORDO_ERROR(div(x, 2, RoundingMode(9)), ValueError, "[div] number 9");
  EXPECT_ORDO_ERROR(div(2, x, RoundingMode(9)), ValueError, "[div] number 9");
  EXPECT_ORDO_ERROR(optim::LBFGS({ones({1})}, {.line_search = optim::LineSearch(9)}), ValueError, "[LBFGS] number 9");
  const Tensor image = ones({1, 1, 4, 4});
  EXPECT_ORDO_ERROR(quantile(x, 0.5, {}, false, Interpolation(99)), ValueError, "[quantile] number 99");
  EXPECT_ORDO_ERROR(nanquantile(x, 0.5, {}, false, Interpolation(-1)), ValueError, "[nanquantile] number -1");
  EXPECT_ORDO_ERROR(interpolate(image, {.size = {2, 2}, .mode = InterpolateMode(99)}), ValueError,
                    "[interpolate] number 99");
  EXPECT_ORDO_ERROR(data::Resize(2, 2, InterpolateMode(99)), ValueError, "[Resize] number 99");
  EXPECT_ORDO_ERROR(nn::Upsample({.scale_factor = {2.0}, .mode = InterpolateMode(99)})(image), ValueError, "number 99");
  EXPECT_ORDO_ERROR(pad(image, {1, 1}, PadMode(99)), ValueError, "[pad] number 99");
  EXPECT_ORDO_ERROR(grid_sample(image, zeros({1, 2, 2, 2}), {.mode = InterpolateMode(99)}), ValueError,
                    "[grid_sample]");
  EXPECT_ORDO_ERROR(grid_sample(image, zeros({1, 2, 2, 2}), {.padding_mode = GridPadding(99)}), ValueError,
                    "[grid_sample] number 99");
  EXPECT_ORDO_ERROR(all_reduce(x, distributed::ReduceOp(99)), ValueError, "[all_reduce] number 99");
  EXPECT_ORDO_ERROR(reduce_scatter(x, distributed::ReduceOp(99)), ValueError, "[reduce_scatter] number 99");
  EXPECT_ORDO_ERROR(all_reduce(x, distributed::ReduceOp::sum, {}, Algorithm(77)), ValueError, "[all_reduce]");
  EXPECT_ORDO_ERROR(nn::RNN(2, 2, {}, nn::RecurrentNonlinearity(99)), ValueError, "[RNN] number 99");
  EXPECT_ORDO_ERROR(nn::RNNCell(2, 2, {}, nn::RecurrentNonlinearity(99)), ValueError, "[RNNCell] number 99");
  EXPECT_ORDO_ERROR(nn::init::gain(nn::init::Nonlinearity(99)), ValueError, "[init] number 99");
  EXPECT_ORDO_ERROR(nn::init::kaiming_normal_(zeros({2, 2}), {.fan = nn::init::Fan(99)}), ValueError,
                    "[init] number 99");
  EXPECT_ORDO_ERROR(nn::init::kaiming_uniform_(zeros({2, 2}), {.nonlinearity = nn::init::Nonlinearity(99)}), ValueError,
                    "[init] number 99");
  Trainer trainer({.epochs = 1});
  EXPECT_ORDO_ERROR(trainer.on(On(99), [](Trainer&) {}), ValueError, "[Trainer] number 99");
  EXPECT_ORDO_ERROR(audit::Recorder(audit::RecorderOptions{.detail = audit::Detail(99)}), ValueError, "number 99");
}

}  // namespace
}  // namespace ordo::test::fits_test
