// Tokens of texts: what the tokenizers package makes of them (make_tokenizers.py), and files that are refused.
#include <nlohmann/json.hpp>

#include "tests/support/folder_test_base.h"
#include "tests/support/op_samples.h"

namespace ordo::test::tokenizer_test {
namespace {

using nlohmann::json;

class Tokenizers : public FolderTest {
 protected:
  static std::string file_of(const std::string& kind, const std::string& file) {
    return std::string(ORDO_SOURCE_DIR) + "/tests/nn/models/data/tokenizer_" + kind + "/" + file;
  }
  std::string changed(const std::function<void(json&)>& change, const std::string& kind = "gpt2") const {
    json file = json::parse(read(file_of(kind, "tokenizer.json")));
    change(file);
    return write("tokenizer.json", file.dump());
  }
  /// A file that is refused: with these values, in JSON, at these places, or without what is there.
  struct Refused {
    std::vector<std::pair<const char*, const char*>> changes;
    const char* part;  // of what the error says
  };
  void expect_refused(const std::string& kind, const std::vector<Refused>& all) const {
    for (const Refused& one : all) {
      const auto change = [&](json& file) {
        for (const auto& [place, value] : one.changes) {
          const json::json_pointer at(place);
          if (*value)
            file[at] = json::parse(value);
          else
            file[at.parent_pointer()].erase(at.back());
        }
      };
      EXPECT_ORDO_ERROR(models::Tokenizer(changed(change, kind)), DataError, one.part);
    }
  }
};

TEST_F(Tokenizers, give_what_those_of_python_give) {
  const std::map<std::string, int64_t> sizes{{"gpt2", 419},      {"llama3", 404},       {"qwen2", 404},
                                             {"llama2", 394},    {"llama2_marks", 394}, {"bert", 120},
                                             {"bert_cased", 130}};
  for (const auto& [kind, size] : sizes) {
    const models::Tokenizer tokenizer(file_of(kind, "tokenizer.json"));
    const json rows = json::parse(read(file_of(kind, "expected.json")));
    EXPECT_EQ(rows.size(), 120u);
    for (const json& row : rows) {
      const auto text = row["text"].get<std::string>();
      const auto tokens = tokenizer.encode(text);
      EXPECT_EQ(tokens, row["tokens"].get<std::vector<int64_t>>()) << kind << ": " << text;
      EXPECT_EQ(tokenizer.decode(tokens), row["decoded"].get<std::string>()) << kind;
    }
    EXPECT_EQ(tokenizer.size(), size);
  }
}

TEST_F(Tokenizers, surround_texts_as_those_of_python_do) {
  for (const std::string kind : {"bert", "bert_cased"}) {
    const models::Tokenizer tokenizer(file_of(kind, "tokenizer.json"));
    const json rows = json::parse(read(file_of(kind, "expected.json")));
    for (size_t i = 0; i < 19; ++i) {
      const auto text = rows[i]["text"].get<std::string>(), next = rows[i + 1]["text"].get<std::string>();
      EXPECT_EQ(tokenizer.encode_with_special_tokens(text).ids, rows[i]["surrounded"].get<std::vector<int64_t>>());
      const auto both = tokenizer.encode_with_special_tokens(text, next);
      EXPECT_EQ(both.ids, rows[i]["pair"].get<std::vector<int64_t>>()) << kind;
      EXPECT_EQ(both.type_ids, rows[i]["types"].get<std::vector<int64_t>>()) << kind;
    }
  }
  const models::Tokenizer plain(file_of("gpt2", "tokenizer.json"));
  EXPECT_EQ(plain.encode_with_special_tokens("the sum").ids, plain.encode("the sum"));
  const models::Tokenizer roberta(changed([](json& f) {
    f["post_processor"] = {{"type", "RobertaProcessing"}, {"cls", {"a", 7}}, {"sep", {"b", 9}}};
  }));
  EXPECT_EQ(roberta.encode_with_special_tokens("", "").ids, (std::vector<int64_t>{7, 9, 9, 9}));
  EXPECT_EQ(roberta.encode_with_special_tokens("", "").type_ids, (std::vector<int64_t>{0, 0, 0, 0}));
}

TEST_F(Tokenizers, of_words_refuse_what_they_do_not_compute) {
  const std::vector<Refused> refused = {
      {{{"/normalizer/type", R"("NFC")"}}, "only \"BertNormalizer\" is computed here"},
      {{{"/pre_tokenizer/type", R"("Whitespace")"}}, "only \"BertPreTokenizer\" is computed here"},
      {{{"/decoder/prefix", R"("@@")"}}, "'prefix' is \"@@\""},
      {{{"/model/unk_token", R"("?")"}}, "the vocabulary has no '?'"},
      {{{"/model/vocab/sum", "-4"}}, "a token has the number -4"},
      {{{"/post_processor/type", R"("Other")"}}, "the post-processor Other is not computed here"},
      {{{"/post_processor/special_tokens/[CLS]/ids", "[70000]"}}, "token 70000"},
      {{{"/post_processor/special_tokens/[CLS]/ids", "[-2]"}}, "surrounded by a token -2"},
      {{{"/post_processor/single/0", R"({"Sequence": {"id": "C", "type_id": 0}})"}}, "there is no text 'C'"},
      {{{"/post_processor/special_tokens/[SEP]", ""}}, "has no '[SEP]'"},
  };
  expect_refused("bert", refused);
  const models::Tokenizer tokenizer(file_of("bert", "tokenizer.json"));
  EXPECT_ORDO_ERROR(tokenizer.encode("a\xff"), ValueError, "takes text in UTF-8");
  const std::string text = std::string(200000, 'a') + " " + std::string(200000, '!');
  EXPECT_EQ(tokenizer.encode(text).size(), 200001u) << "a word that is too long is unknown";
}

TEST_F(Tokenizers, may_have_learnt_tokens_among_the_added_ones) {
  const std::string learnt = "'l";  // which a merge makes "'ll" of
  int64_t id = 0;
  const models::Tokenizer tokenizer(changed([&](json& f) {
    id = f["model"]["vocab"][learnt].get<int64_t>();
    f["added_tokens"].push_back({{"id", id}, {"content", learnt}});
  }));
  EXPECT_EQ(tokenizer.encode("x" + learnt).back(), id);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("we'll see")), "we'll see");
}

