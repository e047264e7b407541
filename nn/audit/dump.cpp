#include <ordo/nn/audit/dump.h>

#include <fmt/format.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#endif

#include <charconv>
#include <cstdio>
#include <filesystem>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/check.h>
#include <ordo/nn/audit/diff.h>
#include <ordo/nn/state/npy.h>
#include <ordo/nn/state/whole_file.h>

namespace ordo::audit {

constexpr Record::Kind kWithTensors[] = {Record::Kind::operation, Record::Kind::batch, Record::Kind::step};

Record::Kind kind_of(const OpEvent& e) {
  return e.role == OpEvent::Role::batch  ? Record::Kind::batch
         : e.role == OpEvent::Role::step ? Record::Kind::step
                                         : Record::Kind::operation;
}

std::string DumpPosition::str() const {
  // The module comes last, as its path may hold any character.
  return fmt::format("step={},call={},thread={},kind={},phase={},name={},node={},module={}", step, call, thread,
                     audit::name(kind), backward ? "backward" : "forward", name, node, module);
}

DumpPosition DumpPosition::parse(const std::string& text) {
  DumpPosition p;
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
  for (Record::Kind k : kWithTensors)
    if (kind == audit::name(k)) p.kind = k, known = true;
  if (!known) fail("takes operation, batch or step as kind");
  if (phase != "forward" && phase != "backward") fail("takes forward or backward as phase");
  p.backward = phase == "backward";
  p.name = part("name"), p.node = part("node"), p.module = part("module");
  if (p.call < 1) fail("counts calls from 1");
  return p;
}

std::optional<DumpPosition> dump_position(const Position& place) {
  for (Record::Kind kind : kWithTensors)
    if (place.kind == audit::name(kind))
      return DumpPosition{place.step,     place.occurrence, place.thread, kind,
                          place.backward, place.name,       place.node,   place.path};
  return std::nullopt;
}

Dump::Dump(DumpPosition place, std::string folder, bool ends_program)
    : place_(std::move(place)), folder_(std::move(folder)), ends_program_(ends_program) {
  nn::make_folder("ORDO_TRACE_DUMP_TO", folder_);
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
  int status = kDumpStatus;
  try {
    for (size_t i = 0; i < inputs.size(); ++i) save("input", i, inputs[i]);
    for (size_t i = 0; i < outputs.size(); ++i) save("output", i, outputs[i]);
    save_calls();
  } catch (const Error& error) {
    std::fprintf(stderr, "[ORDO_TRACE_DUMP] %s\n", error.what());
    status = 1;
  }
  if (!ends_program_) return;
  // Destructors would free what other threads still use.
  std::fflush(stdout);
  ::_exit(status);
}

void Dump::save_calls() const {
#if defined(__GLIBC__)
  Dl_info information;
  link_map *own = nullptr, *module = nullptr;
  const auto find = [&](const void* address, link_map*& to) {
    return dladdr1(address, &information, reinterpret_cast<void**>(&to), RTLD_DL_LINKMAP) != 0;
  };
  if (!find(&kWithTensors, own)) return;
  void* calls[128];
  std::string text;
  std::error_code error;
  const int depth = backtrace(calls, int(std::size(calls)));
  for (int i = 0; i < depth; ++i) {
    if (!find(calls[i], module) || module == own) continue;
    // The program itself has no name there, and what it was called by need not be its path.
    const std::string name =
        *module->l_name ? module->l_name : std::filesystem::read_symlink("/proc/self/exe", error).string();
    text += fmt::format("{}\t{:#x}\n", name, reinterpret_cast<uintptr_t>(calls[i]) - module->l_addr - 1);
  }
  nn::WholeFile file(folder_ + "/calls.txt", "ORDO_TRACE_DUMP");
  file.write(text);
  file.commit();
#endif
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
