#include <ordo/nn/models/tokenizer.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/nn/models/json_file.h>
#include <ordo/nn/models/text_pattern.h>
#include <ordo/nn/models/unicode.h>
#include <ordo/nn/models/word_piece.h>

namespace ordo::models {
namespace {

using nlohmann::json;

/// What ByteLevel without a pattern of its own cuts by.
constexpr const char* kGPT2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// The letter that stands for a byte in vocabularies: itself where it can be seen, else one from U+0100 on.
std::vector<std::string> letters_of_bytes() {
  std::vector<std::string> letters;
  uint32_t next = 256;
  for (uint32_t b = 0; b < 256; ++b) {
    const bool seen = (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
    const uint32_t c = seen ? b : next++;  // in UTF-8 of two bytes at most
    letters.push_back(c < 0x80 ? std::string{char(c)} : std::string{char(0xc0 | c >> 6), char(0x80 | (c & 0x3f))});
  }
  return letters;
}

/// Unicode's normalisation form C.
std::string composed(const std::string& text) {
#ifdef ORDO_HAS_UTF8PROC
  return mapped_by_utf8proc(text, UTF8PROC_COMPOSE);
#else
  return text;
#endif
}

/// "<0x0A>"
std::string name_of_byte(uint8_t byte) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  return {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'};
}

/// Tokens that are found in texts. Longer ones come before those that they begin with.
struct AddedTokens {
  std::map<std::string, int64_t, std::greater<>> tokens;
  std::vector<bool> begins = std::vector<bool>(256);  // by the first byte

  void add(const std::string& word, int64_t id) {
    tokens[word] = id;
    begins[uint8_t(word[0])] = true;
  }
  /// between(text, where it begins) and token(id), from left to right.
  template <class Between, class Token>
  void cut(std::string_view text, const Between& between, const Token& token) const {
    size_t done = 0;
    for (size_t at = 0; at < text.size();) {
      const auto found =
          !begins[uint8_t(text[at])] ? tokens.end() : std::find_if(tokens.begin(), tokens.end(), [&](const auto& one) {
            return text.substr(at).starts_with(one.first);
          });
      if (found == tokens.end()) {
        ++at;
        continue;
      }
      if (at > done) between(text.substr(done, at - done), done);
      token(found->second);
      done = at += found->first.size();
    }
    if (done < text.size()) between(text.substr(done), done);
  }
};

uint64_t pair_of(int64_t left, int64_t right) { return uint64_t(left) << 32 | uint64_t(right); }

}  // namespace

struct Tokenizer::State {
  struct Merge {
    int64_t rank, token;
  };
  std::unordered_map<std::string, int64_t> tokens;  // by their bytes
  std::vector<std::optional<std::string>> bytes;    // of each token
  std::unordered_map<uint64_t, Merge> merges;
  std::vector<int64_t> of_byte = std::vector<int64_t>(256, -1);
  std::vector<Pattern> patterns;       // each cuts the pieces of the one before
  AddedTokens added, added_to_normal;  // looked for before and after a text is normalised
  bool whole_first = false, prefix_space = false;
  int64_t most = 0;  // numbers of tokens are less
  std::string name;  // of the file

  // Where words are of characters: those that are no token are bytes. A mark stands for a space.
  struct Change {
    std::string from, to;  // from nothing: in front of a text
    bool composes = false;
  };
  bool characters = false, letters = false, mark_every_text = false, mark_first_text = false;
  std::string mark;                     // of a pre-tokenizer
  std::vector<Change> changes;          // of the normalizer
  std::vector<Change> restored;         // of the decoder
  size_t stripped = 0;                  // spaces that the decoder takes from a text's beginning
  std::optional<WordPiece> word_piece;  // in place of all above but the tokens' words and the added ones

  /// What surrounds texts: numbers of tokens, kText and kPair, with their types.
  static constexpr int64_t kText = -1, kPair = -2;
  using Template = std::vector<std::pair<int64_t, int64_t>>;
  Template single{{kText, 0}}, pair{{kText, 0}, {kPair, 1}};

