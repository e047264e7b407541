#include <ordo/nn/audit/dump.h>

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <filesystem>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/check.h>
#include <ordo/nn/audit/trace.h>
#include <ordo/nn/state/npy.h>

namespace ordo::audit {
namespace {

bool has_tensors(Record::Kind kind) {
  return kind == Record::Kind::operation || kind == Record::Kind::batch || kind == Record::Kind::step;
}

}  // namespace

Record::Kind kind_of(const OpEvent& e) {
  return e.role == OpEvent::Role::batch  ? Record::Kind::batch
         : e.role == OpEvent::Role::step ? Record::Kind::step
                                         : Record::Kind::operation;
}

std::string DumpPlace::str() const {
  // The module comes last, as its path may hold any character.
  return fmt::format("step={},call={},thread={},kind={},phase={},name={},node={},module={}", step, call, thread,
                     audit::name(kind), backward ? "backward" : "forward", name, node, module);
}

DumpPlace DumpPlace::parse(const std::string& text) {
  DumpPlace p;
  size_t at = 0;
  const auto fail = [&](const std::string& rule) {
    throw ValueError(fmt::format("[ORDO_TRACE_DUMP] {}, not '{}'; `ordo diff` prints it", rule, text));
  };
  const auto part = [&](const std::string& key) {
    if (text.compare(at, key.size() + 1, key + "=") != 0) fail(fmt::format("takes {}=... at character {}", key, at));
    at += key.size() + 1;
    const size_t end = key == "module" ? text.size() : text.find(',', at);
    if (end == std::string::npos) fail(fmt::format("takes more than {}", key));
    const std::string value = text.substr(at, end - at);
    at = end + 1;
    return value;
  };
  const auto number = [&](const std::string& key, auto& to) {
    const std::string value = part(key);
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), to);
    if (error != std::errc() || end != value.data() + value.size()) fail(fmt::format("takes a number as {}", key));
  };
  number("step", p.step), number("call", p.call), number("thread", p.thread);
  const std::string kind = part("kind"), phase = part("phase");
  bool known = false;
  for (Record::Kind k : {Record::Kind::operation, Record::Kind::batch, Record::Kind::step})
    if (kind == audit::name(k)) p.kind = k, known = true;
  if (!known) fail("takes operation, batch or step as kind");
  if (phase != "forward" && phase != "backward") fail("takes forward or backward as phase");
  p.backward = phase == "backward";
  p.name = part("name"), p.node = part("node"), p.module = part("module");
  if (p.call < 1) fail("counts calls from 1");
  return p;
}

std::optional<DumpPlace> dump_place(const std::string& trace, uint64_t index) {
  // Calls are counted to the record, so its own text is needed first.
  const auto find = [&](const auto& each) {
    Reader reader(trace);
    Record r;
    while (reader.next(r)) {
      each(r);
      if (r.index == index) return true;
    }
    return false;
  };
  DumpPlace p;
  const auto take = [&](const Record& r) {
    if (r.index == index)
      p = {r.step, 0, r.thread, r.kind, r.backward, std::string(r.name), std::string(r.node), std::string(r.path)};
  };
  ORDO_CHECK(find(take), DataError, "dump_place", "{} has no record {}", trace, index);
  if (!has_tensors(p.kind)) return std::nullopt;
  find([&](const Record& r) {
    p.call += r.step == p.step && r.thread == p.thread && r.kind == p.kind && r.backward == p.backward &&
              r.name == p.name && r.node == p.node && r.path == p.module;
  });
  return p;
}

Dump::Dump(DumpPlace place, std::string folder) : place_(std::move(place)), folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  ORDO_CHECK(!error, DataError, "ORDO_TRACE_DUMP_TO", "{}: cannot be made: {}", folder_, error.message());
}

bool Dump::is_place(const OpEvent& e, int64_t step, uint32_t thread) const {
  return step == place_.step && thread == place_.thread && kind_of(e) == place_.kind &&
         (e.phase == OpEvent::Phase::backward) == place_.backward && e.name == place_.name && e.node == place_.node &&
         e.scope == place_.module;
}

TensorList Dump::copies(const TensorList& inputs) {
  NoGrad guard;
  TensorList all;
  for (const Tensor& t : inputs) all.push_back(t.defined() ? t.detach().to(cpu).clone() : Tensor());
  return all;
}

void Dump::end(const TensorList& inputs, const TensorList& outputs) {
  if (++ended_ != place_.call) return;
  try {
    for (size_t i = 0; i < inputs.size(); ++i) save("input", i, inputs[i]);
    for (size_t i = 0; i < outputs.size(); ++i) save("output", i, outputs[i]);
  } catch (const Error& error) {
    std::fprintf(stderr, "[ORDO_TRACE_DUMP] %s\n", error.what());
  }
}

void Dump::save(const char* what, size_t number, const Tensor& tensor) const {
  if (!tensor.defined()) return;
  // NumPy has no bfloat16; a float32 holds each of its values.
  const bool wider = tensor.dtype() == bfloat16;
  NoGrad guard;
  save_npy(fmt::format("{}/{}-{}{}.npy", folder_, what, number, wider ? ".bfloat16" : ""),
           wider ? tensor.detach().to(float32) : tensor);
}

}  // namespace ordo::audit
