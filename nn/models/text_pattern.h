// Regular expressions that cut texts into pieces, by PCRE2. Internal to nn.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <ordo/engine/calls/check.h>

#ifdef ORDO_HAS_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#endif

namespace ordo::models {

/// The matches of a regular expression, and what is between them.
class Pattern {
 public:
#ifdef ORDO_HAS_PCRE2
  Pattern(const std::string& text, const std::string& file) {
    int error = 0;
    PCRE2_SIZE at = 0;
    code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                              PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &at, nullptr),
                pcre2_code_free);
    ORDO_CHECK(code_, DataError, "Tokenizer", "{}: the pattern '{}' is none that PCRE2 knows, at {}", file, text, at);
    pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE);
  }
  template <class F>
  void each_piece(std::string_view text, const F& f) const {
    const std::shared_ptr<pcre2_match_data> match(pcre2_match_data_create_from_pattern(code_.get(), nullptr),
                                                  pcre2_match_data_free);
    size_t done = 0;
    for (size_t at = 0; at < text.size();) {
      const int found = pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at,
                                    at == 0 ? 0 : PCRE2_NO_UTF_CHECK, match.get(), nullptr);
      ORDO_CHECK(found > PCRE2_ERROR_PARTIAL - 1 || found < PCRE2_ERROR_UTF8_ERR21, ValueError, "Tokenizer",
                 "takes text in UTF-8, which this is not");
      ORDO_CHECK(found > 0 || found == PCRE2_ERROR_NOMATCH, ValueError, "Tokenizer",
                 "cannot match the pattern, by PCRE2's error {}", found);
      if (found < 0) break;
      const PCRE2_SIZE *const ends = pcre2_get_ovector_pointer(match.get()), begin = ends[0], end = ends[1];
      ORDO_CHECK(begin >= at && end >= begin, ValueError, "Tokenizer", "the pattern matches backwards");
      if (end == begin) {  // an empty match: on to the next character
        at = end + 1;
        while (at < text.size() && (uint8_t(text[at]) & 0xc0) == 0x80) ++at;
        continue;
      }
      if (begin > done) f(text.substr(done, begin - done));
      f(text.substr(begin, end - begin));
      at = done = end;
    }
    if (done < text.size()) f(text.substr(done));
  }

 private:
  std::shared_ptr<pcre2_code> code_;
#else
  Pattern(const std::string&, const std::string& file) {
    ordo::detail::fail<DataError>("Tokenizer",
                                  "{}: needs PCRE2, which this build of Ordo was made without (libpcre2-dev)", file);
  }
  template <class F>
  void each_piece(std::string_view text, const F& f) const {
    f(text);
  }
#endif
};

}  // namespace ordo::models
