// Text in HTML and SVG files.
#pragma once

#include <string>

/// `text` with <, >, & and " as entities.
std::string escaped(const std::string& text);