  void read(const std::string& file);
  void read_normalizer(const Entries& part);
  void read_pre_tokenizer(const Entries& part);
  void read_decoder(const Entries& part);
  void read_post_processor(const Entries& part);
  std::map<std::string, int64_t> read_added(const Entries& all);
  void read_words(const Entries& all, const std::map<std::string, int64_t>& vocabulary);
  void read_pairs(const Entries& all, const std::map<std::string, int64_t>& vocabulary);
  std::string normal(std::string_view text) const;
  void add(const std::string& token_bytes, int64_t id);
  Encoding surrounded(const Template& form, const std::vector<int64_t>& text, const std::vector<int64_t>& second) const;
  void encode_piece(std::string_view piece, std::vector<int64_t>& out) const;
  void encode_text(std::string_view text, bool first, std::vector<int64_t>& out) const;
};

void Tokenizer::State::add(const std::string& token_bytes, int64_t id) {
  ORDO_CHECK(id >= 0 && id < most, DataError, "Tokenizer", "{}: a token has the number {}, of fewer than {}", name, id,
             most);
  if (size_t(id) >= bytes.size()) bytes.resize(size_t(id) + 1);
  bytes[size_t(id)] = token_bytes;
}

void Tokenizer::State::read_normalizer(const Entries& part) {
  const auto type = part.get<std::string>("type");
  if (type == "Sequence") {
    for (const json& one : part.at("normalizers")) read_normalizer(part.part(one));
  } else if (type == "NFC") {
#ifndef ORDO_HAS_UTF8PROC
    part.fail("needs utf8proc for NFC, which this build of Ordo was made without (libutf8proc-dev)");
#endif
    changes.push_back({"", "", true});
  } else if (type == "Prepend") {
    changes.push_back({"", part.get<std::string>("prepend")});
  } else {
    part.check(type == "Replace", "the normalizer {} is not computed here", type);
    changes.push_back({part.part("pattern").get<std::string>("String"), part.get<std::string>("content")});
    part.check(!changes.back().from.empty(), "nothing is to be replaced");
  }
}

void Tokenizer::State::read_decoder(const Entries& part) {
  const auto type = part.get<std::string>("type");
  if (type == "Sequence") {
    for (const json& one : part.at("decoders")) read_decoder(part.part(one));
  } else if (type == "Replace") {
    restored.push_back({part.part("pattern").get<std::string>("String"), part.get<std::string>("content")});
    part.check(!restored.back().from.empty(), "nothing is to be replaced");
  } else if (type == "Strip") {
    part.expect("content", " ");
    part.expect("stop", 0);
    stripped = size_t(std::max<int64_t>(0, part.get<int64_t>("start")));
  } else {
    part.check(type == "ByteFallback" || type == "Fuse", "the decoder {} is not computed here", type);
  }
}

std::string Tokenizer::State::normal(std::string_view text) const {
  if (word_piece) return word_piece->normal(text);
  std::string out(text);
  for (const Change& change : changes)
    if (change.composes)
      out = composed(out);
    else if (!change.from.empty())
      out = replaced(out, change.from, change.to);
    else if (!out.empty())
      out.insert(0, change.to);
  return out;
}

void Tokenizer::State::read_pre_tokenizer(const Entries& part) {
  const auto type = part.get<std::string>("type");
  if (type == "Sequence") {
    for (const json& one : part.at("pretokenizers")) read_pre_tokenizer(part.part(one));
  } else if (type == "Split") {
    part.check(!letters, "Split follows ByteLevel");
    part.expect("behavior", "Isolated");
    part.expect("invert", false);
    patterns.emplace_back(part.part("pattern").get<std::string>("Regex"), part.file());
  } else if (type == "Digits") {
    part.check(!letters, "Digits follows ByteLevel");
    patterns.emplace_back(part.get<bool>("individual_digits", false) ? "\\p{N}" : "\\p{N}+", part.file());
  } else if (type == "Metaspace") {
    part.check(patterns.empty() && !letters, "Metaspace is not the only pre-tokenizer");
    part.check(!part.get<bool>("split", true), "the pre-tokenizer Metaspace splits, which is not computed here");
    mark = part.get<std::string>("replacement");
    const auto scheme = part.get<std::string>("prepend_scheme", "always");
    part.check(!mark.empty() && (scheme == "always" || scheme == "first" || scheme == "never"),
               "the pre-tokenizer Metaspace has the prepend_scheme '{}'", scheme);
    mark_every_text = scheme == "always", mark_first_text = scheme == "first";
  } else {
    part.check(type == "ByteLevel", "the pre-tokenizer {} is not computed here", type);
    characters = false, letters = true;
    prefix_space = part.get<bool>("add_prefix_space", false);
    part.check(!prefix_space || patterns.empty(), "ByteLevel adds a space to each piece, which is not computed here");
    if (part.get<bool>("use_regex", true)) patterns.emplace_back(kGPT2Pattern, part.file());
  }
}

void Tokenizer::State::read_post_processor(const Entries& part) {
  const auto type = part.get<std::string>("type");
  const auto number_of = [&](const json& entry) {  // ["[SEP]", 102]
    part.check(entry.is_array() && entry.size() == 2 && entry[1].is_number_integer() && entry[1].get<int64_t>() >= 0,
               "{} is no token with its number", entry.dump().substr(0, 60));
    return entry[1].get<int64_t>();
  };
  if (type == "Sequence") {
    for (const json& one : part.at("processors")) read_post_processor(part.part(one));
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    const int64_t first = number_of(part.at("cls")), last = number_of(part.at("sep")), second = type[0] == 'B';
    single = {{first, 0}, {kText, 0}, {last, 0}};
    pair = {{first, 0}, {kText, 0}, {last, 0}, {kPair, second}, {last, second}};
    if (second == 0) pair.insert(pair.begin() + 3, {last, 0});
  } else if (type == "TemplateProcessing") {
    const Entries special = part.part("special_tokens");
    for (const auto& [name, form] : {std::pair{"single", &single}, {"pair", &pair}}) {
      form->clear();
      for (const json& piece : part.at(name)) {
        const Entries one = part.part(piece);
        const bool is_text = one.has("Sequence");
        const Entries item = one.part(is_text ? "Sequence" : "SpecialToken");
        const auto id = item.get<std::string>("id");
        const auto kind = item.get<int64_t>("type_id");
        if (is_text) {
          item.check(id == "A" || id == "B", "there is no text '{}'", id);
          form->emplace_back(id == "A" ? kText : kPair, kind);
        } else {
          for (const int64_t token : special.part(id.c_str()).get<std::vector<int64_t>>("ids")) {
            part.check(token >= 0, "a text is surrounded by a token {}", token);
            form->emplace_back(token, kind);
          }
        }
      }
    }
  } else {
    part.check(type == "ByteLevel", "the post-processor {} is not computed here", type);
  }
}

void Tokenizer::State::read(const std::string& file) {
  name = file;
  const Entries all = json_file(file, "Tokenizer");
  const Entries model = all.part("model");
  const auto type = model.get<std::string>("type");
  all.check(type == "BPE" || type == "WordPiece", "the model is {}; there are BPE and WordPiece", type);
  const auto vocabulary = model.get<std::map<std::string, int64_t>>("vocab");
  most = 4 * int64_t(vocabulary.size()) + 65536;  // there may be gaps
  type == "BPE" ? read_pairs(all, vocabulary) : read_words(all, vocabulary);
  if (all.has("post_processor")) read_post_processor(all.part("post_processor"));
  for (const Template* form : {&single, &pair})
    for (const auto& [token, kind] : *form)
      all.check(token < 0 ? token >= kPair : size_t(token) < bytes.size() && bytes[size_t(token)],
                "a text is surrounded by a token {}, which there is not", token);
}

/// The added tokens' numbers.
std::map<std::string, int64_t> Tokenizer::State::read_added(const Entries& all) {
  std::map<std::string, int64_t> numbers;
  if (!all.has("added_tokens")) return numbers;
  for (const json& item : all.at("added_tokens")) {
    const Entries one = all.part(item);
    const auto word = one.get<std::string>("content");
    for (const char* flag : {"lstrip", "rstrip", "single_word"}) one.expect(flag, false);
    all.check(!word.empty(), "an added token is empty");
    const auto id = one.get<int64_t>("id");
    const bool normalised = (word_piece || !changes.empty()) && one.get<bool>("normalized", false);
    const std::string found = normalised ? normal(word) : word;
    all.check(!found.empty(), "the added token '{}' is nothing after changes", word);
    (normalised ? added_to_normal : added).add(found, id);
    add(word_piece ? word : found, id);
    numbers[word] = id;
  }
  return numbers;
}

void Tokenizer::State::read_words(const Entries& all, const std::map<std::string, int64_t>& vocabulary) {
  word_piece.emplace(all);
  for (const auto& [word, id] : vocabulary) add(word, id);
  read_added(all);
}

void Tokenizer::State::read_pairs(const Entries& all, const std::map<std::string, int64_t>& vocabulary) {
  const Entries model = all.part("model");
  for (const auto& [name, none] : std::initializer_list<std::pair<const char*, json>>{
           {"dropout", 0}, {"continuing_subword_prefix", ""}, {"end_of_word_suffix", ""}})
    model.expect(name, none);
  whole_first = model.get<bool>("ignore_merges", false);
  characters = model.get<bool>("byte_fallback", false);
  if (all.has("normalizer")) read_normalizer(all.part("normalizer"));
  if (!characters || all.has("pre_tokenizer")) read_pre_tokenizer(all.part("pre_tokenizer"));
  all.check(characters || letters, "the words are of characters without byte_fallback, which is not computed here");
  if (characters) read_decoder(all.part("decoder"));
  // A text of n bytes stays one of some times n.
  for (const std::vector<Change>* list : {&changes, &restored}) {
    double growth = 1;
    for (const Change& change : *list)
      growth *= std::max(1.0, double(change.to.size()) / double(std::max<size_t>(change.from.size(), 1)));
    all.check(growth <= 256, "changes make a text more than 256 times as long");
  }
  if (patterns.empty()) patterns.emplace_back("(?s).+", all.file());  // one piece, which must be UTF-8

  const std::vector<std::string> letters = letters_of_bytes();
  std::unordered_map<std::string, char> byte_of;
  for (size_t b = 0; b < 256; ++b) byte_of[letters[b]] = char(b);
  const auto bytes_of_word = [&](const std::string& word) -> std::optional<std::string> {
    if (characters) return word;
    std::string found;
    for (size_t at = 0, length; at < word.size(); at += length) {
      length = (uint8_t(word[at]) & 0xe0) == 0xc0 ? 2 : 1;
      const auto byte = byte_of.find(word.substr(at, length));
      if (byte == byte_of.end()) return std::nullopt;
      found += byte->second;
    }
    return found;
  };
  const std::map<std::string, int64_t> of_added = read_added(all);
  for (const auto& [word, id] : vocabulary) {
    // Added tokens may be learnt ones, which merges know, or be no bytes at all.
    const std::optional<std::string> found = bytes_of_word(word);
    all.check(found || of_added.contains(word), "'{}' is no word of bytes", word);
    const auto as_added = of_added.find(word);
    all.check(as_added == of_added.end() || as_added->second == id, "'{}' has two numbers", word);
    if (as_added == of_added.end()) add(*found, id);
    if (!found) continue;
    tokens[*found] = id;
    if (!characters && found->size() == 1) of_byte[uint8_t((*found)[0])] = id;
  }
  for (int b = 0; b < 256 && characters; ++b) {
    const auto byte = tokens.find(name_of_byte(uint8_t(b)));
    all.check(byte != tokens.end(), "has no token {}", name_of_byte(uint8_t(b)));
    of_byte[size_t(b)] = byte->second;
    bytes[size_t(byte->second)] = std::string(1, char(b));
  }
  for (std::optional<std::string>& word : bytes)
    for (const Change& change : restored)
      if (word) *word = replaced(*word, change.from, change.to);
  int64_t rank = 0;
  for (const json& merge : model.at("merges")) {
    std::string left, right;
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      left = merge[0].get<std::string>(), right = merge[1].get<std::string>();
    } else {
      if (!merge.is_string()) all.fail("a merge is {}", merge.dump().substr(0, 60));
      const auto text = merge.get<std::string>();
      const size_t space = text.find(' ');
      left = text.substr(0, space), right = space == std::string::npos ? "" : text.substr(space + 1);
    }
    left = bytes_of_word(left).value_or(left), right = bytes_of_word(right).value_or(right);
    for (const std::string& part : {left, right, left + right})
      all.check(tokens.contains(part), "merge {} is of what is no token", rank);
    merges.emplace(pair_of(tokens[left], tokens[right]), Merge{rank, tokens[left + right]});
    ++rank;
  }
}

// The pair with the least rank first, of several the leftmost. A part that was joined to the one on its left has no
// token any more.
void Tokenizer::State::encode_piece(std::string_view piece, std::vector<int64_t>& out) const {
  if (whole_first) {
    if (const auto whole = tokens.find(std::string(piece)); whole != tokens.end()) return out.push_back(whole->second);
  }
  struct Part {
    int64_t token;
    size_t before, after;
  };
  struct Candidate {
    int64_t rank;
    size_t left;
    int64_t tokens[2];
    bool operator>(const Candidate& other) const { return std::pair(rank, left) > std::pair(other.rank, other.left); }
  };
  std::vector<Part> parts;
  const auto push = [&](int64_t token) { parts.push_back({token, parts.size() - 1, parts.size() + 1}); };
  for (size_t at = 0, length; at < piece.size(); at += length) {
    length = 1;
    while (characters && at + length < piece.size() && (uint8_t(piece[at + length]) & 0xc0) == 0x80) ++length;
    if (characters) {
      const auto found = tokens.find(std::string(piece.substr(at, length)));
      if (found != tokens.end()) {
        push(found->second);
        continue;
      }
    }
    for (const char c : piece.substr(at, length)) {
      const int64_t token = of_byte[uint8_t(c)];
      ORDO_CHECK(token >= 0, ValueError, "Tokenizer", "the vocabulary has no token for the byte {}", int(uint8_t(c)));
      push(token);
    }
  }
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto offer = [&](size_t left) {
    if (left >= parts.size() || parts[left].after >= parts.size()) return;
    const int64_t a = parts[left].token, b = parts[parts[left].after].token;
    if (const auto merge = merges.find(pair_of(a, b)); merge != merges.end())
      queue.push({merge->second.rank, left, {a, b}});
  };
  for (size_t i = 0; i + 1 < parts.size(); ++i) offer(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Part& left = parts[best.left];
    const size_t right = left.after;
    if (left.token != best.tokens[0] || right >= parts.size() || parts[right].token != best.tokens[1]) continue;
    left.token = merges.at(pair_of(best.tokens[0], best.tokens[1])).token;
    left.after = parts[right].after;
    if (left.after < parts.size()) parts[left.after].before = best.left;
    parts[right].token = -1;
    offer(left.before);
    offer(best.left);
  }
  for (const Part& part : parts)
    if (part.token >= 0) out.push_back(part.token);
}

void Tokenizer::State::encode_text(std::string_view text, bool first, std::vector<int64_t>& out) const {
  if (word_piece) return word_piece->encode(text, out);
  std::string changed(text);
  if (prefix_space && !text.starts_with(' ')) changed.insert(0, " ");
  if (!mark.empty()) {
    changed = replaced(changed, " ", mark);
    if ((mark_every_text || (mark_first_text && first)) && !changed.starts_with(mark)) changed.insert(0, mark);
  }
  std::vector<std::string_view> pieces{changed};
  for (const Pattern& pattern : patterns) {
    std::vector<std::string_view> smaller;
    for (const std::string_view piece : pieces)
      pattern.each_piece(piece, [&](std::string_view found) { smaller.push_back(found); });
    pieces = std::move(smaller);
  }
  for (const std::string_view piece : pieces) encode_piece(piece, out);
}

Tokenizer::Tokenizer(const std::string& file) {
  const ordo::detail::LibraryCall call;
  auto state = std::make_unique<State>();
  state->read(file);
  state_ = std::move(state);
}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

std::vector<int64_t> Tokenizer::encode(std::string_view text) const {
  const ordo::detail::LibraryCall call;
  std::vector<int64_t> out;
  const auto token = [&](int64_t id) { out.push_back(id); };
  state_->added.cut(
      text,
      [&](std::string_view part, size_t at) {
        state_->added_to_normal.cut(
            state_->normal(part),
            [&](std::string_view piece, size_t in_part) { state_->encode_text(piece, at + in_part == 0, out); }, token);
      },
      token);
  return out;
}

Tokenizer::Encoding Tokenizer::encode_with_special_tokens(std::string_view text) const {
  const ordo::detail::LibraryCall call;
  return state_->surrounded(state_->single, encode(text), {});
}

Tokenizer::Encoding Tokenizer::encode_with_special_tokens(std::string_view text, std::string_view pair) const {
  const ordo::detail::LibraryCall call;
  return state_->surrounded(state_->pair, encode(text), encode(pair));
}

Tokenizer::Encoding Tokenizer::State::surrounded(const Template& form, const std::vector<int64_t>& text,
                                                 const std::vector<int64_t>& second) const {
  Encoding all;
  for (const auto& [token, kind] : form) {
    const std::vector<int64_t> one{token};
    const std::vector<int64_t>& some = token == kText ? text : token == kPair ? second : one;
    all.ids.insert(all.ids.end(), some.begin(), some.end());
    all.type_ids.resize(all.ids.size(), kind);
  }
  return all;
}

std::string Tokenizer::decode(const std::vector<int64_t>& tokens) const {
  const ordo::detail::LibraryCall call;
  std::vector<std::string> words;
  for (const int64_t token : tokens) {
    ORDO_CHECK(token >= 0 && token < size() && state_->bytes[size_t(token)], IndexError, "Tokenizer",
               "there is no token {}; there are {}", token, size());
    words.push_back(*state_->bytes[size_t(token)]);
  }
  if (state_->word_piece) return state_->word_piece->joined(words);
  const std::string text = fmt::format("{}", fmt::join(words, ""));
  size_t spaces = 0;
  while (spaces < state_->stripped && spaces < text.size() && text[spaces] == ' ') ++spaces;
  return text.substr(spaces);
}

int64_t Tokenizer::size() const { return int64_t(state_->bytes.size()); }

}  // namespace ordo::models
