#include <ordo/engine/calls/op_registry.h>

#include <algorithm>

#include <ordo/engine/calls/check.h>

namespace ordo {

std::string_view name(Algorithm a) {
  constexpr std::string_view names[] = {"automatic", "direct", "atomic", "sorted", "gather", "exact", "library"};
  return size_t(a) < std::size(names) ? names[size_t(a)] : "invalid";
}

static std::vector<OpInfo>& rows() {
  static auto& all = *new std::vector<OpInfo>;  // never destroyed: destructors of static objects call operations
  return all;
}

// Rows are added while the library is loaded, before any other thread can ask.
detail::OpRegistration::OpRegistration(OpInfo info) {
  auto& all = rows();
  const auto at = std::lower_bound(all.begin(), all.end(), info.name,
                                   [](const OpInfo& row, std::string_view name) { return row.name < name; });
  if (at != all.end() && at->name == info.name)
    fail<RuntimeError>("op_registry", "\"{}\" is registered twice", info.name);
  all.insert(at, std::move(info));
}
detail::OpRegistration::OpRegistration(std::initializer_list<std::string_view> names, const OpInfo& info) {
  for (const std::string_view name : names) {
    OpInfo row = info;
    row.name = name;
    OpRegistration{row};
  }
}

const std::vector<OpInfo>& ops() { return rows(); }

Determinism OpInfo::row_level() const {
  Determinism level = Determinism::not_guaranteed;
  for (const AlgorithmLevel& a : algorithms)
    if (a.level != Determinism::device_to_device) level = std::max(level, Determinism(int(a.level) + 1));
  return level;
}

const OpInfo* find_op(std::string_view name) {
  const auto& all = rows();
  const auto at = std::lower_bound(all.begin(), all.end(), name,
                                   [](const OpInfo& row, std::string_view n) { return row.name < n; });
  return at != all.end() && at->name == name ? &*at : nullptr;
}

}  // namespace ordo
