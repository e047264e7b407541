#include <ordo/nn/models/word_piece.h>

#include <algorithm>
#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/nn/models/unicode.h>

namespace ordo::models {
namespace {

#ifdef ORDO_HAS_UTF8PROC
/// f(character, its bytes) for each.
template <class F>
void each_character(std::string_view text, const F& f) {
  for (size_t at = 0; at < text.size();) {
    utf8proc_int32_t c = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                                         utf8proc_ssize_t(text.size() - at), &c);
    ORDO_CHECK(length > 0, ValueError, "Tokenizer", "takes text in UTF-8, which this is not");
    f(c, text.substr(at, size_t(length)));
    at += size_t(length);
  }
}

std::string encoded(utf8proc_int32_t c) {
  utf8proc_uint8_t bytes[4];
  const auto length = utf8proc_encode_char(c, bytes);
  return {reinterpret_cast<const char*>(bytes), size_t(length)};
}

bool is_space(utf8proc_int32_t c) {
  const auto category = utf8proc_category(c);
  return (c >= '\t' && c <= '\r') || c == 0x85 || category == UTF8PROC_CATEGORY_ZS ||
         category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

bool is_control(utf8proc_int32_t c) {
  const auto category = utf8proc_category(c);
  return c != '\t' && c != '\n' && c != '\r' &&
         (category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_CO);
}

bool is_punctuation(utf8proc_int32_t c) {
  const auto category = utf8proc_category(c);
  return (c < 128 && c > ' ' && category != UTF8PROC_CATEGORY_ND && category != UTF8PROC_CATEGORY_LL &&
          category != UTF8PROC_CATEGORY_LU && category != UTF8PROC_CATEGORY_CC) ||
         (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO);
}

bool is_chinese(utf8proc_int32_t c) {
  constexpr std::pair<int, int> kRanges[] = {{0x4e00, 0x9fff},   {0x3400, 0x4dbf},   {0xf900, 0xfaff},
                                             {0x20000, 0x2a6df}, {0x2a700, 0x2b81f}, {0x2b920, 0x2ceaf},
                                             {0x2f800, 0x2fa1f}};  // as the tokenizers package has them
  for (const auto& [first, last] : kRanges)
    if (c >= first && c <= last) return true;
  return false;
}

/// In Unicode's normalisation form D, without the marks that take no room of their own.
std::string without_accents(const std::string& text) {
  std::string out;
  each_character(mapped_by_utf8proc(text, UTF8PROC_DECOMPOSE), [&](utf8proc_int32_t c, std::string_view bytes) {
    if (utf8proc_category(c) != UTF8PROC_CATEGORY_MN) out += bytes;
  });
  return out;
}
#endif

}  // namespace

WordPiece::WordPiece(const Entries& file) {
#ifndef ORDO_HAS_UTF8PROC
  file.fail("needs utf8proc for WordPiece, which this build of Ordo was made without (libutf8proc-dev)");
#endif
  const Entries model = file.part("model"), normalizer = file.part("normalizer"), decoder = file.part("decoder");
  normalizer.expect("type", "BertNormalizer");
  clean_ = normalizer.get<bool>("clean_text", true);
  spaces_around_chinese_ = normalizer.get<bool>("handle_chinese_chars", true);
  lowercase_ = normalizer.get<bool>("lowercase", true);
  strip_accents_ = normalizer.get<bool>("strip_accents", lowercase_);
  file.part("pre_tokenizer").expect("type", "BertPreTokenizer");
  decoder.expect("type", "WordPiece");
  continuation_ = model.get<std::string>("continuing_subword_prefix", "##");
  decoder.expect("prefix", continuation_);
  cleans_up_ = decoder.get<bool>("cleanup", true);
  most_characters_ = model.get<int64_t>("max_input_chars_per_word", 100);
  for (const auto& [word, id] : model.get<std::map<std::string, int64_t>>("vocab")) {
    tokens[word] = id;
    longest_ = std::max(longest_, word.size());
  }
  const auto unknown = model.get<std::string>("unk_token", "[UNK]");
  file.check(tokens.contains(unknown), "the vocabulary has no '{}'", unknown);
  unknown_ = tokens[unknown];
}

std::string WordPiece::normal(std::string_view text) const {
  std::string out(text);
#ifdef ORDO_HAS_UTF8PROC
  out.clear();
  each_character(text, [&](utf8proc_int32_t c, std::string_view bytes) {
    if (clean_ && (c == 0 || c == 0xfffd || is_control(c))) return;
    if (clean_ && is_space(c))
      out += ' ';
    else if (spaces_around_chinese_ && is_chinese(c))
      out.append(" ").append(bytes).append(" ");
    else
      out += bytes;
  });
  if (strip_accents_) out = without_accents(out);
  if (lowercase_) {
    std::string lower;
    each_character(out, [&](utf8proc_int32_t c, std::string_view) {
      lower += c == 0x130 ? "i\u0307" : encoded(utf8proc_tolower(c));  // the one that becomes two
    });
    out = lower;
  }
#endif
  return out;
}

void WordPiece::encode(std::string_view text, std::vector<int64_t>& out) const {
#ifdef ORDO_HAS_UTF8PROC
  size_t begin = 0, at = 0;  // of a word, and of the character
  const auto end_word = [&] {
    if (at > begin) encode_word(text.substr(begin, at - begin), out);
  };
  each_character(text, [&](utf8proc_int32_t c, std::string_view bytes) {
    const bool alone = is_punctuation(c);
    if (alone || is_space(c)) {
      end_word();
      if (alone) encode_word(bytes, out);
      begin = at + bytes.size();
    }
    at += bytes.size();
  });
  end_word();
#else
  encode_word(text, out);
#endif
}

void WordPiece::encode_word(std::string_view word, std::vector<int64_t>& out) const {
  const auto is_first_byte = [](char c) { return (uint8_t(c) & 0xc0) != 0x80; };
  const size_t before = out.size();
  bool known = std::count_if(word.begin(), word.end(), is_first_byte) <= most_characters_;
  for (size_t at = 0; known && at < word.size();) {
    const std::string prefix = at > 0 ? continuation_ : "";
    size_t end = std::min(word.size(), at + longest_);
    for (known = false; end > at; --end) {
      if (end < word.size() && !is_first_byte(word[end])) continue;
      const auto found = tokens.find(prefix + std::string(word.substr(at, end - at)));
      if (found == tokens.end()) continue;
      out.push_back(found->second);
      known = true;
      break;
    }
    at = end;
  }
  if (known) return;
  out.resize(before);
  out.push_back(unknown_);
}

std::string WordPiece::joined(const std::vector<std::string>& words) const {
  constexpr std::pair<const char*, const char*> kCleaned[] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (i > 0) word = word.starts_with(continuation_) ? word.substr(continuation_.size()) : " " + word;
    if (cleans_up_)
      for (const auto& [from, to] : kCleaned) word = replaced(word, from, to);
    text += word;
  }
  return text;
}

}  // namespace ordo::models
