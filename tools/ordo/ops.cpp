// ordo ops: the operation registry as a table, Markdown or JSON.
#include <fmt/format.h>
#include <ordo/ordo.h>

#include <algorithm>

#include "tools/ordo/cli.h"
#include "tools/ordo/json.h"
#include "tools/ordo/say.h"

namespace {

using namespace ordo;

std::vector<DType> dtypes_of(const OpInfo& op) {
  std::vector<DType> list;
  for (int i = 0; i < kDTypeCount; ++i)
    if (op.dtypes.has(DType(i))) list.push_back(DType(i));
  return list;
}

// The usual sets by name, others spelt out.
std::string dtypes_text(const OpInfo& op) {
  const std::pair<DTypeSet, const char*> sets[] = {
      {kFloatingTypes, "floating"}, {kIntegerTypes, "integer"}, {kNumericTypes, "numeric"}, {kAllTypes, "all"}};
  for (const auto& [set, text] : sets)
    if (set.bits == op.dtypes.bits) return text;
  std::string text;
  for (DType t : dtypes_of(op)) text += (text.empty() ? "" : " ") + std::string(name(t));
  return text;
}

std::string algorithms_text(const OpInfo& op) {
  std::string text;
  for (const AlgorithmLevel& a : op.algorithms) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name(a.algorithm), name(a.level));
    std::string others;
    for (DType t : dtypes_of(op))
      if (!a.dtypes.has(t)) others += fmt::format("{}{}", others.empty() ? "" : " ", name(t));
    if (!others.empty()) text += fmt::format(" (not {})", others);
  }
  return text;
}

std::vector<Determinism> levels_of(const OpInfo& op) {
  Determinism strongest = Determinism::not_guaranteed;
  for (const AlgorithmLevel& a : op.algorithms) strongest = std::max(strongest, a.level);
  std::vector<Determinism> list;
  for (int i = 0; i <= int(strongest); ++i) list.push_back(Determinism(i));
  return list;
}

std::string rows_text(const OpInfo& op) {
  if (!op.no_rows.empty()) return fmt::format("none: {}", op.no_rows);
  return op.row_level() == Determinism::not_guaranteed ? "every level" : std::string(name(op.row_level()));
}

using Row = std::vector<std::string>;
std::vector<Row> rows() {
  std::vector<Row> table{{"operation", "family", "devices", "dtypes", "gradient", "algorithms and what they guarantee",
                          "rows alone", "note"}};
  for (const OpInfo& op : ops())
    table.push_back({std::string(op.name), std::string(op.family), op.cuda ? "cpu cuda" : "cpu", dtypes_text(op),
                     op.differentiable ? "yes" : "no", algorithms_text(op), rows_text(op), std::string(op.note)});
  return table;
}

/// The level that every operation can meet.
Determinism common_level() {
  Determinism common = Determinism::device_to_device;
  for (const OpInfo& op : ops()) common = std::min(common, levels_of(op).back());
  return common;
}

void print_table() {
  const auto table = rows();
  std::vector<size_t> width(table[0].size());
  for (const Row& row : table)
    for (size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  for (const Row& row : table) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], width[i]);
    say("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
  say("\n{} operations, all of which have an algorithm for {}\n", table.size() - 1, name(common_level()));
}

void print_markdown() {
  say("# Operations\n\nWritten by `ordo ops --markdown` (`./run docs`) from the registry; not edited by hand.\n"
      "Every operation has an algorithm for {}. `direct` means that every output has one writer and a\n"
      "fixed order. *Rows alone*: the weakest level at which the bits of a row do not depend on the rows beside it\n"
      "(docs/rows.md), or why there are no rows.\n\n",
      name(common_level()));
  const auto table = rows();
  for (size_t r = 0; r < table.size(); ++r) {
    say("| {} |\n", fmt::join(table[r], " | "));
    if (r == 0)
      say("|{}\n", [&] {
        std::string s;
        for (size_t i = 0; i < table[0].size(); ++i) s += "---|";
        return s;
      }());
  }
}

void print_json() {
  const auto names = [](const auto& list) { return json_list(list, [](auto value) { return name(value); }); };
  const auto algorithms = [&](const OpInfo& op) {
    return json_list(op.algorithms, [&](const AlgorithmLevel& a) -> Json {
      std::vector<DType> dtypes = dtypes_of(op);
      std::erase_if(dtypes, [&](DType t) { return !a.dtypes.has(t); });
      return {{"name", name(a.algorithm)}, {"level", name(a.level)}, {"dtypes", names(dtypes)}};
    });
  };
  const Json list = json_list(ops(), [&](const OpInfo& op) -> Json {
    return {{"name", op.name},
            {"family", op.family},
            {"devices", op.cuda ? std::vector{"cpu", "cuda"} : std::vector{"cpu"}},
            {"dtypes", names(dtypes_of(op))},
            {"differentiable", op.differentiable},
            {"algorithms", algorithms(op)},
            {"levels", names(levels_of(op))},
            {"row_level", op.no_rows.empty() ? name(op.row_level()) : std::string_view()},
            {"no_rows", op.no_rows},
            {"note", op.note}};
  });
  say_lines(list.lines());
}

std::function<void()> add_ops(Arguments arguments) {
  static bool json = false, markdown = false;
  const Option as_json = arguments.add("--json", json, "as JSON");
  arguments.add("--markdown", markdown, "as a Markdown table").excludes(as_json);
  return [] { json ? print_json() : markdown ? print_markdown() : print_table(); };
}

}  // namespace

const Command kOps{"ops", "List every operation: dtypes, devices, algorithms, levels it meets", add_ops};
