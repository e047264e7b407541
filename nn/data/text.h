// Text for language models: characters as numbers, and windows of them.
//
//   const std::string text = data::read_text("shakespeare.txt");
//   const data::Vocabulary letters(text);
//   data::DataLoader loader(data::SequenceDataset(letters.encode(text), 64), {.batch_size = 32, .shuffle = true});
//   for (auto [inputs, targets] : loader) ...    // int64 [32, 64] each
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <ordo/nn/data/dataset.h>

namespace ordo::data {

/// A file of UTF-8.
///
/// Throws: DataError with the byte where it is something else, or when it cannot be read.
std::string read_text(const std::string& path);

/// Characters, numbered in the order of their code points.
///
/// Throws: ValueError with the byte where a text is no UTF-8.
class Vocabulary {
 public:
  /// Those that occur in a text.
  explicit Vocabulary(std::string_view text);

  int64_t size() const { return int64_t(characters_.size()); }
  const std::vector<std::string>& characters() const { return characters_; }
  /// The characters' numbers.
  ///
  /// Shapes, Dtypes: int64 [characters of the text].
  /// Throws: also ValueError with the byte of a character that is not in the vocabulary.
  Tensor encode(std::string_view text) const;
  /// The text of any number of indices.
  ///
  /// Dtypes: uint8, int32 or int64.
  /// Throws: DTypeError for others; IndexError when an index is outside of 0 .. size() - 1.
  std::string decode(const Tensor& indices) const;

 private:
  std::vector<std::string> characters_;
  std::unordered_map<std::string, int64_t> index_;
};

/// Windows of a sequence, to learn to continue it: sample i has the input tokens[s .. s + length - 1] and the target
/// tokens[s + 1 .. s + length] with s = i stride. What is left at the end, shorter than length + 1, is in no sample. A
/// stride of 0 is `length`, so that windows do not overlap.
///
/// Shapes: tokens [n]; inputs and targets [length].
/// Throws: ShapeError for other tokens; ValueError when length is below 1, stride is negative, or there are fewer
/// tokens than length + 1; IndexError when there is no sample i.
class SequenceDataset : public Dataset {
 public:
  SequenceDataset(const Tensor& tokens, int64_t length, int64_t stride = 0);
  int64_t size() const override;
  Sample get(int64_t i) const override;  ///< views of the tokens

 private:
  Tensor tokens_;
  int64_t length_, stride_;
};

}  // namespace ordo::data
