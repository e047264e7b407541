#include "tests/support/registry_test_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "tests/support/schedules.h"

namespace ordo::test {

void RegistryTest::SetUp() {
  op_ = find_op(GetParam());
  const auto at = op_samples().find(GetParam());
  if (at != op_samples().end()) samples_ = at->second();
}

std::vector<Device> RegistryTest::devices() const {
  auto all = test_devices();
  if (!op_->cuda) all.resize(1);
  return all;
}

std::vector<Sample> RegistryTest::sized(int64_t n) const {
  const auto at = op_sizes().find(GetParam());
  std::vector<Sample> samples;
  if (at != op_sizes().end()) samples = at->second(n);
  for (Sample& s : samples) s.label += fmt::format(", n = {},", n);
  return samples;
}

bool few_are_tested() {
  static const char* const sizes = std::getenv("ORDO_TEST_SIZES");
  return checked_build() || (sizes && std::string_view(sizes) == "few");
}
std::vector<int64_t> tested_sizes() {
  if (few_are_tested()) return {1, 33, 64, 129, 257, 1025};
  return {std::begin(kSizes), std::end(kSizes)};
}
std::vector<int64_t> few_sizes() {
  if (few_are_tested()) return {33};
  return {1, 33, 257};
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const OpInfo& op : ops()) names.emplace_back(op.name);
  return names;
}

bool any_floating(const TensorList& inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Tensor& t) { return t.defined() && is_floating(t.dtype()); });
}

static std::vector<DType> dtypes_among(std::initializer_list<DType> all, const OpInfo& op, const Sample& sample) {
  if (!any_floating(sample.inputs)) return {float64};
  std::vector<DType> out;
  for (DType t : all)
    if (op.dtypes.has(t)) out.push_back(t);
  return out;
}
std::vector<DType> dtypes_of(const OpInfo& op, const Sample& sample) {
  return dtypes_among({float32, float64, float16, bfloat16, int32, int64, uint8, boolean}, op, sample);
}
std::vector<DType> tested_dtypes(const OpInfo& op, const Sample& sample) {
  const auto all = dtypes_of(op, sample);
  return !checked_build() || all.size() < 3 ? all : std::vector<DType>{all.front(), all.back()};
}
std::vector<DType> floating_dtypes(const OpInfo& op, const Sample& sample) {
  return dtypes_among({float32, float64, float16, bfloat16}, op, sample);
}

static Tensor convert(const Tensor& t, DType dtype, Device device) {
  if (!t.defined() || !is_floating(t.dtype())) return t.defined() ? t.to(device) : t;
  if (is_floating(dtype)) return t.to(device, dtype);
  auto values = t.to_vector<double>();
  for (double& v : values) {
    v = std::fmod(std::round(v * 8), 100);
    if (dtype == uint8) v = std::abs(v);
    if (dtype == boolean) v = v > 0;
  }
  return from_vector(values, t.sizes()).to(device, dtype);
}

TensorList convert(const TensorList& inputs, DType dtype, Device device) {
  TensorList out;
  for (const Tensor& t : inputs) out.push_back(convert(t, dtype, device));
  return out;
}

double epsilon(DType t) { return t == float16 ? 0x1p-10 : t == bfloat16 ? 0x1p-7 : t == float32 ? 0x1p-23 : 0x1p-52; }

void expect_close(const Tensor& got, const std::vector<double>& want, const Sample& sample, DType dtype) {
  const auto values = got.to_vector<double>();
  ASSERT_EQ(values.size(), want.size()) << "number of elements";
  double largest = 0;
  for (double w : want)
    if (std::isfinite(w)) largest = std::max(largest, std::abs(w));
  const DType result = is_floating(got.dtype()) ? got.dtype() : float64;
  const double allowed = sample.tolerance * std::max(epsilon(dtype), epsilon(result)) * std::max(largest, 1e-30);
  int shown = 0;
  for (size_t i = 0; i < want.size() && shown < 3; ++i) {
    const bool equal = values[i] == want[i] || (std::isnan(values[i]) && std::isnan(want[i])) ||
                       std::abs(values[i] - want[i]) <= allowed;
    if (!equal) {
      ++shown;
      ADD_FAILURE() << "element " << i << " is " << values[i] << ", the reference " << want[i] << ", allowed "
                    << allowed;
    }
  }
}