TEST_F(Tokenizers, long_pieces_take_no_time) {
  for (const char* kind : {"gpt2", "llama2"}) {
    const models::Tokenizer tokenizer(file_of(kind, "tokenizer.json"));
    const std::string text = std::string(200000, ' ') + std::string(200000, 'a');
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  }
}

TEST_F(Tokenizers, refuse_what_they_do_not_compute) {
  const std::vector<Refused> refused = {
      {{{"/model/type", R"("Unigram")"}}, "the model is Unigram; there are BPE and WordPiece"},
      {{{"/pre_tokenizer/type", R"("Metaspace")"}}, "pre-tokenizer Metaspace"},
      {{{"/model/vocab", ""}}, "has no 'vocab'"},
      {{{"/model/vocab/a", "-1"}}, "a token has the number -1"},
      {{{"/model/vocab/a", "1048576"}}, "a token has the number"},
      {{{"/model/vocab/\u65e5", "7"}}, "is no word of bytes"},
      {{{"/model/merges/-", R"("q zzz")"}}, "is of what is no token"},
      {{{"/model/merges/-", "3"}}, "a merge is 3"},
      {{{"/added_tokens/0/content", R"("")"}}, "an added token is empty"},
      {{{"/pre_tokenizer", R"({"type": "Split", "pattern": {"Regex": "(a"}, "behavior": "Isolated"})"}},
       "the pattern '(a' is none that PCRE2 knows"},
      {{{"/pre_tokenizer", R"({"type": "Split", "pattern": {"Regex": "\\C"}, "behavior": "Isolated"})"}},
       "is none that PCRE2 knows"},
  };
  expect_refused("gpt2", refused);
  const char* const doubles = R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"})";
  const std::vector<Refused> of_characters = {
      {{{"/normalizer", R"({"type": "NFKC"})"}}, "the normalizer NFKC is not computed here"},
      {{{"/normalizer/normalizers/1/pattern", R"({"String": ""})"}}, "nothing is to be replaced"},
      {{{"/model/vocab/<0x41>", ""}}, "has no token <0x41>"},
      {{{"/decoder", ""}}, "has no 'decoder'"},
      {{{"/decoder", R"({"type": "CTC"})"}}, "the decoder CTC is not computed here"},
      {{{"/pre_tokenizer", R"({"type": "Metaspace", "replacement": "_"})"}}, "Metaspace splits"},
      {{{"/model/byte_fallback", "false"},
        {"/pre_tokenizer", R"({"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Isolated"})"}},
       "characters without byte_fallback"},
      {{{"/model/vocab/<0x41>", "5000"}, {"/added_tokens/-", R"({"id": 68, "content": "<0x41>"})"}}, "has two numbers"},
      {{{"/normalizer", R"({"type": "Replace", "pattern": {"String": "q"}, "content": ""})"},
        {"/added_tokens/-", R"({"id": 5, "content": "q", "normalized": true})"}},
       "is nothing after changes"},
      {std::vector(20, std::pair("/normalizer/normalizers/-", doubles)), "more than 256 times as long"},
  };
  expect_refused("llama2", of_characters);
  const models::Tokenizer backwards(changed([](json& f) {
    const json split = {{"type", "Split"}, {"pattern", {{"Regex", "(?=(?1))|(a\\K)"}}}, {"behavior", "Isolated"}};
    f["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {split, f["pre_tokenizer"]}}};
  }));
  EXPECT_ORDO_ERROR(backwards.encode("aab"), ValueError, "the pattern matches backwards");
  const models::Tokenizer digits(changed([](json& f) {
    f["pre_tokenizer"] = {{"type", "Sequence"},
                          {"pretokenizers", {{{"type", "Digits"}, {"individual_digits", true}}, f["pre_tokenizer"]}}};
  }));
  EXPECT_EQ(digits.encode("125").size(), 3u);
  EXPECT_ORDO_ERROR(models::Tokenizer(write("tokenizer.json", "[]")), DataError, "is no JSON object");
  EXPECT_ORDO_ERROR(models::Tokenizer(path("none.json")), DataError, "none.json");
  const models::Tokenizer tokenizer(file_of("gpt2", "tokenizer.json"));
  EXPECT_ORDO_ERROR(tokenizer.encode("a\xff"), ValueError, "takes text in UTF-8");
  EXPECT_ORDO_ERROR(tokenizer.decode({419}), IndexError, "there is no token 419; there are 419");
}

}  // namespace
}  // namespace ordo::test::tokenizer_test
