// JSON of files that nobody has checked. Internal to nn.
#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ordo/engine/calls/check.h>

namespace ordo::models {

/// An object of a file. Throws: DataError that names the file and the entry.
class Entries {
 public:
  using Json = nlohmann::json;
  Entries(const char* op, std::string file, Json object) : op_(op), file_(std::move(file)), object_(std::move(object)) {
    ORDO_CHECK(object_.is_object(), DataError, op_, "{}: is no JSON object", file_);
  }

  bool lists(const char* name) const { return object_.contains(name); }
  /// Not null either.
  bool has(const char* name) const { return object_.contains(name) && !object_[name].is_null(); }
  const Json& at(const char* name) const {
    check(has(name), "has no '{}'", name);
    return object_[name];
  }
  Entries part(const char* name) const { return {op_, file_ + ", " + name, at(name)}; }
  Entries part(const Json& of_list) const { return {op_, file_, of_list}; }

  template <class T>
  T get(const char* name) const {
    const Json& value = at(name);
    bool fits = true;
    if constexpr (std::is_same_v<T, bool>)
      fits = value.is_boolean();
    else if constexpr (std::is_integral_v<T>)
      fits = value.is_number_integer();
    else if constexpr (std::is_arithmetic_v<T>)
      fits = value.is_number();
    else if constexpr (std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, std::map<std::string, int64_t>>)
      fits = std::all_of(value.begin(), value.end(), [](const Json& one) { return one.is_number_integer(); });
    try {
      if (fits) return value.get<T>();
    } catch (const Json::exception&) {
    }
    fail("'{}' is {}", name, value.dump().substr(0, 60));
  }
  template <class T>
  T get(const char* name, T otherwise) const {
    return has(name) ? get<T>(name) : otherwise;
  }
  template <class T>
  void read(const char* name, T& value) const {
    if (has(name)) value = get<T>(name);
  }
  /// What is computed in one way only.
  void expect(const char* name, const Json& value) const {
    if (has(name) && !(at(name) == value))
      fail("'{}' is {}; only {} is computed here", name, at(name).dump().substr(0, 60), value.dump());
  }
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> reason, Args&&... args) const {
    ordo::detail::fail<DataError>(op_, "{}: {}", file_, fmt::format(reason, std::forward<Args>(args)...));
  }
  /// fail(), unless `good`.
  template <class... Args>
  void check(bool good, fmt::format_string<Args...> reason, Args&&... args) const {
    if (!good) fail(reason, std::forward<Args>(args)...);
  }
  const std::string& file() const { return file_; }

 private:
  const char* op_;
  std::string file_;
  Json object_;
};

/// Throws: DataError, naming `op`, when the file cannot be read, is no object, or its brackets are nested deeper than in
/// any configuration: parsers call themselves for each.
Entries json_file(const std::string& path, const char* op);

}  // namespace ordo::models
