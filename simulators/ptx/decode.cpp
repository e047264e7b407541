#include "simulators/ptx/decode.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace ordo::ptx {
namespace {

constexpr std::array<std::pair<std::string_view, Type>, 19> kTypes = {{
    {"pred", Type::pred},     {"b8", Type::b8},   {"u8", Type::u8},   {"s8", Type::s8},     {"b16", Type::b16},
    {"u16", Type::u16},       {"s16", Type::s16}, {"f16", Type::f16}, {"bf16", Type::bf16}, {"f16x2", Type::f16x2},
    {"bf16x2", Type::bf16x2}, {"b32", Type::b32}, {"u32", Type::u32}, {"s32", Type::s32},   {"f32", Type::f32},
    {"b64", Type::b64},       {"u64", Type::u64}, {"s64", Type::s64}, {"f64", Type::f64},
}};

std::optional<Type> type_named(std::string_view name) {
  for (const auto& [text, type] : kTypes)
    if (text == name) return type;
  return std::nullopt;
}

class KernelDecoder : public Decoder {
 public:
  KernelDecoder(const ModuleText& module, const KernelText& text, const std::map<std::string, uint64_t>& globals)
      : module_(module), text_(text), globals_(globals) {
    program_.name = text.name;
    program_.most_threads = text.most_threads;
    for (const auto& [name, variable] : text.parameters) {
      place(program_.parameter_bytes, variable);
      symbols_[name] = {"param", program_.parameter_bytes};
      program_.parameter_bytes += variable.size;
    }
    for (const auto& [name, variable] : text.variables) declare(name, variable);
  }

  Program run() {
    for (const Statement& s : text_.statements) {
      program_.texts.emplace_back(s.text);
      program_.lines.push_back(s.line);
      Instruction in;
      in.statement = uint32_t(program_.texts.size() - 1);
      in.work = work_of(s.opcode);
      Modifiers m(s.opcode);
      statement = &s, modifiers = &m, out = &in;
      if (!s.guard.empty()) {
        in.guard = reference(s.guard, Type::pred);
        in.guard_negated = s.guard_negated;
      }
      if (!(decode_arithmetic(*this) || decode_bits(*this) || decode_conversion(*this) || decode_memory(*this) ||
            decode_control(*this)) ||
          !m.empty())
        unknown();
      program_.code.push_back(in);
    }
    // What falls off the end returns.
    Instruction end;
    end.control = Instruction::Control::exit;
    program_.code.push_back(end);
    // Dynamic shared memory begins where the rest ends.
    program_.shared_bytes = (program_.shared_bytes + 15) / 16 * 16;
    for (const auto& [instruction, operand] : dynamic_) {
      Instruction& in = program_.code[instruction];
      if (operand < 0)
        in.offset += int64_t(program_.shared_bytes);
      else
        in.operands[size_t(operand)] = constant(program_.shared_bytes, dynamic_type_);
    }
    return std::move(program_);
  }

  void read(const Operand& o, Type type) override {
    if (o.kind == Operand::Kind::number) return append(constant(o.number, type));
    if (o.kind == Operand::Kind::sink) return append(constant(0, type));
    if (o.kind != Operand::Kind::name) unknown("an operand of another kind is expected");
    if (known(o.name)) return append(reference(o.name, type));
    if (special(o.name)) return append(special_register(o.name));
    const Symbol symbol = find(o.name);
    if (symbol.space == "dynamic") {
      dynamic_.emplace_back(program_.code.size(), int(out->count));
      dynamic_type_ = type;
    }
    append(constant(symbol.address + o.number, type));
  }

  void write(const Operand& o, Type type) override {
    if (o.kind == Operand::Kind::sink) return append(scratch(type));
    if (o.kind != Operand::Kind::name || !known(o.name)) unknown("a register is expected");
    append(reference(o.name, type));
  }

  std::string address(const Operand& o) override {
    if (o.kind != Operand::Kind::address) unknown("an address is expected");
    out->offset = int64_t(o.number);
    if (o.name.empty()) {
      append(constant(0, Type::b64));
      return "";
    }
    if (known(o.name)) {
      const int bits = text_.registers.at(o.name) == "pred" ? 0 : bits_of(*type_named(text_.registers.at(o.name)));
      // An address of 32 bits is of shared or local memory.
      append(reference(o.name, bits == 32 ? Type::u32 : Type::u64));
      return bits == 32 ? "narrow" : "";
    }
    const Symbol symbol = find(o.name);
    if (symbol.space == "dynamic") dynamic_.emplace_back(program_.code.size(), -1);
    out->offset += int64_t(symbol.address);
    append(constant(0, Type::b64));
    return symbol.space;
  }

