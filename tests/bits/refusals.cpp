#include "tests/bits/refusals.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <typeinfo>

#include "tests/support/integer_arguments.h"
#include "tests/support/memory_limit.h"
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test {
namespace {

constexpr DType kDTypes[] = {boolean, uint8, int32, int64, float16, bfloat16, float32, float64};
constexpr int64_t kAround[] = {-(int64_t(1) << 40), -7, -2, -1, 0, 1, 2, 7, 300, int64_t(1) << 40};

struct Change {
  std::string name;
  Tensor tensor;
};

/// What an input may be in place of `t`.
std::vector<Change> changes_of(const Tensor& t) {
  std::vector<Change> all{{"undefined", {}}, {"0-d", zeros({}, t.options())}};
  for (const DType dtype : kDTypes)
    if (dtype != t.dtype()) all.push_back({std::string(name(dtype)), t.to(dtype)});
  for (int d = 0; d < t.dim(); ++d) {
    const int64_t size = t.sizes()[d];
    if (size == 0) continue;
    all.push_back({"longer", cat({t, t.narrow(d, 0, 1)}, d)});
    all.push_back({"shorter", t.narrow(d, 0, size - 1)});
    if (size > 2) all.push_back({"of size 1", t.narrow(d, 0, 1)});
    all.push_back({"a dimension fewer", t.select(d, 0)});
  }
  if (t.dim() < kMaxDims) all.push_back({"a dimension more", t.unsqueeze(0)});
  Dims eight = t.sizes();
  while (eight.size() < kMaxDims) eight.insert(0, 1);
  all.push_back({"eight dimensions", t.reshape(eight)});
  if (t.dtype() == int32 || t.dtype() == int64) {
    all.push_back({"large", t + 100003});
    all.push_back({"negative", t - 100003});
  }
  return all;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

/// How many characters of a number or a dtype begin at `i`; `sign` becomes what stands for it.
size_t length_at(const std::string& text, size_t i, char& sign) {
  if (i > 0 && is_word(text[i - 1])) return 0;
  const char* at = text.c_str() + i;
  if (is_digit(at[0]) || (at[0] == '-' && is_digit(at[1]))) {
    sign = '#';
    char* end = nullptr;
    (void)std::strtod(at, &end);
    return size_t(end - at);
  }
  sign = 'T';
  for (const DType dtype : kDTypes)
    if (const auto word = name(dtype); text.compare(i, word.size(), word) == 0 && !is_word(at[word.size()]))
      return word.size();
  return 0;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
}

/// The text with # for numbers and lists of them, and T for dtypes.
std::string pattern_of(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    char sign = 0;
    const size_t n = length_at(text, i, sign);
    out += n ? sign : text[i] == '\n' ? ' ' : text[i];
    i += std::max<size_t>(n, 1);
  }
  replace_all(out, "#, #", "#");
  replace_all(out, "[]", "[#]");
  return out;
}

template <class E>
std::string type_of(const E& error) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status), std::free);
  const std::string type = text ? text.get() : "";
  return type.substr(type.rfind(':') + 1);
}

/// Calls an operation and collects what it throws.
class Caller {
 public:
  Caller(const OpInfo& op, Device device, std::vector<std::string>& unnamed)
      : op_(op),
        device_(device),
        unnamed_(unnamed),
        listener_([this](const OpEvent& e) { inside_ |= e.failed && e.row == &op_; }) {}

  void operator()(const std::string& change, const std::function<void()>& run) {
    inside_ = false;
    try {
      if (device_.is_cuda()) cuda::synchronize();
    } catch (const IndexError&) {  // of a call before, whose own error came first
    }
    try {
      run();
      inside_ = true;
      if (device_.is_cuda()) cuda::synchronize();  // raises what the device found in indices
    } catch (const OutOfMemoryError& error) {
      expect_named(error.what());
    } catch (const Error& error) {
      expect_named(error.what());
      found[type_of(error) + " " + pattern_of(error.what())].insert(change);
    } catch (const std::exception& error) {
      unnamed_.push_back(fmt::format("{}: {}, which is no Error: {}", change, type_of(error), error.what()));
    }
  }

