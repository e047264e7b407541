// CSV files: what they hold, and every way in which a line can be wrong.
#include <cmath>

#include "tests/support/folder_test_base.h"
#include "tests/support/op_samples.h"

namespace ordo::test::csv_test {
namespace {

using data::CsvType;
using Doubles = std::vector<double>;
using Integers = std::vector<int64_t>;

class CsvTest : public FolderTest {
 protected:
  data::CsvTable read(const std::string& text, const data::CsvOptions& options = {}) {
    write("t.csv", text);
    return data::read_csv(path("t.csv"), options);
  }
  void expect_error(const std::string& text, const data::CsvOptions& options, const std::string& line_and_reason) {
    EXPECT_ORDO_ERROR(read(text, options), DataError, "[read_csv] " + path("t.csv") + ": line " + line_and_reason);
  }
};

TEST_F(CsvTest, typed_columns) {
  const auto table = read("x,n,kind\n1.5,3,pear\n-2e-3, -4 ,apple\n+7,9223372036854775807,pear\n",
                          {.types = {{"n", CsvType::integer}, {"kind", CsvType::text}}});
  EXPECT_EQ(table.rows, 3);
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.column("x").values.to_vector<double>(), (Doubles{1.5, -2e-3, 7}));
  EXPECT_EQ(table.column("x").values.dtype(), float64);
  EXPECT_EQ(table.column("n").values.to_vector<int64_t>(), (Integers{3, -4, INT64_MAX}));
  EXPECT_EQ(table.column("n").values.dtype(), int64);
  EXPECT_EQ(table.column("kind").values.to_vector<int64_t>(), (Integers{1, 0, 1}));
  EXPECT_EQ(table.column("kind").words, (std::vector<std::string>{"apple", "pear"}));
  const Tensor features = table.features({"kind", "x"});
  EXPECT_EQ(features.sizes(), (Dims{3, 2}));
  EXPECT_EQ(features.to_vector<float>(), (std::vector<float>{1, 1.5f, 0, -2e-3f, 1, 7}));
  EXPECT_ORDO_ERROR(table.column("y"), ValueError, "no column 'y'; there are 'x', 'n', 'kind'");
  EXPECT_ORDO_ERROR(table.features({}), ValueError, "at least one column");
}

TEST_F(CsvTest, quotes_line_ends_and_separators) {
  const auto table = read("\xef\xbb\xbf\"a;1\";b\r\n\"x\"\"y;\r\nz\";1\r\n\r\n\"\";2",
                          {.separator = ';', .types = {{"a;1", CsvType::text}}});
  EXPECT_EQ(table.column("a;1").words, (std::vector<std::string>{"", "x\"y;\r\nz"}));
  EXPECT_EQ(table.column("a;1").values.to_vector<int64_t>(), (Integers{1, 0}));
  EXPECT_EQ(table.column("b").values.to_vector<double>(), (Doubles{1, 2}));
}

TEST_F(CsvTest, without_a_header) {
  const auto table = read("1,2\n3,4\n", {.header = false, .types = {{"1", CsvType::integer}}});
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(table.column("0").values.to_vector<double>(), (Doubles{1, 3}));
  EXPECT_EQ(table.column("1").values.to_vector<int64_t>(), (Integers{2, 4}));
  EXPECT_EQ(read("a,b\n").rows, 0);
  EXPECT_EQ(read("a,b\n").features({"a", "b"}).sizes(), (Dims{0, 2}));
}

TEST_F(CsvTest, empty_fields_and_known_words) {
  const auto table = read("a,b\n,1\n2,\n", {.empty_is_nan = true});
  EXPECT_TRUE(std::isnan(table.column("a").values.to_vector<double>()[0]));
  EXPECT_TRUE(std::isnan(table.column("b").values.to_vector<double>()[1]));
  const data::CsvOptions known{.types = {{"k", CsvType::text}}, .words = {{"k", {"z", "a"}}}};
  EXPECT_EQ(read("k\na\nz\n", known).column("k").values.to_vector<int64_t>(), (Integers{1, 0}));
  EXPECT_EQ(read("k\na\n", known).column("k").words, (std::vector<std::string>{"z", "a"}));
  expect_error("k\na\nq\n", known, "3: column 'k': 'q' is none of the words given for it");
}

TEST_F(CsvTest, errors_say_where_and_why) {
  expect_error("", {}, "1: the file ends here; expected a header");
  expect_error("\n\n", {.header = false}, "3: the file ends here; expected a row");
  expect_error("a,b\n1,2\n\n3\n", {}, "4: expected 2 fields, found 1");
  expect_error("a\n1,\n", {}, "2: expected 1 fields, found 2");
  expect_error("a,a\n", {}, "1: two columns have the name 'a'");
  expect_error("a\n\n1\nx\n", {}, "4: column 'a': expected a number, found 'x'");
  expect_error("a,b\n1,\n", {}, "2: column 'b': expected a number, found ''");
  expect_error("a\n1e999\n", {}, "2: column 'a': '1e999' is out of range");
  expect_error("a\n1.5\n", {.types = {{"a", CsvType::integer}}}, "2: column 'a': expected an integer, found '1.5'");
  expect_error("a\n9223372036854775808\n", {.types = {{"a", CsvType::integer}}},
               "2: column 'a': '9223372036854775808'");
  expect_error("a,b\n,1\n", {.types = {{"a", CsvType::integer}}, .empty_is_nan = true},
               "2: column 'a': expected an integer, found ''");
}

// Such a file would be one line, a header without rows.
TEST_F(CsvTest, a_carriage_return_alone_ends_no_line) {
  expect_error("a,b\r1,2\r3,4\r", {}, "1: found a carriage return without a line feed");
  expect_error("a\n1\n2\r\r\n", {}, "3: found a carriage return");
  expect_error("a\n1\n\r", {}, "3: found a carriage return");
  const data::CsvOptions text{.types = {{"a", CsvType::text}}};
  EXPECT_EQ(read("a\n\"x\ry\"\r\n", text).column("a").words, (std::vector<std::string>{"x\ry"}));
}

TEST_F(CsvTest, broken_quotes) {
  expect_error("a,b\n1,\"2\n3,4\n", {}, "2: a quote that begins here is not closed");
  expect_error("a\nx\"y\n", {}, "2: found a quote within a field");
  expect_error("a\n\"1\"2\n", {}, "2: found more after a field's closing quote");
  // Lines within quotes count.
  expect_error("a,b\n\"\n\n\",1\n", {.types = {{"b", CsvType::integer}}}, "2: column 'a'");
  expect_error("a\n\"1\n\"\nx\n", {.types = {{"a", CsvType::text}}, .words = {{"a", {"1\n"}}}}, "4: column 'a': 'x'");
}

TEST_F(CsvTest, wrong_options) {
  EXPECT_ORDO_ERROR(read("a\n1\n", {.types = {{"b", CsvType::text}}}), ValueError, "a column 'b'");
  EXPECT_ORDO_ERROR(read("a\n1\n", {.words = {{"a", {"x"}}}}), ValueError, "which is not text");
  EXPECT_ORDO_ERROR(read("a\n1\n", {.types = {{"a", CsvType::text}}, .words = {{"a", {"x", "x"}}}}), ValueError,
                    "twice");
  EXPECT_ORDO_ERROR(read("a\n1\n", {.separator = '"'}), ValueError, "separator");
  EXPECT_ORDO_ERROR(read("a\n1\n", {.types = {{"a", CsvType(99)}}}), ValueError, "[read_csv] number 99 is not a type");
}

}  // namespace
}  // namespace ordo::test::csv_test
