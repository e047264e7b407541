#include "tests/peers/record.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <ordo/engine/calls/op_call.h>
#include <ordo/ordo.h>
#include "tests/support/registry_test_base.h"

namespace ordo::test {
namespace {

constexpr int64_t kMostElements = 2048;  // of all arguments of a call together

// Python's json reads NaN and infinities by these names.
std::string text(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x < 0 ? "-Infinity" : "Infinity";
  const std::string digits = fmt::format("{}", x);
  return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}
std::string text(int64_t x) { return fmt::format("{}", x); }
std::string json_string(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

template <class List, class F>
std::string listed(const List& list, const F& text_of) {
  std::string out = "[";
  for (const auto& x : list) out += (out.size() > 1 ? "," : "") + text_of(x);
  return out + "]";
}

std::string text(const Dims& dims) {
  return listed(dims, [](int64_t n) { return text(n); });
}

std::string text(const Tensor& t) {
  if (!t.defined()) return "null";
  const Tensor plain = t.detach();
  const std::string values = is_floating(t.dtype())
                                 ? listed(plain.to(float64).to_vector<double>(), [](double x) { return text(x); })
                                 : listed(plain.to(int64).to_vector<int64_t>(), [](int64_t x) { return text(x); });
  return fmt::format(R"({{"dtype":"{}","sizes":{},"requires_grad":{},"values":{}}})", name(t.dtype()), text(t.sizes()),
                     t.requires_grad(), values);
}
std::string text(const TensorList& list) {
  return listed(list, [](const Tensor& t) { return text(t); });
}

std::string text(const OpAttribute& attribute) {
  if (const auto* b = std::get_if<bool>(&attribute)) return *b ? "true" : "false";
  if (const auto* n = std::get_if<int64_t>(&attribute)) return text(*n);
  if (const auto* x = std::get_if<double>(&attribute)) return text(*x);
  if (const auto* s = std::get_if<std::string>(&attribute)) return json_string(*s);
  if (const auto* dims = std::get_if<Dims>(&attribute)) return text(*dims);
  return "null";
}

/// The gradients of a call's tensors for results that are given test_gradient; undefined for what has none, and for
/// what the call changed.
TensorList gradients(const OpEvent& call, TensorList& weights) {
  TensorList outputs, given, leaves, result;
  std::vector<size_t> places;
  for (const Tensor& t : call.outputs) {
    weights.emplace_back();
    if (!t.requires_grad()) continue;
    weights.back() = test_gradient(t.sizes(), t.detach());
    outputs.push_back(t);
    given.push_back(weights.back());
  }
  for (const Tensor& t : call.inputs) {
    if (!t.defined()) continue;
    result.emplace_back();
    const bool changed = call.name.ends_with('_') && t.is_same(call.outputs[0]);
    if (!t.requires_grad() || changed) continue;
    leaves.push_back(t);
    places.push_back(result.size() - 1);
  }
  if (outputs.empty() || leaves.empty()) return result;
  const TensorList found = grad(outputs, leaves, given);
  for (size_t k = 0; k < places.size(); ++k) result[places[k]] = found[k];
  return result;
}

/// A call's arguments in their order, as nested lists.
std::string arguments_of(const OpEvent& call) {
  std::string out = "[";
  size_t tensor = 0, attribute = 0;
  for (const char kind : call.order) {
    if (kind != ']' && out.back() != '[') out += ',';
    if (kind == 't')
      out += text(call.inputs[tensor++]);
    else if (kind == 'a')
      out += text(call.attributes[attribute++]);
    else
      out += kind;
  }
  return out + "]";
}

std::string line_of(const Sample& sample, const OpInfo& op) {
  TensorList inputs = convert(sample.inputs, float64, cpu);
  int64_t elements = 0;
  for (Tensor& t : inputs) {
    if (!t.defined()) continue;
    elements += t.numel();
    if (is_floating(t.dtype()) && op.differentiable) t.set_requires_grad();
  }
  if (elements > kMostElements) return "";
  std::optional<OpEvent> call;                // the outermost of the operation's own
  std::map<uint64_t, std::string> arguments;  // by the calls' numbers, before they change them
  const auto is_its_own = [&](const OpEvent& e) { return e.row == &op && e.name == op.name; };
  {
    const OpListener listener(
        [&](const OpEvent& e) {
          if (is_its_own(e) && (!call || e.depth < call->depth)) call = e;
        },
        [&](const OpEvent& e) {
          if (is_its_own(e)) arguments[e.number] = arguments_of(e);
        });
    manual_seed(1);
    sample.run(inputs);
  }
  if (!call) return "";
  TensorList weights;
  const TensorList found = gradients(*call, weights);
  return fmt::format(R"({{"op":{},"sample":{},"arguments":{},"outputs":{},"weights":{},"gradients":{}}})",
                     json_string(op.name), json_string(sample.label), arguments[call->number], text(call->outputs),
                     text(weights), text(found));
}

}  // namespace

int record_command(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    std::fputs("usage: ordo_tests record FILE [OPERATION...]\n", stderr);
    return 2;
  }
  const std::vector<std::string> wanted(arguments.begin() + 1, arguments.end());
  for (const std::string& op : wanted)
    if (!op_samples().contains(op)) {
      std::fprintf(stderr, "record: there is no operation '%s'\n", op.c_str());
      return 2;
    }
  std::ofstream file(arguments[0]);
  int lines = 0;
  for (const OpInfo& op : ops()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), op.name) == wanted.end()) continue;
    const auto samples = op_samples().find(std::string(op.name));
    if (samples == op_samples().end()) continue;  // a row of a test
    for (const Sample& sample : samples->second()) {
      const std::string line = line_of(sample, op);
      if (!line.empty()) file << line << '\n', ++lines;
    }
  }
  file.close();
  if (!file) {
    std::fprintf(stderr, "record: cannot write %s\n", arguments[0].c_str());
    return 2;
  }
  std::printf("%d calls in %s\n", lines, arguments[0].c_str());
  return 0;
}

}  // namespace ordo::test
