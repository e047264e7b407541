#include "simulators/ptx/syntax.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace ordo::ptx {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }

/// Tokens: names (with `%`, `$` and, after a letter or dot, dots: opcodes and directives), numbers, and single
/// characters.
class Reader {
 public:
  Reader(std::string_view text, size_t at, int line) : text_(text), at_(at), line_(line) { advance(); }

  const std::string_view& token() const { return token_; }
  int line() const { return line_; }
  size_t begin() const { return begin_; }  // of the token
  size_t end() const { return at_; }
  bool at_end() const { return token_.empty(); }

  std::string_view next() {
    const std::string_view was = token_;
    advance();
    return was;
  }
  bool accept(std::string_view expected) {
    if (token_ != expected) return false;
    advance();
    return true;
  }
  void expect(std::string_view expected) {
    if (!accept(expected)) fail(fmt::format("expected '{}'", expected));
  }
  std::string name() {
    if (at_end() || (!is_name(token_[0]) && token_[0] != '.')) fail("expected a name");
    return std::string(next());
  }
  uint64_t number() {
    const bool negative = accept("-");
    const std::string_view t = next();
    uint64_t value = 0;
    if (t.size() == 10 && t[0] == '0' && (t[1] == 'f' || t[1] == 'F')) {
      std::from_chars(t.data() + 2, t.data() + t.size(), value, 16);
    } else if (t.size() == 18 && t[0] == '0' && (t[1] == 'd' || t[1] == 'D')) {
      std::from_chars(t.data() + 2, t.data() + t.size(), value, 16);
    } else {
      const bool hex = t.size() > 2 && t[0] == '0' && (t[1] == 'x' || t[1] == 'X');
      const char *first = t.data() + (hex ? 2 : 0), *last = t.data() + t.size();
      if (last > first && (last[-1] == 'U' || last[-1] == 'u')) --last;
      const auto [end, error] = std::from_chars(first, last, value, hex ? 16 : 10);
      if (error != std::errc() || end != last) fail(fmt::format("'{}' is no number", t));
    }
    return negative ? 0 - value : value;
  }
  bool at_number() const {
    return !at_end() && (std::isdigit(static_cast<unsigned char>(token_[0])) || token_[0] == '-');
  }
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    advance();
  }
  /// Past the brace that closes the one at hand.
  void skip_body() {
    int depth = 0;
    size_t at = begin_;
    for (; at < text_.size(); ++at) {
      if (text_[at] == '\n') ++line_;
      if (text_[at] == '{') ++depth;
      if (text_[at] == '}' && --depth == 0) break;
    }
    at_ = std::min(at + 1, text_.size());
    advance();
  }
  [[noreturn]] void fail(const std::string& what) const {
    const size_t first = text_.rfind('\n', begin_) + 1;
    throw SyntaxError(fmt::format("PTX, line {}: {}: {}", line_, what,
                                  text_.substr(first, std::min<size_t>(text_.find('\n', first) - first, 200))));
  }
  std::string_view text(size_t first, size_t last) const { return text_.substr(first, last - first); }

 private:
  void advance() {
    for (;; ++at_) {
      if (at_ >= text_.size()) break;
      if (text_[at_] == '\n') {
        ++line_;
      } else if (text_.compare(at_, 2, "//") == 0) {
        at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
      } else if (text_.compare(at_, 2, "/*") == 0) {
        at_ = std::min(text_.find("*/", at_), text_.size() - 2) + 1;
      } else if (!std::isspace(static_cast<unsigned char>(text_[at_]))) {
        break;
      }
    }
    begin_ = at_;
    if (at_ >= text_.size()) {
      token_ = {};
      return;
    }
    if (text_[at_] == '"') {
      at_ = std::min(text_.find('"', at_ + 1), text_.size() - 1) + 1;
    } else if (is_name(text_[at_]) || (text_[at_] == '.' && at_ + 1 < text_.size() && is_name(text_[at_ + 1]))) {
      const bool word = !std::isdigit(static_cast<unsigned char>(text_[at_]));
      ++at_;
      while (at_ < text_.size() &&
             (is_name(text_[at_]) || (word && (text_[at_] == '.' || text_.compare(at_, 2, "::") == 0)))) {
        at_ += text_[at_] == ':' ? 2 : 1;
      }
    } else {
      ++at_;
    }
    token_ = text_.substr(begin_, at_ - begin_);
  }

  std::string_view text_, token_;
  size_t at_, begin_ = 0;
  int line_;
};