  Refusals found;

 private:
  /// A sample may refuse its inputs itself, before the operation is called.
  void expect_named(const std::string& text) {
    if (inside_ && !text.starts_with(fmt::format("[{}", op_.name))) unnamed_.push_back(text);
  }

  const OpInfo& op_;
  Device device_;
  std::vector<std::string>& unnamed_;
  bool inside_ = false;  // it was the operation that threw
  OpListener listener_;
};

// -- the file ---------------------------------------------------------------------------------------------------------

using File = std::map<std::string, Refusals>;

std::string line_of(const std::string& error, const std::set<std::string>& changes) {
  return fmt::format("{} <- {}", error, fmt::join(changes, " | "));
}

/// A line is `op error <- change | change`.
File read() {
  File file;
  std::ifstream in(ORDO_REFUSALS_FILE);
  for (std::string line; std::getline(in, line);) {
    const size_t space = line.find(' '), arrow = line.rfind(" <- ");
    if (line.starts_with('#') || space == std::string::npos || arrow == std::string::npos) continue;
    auto& changes = file[line.substr(0, space)][line.substr(space + 1, arrow - space - 1)];
    for (size_t at = arrow + 4, end; at < line.size(); at = end + 3) {
      end = std::min(line.find(" | ", at), line.size());
      changes.insert(line.substr(at, end - at));
    }
  }
  return file;
}

}  // namespace

Refusals refusals_of(const OpInfo& op, Device device, std::vector<std::string>& unnamed) {
  const MemoryLimit limit(checked_build() ? size_t(2) << 20 : size_t(64) << 20);
  Caller call(op, device, unnamed);
  const std::string key(op.name);
  if (const auto at = op_samples().find(key); at != op_samples().end())
    for (const Sample& sample : at->second()) {
      const TensorList good = convert(sample.inputs, floating_dtypes(op, sample)[0], device);
      for (size_t i = 0; i < good.size(); ++i)
        for (const Change& change : good[i].defined() ? changes_of(good[i]) : std::vector<Change>()) {
          TensorList inputs = good;
          inputs[i] = change.tensor;
          call(fmt::format("{} {}", i, change.name), [&] { (void)sample.run(inputs); });
        }
    }
  if (const auto at = op_integers().find(key); at != op_integers().end())
    for (const IntegerArgument& argument : at->second)
      for (const int64_t v : kAround)
        call(fmt::format("{} {}", argument.name, v), [&] { (void)argument.run(v, device); });
  return std::move(call.found);
}

Refusals refusals_written(const OpInfo& op) {
  static const File file = read();
  const auto at = file.find(std::string(op.name));
  return at == file.end() ? Refusals{} : at->second;
}

void write_refusals(const std::vector<const OpInfo*>& ops) {
  File file = read();
  std::vector<std::string> unnamed;
  for (const OpInfo* op : ops) file[std::string(op->name)] = refusals_of(*op, cpu, unnamed);
  std::ofstream out(ORDO_REFUSALS_FILE, std::ios::trunc);
  out << "# What operations refuse (tests/bits/refusals.h). Made by `./run ordo bits --write`.\n";
  for (const auto& [op, refusals] : file)
    for (const auto& [error, changes] : refusals) out << op << " " << line_of(error, changes) << "\n";
  out.close();
  if (!out) throw DataError("[bits] " ORDO_REFUSALS_FILE ": cannot be written");
}

std::vector<std::string> differences(const Refusals& got, const Refusals& want) {
  std::vector<std::string> texts;
  const auto add_missing = [&](const Refusals& from, const Refusals& in, const char* where) {
    for (const auto& [error, changes] : from)
      for (const std::string& change : changes)
        if (const auto at = in.find(error); at == in.end() || !at->second.contains(change))
          texts.push_back(fmt::format("{}: {}: {}", error, change, where));
  };
  add_missing(got, want, "not in the file");
  add_missing(want, got, "only in the file");
  return texts;
}

}  // namespace ordo::test
