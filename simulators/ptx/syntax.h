// The text of PTX: what a module declares, and the statements of a kernel. Of the language, as much as nvcc writes for
// this project; anything else is refused with its line.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::ptx {

/// PTX that is malformed, or that the machine does not know. The text says where.
struct SyntaxError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A register, symbol or label by its name, or a number. `[name + offset]` is an address.
struct Operand {
  enum class Kind { name, number, address, vector, sink };
  Kind kind = Kind::name;
  std::string name;               // of registers, unique in the kernel: with its scope where braces open one
  uint64_t number = 0;            // bits of a number; of an address, what is added
  std::string second;             // of `a|b`
  std::vector<Operand> elements;  // of a vector
};

struct Statement {
  std::string opcode;  // with its modifiers: "add.rn.f32"
  std::string guard;   // predicate register, or empty
  bool guard_negated = false;
  std::vector<Operand> operands;
  int line = 0;  // in the module
  std::string_view text;
};

/// Memory with a name: .param, .shared, .local or .global.
struct Variable {
  std::string space;
  uint64_t size = 0, alignment = 1;
  bool is_extern = false;        // dynamic shared memory
  std::vector<uint8_t> initial;  // of .global; shorter than `size`: the rest is zero
};

struct KernelText {
  std::string name;
  std::vector<std::pair<std::string, Variable>> parameters;
  std::map<std::string, Variable> variables;     // of the kernel: .shared, .local
  std::map<std::string, std::string> registers;  // name -> type, "pred" or "b32"; %r<8> declares %r0 ... %r7
  std::map<std::string, size_t> labels;          // -> number of a statement
  std::vector<Statement> statements;
  int most_threads = 0;  // .maxntid; 0: none
};

/// A module. Kernels are parsed when they are asked for: most are never launched.
class ModuleText {
 public:
  /// Reads declarations and finds the kernels. Throws SyntaxError.
  explicit ModuleText(std::string text);

  /// Throws SyntaxError, also when there is no such kernel.
  KernelText kernel(const std::string& name) const;
  /// .global and .shared outside of kernels.
  const std::map<std::string, Variable>& variables() const { return variables_; }

 private:
  struct Extent {
    size_t begin;  // of the name
    int line;
  };
  std::string text_;
  std::map<std::string, Extent> kernels_;
  std::map<std::string, Variable> variables_;
};

}  // namespace ordo::ptx