Bytes result_bytes(const Tensor& t) {
  Bytes bytes = bytes_of(t);
  if (!is_floating(t.dtype())) return bytes;
  const std::vector<double> values = t.to(cpu).to(float64).to_vector<double>();
  const ptrdiff_t size = ptrdiff_t(size_of(t.dtype()));
  for (size_t i = 0; i < values.size(); ++i)
    if (std::isnan(values[i])) std::fill_n(bytes.begin() + ptrdiff_t(i) * size, size, uint8_t(0xff));
  return bytes;
}

void expect_near(const TensorList& got, const TensorList& want, int64_t items, DType dtype) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t k = 0; k < got.size(); ++k) {
    const auto values = got[k].to(cpu).to(float64).to_vector<double>(),
               wanted = want[k].to(float64).to_vector<double>();
    double largest = 1;
    for (double w : wanted)
      if (std::isfinite(w)) largest = std::max(largest, std::abs(w));
    const double allowed = is_floating(got[k].dtype()) ? 4 * double(items) * epsilon(dtype) * largest : 0;
    ASSERT_EQ(values.size(), wanted.size());
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_TRUE(std::abs(values[i] - wanted[i]) <= allowed || values[i] == wanted[i] ||
                  (std::isnan(values[i]) && std::isnan(wanted[i])))
          << "tensor " << k << ", element " << i << ": " << values[i] << " for " << wanted[i];
  }
}

static void append_defined(TensorList& all, const TensorList& more) {
  for (const Tensor& t : more)
    if (t.defined()) all.push_back(t);
}

/// The gradients once more, with their own graph, and the gradients of those.
static void append_second_gradients(TensorList& all, const Sample& sample, const Tensor& out, TensorList leaves,
                                    Tensor weights) {
  weights.set_requires_grad();
  try {
    TensorList recorded, given;
    for (const Tensor& g : grad({out}, leaves, {weights}, true, true)) {
      if (!g.defined()) continue;
      all.push_back(g);
      if (g.requires_grad()) recorded.push_back(g), given.push_back(test_gradient(g.sizes(), g));
    }
    leaves.push_back(weights);
    if (!recorded.empty()) append_defined(all, grad(recorded, leaves, given));
  } catch (const AutogradError& e) {  // the operation says that its gradient cannot be differentiated
    EXPECT_FALSE(sample.second_order) << e.what();
  }
}

TensorList result_and_gradients(const OpInfo& op, const Sample& sample, const TensorList& inputs, Gradients gradients) {
  TensorList arguments = inputs, leaves;
  for (Tensor& t : arguments)
    if (op.differentiable && t.defined() && is_floating(t.dtype()))
      leaves.push_back(t = t.detach().set_requires_grad());
  const Tensor out = sample.run(arguments);
  TensorList all{out};
  if (!out.requires_grad()) return all;
  Tensor weights = test_gradient(out.sizes(), out);
  const bool again = gradients == Gradients::second;
  append_defined(all, grad({out}, leaves, {weights}, again));
  if (again) append_second_gradients(all, sample, out, leaves, weights);
  return all;
}

Bytes all_bytes(const OpInfo& op, const Sample& sample, const TensorList& inputs, Gradients gradients) {
  Bytes bytes;
  for (const Tensor& t : result_and_gradients(op, sample, inputs, gradients)) {
    const Bytes more = result_bytes(t);
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  return bytes;
}

std::optional<Bytes> bytes_unless_refused(const OpInfo& op, const Sample& sample, const TensorList& inputs,
                                          Gradients gradients) {
  try {
    return all_bytes(op, sample, inputs, gradients);
  } catch (const DTypeError&) {
  } catch (const ValueError&) {
  }
  return std::nullopt;
}

std::string difference(const Bytes& got, const Bytes& want) {
  if (got == want) return {};
  if (got.size() != want.size()) return fmt::format("{} bytes instead of {}", got.size(), want.size());
  const auto at = std::mismatch(got.begin(), got.end(), want.begin());
  return fmt::format("byte {} of {} is {:02x} instead of {:02x}", at.first - got.begin(), got.size(), *at.first,
                     *at.second);
}

std::string trace(const Sample& sample, DType dtype, Device device) {
  return fmt::format("{} {} {}", sample.label, name(dtype), device.str());
}

}  // namespace ordo::test