  int cell_bits(const Operand& o) const override {
    const auto at = text_.registers.find(o.name);
    return at != text_.registers.end() && at->second != "pred" && bits_of(*type_named(at->second)) == 64 ? 64 : 32;
  }

  uint32_t label(const Operand& o) override {
    const auto at = text_.labels.find(o.name);
    if (at == text_.labels.end()) unknown("there is no such label");
    return uint32_t(at->second);
  }

  bool is_used(const Operand& o) override {
    if (uses_.empty())
      for (const Statement& s : text_.statements)
        for (const Operand& operand : s.operands) {
          ++uses_[operand.name];
          for (const Operand& element : operand.elements) ++uses_[element.name];
        }
    return o.kind == Operand::Kind::name && uses_[o.name] > 1;
  }

  [[noreturn]] void unknown(const std::string& why = "") const override {
    throw SyntaxError(fmt::format("unknown to the PTX machine{}{}: '{}', line {} of the PTX of {}",
                                  why.empty() ? "" : ": ", why, statement->text, statement->line, text_.name));
  }

 private:
  struct Symbol {
    std::string space;
    uint64_t address;
  };

  static void place(size_t& at, const Variable& v) { at = (at + v.alignment - 1) / v.alignment * v.alignment; }

  void declare(const std::string& name, const Variable& v) {
    if (v.is_extern) {
      symbols_[name] = {"dynamic", 0};
      return;
    }
    size_t& bytes = v.space == "shared" ? program_.shared_bytes : program_.local_bytes;
    place(bytes, v);
    symbols_[name] = {v.space, bytes};
    bytes += v.size;
    if (v.space == "local") bytes = (bytes + 15) / 16 * 16;  // a thread's share is aligned
  }

  Symbol find(const std::string& name) {
    if (const auto at = symbols_.find(name); at != symbols_.end()) return at->second;
    if (const auto at = globals_.find(name); at != globals_.end()) return {"global", at->second};
    const auto at = module_.variables().find(name);
    if (at == module_.variables().end() || at->second.space != "shared") unknown(fmt::format("there is no '{}'", name));
    declare(name, at->second);
    return symbols_.at(name);
  }

  bool known(const std::string& name) const { return text_.registers.count(name) != 0; }

  void append(Reference r) {
    if (out->count == out->operands.size()) unknown("too many operands");
    out->operands[out->count++] = r;
  }

  Reference allocate(size_t cell) {
    const size_t bytes = cell == 0 ? sizeof(uint64_t) : cell * kLanes;
    const auto at = Reference(program_.frame_bytes);
    program_.frame_bytes += bytes;
    return at;
  }

  // A register's type must be as wide as what an instruction does with it, or wider (PTX: operands of narrower types).
  Reference reference(const std::string& name, Type type) {
    if (!known(name)) unknown(fmt::format("there is no register '{}'", name));
    const std::string& declared = text_.registers.at(name);
    const std::optional<Type> own = type_named(declared);
    if (!own || (*own == Type::pred) != (type == Type::pred)) unknown(fmt::format("'{}' is a .{}", name, declared));
    if (type != Type::pred && (bits_of(*own) == 64) != (bits_of(type) == 64))
      unknown(fmt::format("'{}' is a .{}", name, declared));
    const auto [at, is_new] = registers_.try_emplace(name);
    if (is_new) at->second = allocate(*own == Type::pred ? 0 : bits_of(*own) == 64 ? 8 : 4);
    return at->second;
  }

  Reference scratch(Type type) { return reference_of(scratch_, type); }
  Reference reference_of(std::map<int, Reference>& all, Type type) {
    const int cell = type == Type::pred ? 0 : bits_of(type) == 64 ? 8 : 4;
    const auto [at, is_new] = all.try_emplace(cell);
    if (is_new) at->second = allocate(size_t(cell));
    return at->second;
  }

