#include "tools/ordo/json.h"

#include <nlohmann/json.hpp>

Json::Json(double value) : text_(nlohmann::json(value).dump()) {}

Json::Json(std::string_view text)
    : text_(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) {}

Json::Json(std::initializer_list<std::pair<const char*, Json>> members) : text_("{") {
  for (const auto& [name, value] : members)
    (((text_ += text_.size() > 1 ? "," : "") += Json(name).text_) += ":") += value.text_;
  text_ += "}";
}

Json Json::with(const char* name, const Json& value) const {
  Json more({{name, value}});
  more.text_.replace(0, 1, text_.substr(0, text_.size() - 1) + (text_ == "{}" ? "" : ","));
  return more;
}

std::string Json::lines() const { return nlohmann::ordered_json::parse(text_).dump(2) + "\n"; }
