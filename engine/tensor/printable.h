// Texts of files and of other programs: for a terminal, and character by character. Internal.
#pragma once

#include <string>
#include <string_view>

namespace ordo {

/// `text` on one line, which a terminal shows and does not obey: control characters but tabs, ends of lines, marks that
/// turn the direction of writing and bytes that are not UTF-8 become \n, \x1b or \u{202e}.
std::string printable(std::string_view text);

/// Bytes of the character that `text` begins with; 0 where it is not UTF-8 (RFC 3629: no longer forms than needed, no
/// surrogates, nothing above U+10FFFF) or empty.
size_t character_bytes(std::string_view text);

}  // namespace ordo
