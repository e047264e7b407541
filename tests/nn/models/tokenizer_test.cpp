// Tokens of texts: what the tokenizers package makes of them (make_tokenizers.py), and files that are refused.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include <ordo/nn/nn.h>
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
    write(path("tokenizer.json"), file.dump());
    return path("tokenizer.json");
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
  const auto refusal = [&](const std::function<void(json&)>& change, const char* part) {
    EXPECT_ORDO_ERROR(models::Tokenizer(changed(change, "bert")), DataError, part);
  };
  refusal([](json& f) { f["normalizer"]["type"] = "NFC"; }, "only \"BertNormalizer\" is computed here");
  refusal([](json& f) { f["pre_tokenizer"]["type"] = "Whitespace"; }, "only \"BertPreTokenizer\" is computed here");
  refusal([](json& f) { f["decoder"]["prefix"] = "@@"; }, "'prefix' is \"@@\"");
  refusal(
      [](json& f) {
        f["model"]["unk_token"] = "?";
        f["model"]["vocab"].erase("?");
      },
      "the vocabulary has no '?'");
  refusal([](json& f) { f["model"]["vocab"]["sum"] = -4; }, "a token has the number -4");
  refusal([](json& f) { f["post_processor"]["type"] = "Other"; }, "the post-processor Other is not computed here");
  refusal([](json& f) { f["post_processor"]["special_tokens"]["[CLS]"]["ids"] = {70000}; }, "token 70000");
  refusal([](json& f) { f["post_processor"]["special_tokens"]["[CLS]"]["ids"] = {-2}; }, "surrounded by a token -2");
  refusal(
      [](json& f) {
        f["post_processor"]["single"][0] = {{"Sequence", {{"id", "C"}, {"type_id", 0}}}};
      },
      "there is no text 'C'");
  refusal([](json& f) { f["post_processor"]["special_tokens"].erase("[SEP]"); }, "has no '[SEP]'");
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
  const auto refusal = [&](const std::function<void(json&)>& change, const char* part) {
    EXPECT_ORDO_ERROR(models::Tokenizer(changed(change)), DataError, part);
  };
  refusal([](json& f) { f["model"]["type"] = "Unigram"; }, "the model is Unigram; there are BPE and WordPiece");
  refusal([](json& f) { f["pre_tokenizer"]["type"] = "Metaspace"; }, "pre-tokenizer Metaspace");
  refusal([](json& f) { f["model"].erase("vocab"); }, "has no 'vocab'");
  refusal([](json& f) { f["model"]["vocab"]["a"] = -1; }, "a token has the number -1");
  refusal([](json& f) { f["model"]["vocab"]["a"] = 1 << 20; }, "a token has the number");
  refusal([](json& f) { f["model"]["vocab"]["\u65e5"] = 7; }, "is no word of bytes");
  refusal([](json& f) { f["model"]["merges"].push_back("q zzz"); }, "is of what is no token");
  refusal([](json& f) { f["model"]["merges"].push_back(3); }, "a merge is 3");
  refusal([](json& f) { f["added_tokens"][0]["content"] = ""; }, "an added token is empty");
  refusal(
      [](json& f) {
        f["pre_tokenizer"] = {{"type", "Split"}, {"pattern", {{"Regex", "(a"}}}, {"behavior", "Isolated"}};
      },
      "the pattern '(a' is none that PCRE2 knows");
  const auto refusal_of_characters = [&](const std::function<void(json&)>& change, const char* part) {
    EXPECT_ORDO_ERROR(models::Tokenizer(changed(change, "llama2")), DataError, part);
  };
  refusal_of_characters(
      [](json& f) {
        f["normalizer"] = {{"type", "NFKC"}};
      },
      "the normalizer NFKC is not computed here");
  refusal_of_characters(
      [](json& f) {
        f["normalizer"]["normalizers"][1]["pattern"] = {{"String", ""}};
      },
      "nothing is to be replaced");
  refusal_of_characters([](json& f) { f["model"]["vocab"].erase("<0x41>"); }, "has no token <0x41>");
  refusal_of_characters([](json& f) { f.erase("decoder"); }, "has no 'decoder'");
  refusal_of_characters([](json& f) { f["decoder"] = {{"type", "CTC"}}; }, "the decoder CTC is not computed here");
  refusal_of_characters(
      [](json& f) {
        f["pre_tokenizer"] = {{"type", "Metaspace"}, {"replacement", "_"}};
      },
      "Metaspace splits");
  refusal_of_characters(
      [](json& f) {
        f["model"]["byte_fallback"] = false;
        f["pre_tokenizer"] = {{"type", "Split"}, {"pattern", {{"Regex", "a"}}}, {"behavior", "Isolated"}};
      },
      "characters without byte_fallback");
  refusal_of_characters(
      [](json& f) {
        f["model"]["vocab"]["<0x41>"] = 5000;
        f["added_tokens"].push_back({{"id", 68}, {"content", "<0x41>"}});
      },
      "has two numbers");
  refusal_of_characters(
      [](json& f) {
        f["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", "q"}}}, {"content", ""}};
        f["added_tokens"].push_back({{"id", 5}, {"content", "q"}, {"normalized", true}});
      },
      "is nothing after changes");
  refusal_of_characters(
      [](json& f) {
        for (int i = 0; i < 20; ++i)
          f["normalizer"]["normalizers"].push_back(
              {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}});
      },
      "more than 256 times as long");
  refusal(
      [](json& f) {
        f["pre_tokenizer"] = {{"type", "Split"}, {"pattern", {{"Regex", "\\C"}}}, {"behavior", "Isolated"}};
      },
      "is none that PCRE2 knows");
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
  write(path("tokenizer.json"), "[]");
  EXPECT_ORDO_ERROR(models::Tokenizer(path("tokenizer.json")), DataError, "is no JSON object");
  EXPECT_ORDO_ERROR(models::Tokenizer(path("none.json")), DataError, "none.json");
  const models::Tokenizer tokenizer(file_of("gpt2", "tokenizer.json"));
  EXPECT_ORDO_ERROR(tokenizer.encode("a\xff"), ValueError, "takes text in UTF-8");
  EXPECT_ORDO_ERROR(tokenizer.decode({419}), IndexError, "there is no token 419; there are 419");
}

}  // namespace
}  // namespace ordo::test::tokenizer_test