uint64_t bytes_of_type(std::string_view type, const Reader& reader) {
  if (type == ".pred") return 1;
  const auto digits = std::find_if(type.begin(), type.end(), [](char c) { return c >= '0' && c <= '9'; });
  uint64_t bits = 0;
  std::from_chars(&*digits, type.data() + type.size(), bits);
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) reader.fail(fmt::format("'{}' is no type", type));
  return bits / 8;
}

/// After the directive of its space: `.align 4 .b8 name[16] = {1, 2}`.
std::pair<std::string, Variable> variable(Reader& reader, std::string_view space) {
  Variable v;
  v.space = space;
  uint64_t element = 0;
  while (!reader.at_end() && reader.token()[0] == '.') {
    const std::string_view word = reader.next();
    if (word == ".align")
      v.alignment = reader.number();
    else if (word == ".ptr" || word == ".global" || word == ".const" || word == ".shared")
      continue;  // what a parameter points to
    else
      element = bytes_of_type(word, reader);
  }
  if (element == 0) reader.fail("a variable without a type");
  v.alignment = std::max(v.alignment, element);
  std::string name = reader.name();
  v.size = element;
  if (reader.accept("[")) {
    v.size = reader.token() == "]" ? 0 : element * reader.number();
    reader.expect("]");
  }
  if (reader.accept("=")) {
    const bool braces = reader.accept("{");
    do {
      const uint64_t value = reader.number();
      for (uint64_t byte = 0; byte < element; ++byte) v.initial.push_back(uint8_t(value >> 8 * byte));
    } while (braces && reader.accept(","));
    if (braces) reader.expect("}");
  }
  return {std::move(name), std::move(v)};
}

/// The statements between braces.
class BodyReader {
 public:
  BodyReader(Reader& reader, KernelText& kernel) : reader_(reader), kernel_(kernel) {}

  void read() { block(); }

 private:
  // Registers that a pair of braces declares are known inside it alone: their names get its number.
  struct Scope {
    int number;
    std::vector<std::string> names;
  };

  void block() {
    reader_.expect("{");
    scopes_.push_back({scope_count_++, {}});
    while (!reader_.accept("}")) {
      if (reader_.at_end()) reader_.fail("the text ends inside a kernel");
      if (reader_.token() == "{")
        block();
      else if (reader_.token()[0] == '.')
        directive();
      else
        statement();
    }
    scopes_.pop_back();
  }

  void directive() {
    const std::string_view word = reader_.next();
    if (word == ".reg") {
      registers();
    } else if (word == ".shared" || word == ".local" || word == ".param") {
      kernel_.variables.insert(variable(reader_, word.substr(1)));
      reader_.expect(";");
    } else if (word == ".pragma") {
      reader_.next();
      reader_.expect(";");
    } else if (word == ".loc" || word == ".file") {
      reader_.skip_line();
    } else {
      reader_.fail(fmt::format("unknown directive '{}'", word));
    }
  }

  void registers() {
    const std::string type(reader_.next().substr(1));
    do {
      const std::string name = reader_.name();
      if (reader_.accept("<")) {
        const uint64_t count = reader_.number();
        reader_.expect(">");
        for (uint64_t i = 0; i < count; ++i) declare(fmt::format("{}{}", name, i), type);
      } else {
        declare(name, type);
      }
    } while (reader_.accept(","));
    reader_.expect(";");
  }
  void declare(const std::string& name, const std::string& type) {
    Scope& scope = scopes_.back();
    if (scope.number > 0) scope.names.push_back(name);
    kernel_.registers[scoped(name, scope)] = type;
  }
  static std::string scoped(const std::string& name, const Scope& scope) {
    return scope.number == 0 ? name : fmt::format("{}@{}", name, scope.number);
  }
  std::string resolved(std::string name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (std::find(scope->names.begin(), scope->names.end(), name) != scope->names.end()) return scoped(name, *scope);
    return name;
  }

