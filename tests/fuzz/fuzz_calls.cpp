#include <cmath>
#include <limits>

#include <fmt/format.h>
#include "tests/fuzz/fuzz.h"
#include "tests/support/changed_in_place.h"
#include "tests/support/memory_limit.h"

namespace ordo::test {
namespace {

std::string describe(const Tensor& t) {
  if (!t.defined()) return "undefined";
  return fmt::format("{}{} strides {}{}", name(t.dtype()), t.sizes().str(), t.strides().str(),
                     t.requires_grad() ? " requires_grad" : "");
}

/// One of the ways in which an argument is not what the sample had.
Tensor bend(const Tensor& t, Draw& draw) {
  const int n = t.defined() ? t.dim() : 0;
  const int64_t d = n ? draw.in(0, n - 1) : 0;
  switch (draw.in(0, 15)) {
    case 0:
      return Tensor();
    case 1: {
      constexpr DType all[] = {boolean, uint8, int32, int64, float16, bfloat16, float32, float64};
      return t.defined() ? t.to(all[draw.in(0, 7)]) : t;
    }
    case 2:
      return n && n < kMaxDims ? t.unsqueeze(d) : t;
    case 3:
      return n && t.size(d) ? t.select(d, 0) : t;
    case 4:
      return n ? t.narrow(d, 0, draw.in(0, t.size(d))) : t;
    case 5:
      return n > 1 ? t.transpose(d, draw.in(0, n - 1)) : t;
    case 6:
      return n ? t.slice(d, draw.in(0, 2), INT64_MAX, draw.in(1, 3)) : t;
    case 7:
      return n && t.size(d) == 1 ? t.squeeze(d) : t;
    case 8:
      return n ? t.narrow(d, 0, t.size(d) ? 1 : 0).expand(t.sizes()) : t;  // all alike, in one place
    case 9:
      return n ? zeros(Dims::filled(n, 0), t.options()) : t;
    case 10:
      return t.defined() ? zeros({}, t.options()) : zeros({}, {float64});
    case 11:
      return t.defined() && t.numel() < 4096 ? cat({t.reshape({-1}), t.reshape({-1})}) : t;
    default:
      break;
  }
  if (!t.defined() || t.numel() == 0) return t;
  // Single elements: special values, or indices that are out of range.
  Tensor changed = t.detach().clone();
  Tensor flat = changed.view({-1});
  for (int64_t k = draw.in(1, 3); k > 0; --k) {
    Tensor at = flat.select(0, draw.in(0, flat.numel() - 1));
    if (is_floating(t.dtype())) {
      const double special[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, std::nan(""), 1e300, -1e-310, 65504};
      at.copy_(from_vector(std::vector<double>{special[draw.in(0, 9)]}, {}));
    } else {
      const int64_t special[] = {-1, 0, 1, 7, 255, -2147483648LL, 2147483647, INT64_MIN, INT64_MAX, int64_t(1) << 40};
      at.copy_(from_vector(std::vector<int64_t>{special[draw.in(0, 9)]}, {}));
    }
  }
  return changed;
}

struct Outcome {
  std::string error;  ///< the library's, when it refused
  Bytes bytes;        ///< result and gradients, with one pattern for every NaN
};

/// Runs a sample; nothing but an Error may come out.
Outcome outcome_of(const Sample& sample, const TensorList& inputs, bool differentiate) {
  Outcome out;
  TensorList leaves;
  for (const Tensor& t : inputs) {
    leaves.push_back(t.defined() ? t.detach() : t);
    if (differentiate && t.defined() && is_floating(t.dtype())) leaves.back().set_requires_grad();
  }
  try {
    const Tensor result = sample.run(leaves);
    if (result.defined()) {
      out.bytes = result_bytes(result.detach());
      if (result.requires_grad()) {
        result.backward(test_gradient(result.sizes(), result.detach()));
        for (const Tensor& t : leaves)
          if (t.defined() && t.grad().defined()) {
            const Bytes g = result_bytes(t.grad());
            out.bytes.insert(out.bytes.end(), g.begin(), g.end());
          }
      }
    }
  } catch (const Error& e) {
    out.error = e.what();
    out.bytes.clear();
  }
  return out;
}

/// Random operations draw anew in every call, unless they begin in the same state.
Outcome seeded(const Sample& sample, const TensorList& inputs, bool differentiate) {
  manual_seed(1);
  return outcome_of(sample, inputs, differentiate);
}

/// Changes one of the tensors that a program has in its hands before a gradient: "", or what went unnoticed.
std::string unnoticed_change(const OpInfo& op, const Sample& sample, const TensorList& inputs, Draw& draw) {
  const Change when = kChanges[draw.in(0, 2)];
  try {
    const ChangedRun unchanged = run_with_change(op, sample, inputs, when, kNoTensor);
    if (unchanged.tensors == 0 || !unchanged.bytes) return "";
    const size_t which = size_t(draw.in(0, int64_t(unchanged.tensors) - 1));
    const ChangedRun changed = run_with_change(op, sample, inputs, when, which);
    if (!changed.bytes || *changed.bytes == *unchanged.bytes) return "";
    return fmt::format("{} does not notice that tensor {} was changed in place: {}", name_of(when), which,
                       difference(*changed.bytes, *unchanged.bytes));
  } catch (const Error&) {
    return "";  // these inputs have no such gradient
  }
}

}  // namespace

FuzzResult fuzz_calls(uint64_t seed, Device) {
  Draw draw(seed);
  static const std::vector<std::string> names = op_names();
  const std::string& op = names[size_t(draw.in(0, int64_t(names.size()) - 1))];
  static std::map<std::string, std::vector<Sample>> cache;
  auto& samples = cache[op];
  if (samples.empty()) samples = op_samples().at(op)();
  const Sample& sample = samples[size_t(draw.in(0, int64_t(samples.size()) - 1))];
  std::string text = fmt::format("{} \"{}\"", op, sample.label);
  FuzzResult result;
  const int threads = num_threads();
  const MemoryLimit limit(size_t(1) << 26);  // an index of 2^40 is also a count, which no machine has memory for
  try {
    constexpr DType floating[] = {float16, bfloat16, float32, float64};
    constexpr Determinism levels[] = {Determinism::run_to_run, Determinism::device_to_device};
    TensorList inputs = convert(sample.inputs, floating[draw.in(0, 3)], cpu);
    for (int64_t bends = inputs.empty() ? 0 : draw.in(0, 2); bends > 0; --bends) {
      Tensor& t = inputs[size_t(draw.in(0, int64_t(inputs.size()) - 1))];
      t = bend(t, draw);
    }
    for (const Tensor& t : inputs) text += "\n    " + describe(t);
    const DeterminismGuard level(levels[draw.in(0, 1)]);
    const bool differentiate = draw.chance(50);
    std::vector<Bytes> before;
    for (const Tensor& t : inputs) before.push_back(t.defined() ? bytes_of(t) : Bytes());
    set_num_threads(1);
    const Outcome first = seeded(sample, inputs, differentiate);
    set_num_threads(2);
    const Outcome second = seeded(sample, inputs, differentiate);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].defined() && bytes_of(inputs[i]) != before[i]) result.failure = fmt::format("input {} changed", i);
    if (first.error != second.error)
      result.failure = fmt::format("first \"{}\", then \"{}\"", first.error, second.error);
    else if (first.bytes != second.bytes)
      result.failure = "two threads do not give the bits of one: " + difference(second.bytes, first.bytes);
    if (!first.error.empty() && first.error[0] != '[')
      result.failure = "an error that names no operation: " + first.error;
    result.complete = first.error.empty();
    if (result.failure.empty() && result.complete && differentiate)
      result.failure = unnoticed_change(*find_op(op), sample, inputs, draw);
  } catch (const std::exception& e) {
    result.failure = fmt::format("an error that is not the library's, or outside of the call: {}", e.what());
  }
  set_num_threads(threads);
  if (!result.failure.empty()) result.failure += "\n  " + text;
  return result;
}

}  // namespace ordo::test
