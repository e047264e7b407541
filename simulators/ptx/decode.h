// From the text of a kernel to a program: registers, constants and variables get their places, and every statement the
// function that does it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulators/ptx/machine.h"
#include "simulators/ptx/syntax.h"

namespace ordo::ptx {

/// Throws SyntaxError for what the machine does not know, with the statement and its line. `globals` are the addresses
/// of the module's variables.
Program decode(const ModuleText& module, const std::string& kernel, const std::map<std::string, uint64_t>& globals);

// -- for operations -----------------------------------------------------------------------------------------------

enum class Type { pred, b8, u8, s8, b16, u16, s16, f16, bf16, f16x2, bf16x2, b32, u32, s32, f32, b64, u64, s64, f64 };
int bits_of(Type type);

/// The modifiers of an opcode, which an operation takes one by one. What nobody takes, the machine does not know.
class Modifiers {
 public:
  explicit Modifiers(std::string_view opcode);

  const std::string& base() const { return base_; }
  bool take(std::string_view modifier);
  /// The first type that is left.
  Type take_type();
  bool empty() const { return rest_.empty(); }

 private:
  std::string base_;
  std::vector<std::string> rest_;
};

/// One statement on its way to an Instruction.
class Decoder {
 public:
  virtual ~Decoder() = default;
  const Statement* statement = nullptr;
  Modifiers* modifiers = nullptr;
  Instruction* out = nullptr;

  /// Appends an operand that is read: a register, or a number of this type.
  virtual void read(const Operand& operand, Type type) = 0;
  /// Appends one that is written. A sink is written, and never read.
  virtual void write(const Operand& operand, Type type) = 0;
  /// Appends the register of an address, if it has one, and notes its offset. Returns the space of its symbol, or "".
  virtual std::string address(const Operand& operand) = 0;
  /// Of the register that an operand is, or of a number: how many bits its lanes have, 32 or 64.
  virtual int cell_bits(const Operand& operand) const = 0;
  virtual uint32_t label(const Operand& operand) = 0;
  /// Whether the kernel names a register in another place than this one.
  virtual bool is_used(const Operand& operand) = 0;
  [[noreturn]] virtual void unknown(const std::string& why = "") const = 0;

  const Operand& operand(size_t i) const {
    if (i >= statement->operands.size()) unknown("too few operands");
    return statement->operands[i];
  }
  void expect_operands(size_t count) const {
    if (statement->operands.size() != count) unknown("wrong number of operands");
  }
};

// Each decodes what it knows, and returns whether it did.
bool decode_arithmetic(Decoder& d);
bool decode_bits(Decoder& d);
bool decode_conversion(Decoder& d);
bool decode_memory(Decoder& d);
bool decode_control(Decoder& d);

}  // namespace ordo::ptx