  void statement() {
    Statement s;
    s.line = reader_.line();
    const size_t begin = reader_.begin();
    if (reader_.accept("@")) {
      s.guard_negated = reader_.accept("!");
      s.guard = resolved(reader_.name());
    }
    s.opcode = reader_.name();
    if (reader_.accept(":")) {
      if (!kernel_.labels.emplace(s.opcode, kernel_.statements.size()).second)
        reader_.fail("a label for the second time");
      return;
    }
    if (reader_.token() != ";") {
      do s.operands.push_back(operand());
      while (reader_.accept(","));
    }
    s.text = reader_.text(begin, reader_.end());
    reader_.expect(";");
    kernel_.statements.push_back(std::move(s));
  }

  Operand operand() {
    Operand o;
    if (reader_.accept("{")) {
      o.kind = Operand::Kind::vector;
      do o.elements.push_back(operand());
      while (reader_.accept(","));
      reader_.expect("}");
    } else if (reader_.accept("[")) {
      o.kind = Operand::Kind::address;
      if (reader_.at_number())
        o.number = reader_.number();
      else
        o.name = resolved(reader_.name());
      if (reader_.accept("+")) o.number += reader_.number();
      reader_.expect("]");
    } else if (reader_.at_number()) {
      o.kind = Operand::Kind::number;
      o.number = reader_.number();
    } else {
      o.name = resolved(reader_.name());
      if (o.name == "_") o.kind = Operand::Kind::sink;
      if (reader_.accept("|")) o.second = resolved(reader_.name());
      if (o.kind == Operand::Kind::name && reader_.accept("+")) {  // of a symbol's address
        o.number = reader_.number();
      }
    }
    return o;
  }

  Reader& reader_;
  KernelText& kernel_;
  std::vector<Scope> scopes_;
  int scope_count_ = 0;
};

}  // namespace

ModuleText::ModuleText(std::string text) : text_(std::move(text)) {
  Reader reader(text_, 0, 1);
  bool is_extern = false;
  while (!reader.at_end()) {
    const std::string_view word = reader.next();
    if (word == ".version" || word == ".target" || word == ".address_size" || word == ".file" || word == ".loc") {
      reader.skip_line();
    } else if (word == ".visible" || word == ".weak" || word == ".common") {
      continue;
    } else if (word == ".extern") {
      is_extern = true;
    } else if (word == ".global" || word == ".shared" || word == ".const") {
      auto v = variable(reader, word.substr(1));
      v.second.is_extern = std::exchange(is_extern, false);
      reader.expect(";");
      variables_.insert(std::move(v));
    } else if (word == ".entry") {
      const Extent extent{reader.begin(), reader.line()};
      kernels_.emplace(reader.name(), extent);
      while (reader.token() != "{" && !reader.at_end()) reader.next();
      reader.skip_body();
    } else if (word == ".section") {
      while (reader.token() != "{" && !reader.at_end()) reader.next();
      reader.skip_body();
    } else {
      reader.fail(fmt::format("unknown directive '{}'", word));
    }
  }
}

KernelText ModuleText::kernel(const std::string& name) const {
  const auto at = kernels_.find(name);
  if (at == kernels_.end()) throw SyntaxError(fmt::format("PTX: there is no kernel '{}'", name));
  Reader reader(text_, at->second.begin, at->second.line);
  KernelText kernel;
  kernel.name = reader.name();
  if (reader.accept("(")) {
    while (!reader.accept(")")) {
      reader.expect(".param");
      kernel.parameters.push_back(variable(reader, "param"));
      reader.accept(",");
    }
  }
  while (reader.token() != "{") {
    const std::string_view word = reader.next();
    if (word == ".maxntid" || word == ".reqntid") {
      kernel.most_threads = 1;
      do kernel.most_threads *= int(reader.number());
      while (reader.accept(","));
    } else if (word == ".minnctapersm" || word == ".maxnreg") {
      reader.number();
    } else {
      reader.fail(fmt::format("unknown directive '{}'", word));
    }
  }
  BodyReader(reader, kernel).read();
  return kernel;
}

}  // namespace ordo::ptx
