// Texts as the tokens of a model.
//
//   const models::Tokenizer tokenizer("checkpoints/gpt2/tokenizer.json");
//   const std::vector<int64_t> tokens = tokenizer.encode("Hello world");   // {15496, 995}
//   tokenizer.decode(tokens)                                               // "Hello world"
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::models {

/// Two kinds. Byte-pair encoding: of bytes, as GPT-2, Llama 3 and their kin use it, or of characters, with bytes for those
/// that are no token, as Llama 2 and Mistral do. A text is cut into pieces by a regular expression; in each, the pair of
/// neighbouring tokens that was learnt first becomes one, again and again. WordPiece, as BERT uses it: of each word the
/// longest beginning that is a token, then the longest continuation, and so on. There, characters that Unicode has had
/// since version 9 may be of another category than in the tokenizers package.
///
/// Throws: the constructor, DataError when the file is missing or damaged, or asks for what is not computed here, which
/// the message names, or Ordo was built without PCRE2, or utf8proc for NFC and WordPiece; encode(), ValueError when the
/// text is no UTF-8; decode(), IndexError when a token is none of the vocabulary.
/// Source: Sennrich, Haddow, Birch, "Neural Machine Translation of Rare Words with Subword Units", 2016; Radford et al.,
/// "Language Models are Unsupervised Multitask Learners", 2019; Wu et al., "Google's Neural Machine Translation System",
/// 2016, for WordPiece.
/// PyTorch: tokenizers.Tokenizer.from_file.
class Tokenizer {
 public:
  /// Reads tokenizer.json.
  explicit Tokenizer(const std::string& file);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  /// Added tokens, such as "<|endoftext|>", are found in the text.
  std::vector<int64_t> encode(std::string_view text) const;
  /// Tokens, and for each which of two texts it is of.
  struct Encoding {
    std::vector<int64_t> ids, type_ids;
  };
  /// With the tokens that the file has around texts, such as "[CLS]" and "[SEP]". encode() leaves them out, and
  /// decode() does not.
  Encoding encode_with_special_tokens(std::string_view text) const;
  /// Of two texts, which a model reads as one.
  Encoding encode_with_special_tokens(std::string_view text, std::string_view pair) const;
  /// The bytes of these tokens. What is no UTF-8, as in the middle of a character, stays as it is. With a vocabulary of
  /// characters, the space that encode() puts in front of a text is taken off: decode a text as a whole.
  std::string decode(const std::vector<int64_t>& tokens) const;
  int64_t size() const;  ///< one more than the greatest token

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace ordo::models
