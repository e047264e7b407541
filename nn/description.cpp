#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/nn/description.h>

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <typeinfo>
#include <unordered_set>

#include <fmt/format.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

std::string Description::text(double value) { return fmt::format("{:.12g}", value); }

template <class T>
static std::string in_braces(const T* begin, const T* end) {
  std::string all;
  for (; begin != end; ++begin) all += (all.empty() ? "" : ", ") + Description::text(*begin);
  return "{" + all + "}";
}
std::string Description::list(const int64_t* begin, const int64_t* end) { return in_braces(begin, end); }
std::string Description::list(const double* begin, const double* end) { return in_braces(begin, end); }
std::string Description::sizes(const int64_t* begin, const int64_t* end) {
  const bool alike = begin != end && std::all_of(begin, end, [&](int64_t size) { return size == *begin; });
  return alike ? text(*begin) : list(begin, end);
}

namespace {

/// The last part of a type's name: "Net" of "demo::(anonymous namespace)::Net" and of "ordo::nn::Net<int>".
std::string short_name(std::string_view full) {
  size_t start = 0;
  int depth = 0;  // of parentheses and angle brackets
  for (size_t i = 0; i < full.size(); ++i) {
    if (full[i] == '<' || full[i] == '(') ++depth;
    if (full[i] == '>' || full[i] == ')') --depth;
    if (depth == 0 && full[i] == ':') start = i + 1;
  }
  size_t end = start;
  while (end < full.size() && (std::isalnum(static_cast<unsigned char>(full[end])) || full[end] == '_')) ++end;
  return end > start ? std::string(full.substr(start, end - start)) : "Module";
}

/// A line of a printed model.
struct Line {
  std::string module, tensors, count;
};

class Listing {
 public:
  void add(const ModuleBase& module, const std::string& name, size_t depth) {
    Line line{std::string(2 * depth, ' ') + (name.empty() ? "" : name + ": ") + module.description(), "", ""};
    int64_t count = 0;
    const NamedTensorList parameters = module.named_parameters(), buffers = module.named_buffers();
    for (const NamedTensor& p : parameters)
      if (is_own(p) && list(p, line.tensors.empty() ? "" : ", ", line)) {
        count += p.tensor.numel();
        if (!p.tensor.requires_grad()) frozen_ += p.tensor.numel();
      }
    const char* before = line.tensors.empty() ? "buffers " : "; buffers ";
    for (const NamedTensor& b : buffers) {
      if (!is_own(b)) continue;
      if (list(b, before, line)) kept_ += b.tensor.numel();
      before = ", ";
    }
    if (count > 0) line.count = std::to_string(count);
    count_ += count;
    lines_.push_back(std::move(line));
    for (const auto& [child_name, child] : module.named_children()) add(*child, child_name, depth + 1);
  }

  std::string str() const {
    size_t modules = 0, tensors = 0, counts = 0;
    for (const Line& line : lines_) {
      modules = std::max(modules, line.module.size());
      if (!line.count.empty()) tensors = std::max(tensors, line.tensors.size());
      counts = std::max(counts, line.count.size());
    }
    std::string all;
    for (const Line& line : lines_) {
      if (line.tensors.empty())
        all += line.module;
      else if (line.count.empty())
        all += fmt::format("{:<{}}  {}", line.module, modules, line.tensors);
      else
        all += fmt::format("{:<{}}  {:<{}}  {:>{}}", line.module, modules, line.tensors, tensors, line.count, counts);
      all += '\n';
    }
    all += fmt::format("{} parameters", count_);
    if (frozen_ > 0) all += fmt::format(", {} of them without a gradient", frozen_);
    if (kept_ > 0) all += fmt::format("; {} numbers in buffers", kept_);
    return all;
  }

 private:
  static bool is_own(const NamedTensor& entry) { return entry.name.find('.') == std::string::npos; }

  /// False where the tensor stands further up.
  bool list(const NamedTensor& entry, const char* before, Line& line) {
    const Tensor& t = entry.tensor;
    const bool first = seen_.insert(t.impl()).second;
    line.tensors += before + entry.name + " " + t.sizes().str();
    if (t.dtype() != float32) line.tensors += " " + std::string(name(t.dtype()));
    if (!first) line.tensors += " (shared)";
    return first;
  }

  std::vector<Line> lines_;
  std::unordered_set<const TensorImpl*> seen_;
  int64_t count_ = 0, frozen_ = 0, kept_ = 0;
};

}  // namespace

std::string ModuleBase::description() const {
  const ordo::detail::LibraryCall library;
  const char* const mangled = typeid(*this).name();
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> full(abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  return short_name(status == 0 ? full.get() : "");
}

std::string ModuleBase::str() const {
  const ordo::detail::LibraryCall library;
  Listing listing;
  listing.add(*this, "", 0);
  return listing.str();
}

std::ostream& operator<<(std::ostream& out, const ModuleBase& module) { return out << module.str(); }

}  // namespace ordo::nn
