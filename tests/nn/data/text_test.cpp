// Text as indices, and windows of it.
#include <cmath>

#include "tests/support/folder_test_base.h"
#include "tests/support/op_samples.h"

namespace ordo::test::text_test {
namespace {

using Integers = std::vector<int64_t>;
using TextTest = FolderTest;

TEST_F(TextTest, characters_are_numbered_by_code_point) {
  write("t.txt", "b\u00e9a\n\U0001f600\u20aca");
  const std::string text = data::read_text(path("t.txt"));
  const data::Vocabulary letters(text);
  EXPECT_EQ(letters.characters(), (std::vector<std::string>{"\n", "a", "b", "\u00e9", "\u20ac", "\U0001f600"}));
  const Tensor indices = letters.encode(text);
  EXPECT_EQ(indices.to_vector<int64_t>(), (Integers{2, 3, 1, 0, 5, 4, 1}));
  EXPECT_EQ(letters.decode(indices), text);
  EXPECT_EQ(letters.encode("").sizes(), (Dims{0}));
  EXPECT_ORDO_ERROR(letters.encode("abc"), ValueError, "'c' at byte 2 of the text is none of the vocabulary's 6");
  EXPECT_ORDO_ERROR(letters.decode(from_vector<int64_t>({6}, {1})), IndexError, "index 6 of 6");
  EXPECT_ORDO_ERROR(letters.decode(from_vector<int64_t>({-1}, {1})), IndexError, "index -1");
}

TEST_F(TextTest, what_is_not_utf8_is_refused) {
  // Cut short, a continuation alone, longer than needed, a surrogate, above U+10FFFF, and never a first byte.
  for (const std::string& bad :
       std::vector<std::string>{"\xc3", "\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                "\xf0\x80\x80\x80", "\xff", "\xe2\x82", "\xe2\x28\xa1", "\xf0\x9f\x98"}) {
    write("t.txt", "ab" + bad + "cd");
    EXPECT_ORDO_ERROR(data::read_text(path("t.txt")), DataError, "t.txt: byte 2: expected a character in UTF-8");
    EXPECT_ORDO_ERROR(data::Vocabulary("ab" + bad), ValueError, "byte 2");
  }
}

TEST_F(TextTest, only_integers_are_indices) {
  const data::Vocabulary letters("abc");
  EXPECT_EQ(letters.decode(from_vector<uint8_t>({2, 0}, {2})), "ca");
  EXPECT_EQ(letters.decode(from_vector<int32_t>({1}, {1})), "b");
  EXPECT_ORDO_ERROR(letters.decode(full({1}, NAN)), DTypeError, "[Vocabulary]");
  EXPECT_ORDO_ERROR(letters.decode(full({1}, 1.5)), DTypeError, "float32");
  EXPECT_ORDO_ERROR(letters.decode(full({1}, true, boolean)), DTypeError, "bool");
  EXPECT_ORDO_ERROR(letters.decode(Tensor()), ValueError, "[Vocabulary] indices is an undefined tensor");
}

TEST(Sequences, inputs_and_what_follows_them) {
  const Tensor tokens = arange(100, 111, 1, {.dtype = int64});
  const data::SequenceDataset set(tokens, 3);
  ASSERT_EQ(set.size(), 3) << "10 inputs have a target; the last one is left over";
  EXPECT_EQ(set.get(2)[0].to_vector<int64_t>(), (Integers{106, 107, 108}));
  EXPECT_EQ(set.get(2)[1].to_vector<int64_t>(), (Integers{107, 108, 109}));
  const data::SequenceDataset overlapping(tokens, 3, 1);
  ASSERT_EQ(overlapping.size(), 8);
  for (int64_t i = 0; i < 8; ++i) EXPECT_EQ(overlapping.get(i)[1].to_vector<int64_t>()[2], 103 + i);
  EXPECT_EQ(data::SequenceDataset(tokens, 10).size(), 1);
  EXPECT_EQ(data::SequenceDataset(tokens, 3, INT64_MAX).size(), 1);
  data::DataLoader loader(set, {.batch_size = 2, .workers = 1});
  for (auto [inputs, targets] : loader) EXPECT_EQ(inputs.add(1).to_vector<int64_t>(), targets.to_vector<int64_t>());
}

TEST(Sequences, impossible_arguments) {
  const Tensor tokens = arange(0, 5, 1, {.dtype = int64});
  EXPECT_ORDO_ERROR(data::SequenceDataset(tokens, 5), ValueError, "at least 6 tokens for a length of 5, not 5");
  EXPECT_ORDO_ERROR(data::SequenceDataset(tokens, INT64_MAX), ValueError, "tokens");
  EXPECT_ORDO_ERROR(data::SequenceDataset(tokens, 0), ValueError, "length");
  EXPECT_ORDO_ERROR(data::SequenceDataset(tokens, 2, -1), ValueError, "stride");
  EXPECT_ORDO_ERROR(data::SequenceDataset(zeros({2, 2}), 1), ShapeError, "tokens [n]");
  EXPECT_ORDO_ERROR(data::SequenceDataset(tokens, 2).get(2), IndexError, "sample 2 of a set of 2");
}

}  // namespace
}  // namespace ordo::test::text_test
