#include <ordo/nn/state/entries.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo::nn {

static std::string list_of(const std::vector<std::string>& names) {
  constexpr size_t kMost = 8;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMost; ++i) text += fmt::format("{}'{}'", i ? ", " : "", names[i]);
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

Entries::Entries(const char* op, const NamedTensorList& state) : op_(op) {
  for (const auto& [name, tensor] : state) {
    detail::expect_defined(op, tensor, name.c_str());
    ORDO_CHECK(given_.emplace(name, tensor.detach()).second, ValueError, op, "'{}' is given twice", name);
  }
}

Tensor Entries::take(const std::string& name, const Dims& sizes) {
  const auto found = given_.find(name);
  if (found == given_.end()) {
    missing_.push_back(name);
    return {};
  }
  const Tensor tensor = found->second;
  given_.erase(found);
  if (tensor.sizes() == sizes) return tensor;
  shapes_.push_back(fmt::format("'{}' has sizes {}, but {} were given", name, sizes, tensor.sizes()));
  return {};
}

template <class T>
T Entries::take(const std::string& name, const T& missing) {
  constexpr bool is_state = std::is_same_v<T, GeneratorState>;
  const Tensor t = take(name, is_state ? Dims{3} : Dims{});
  if (!t.defined()) return missing;
  if constexpr (!std::is_same_v<T, double>)
    ORDO_CHECK(t.dtype() == int64, DTypeError, op_, "'{}' must be int64, not {}", name, t.dtype());
  if constexpr (is_state) {
    const auto v = t.to(cpu).to_vector<int64_t>();
    return {uint64_t(v[0]), uint64_t(v[1]), uint64_t(v[2])};
  } else {
    return t.item<T>();
  }
}
template double Entries::take(const std::string&, const double&);
template int64_t Entries::take(const std::string&, const int64_t&);
template GeneratorState Entries::take(const std::string&, const GeneratorState&);

LoadReport Entries::finish(bool strict) {
  if (!shapes_.empty()) {
    std::string all;
    for (const std::string& line : shapes_) all += (all.empty() ? "" : "; ") + line;
    detail::fail<ShapeError>(op_, "{}", all);
  }
  LoadReport report{missing_, {}, {}};
  for (const auto& entry : given_) report.unexpected.push_back(entry.first);
  if (strict && !(report.missing.empty() && report.unexpected.empty())) {
    std::string text;
    if (!report.missing.empty()) text = "missing: " + list_of(report.missing);
    if (!report.unexpected.empty()) text += (text.empty() ? "" : "; ") + ("unexpected: " + list_of(report.unexpected));
    detail::fail<ValueError>(op_, "{}", text);
  }
  return report;
}

NamedTensor state_of(const std::string& name, double number) { return {name, scalar_tensor(number, {float64})}; }
NamedTensor state_of(const std::string& name, int64_t number) { return {name, from_vector<int64_t>({number}, {})}; }
NamedTensor state_of(const std::string& name, const GeneratorState& s) {
  return {name, from_vector<int64_t>({int64_t(s.seed), int64_t(s.stream), int64_t(s.offset)}, {3})};
}

NamedTensorList with_prefix(const std::string& prefix, NamedTensorList entries) {
  for (auto& entry : entries) entry.name.insert(0, prefix);
  return entries;
}

NamedTensorList within_prefix(const std::string& prefix, const NamedTensorList& entries) {
  NamedTensorList found;
  for (const auto& [name, tensor] : entries)
    if (name.starts_with(prefix)) found.push_back({name.substr(prefix.size()), tensor});
  return found;
}

}  // namespace ordo::nn
