#include <ordo/nn/data/csv.h>

#include <charconv>
#include <limits>
#include <set>
#include <string_view>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/shape/cat.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/nn/state/data_file.h>

namespace ordo::data {

namespace {

constexpr const char* kOp = "read_csv";

/// Where errors are: in a file's line.
struct Position {
  const std::string& path;
  int64_t line;
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    detail::fail<DataError>(kOp, "{}: line {}: {}", path, line, fmt::format(format, std::forward<Args>(args)...));
  }
};

/// Takes a file apart into records of fields.
class Records {
 public:
  Records(const std::string& path, char separator)
      : path_(path), separator_(separator), text_(nn::read_whole_file(path, kOp)) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
  }

  /// False at the end. `place` is the line where the record begins.
  bool next(std::vector<std::string>& fields) {
    while (end_of_line()) {
    }
    fields.clear();
    line_ = here_;
    if (at_ == text_.size()) return false;
    do fields.push_back(field());
    while (take(separator_));
    if (at_ < text_.size() && !end_of_line()) Position{path_, here_}.fail("found more after a field's closing quote");
    return true;
  }
  Position place() const { return {path_, line_}; }

 private:
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool end_of_line() {
    if (text_.compare(at_, 2, "\r\n") == 0) ++at_;
    if (!take('\n')) return false;
    ++here_;
    return true;
  }

  std::string field() {
    if (take('"')) return quoted();
    std::string value;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == separator_ || c == '\n' || text_.compare(at_, 2, "\r\n") == 0) break;
      if (c == '\r')
        Position{path_, here_}.fail("found a carriage return without a line feed; lines end with LF or CRLF");
      if (c == '"') Position{path_, here_}.fail("found a quote within a field; quote all of it, and double the quote");
      value += c;
    }
    return value;
  }

  std::string quoted() {
    const Position begin{path_, here_};
    std::string value;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"' && !take('"')) return value;
      here_ += c == '\n';
      value += c;
    }
    begin.fail("a quote that begins here is not closed");
  }

  const std::string& path_;
  const char separator_;
  const std::string text_;
  size_t at_ = 0;
  int64_t here_ = 1, line_ = 1;
};

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

std::string shown(std::string_view field) {
  constexpr size_t kMost = 40;
  return fmt::format("'{}'{}", field.substr(0, kMost), field.size() > kMost ? "..." : "");
}

template <class T>
T number(std::string_view field, const CsvColumn& column, const char* what, const Position& place) {
  std::string_view s = trimmed(field);
  if (s.size() > 1 && s[0] == '+' && s[1] != '-') s.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error == std::errc::result_out_of_range)
    place.fail("column '{}': {} is out of range for {}", column.name, shown(field), what);
  if (error != std::errc() || end != s.data() + s.size())
    place.fail("column '{}': expected {}, found {}; text columns are declared in CsvOptions::types", column.name, what,
               shown(field));
  return value;
}

/// A column while it is read.
struct Column {
  CsvColumn column;
  std::vector<double> reals;
  std::vector<int64_t> integers;
  std::map<std::string, int64_t> words;
  bool words_known = false;

  void add(const std::string& field, const CsvOptions& options, const Position& place) {
    if (column.type == CsvType::text) return integers.push_back(word(field, place));
    if (column.type == CsvType::integer) return integers.push_back(number<int64_t>(field, column, "an integer", place));
    const bool none = options.empty_is_nan && trimmed(field).empty();
    reals.push_back(none ? std::numeric_limits<double>::quiet_NaN() : number<double>(field, column, "a number", place));
  }

  int64_t word(const std::string& field, const Position& place) {
    const auto found = words.find(field);
    if (found != words.end()) return found->second;
    if (words_known) place.fail("column '{}': {} is none of the words given for it", column.name, shown(field));
    return words.emplace(field, int64_t(words.size())).first->second;
  }

  CsvColumn finished() {
    if (column.type == CsvType::text && !words_known) {  // from the order of appearance to that of the alphabet
      std::vector<int64_t> rank(words.size());
      for (const auto& [word, first] : words) {
        rank[size_t(first)] = int64_t(column.words.size());
        column.words.push_back(word);
      }
      for (int64_t& i : integers) i = rank[size_t(i)];
    }
    column.values = column.type == CsvType::real ? from_vector(reals, {int64_t(reals.size())})
                                                 : from_vector(integers, {int64_t(integers.size())});
    return std::move(column);
  }
};

std::vector<Column> named_columns(const std::vector<std::string>& names, const CsvOptions& options,
                                  const Position& place) {
  std::vector<Column> columns(names.size());
  std::set<std::string> seen;
  for (size_t k = 0; k < names.size(); ++k) {
    CsvColumn& column = columns[k].column;
    column.name = names[k];
    if (!seen.insert(column.name).second) place.fail("two columns have the name '{}'", column.name);
    if (const auto type = options.types.find(column.name); type != options.types.end()) column.type = type->second;
    ordo::detail::expect_enumerator(kOp, column.type, CsvType::text, "a type: there are real, integer and text");
    const auto words = options.words.find(column.name);
    if (words == options.words.end()) continue;
    ORDO_CHECK(column.type == CsvType::text, ValueError, kOp, "words are given for column '{}', which is not text",
               column.name);
    columns[k].words_known = true;
    column.words = words->second;
    for (const std::string& word : column.words)
      ORDO_CHECK(columns[k].words.emplace(word, int64_t(columns[k].words.size())).second, ValueError, kOp,
                 "the word '{}' is given twice for column '{}'", word, column.name);
  }
  const auto expect_there = [&](const std::string& name) {
    ORDO_CHECK(seen.contains(name), ValueError, kOp, "the options name a column '{}', which {} does not have", name,
               place.path);
  };
  for (const auto& [name, type] : options.types) expect_there(name);
  for (const auto& [name, words] : options.words) expect_there(name);
  return columns;
}

}  // namespace

CsvTable read_csv(const std::string& path, const CsvOptions& options) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(options.separator != '"' && options.separator != '\n' && options.separator != '\r', ValueError, kOp,
             "the separator must be neither a quote nor a line end");
  Records records(path, options.separator);
  std::vector<std::string> fields;
  bool more = records.next(fields);
  if (!more) records.place().fail("the file ends here; expected {}", options.header ? "a header" : "a row");
  std::vector<std::string> names = fields;
  if (!options.header)
    for (size_t k = 0; k < names.size(); ++k) names[k] = std::to_string(k);
  std::vector<Column> columns = named_columns(names, options, records.place());
  if (options.header) more = records.next(fields);

  CsvTable table;
  for (; more; more = records.next(fields), ++table.rows) {
    const Position place = records.place();
    if (fields.size() != columns.size()) place.fail("expected {} fields, found {}", columns.size(), fields.size());
    for (size_t k = 0; k < fields.size(); ++k) columns[k].add(fields[k], options, place);
  }
  for (Column& column : columns) table.columns.push_back(column.finished());
  return table;
}

const CsvColumn& CsvTable::column(const std::string& name) const {
  std::string all;
  for (const CsvColumn& column : columns) {
    if (column.name == name) return column;
    all += (all.empty() ? "'" : ", '") + column.name + "'";
  }
  detail::fail<ValueError>("CsvTable", "there is no column '{}'; there are {}", name, all);
}

Tensor CsvTable::features(const std::vector<std::string>& names, DType dtype) const {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(!names.empty(), ValueError, "CsvTable", "features need at least one column");
  NoGrad guard;
  TensorList chosen;
  for (const std::string& name : names) chosen.push_back(column(name).values.to(dtype));
  return stack(chosen, 1);
}

}  // namespace ordo::data
