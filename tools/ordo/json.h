// JSON that the command writes. A value is the text that it becomes: nlohmann's header takes longer to compile than a
// subcommand; json.cpp alone reads it.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

class Json {
 public:
  Json(std::nullptr_t = nullptr) : text_("null") {}
  template <std::integral T>
  Json(T value) : text_(std::is_same_v<T, bool> ? value ? "true" : "false" : std::to_string(value)) {}
  Json(double value);  ///< null for NaN and infinities, which JSON lacks
  /// Bytes that are no UTF-8 become U+FFFD: names are a program's own.
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  template <class T>
  Json(const std::vector<T>& values) : text_("[") {
    for (const auto& value : values) (text_ += text_.size() > 1 ? "," : "") += Json(value).text_;
    text_ += "]";
  }
  /// An object.
  Json(std::initializer_list<std::pair<const char*, Json>> members);

  /// This object with one more member.
  Json with(const char* name, const Json& value) const;

  const std::string& text() const { return text_; }
  /// The text of a file, a line for each value.
  std::string lines() const;

 private:
  std::string text_;
};

/// The values of `list` as `f` makes JSON of them.
template <class List, class F>
Json json_list(const List& list, const F& f) {
  std::vector<Json> values;
  for (const auto& item : list) values.push_back(f(item));
  return values;
}
