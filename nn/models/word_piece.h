// WordPiece, the tokens of BERT. Internal to nn; models::Tokenizer reads such files, too.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <ordo/nn/models/json_file.h>

namespace ordo::models {

/// A text is cut at spaces and around marks of punctuation; of each word, the longest beginning that is a token is taken,
/// then the longest continuation, and so on. A word for which that does not come to its end is one unknown token.
class WordPiece {
 public:
  /// Reads "model", "normalizer", "pre_tokenizer" and "decoder" of tokenizer.json. Throws: as Tokenizer.
  explicit WordPiece(const Entries& file);

  /// Without control characters, and, by the file's settings, in lower case, without accents, and with spaces around
  /// Chinese characters. Throws: ValueError when the text is no UTF-8.
  std::string normal(std::string_view text) const;
  /// Appends the tokens of a normal text.
  void encode(std::string_view text, std::vector<int64_t>& out) const;
  /// The text of these tokens' words: continuations go without a space, as marks of punctuation do.
  std::string joined(const std::vector<std::string>& words) const;

  std::unordered_map<std::string, int64_t> tokens;  ///< by their words

 private:
  void encode_word(std::string_view word, std::vector<int64_t>& out) const;
  std::string continuation_;  // in front of what goes on with a word
  int64_t unknown_ = 0, most_characters_ = 0;
  size_t longest_ = 0;  // bytes of a token
  bool clean_ = true, spaces_around_chinese_ = true, strip_accents_ = true, lowercase_ = true, cleans_up_ = false;
};

}  // namespace ordo::models
