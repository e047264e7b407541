// CSV files as columns of numbers and words.
//
//   const data::CsvTable table = data::read_csv("iris.csv", {.types = {{"species", data::CsvType::text}}});
//   const data::TensorDataset set({table.features({"sepal length", "sepal width"}), table.column("species").values});
#pragma once

#include <map>
#include <string>
#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::data {

enum class CsvType : unsigned char {
  real,     ///< float64
  integer,  ///< int64
  text      ///< int64: which of the column's words
};

/// A column of a table.
struct CsvColumn {
  std::string name;  ///< of the header, else "0", "1", ...
  CsvType type = CsvType::real;
  Tensor values;                   ///< [rows]
  std::vector<std::string> words;  ///< of text: all that occur, sorted by bytes, or those that were given
};

struct CsvOptions {
  char separator = ',';
  bool header = true;                         ///< the first line names the columns
  std::map<std::string, CsvType> types = {};  ///< by column; the others are real
  /// Words of text columns that are known before, say from the training file; another one is an error then.
  std::map<std::string, std::vector<std::string>> words = {};
  bool empty_is_nan = false;  ///< else an empty field of a real column is an error, as it is in integer columns
};

struct CsvTable {
  std::vector<CsvColumn> columns;
  int64_t rows = 0;

  /// The column of this name.
  ///
  /// Throws: ValueError naming those there are when there is none.
  const CsvColumn& column(const std::string& name) const;
  /// The columns side by side, converted.
  ///
  /// Shapes: [rows, names].
  /// Throws: ValueError when there is no name, or no column of one.
  Tensor features(const std::vector<std::string>& names, DType dtype = float32) const;
};

/// Reads a table. Fields are separated by commas, or by another character, and lines end with LF or CRLF. A field in
/// quotes may contain separators, line ends and, doubled, quotes. Lines without anything are skipped, and so is a byte
/// order mark.
///
/// Throws: DataError with the file's name, the line and the reason when the file is broken, a CR without LF outside of
/// quotes included; ValueError when the options name a column that is not there, or the separator is a quote or a line
/// end.
CsvTable read_csv(const std::string& path, const CsvOptions& options = {});

}  // namespace ordo::data
