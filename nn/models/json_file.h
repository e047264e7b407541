// JSON of files that nobody has checked. Internal to nn.
#pragma once

#include <string>

namespace ordo::models {

/// A file's text. Throws: DataError, naming `op`, when the file cannot be read, or its brackets are nested deeper than in
/// any configuration: parsers call themselves for each.
std::string json_text(const std::string& path, const char* op);

}  // namespace ordo::models
