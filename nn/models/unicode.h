// What tokenizers do to texts: replacements, and Unicode's normal forms by utf8proc. Internal to nn.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>

#ifdef ORDO_HAS_UTF8PROC
#include <utf8proc.h>
#endif

namespace ordo::models {

inline std::string replaced(const std::string& text, const std::string& from, const std::string& to) {
  std::string out;
  size_t done = 0;
  for (size_t at = 0; (at = text.find(from, done)) != std::string::npos; done = at + from.size())
    out.append(text, done, at - done).append(to);
  return out.append(text, done);
}

#ifdef ORDO_HAS_UTF8PROC

/// Composed or decomposed, as `form` says: UTF8PROC_COMPOSE or UTF8PROC_DECOMPOSE. Throws: ValueError for what is no
/// UTF-8.
inline std::string mapped_by_utf8proc(std::string_view text, utf8proc_option_t form) {
  utf8proc_uint8_t* found = nullptr;
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), utf8proc_ssize_t(text.size()),
                                 &found, utf8proc_option_t(UTF8PROC_STABLE | form));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> held(found, std::free);
  if (size == UTF8PROC_ERROR_NOMEM) ordo::detail::throw_out_of_memory();
  ORDO_CHECK(size >= 0, ValueError, "Tokenizer", "takes text in UTF-8, which this is not");
  return {reinterpret_cast<const char*>(found), size_t(size)};
}
#endif

}  // namespace ordo::models
