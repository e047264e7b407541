#include <ordo/nn/models/json_file.h>

#include <ordo/nn/state/data_file.h>

namespace ordo::models {

Entries json_file(const std::string& path, const char* op) {
  const std::string text = nn::read_whole_file(path, op);
  int depth = 0, deepest = 0;
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (in_text && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      in_text = !in_text;
    else if (!in_text)
      depth += (text[i] == '[' || text[i] == '{') - (text[i] == ']' || text[i] == '}'),
          deepest = std::max(deepest, depth);
  }
  ORDO_CHECK(deepest <= 100, DataError, op, "{}: is nested {} deep", path, deepest);
  return {op, path, nlohmann::json::parse(text, nullptr, false)};
}

}  // namespace ordo::models