  Reference constant(uint64_t value, Type type) {
    const int cell = type == Type::pred ? 0 : bits_of(type) == 64 ? 8 : 4;
    if (cell == 4) value &= bits_of(type) == 32 ? 0xffffffff : bits_of(type) == 16 ? 0xffff : 0xff;
    if (cell == 0) value = value != 0 ? kAll : 0;
    const auto [at, is_new] = constants_.try_emplace({cell, value});
    if (is_new) {
      std::vector<uint8_t>& bytes = program_.constants;
      at->second = kConstant | Reference(bytes.size());
      const size_t begin = bytes.size(), count = cell == 0 ? 2 : kLanes, size = cell == 8 ? 8 : 4;
      bytes.resize(begin + (cell == 0 ? 8 : count * size));
      for (size_t i = 0; i < count; ++i) std::memcpy(bytes.data() + begin + i * size, &value, size);
    }
    return at->second;
  }

  static bool special(const std::string& name) { return name.size() > 1 && name[0] == '%'; }
  Reference special_register(const std::string& name) {
    using Kind = Program::Special::Kind;
    static const std::map<std::string_view, Kind> kinds = {{"%tid", Kind::tid},
                                                           {"%ntid", Kind::ntid},
                                                           {"%ctaid", Kind::ctaid},
                                                           {"%nctaid", Kind::nctaid},
                                                           {"%laneid", Kind::lane},
                                                           {"%warpid", Kind::warp},
                                                           {"%clock", Kind::clock},
                                                           {"%lanemask_lt", Kind::lanemask_lt},
                                                           {"%lanemask_le", Kind::lanemask_le},
                                                           {"%lanemask_eq", Kind::lanemask_eq},
                                                           {"%lanemask_ge", Kind::lanemask_ge},
                                                           {"%lanemask_gt", Kind::lanemask_gt}};
    const size_t dot = name.find('.');
    const auto kind = kinds.find(std::string_view(name).substr(0, dot));
    const int axis = dot == std::string::npos ? 0 : name[dot + 1] - 'x';
    if (kind == kinds.end() || axis < 0 || axis > 2) unknown(fmt::format("there is no register '{}'", name));
    const auto [at, is_new] = specials_.try_emplace(name);
    if (is_new) {
      at->second = allocate(4);
      program_.specials.push_back({kind->second, axis, at->second});
    }
    return at->second;
  }

  const ModuleText& module_;
  const KernelText& text_;
  const std::map<std::string, uint64_t>& globals_;
  Program program_;
  std::map<std::string, Symbol> symbols_;
  std::map<std::string, Reference> registers_, specials_;
  std::map<std::pair<int, uint64_t>, Reference> constants_;
  std::map<int, Reference> scratch_;
  std::map<std::string, int> uses_;              // of names; empty before they are asked for
  std::vector<std::pair<size_t, int>> dynamic_;  // instructions and operands; -1: the offset
  Type dynamic_type_ = Type::b64;
};

}  // namespace

int bits_of(Type type) {
  switch (type) {
    case Type::pred:
      return 1;
    case Type::b8:
    case Type::u8:
    case Type::s8:
      return 8;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16:
    case Type::bf16:
      return 16;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return 64;
    default:
      return 32;
  }
}

Modifiers::Modifiers(std::string_view opcode) {
  for (size_t at = 0; at <= opcode.size();) {
    const size_t dot = std::min(opcode.find('.', at), opcode.size());
    rest_.emplace_back(opcode.substr(at, dot - at));
    at = dot + 1;
  }
  base_ = rest_.front();
  rest_.erase(rest_.begin());
}

bool Modifiers::take(std::string_view modifier) {
  const auto at = std::find(rest_.begin(), rest_.end(), modifier);
  if (at == rest_.end()) return false;
  rest_.erase(at);
  return true;
}

Type Modifiers::take_type() {
  for (auto at = rest_.begin(); at != rest_.end(); ++at)
    if (const auto type = type_named(*at)) {
      rest_.erase(at);
      return *type;
    }
  throw SyntaxError("PTX: an opcode without a type");
}

Program decode(const ModuleText& module, const std::string& kernel, const std::map<std::string, uint64_t>& globals) {
  const KernelText text = module.kernel(kernel);
  return KernelDecoder(module, text, globals).run();
}

}  // namespace ordo::ptx
