// Text in HTML and SVG files.
#pragma once

#include <string>

/// `text` with <, >, &, " and ' as entities: markup shows it as it is, between tags and in attributes.
std::string escaped(const std::string& text);
