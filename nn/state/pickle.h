// Pickles of containers, numbers and texts (https://docs.python.org/3/library/pickle.html, protocols 2 to 5). Nothing is
// executed: a name is a text, and what calls of names stand for is the reader's to say. Internal to nn.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::nn {

struct PickleValue {
  enum class Kind : uint8_t { none, boolean, integer, real, text, tuple, list, dict, name, storage, tensor };
  enum class Walk : uint8_t { before, within, after };  ///< of a reader that walks through containers
  Kind kind = Kind::none;
  Walk walk = Walk::before;
  bool has_tensors = false;              ///< found by the walk
  int64_t integer = 0;                   ///< of integers and booleans
  std::string text = {};                 ///< of texts; "module name" of names
  std::vector<PickleValue*> items = {};  ///< of containers; key, value, key, value, ... of dicts
  Tensor tensor = {};                    ///< of what a reader makes
  bool is(Kind wanted) const { return kind == wanted; }
};

/// Reads pickles. Values live as long as it does, so that they may refer to each other in circles.
class Unpickler {
 public:
  using Kind = PickleValue::Kind;
  virtual ~Unpickler() = default;
  PickleValue& read(const std::string& pickle);

 protected:
  PickleValue& made(Kind kind);
  /// At the instruction that is being read.
  [[noreturn]] void fail(const std::string& reason) const {
    fail_at(began_, reason);
    __builtin_unreachable();  // GCC does not see that of a virtual function
  }

 private:
  /// Throws: byte `offset` of the pickle breaks a rule.
  [[noreturn]] virtual void fail_at(uint64_t offset, const std::string& reason) const = 0;
  /// Whether a pickle may hold the name.
  virtual bool knows(const std::string& name) const = 0;
  virtual PickleValue& call(const std::string& name, const PickleValue& arguments) = 0;
  /// What a persistent number stands for.
  virtual PickleValue& persistent(const PickleValue& id) = 0;

  uint64_t number(int bytes);
  std::string bytes(uint64_t count);
  std::string line();
  PickleValue& pop();
  PickleValue& top(Kind kind, const char* what);
  std::vector<PickleValue*> since_mark();
  void push_alike(Kind kind, int64_t integer = 0);
  void push(PickleValue& value) { stack_.push_back(&value); }
  void remember(uint64_t place);
  void recall(uint64_t place);
  void step(uint8_t instruction);
  void push_name(std::string name);

  const std::string* pickle_ = nullptr;
  uint64_t at_ = 0, began_ = 0;  // of the instruction
  std::deque<PickleValue> values_;
  std::map<std::pair<Kind, int64_t>, PickleValue*> same_;  // what is alike is one value
  std::vector<PickleValue*> stack_;
  std::vector<size_t> marks_;
  std::map<uint64_t, PickleValue*> memo_;
};

}  // namespace ordo::nn
