// NumPy's files: what is written is read, and every broken header is refused.
#include "tests/support/data_files.h"
#include "tests/support/zip_of.h"

namespace ordo::test::npy_test {
namespace {

using NpyTest = FolderTest;

std::string npy(const std::string& header, const std::string& data, char major = 1) {
  return "\x93NUMPY" + std::string{major, 0} + little(header.size(), major == 1 ? 2 : 4) + header + data;
}

TEST_F(NpyTest, every_dtype_shape_and_layout) {
  for (Device device : test_devices())
    for (DType dtype : {boolean, uint8, int32, int64, float16, float32, float64})
      for (const Dims& sizes : {Dims{}, Dims{0}, Dims{3}, Dims{2, 0, 3}, Dims{2, 3, 4}}) {
        const Tensor t = test_indices(sizes, 2, 1).to(device, dtype);
        save_npy(path("a"), sizes.size() > 1 ? t.transpose(0, 1) : t);
        const Tensor loaded = load_npy(path("a"));
        const Tensor back = sizes.size() > 1 ? loaded.transpose(0, 1) : loaded;
        EXPECT_EQ(back.dtype(), dtype);
        EXPECT_EQ(back.sizes(), sizes);
        EXPECT_EQ(bytes_of(back.contiguous()), bytes_of(t));
        EXPECT_EQ(read(path("a")).size() % 64, loaded.nbytes() % 64) << "elements are aligned";
      }
  EXPECT_ORDO_ERROR(save_npy(path("a"), ones({2}, {.dtype = bfloat16})), DTypeError, "NumPy has no bfloat16");
  EXPECT_ORDO_ERROR(save_npy(path("a"), Tensor()), ValueError, "save_npy");
}

TEST_F(NpyTest, other_versions_orders_and_spellings) {
  const std::string data("\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5\0\0\0\6\0\0\0", 24);
  for (char version : {1, 2, 3}) {
    const Tensor c =
        load_npy(write("c", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n", data, version)));
    EXPECT_EQ(c.to_vector<int32_t>(), (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(c.sizes(), (Dims{2, 3}));
  }
  const Tensor f = load_npy(write("f", npy("{ \"shape\":(2,3),'fortran_order':True ,\t'descr':'<i4'}", data)));
  EXPECT_EQ(f.sizes(), (Dims{2, 3}));
  EXPECT_EQ(f.to_vector<int32_t>(), (std::vector<int32_t>{1, 3, 5, 2, 4, 6}));
  EXPECT_TRUE(f.is_contiguous());
}

TEST_F(NpyTest, broken_files) {
  const auto header = [](const char* descr, const char* shape) {
    return std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  };
  const std::pair<std::string, const char*> cases[] = {
      {"", "byte 0: the file ends here"},
      {"PK\3\4....", "byte 0: expected a .npy file"},
      {npy("", "", 4), "byte 6: expected version 1.0, 2.0 or 3.0, found 4.0"},
      {npy("", ""), "byte 10: the header must have '{' here"},
      {npy(header("<i4", "(1,)"), "xxxx").substr(0, 40), "but 30 bytes follow"},
      {npy(header("<i4", "(1,)"), "xxx"), "its sizes and dtype need 4 bytes, but it has 3"},
      {npy(header("<i4", "(1,)"), "xxxxx"), "its sizes and dtype need 4 bytes, but it has 5"},
      {npy(header("<i4", "(1)"), "xxxx"), "a tuple of one size needs a comma"},
      {npy(header("<i4", "(1 1)"), "xxxx"), "the header must have ',' or ')' here"},
      {npy(header("<i4", "(-1,)"), "xxxx"), "the header must have a size here"},
      {npy(header("<i4", "(1,,)"), "xxxx"), "the header must have a size here"},
      {npy(header("<i4", "1"), "xxxx"), "the header must have '(' here"},
      {npy(header("<i4", "(99999999999999999999,)"), "xxxx"), "a size is too large"},
      {npy(header("<i4", "(4611686018427387904, 4)"), "xxxx"), "its sizes are too large"},
      {npy(header("<i4", "(0, 9223372036854775807, 2)"), ""), "its sizes are too large"},
      {npy(header("<i4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), "xxxx"), "9 dimensions"},
      {npy(header(">i4", "(1,)"), "xxxx"), "Ordo has no dtype '>i4'"},
      {npy(header("|O", "(1,)"), "xxxx"), "Ordo has no dtype '|O'"},
      {npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}", "xxxx"), "a text in quotes here"},
      {npy("{'descr': '<i4', 'descr': '<i4'}", ""), "an unknown or repeated key 'descr'"},
      {npy("{'order': '<i4'}", ""), "an unknown or repeated key 'order'"},
      {npy("{'descr': '<i4'}", ""), "the header needs 'descr', 'fortran_order' and 'shape'"},
      {npy("{'descr': '<i4' 'shape': ()}", ""), "the header must have '}' here"},
      {npy("{'fortran_order': Maybe}", ""), "True or False"},
      {npy("{'descr': '<i4", ""), "a text in quotes here"},
      {npy(header("<i4", "(1,)") + "{}", "xxxx"), "more than one dict"},
      {npy(header("|b1", "(2,)"), "\1\2"), "a bool is neither 0 nor 1"},
  };
  expect_refused(
      "load_npy", cases, [&](const std::string& bytes) { return write("broken", bytes); }, load_npy);
}

}  // namespace
}  // namespace ordo::test::npy_test
