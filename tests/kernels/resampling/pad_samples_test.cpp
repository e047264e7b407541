#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::pad_samples_test {
namespace {

constexpr PadMode kConstant = PadMode::constant, kReflect = PadMode::reflect, kReplicate = PadMode::replicate,
                  kCircular = PadMode::circular;

// The cell that cell `i` of an axis stands for, walking back into it step by step; -1 for none.
int64_t source_of(int64_t i, int64_t size, PadMode mode) {
  while (i < 0 || i >= size) {
    if (mode == kConstant) return -1;
    if (mode == kReplicate) return i < 0 ? 0 : size - 1;
    if (mode == kCircular) i += i < 0 ? size : -size;
    if (mode == kReflect) i = i < 0 ? -i : 2 * (size - 1) - i;
  }
  return i;
}

std::vector<double> reference(const Tensor& x, const std::vector<int64_t>& padding, PadMode mode, double value) {
  const auto from = x.to_vector<double>();
  Dims sizes = x.sizes();
  const int rank = sizes.size();
  for (size_t k = 0; k < padding.size(); ++k) sizes[rank - 1 - int(k / 2)] += padding[k];
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  std::vector<double> out;
  for (int64_t o = 0; o < count; ++o) {
    int64_t rest = o, at = 0, step = 1;
    bool inside = true;
    for (int d = rank - 1; d >= 0; --d) {
      const size_t k = size_t(rank - 1 - d);
      const int64_t left = 2 * k < padding.size() ? padding[2 * k] : 0;
      const int64_t i = source_of(rest % sizes[d] - left, x.sizes()[d], mode);
      inside = inside && i >= 0;
      at += i * step;
      step *= x.sizes()[d];
      rest /= sizes[d];
    }
    out.push_back(inside ? from[size_t(at)] : value);
  }
  return out;
}

Sample sample_of(const char* label, Dims sizes, std::vector<int64_t> padding, PadMode mode = kConstant,
                 double value = 0) {
  Sample s = new_sample(label, {test_values(sizes, 1)});
  s.run = [=](const TensorList& in) { return pad(in[0], padding, mode, value); };
  s.reference = [=](const TensorList& in) { return reference(in[0], padding, mode, value); };
  s.gradient = s.inputs[0].numel() < 100;
  return s;
}

ORDO_OP_SAMPLES(pad) {
  return {sample_of("last", {2, 3}, {1, 2}),
          sample_of("value", {2, 3, 2}, {1, 0, 2, 1, 0, 1}, kConstant, 3),
          sample_of("outer", {2, 3, 4}, {0, 0, 0, 0, 1, 2}),
          sample_of("middle", {2, 3, 4}, {0, 0, 2, 0}, kConstant, 1),
          sample_of("negative", {3, 5}, {-1, 2, 1, -2}),
          sample_of("nothing_left", {3, 2}, {-1, -1}),
          sample_of("no_padding", {3, 2}, {}),
          sample_of("no_dimensions", {}, {}),
          sample_of("from_nothing", {2, 0}, {2, 1}, kConstant, 2),
          sample_of("reflect1", {2, 5}, {4, 3}, kReflect),
          sample_of("reflect2", {1, 2, 3, 4}, {1, 3, 2, 1}, kReflect),
          sample_of("reflect3", {1, 3, 2, 4}, {1, 2, 1, 0, 2, 2}, kReflect),
          sample_of("reflect_negative", {2, 5}, {-1, 3}, kReflect),
          sample_of("replicate1", {2, 1, 3}, {2, 4}, kReplicate),
          sample_of("replicate2", {2, 3, 2}, {3, 0, 1, 2}, kReplicate),
          sample_of("replicate3", {1, 2, 2, 1, 3}, {1, 1, 2, 3, 0, 1}, kReplicate),
          sample_of("replicate_negative", {2, 5}, {2, -2}, kReplicate),
          sample_of("circular1", {1, 2, 4}, {4, 3}, kCircular),
          sample_of("circular2", {2, 3, 4}, {1, 2, 3, 0}, kCircular),
          sample_of("circular3", {1, 2, 3, 4}, {1, 2, 1, 1, 0, 2}, kCircular),
          sample_of("one_cell", {1, 1, 1}, {1, 1}, kCircular),
          sample_of("no_samples", {0, 2, 3}, {1, 1}, kReflect),
          sample_of("more_than_64", {1, 2, 3, 4}, {70, 3, 40, 5}, kReplicate),
          sample_of("image", {2, 3, 33, 41}, {3, 2, 1, 4}, kReflect)};
}
ORDO_OP_SIZES(pad) {
  return {sample_of("width", {2, 3, n}, {2, 1, 1, 1}), sample_of("rows", {2, n, 3}, {1, 1}, kReplicate),
          sample_of("volumes", {n, 1, 2, 2}, {1, 1, 0, 1}, kReflect),
          sample_of("columns", {1, 2, 3, n}, {1, 1, 1, 1}, kCircular),
          sample_of("padding", {1, 2, 2}, {n, n / 2, 1, 0}, kReplicate)};
}

ORDO_OP_INTEGER(pad, "left", pad(some(d), {v, 0}));
ORDO_OP_INTEGER(pad, "right", pad(some(d), {0, v}));
ORDO_OP_INTEGER(pad, "both", pad(some(d), {v, -v}));
ORDO_OP_INTEGER(pad, "outer", pad(some(d), {1, 1, v, v}));
ORDO_OP_INTEGER(pad, "value", pad(some(d), {1, 1}, kConstant, v));
ORDO_OP_INTEGER(pad, "reflect", pad(some(d), {v, 1}, kReflect));
ORDO_OP_INTEGER(pad, "replicate", pad(some(d), {1, v}, kReplicate));
ORDO_OP_INTEGER(pad, "replicate both", pad(some(d), {v, -v}, kReplicate));
ORDO_OP_INTEGER(pad, "circular", pad(some(d), {v, -1}, kCircular));

TEST(Pad, what_negative_numbers_leave_wraps_around) {
  // As torch.nn.functional.pad(torch.arange(5.), (2, -1), mode="circular").
  const Tensor x = arange(5).view({1, 5});
  EXPECT_EQ(pad(x, {2, -1}, kCircular).to_vector<int>(), (std::vector<int>{2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(pad(x, {-1, 2}, kCircular).to_vector<int>(), (std::vector<int>{1, 2, 3, 4, 1, 2}));
}

TEST(Pad, refuses) {
  const Tensor x = ones({1, 2, 3});
  EXPECT_ORDO_ERROR(pad(x, {1}), ValueError, "[pad] takes two numbers for each dimension");
  EXPECT_ORDO_ERROR(pad(zeros({2}, uint8), {1, 1}, kConstant, 300), ValueError, "does not fit");
}

}  // namespace
}  // namespace ordo::test::pad_samples_test
