// Texts of files, for a terminal.
#include <gtest/gtest.h>

#include <string>

#include <ordo/engine/tensor/printable.h>

namespace ordo::test::printable_test {
namespace {

TEST(Printable, leaves_texts_as_they_are) {
  for (const std::string text : {"", "a b\\n", "'\"<&~", "\u00a0\u00e9\u2192\U0001f600"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, escapes_what_a_terminal_obeys) {
  EXPECT_EQ(printable("a\nb\tc\r"), "a\\nb\tc\\x0d");
  EXPECT_EQ(printable("\x1b[31m\x7f"), "\\x1b[31m\\x7f");
  EXPECT_EQ(printable(std::string("\0\a\b", 3)), "\\x00\\x07\\x08");
  EXPECT_EQ(printable("\u009b31m\u0085"), "\\u{9b}31m\\u{85}");
  EXPECT_EQ(printable("a\u202eb\u2066c\u200f\u2028"), "a\\u{202e}b\\u{2066}c\\u{200f}\\u{2028}");
}

TEST(Printable, escapes_bytes_that_are_not_utf8) {
  EXPECT_EQ(printable("\x9b"), "\\x9b");           // alone, an 8-bit terminal obeys it
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");  // too long for its code
  EXPECT_EQ(printable("\xe2\x86"), "\\xe2\\x86");  // ends too early
  EXPECT_EQ(printable("\xe2\x86z"), "\\xe2\\x86z");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a surrogate pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
}

/// No byte of a text, wherever it stands, comes out as a control character.
TEST(Printable, never_gives_a_control_character) {
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b)
      for (const char c : printable(std::string{char(a), char(b)}))
        ASSERT_FALSE((c >= 0 && c < 0x20 && c != '\t') || c == 0x7f) << a << ' ' << b;
}

}  // namespace
}  // namespace ordo::test::printable_test
