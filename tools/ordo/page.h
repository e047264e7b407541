// Pages of HTML that need no other file.
#pragma once

#include <string>

/// A whole page, in the reader's light or dark colours; the title is also its heading. `style`: CSS of its own.
std::string html_page(const std::string& title, const std::string& body, const std::string& style = "");
/// DataError in the name of `command` where the file cannot be written.
void write_file(const std::string& command, const std::string& file, const std::string& text);
