#include <ordo/nn/data/text.h>

#include <set>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/printable.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/state/data_file.h>

namespace ordo::data {

/// Calls f(character, byte) for each; returns the byte where the text is not UTF-8, or its size.
template <class F>
static size_t for_characters(std::string_view text, const F& f) {
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = character_bytes(text.substr(at));
    if (bytes == 0) return at;
    f(text.substr(at, bytes), at);
    at += bytes;
  }
  return text.size();
}

static void expect_utf8(const char* op, std::string_view text, size_t end) {
  ORDO_CHECK(end == text.size(), ValueError, op, "takes text in UTF-8, but byte {} ({:02x}) is none", end,
             uint8_t(text[end]));
}

std::string read_text(const std::string& path) {
  std::string text = nn::read_whole_file(path, "read_text");
  const size_t end = for_characters(text, [](std::string_view, size_t) {});
  ORDO_CHECK(end == text.size(), DataError, "read_text", "{}: byte {}: expected a character in UTF-8, found {:02x}",
             path, end, uint8_t(text[end]));
  return text;
}

Vocabulary::Vocabulary(std::string_view text) {
  std::set<std::string, std::less<>> found;  // in UTF-8, the order of bytes is that of code points
  expect_utf8("Vocabulary", text, for_characters(text, [&](std::string_view c, size_t) {
                if (!found.contains(c)) found.emplace(c);
              }));
  characters_.assign(found.begin(), found.end());
  for (const std::string& c : characters_) index_.emplace(c, int64_t(index_.size()));
}

Tensor Vocabulary::encode(std::string_view text) const {
  std::vector<int64_t> indices;
  expect_utf8("Vocabulary", text, for_characters(text, [&](std::string_view c, size_t at) {
                const auto entry = index_.find(std::string(c));
                ORDO_CHECK(entry != index_.end(), ValueError, "Vocabulary",
                           "'{}' at byte {} of the text is none of the vocabulary's {} characters", c, at, size());
                indices.push_back(entry->second);
              }));
  return from_vector(indices, {int64_t(indices.size())});
}

std::string Vocabulary::decode(const Tensor& indices) const {
  ordo::detail::expect_defined("Vocabulary", indices, "indices");
  ORDO_CHECK(is_integral(indices.dtype()) && indices.dtype() != boolean, DTypeError, "Vocabulary",
             "decodes indices of uint8, int32 or int64, not {}", indices.dtype());
  std::string text;
  for (int64_t i : indices.to_vector<int64_t>()) {
    ORDO_CHECK(i >= 0 && i < size(), IndexError, "Vocabulary", "index {} of {} characters", i, size());
    text += characters_[size_t(i)];
  }
  return text;
}

SequenceDataset::SequenceDataset(const Tensor& tokens, int64_t length, int64_t stride)
    : length_(length), stride_(stride == 0 ? length : stride) {
  const char* op = "SequenceDataset";
  ordo::detail::expect_defined(op, tokens, "tokens");
  ORDO_CHECK(tokens.dim() == 1, ShapeError, op, "takes tokens [n], not {}", tokens.sizes());
  ORDO_CHECK(length >= 1 && stride >= 0, ValueError, op,
             "needs a length above 0 and a stride of 0 or more, not {} and {}", length, stride);
  ORDO_CHECK(tokens.size(0) > length, ValueError, op, "needs at least {} tokens for a length of {}, not {}",
             uint64_t(length) + 1, length, tokens.size(0));
  NoGrad guard;
  tokens_ = tokens.detach().contiguous();
}

int64_t SequenceDataset::size() const { return (tokens_.size(0) - length_ - 1) / stride_ + 1; }

Sample SequenceDataset::get(int64_t i) const {
  expect_sample("SequenceDataset", i, size());
  NoGrad guard;
  return {tokens_.narrow(0, i * stride_, length_), tokens_.narrow(0, i * stride_ + 1, length_)};
}

}  // namespace ordo::data
