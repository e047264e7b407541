// safetensors: what is written is read, byte for byte the same each time, and every rule of the format is checked.
#include <filesystem>

#include "tests/support/data_files.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/names_of.h"
#include "tests/support/zip_of.h"

namespace ordo::test::safetensors_test {
namespace {

namespace fs = std::filesystem;
using SafetensorsTest = FolderTest;

std::string file_of(const std::string& header, const std::string& data, uint64_t length = UINT64_MAX) {
  return little(length == UINT64_MAX ? header.size() : length, 8) + header + data;
}

TEST_F(SafetensorsTest, every_dtype_shape_and_layout) {
  for (Device device : test_devices()) {
    nn::NamedTensorList all;
    for (DType dtype : {boolean, uint8, int32, int64, float16, bfloat16, float32, float64})
      for (const Dims& sizes : {Dims{}, Dims{0}, Dims{3}, Dims{2, 0, 3}, Dims{2, 3, 4}})
        all.push_back({std::string(name(dtype)) + sizes.str(), test_indices(sizes, 2, 1).to(device, dtype)});
    all.push_back({"strided \"\n\u00e9", test_values({3, 4}).to(device, float32).t()});
    save_safetensors(path("a"), all, {{"b", "2"}, {"a", "1\t"}});
    const Safetensors loaded = load_safetensors(path("a"));
    EXPECT_EQ(loaded.metadata, (std::map<std::string, std::string>{{"a", "1\t"}, {"b", "2"}}));
    expect_same_tensors(loaded.tensors, all);
    std::reverse(all.begin(), all.end());
    save_safetensors(path("b"), all, {{"a", "1\t"}, {"b", "2"}});
    EXPECT_EQ(read(path("a")), read(path("b"))) << "equal states are equal files";
  }
  save_safetensors(path("none"), {});
  EXPECT_EQ(read(path("none")), file_of("{}      ", ""));
  EXPECT_TRUE(load_safetensors(path("none")).tensors.empty());
}

TEST_F(SafetensorsTest, the_file_is_what_the_format_says) {
  save_safetensors(path("a"), {{"w", from_vector<int32_t>({1, 2}, {2})}, {"b", from_vector<uint8_t>({7}, {1})}});
  std::string header =
      R"({"w":{"dtype":"I32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[1],"data_offsets":[8,9]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  EXPECT_EQ(read(path("a")), file_of(header, std::string("\1\0\0\0\2\0\0\0\7", 9)));
}

TEST_F(SafetensorsTest, broken_files) {
  const std::string one = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", four(4, 'x');
  const auto header = [](const std::string& entry) { return R"({"a":)" + entry + "}"; };
  const std::pair<std::string, const char*> cases[] = {
      {"", "byte 0: the file ends here; expected 8 more of the 8 bytes of the header's length"},
      {std::string(7, '\0'), "byte 7: the file ends here; expected 1 more"},
      {file_of("", ""), "byte 8: the header must begin with '{'"},
      {file_of(one, four, 1000), "byte 0: the header's length is 1000, but 58 bytes follow"},
      {file_of(one, four, uint64_t(1) << 63), "byte 0: the header's length is 9223372036854775808; the format allows"},
      {std::string("PK\3\4\0\0\0\0\0\0", 10), "byte 0: this is a zip archive, as torch.save() writes"},
      {file_of(" " + one, four), "byte 8: the header must begin with '{'"},
      {file_of("[1]", ""), "byte 8: the header must begin with '{'"},
      {file_of(R"({"a":)", ""), "byte 13: the header is no valid JSON here"},
      {file_of(one + "{", four), "byte 62: the header is no valid JSON here"},
      {file_of(one + std::string(8, '\0'), four), "byte 62: the header is no valid JSON here"},
      {file_of("{\"\xff\":1}", ""), "the header is no valid JSON here"},
      {file_of(R"({"a":1})", ""), "entry 'a' of the header: a number where none can be"},
      {file_of(R"({"a":null})", ""), "entry 'a' of the header: null"},
      {file_of(R"({"a":true})", ""), "entry 'a' of the header: true or false"},
      {file_of(R"({"a":"F32"})", ""), "entry 'a' of the header: a text where none can be"},
      {file_of(R"({"a":[0]})", ""), "entry 'a' of the header: a list where none can be"},
      {file_of(header("{}"), ""), "entry 'a' of the header: it needs dtype, shape and data_offsets"},
      {file_of(header(R"({"dtype":"F32","shape":[1]})"), four), "it needs dtype, shape and data_offsets"},
      {file_of(header(R"({"dtype":"F32","dtype":"F32"})"), four), "entry 'a' of the header: 'dtype' is there twice"},
      {file_of(header(R"({"device":"cpu"})"), four), "entry 'a' of the header: an unknown part 'device'"},
      {file_of(header(R"({"dtype":{"a":1}})"), four), "an object where none can be"},
      {file_of(header(R"({"shape":[[1]]})"), four), "a list where none can be"},
      {file_of(header(R"({"shape":[{}]})"), four), "an object where none can be"},
      {file_of(header(R"({"shape":["1"]})"), four), "a text where none can be"},
      {file_of(header(R"({"shape":[-1]})"), four), "a negative number"},
      {file_of(header(R"({"shape":[1.5]})"), four), "1.5 is not a whole number"},
      {file_of(header(R"({"shape":[1e3]})"), four), "1e3 is not a whole number"},
      {file_of(header(R"({"shape":[99999999999999999999]})"), four), "99999999999999999999 is not a whole number"},
      {file_of(R"({"__metadata__":{"a":1}})", ""), "entry '__metadata__' of the header: a number where none can be"},
      {file_of(R"({"__metadata__":{"a":"1","a":"2"}})", ""), "'a' is there twice"},
      {file_of(R"({"__metadata__":{},"__metadata__":{}})", ""),
       "entry '__metadata__' of the header: it is there twice"},
      {file_of(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":)", ""),
       "entry 'a' of the header: it is there twice"},
      {file_of(header(R"({"dtype":"F8_E5M2","shape":[4],"data_offsets":[0,4]})"), four), "Ordo has no dtype 'F8_E5M2'"},
      {file_of(header(R"({"dtype":"F32","shape":[1],"data_offsets":[0]})"), four), "data_offsets must be [begin, end]"},
      {file_of(header(R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})"), four),
       "data_offsets must be [begin, end]"},
      {file_of(header(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})"), four),
       "its sizes and dtype need 8 bytes, but it has 4"},
      {file_of(header(R"({"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]})"), ""),
       "its sizes are too large"},
      {file_of(header(R"({"dtype":"F32","shape":[0,9223372036854775807,2],"data_offsets":[0,0]})"), ""),
       "its sizes are too large"},
      {file_of(header(R"({"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]})"), "x"), "9 dimensions"},
      {file_of(header(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})"), four + four),
       "its data begin at 4, but those before end at 0"},
      {file_of(
           R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
           "xyz"),
       "entry 'b' of the header: its data begin at 1, but those before end at 2"},
      {file_of(one, four + "x"), "byte 62: the header promises 4 bytes, but 5 follow"},
      {file_of(one, "xyz"), "byte 62: the header promises 4 bytes, but 3 follow"},
      {file_of(header(R"({"dtype":"F64","shape":[1000000000000],"data_offsets":[0,8000000000000]})"), four),
       "the header promises 8000000000000 bytes, but 4 follow"},
      {file_of(header(R"({"dtype":"BOOL","shape":[2],"data_offsets":[0,2]})"), "\1\2"),
       "byte 64: 'a' is BOOL, but this byte is neither 0 nor 1"},
  };
  const auto written = [&](const std::string& bytes) { return write("broken", bytes); };
  expect_refused("load_safetensors", cases, written, load_safetensors);
  EXPECT_EQ(load_safetensors(write("good", file_of(one, four))).tensors.size(), 1u);
  EXPECT_EQ(load_safetensors(write("padded", file_of(one + "    ", four))).tensors.size(), 1u);
  // Entries may lie in any order, and what is empty anywhere between.
  const auto turned = load_safetensors(write(
      "turned",
      file_of(
          R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},"none":{"dtype":"F32","shape":[0],"data_offsets":[1,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
          "\3\4")));
  EXPECT_EQ(turned.tensors[0].tensor.item<int>(), 3);
  EXPECT_EQ(turned.tensors[2].name, "b");
}

TEST_F(SafetensorsTest, what_cannot_be_saved) {
  EXPECT_ORDO_ERROR(save_safetensors(path("a"), {{"x", ones({1})}, {"x", ones({1})}}), ValueError,
                    "'x' is given twice");
  EXPECT_ORDO_ERROR(save_safetensors(path("a"), {{"__metadata__", ones({1})}}), ValueError, "__metadata__");
  EXPECT_ORDO_ERROR(save_safetensors(path("a"), {{"\xff", ones({1})}}), ValueError, "UTF-8");
  EXPECT_ORDO_ERROR(save_safetensors(path("a"), {{"x", Tensor()}}), ValueError, "x");
  EXPECT_TRUE(fs::is_empty(folder()));
  EXPECT_ORDO_ERROR(save_safetensors(path("absent/a"), {}), DataError, "absent/a: cannot be opened: No such file");
  EXPECT_ORDO_ERROR(save_safetensors(folder(), {}), DataError, "cannot be opened: Is a directory");
  EXPECT_FALSE(fs::exists(folder() + ".part"));
}

TEST_F(SafetensorsTest, a_full_disk_leaves_the_earlier_file) {
  save_safetensors(path("a"), {{"x", ones({10})}});
  const std::string before = read(path("a"));
  EXPECT_ORDO_ERROR(save_safetensors("/dev/full/a", {}), DataError, "/dev/full/a: cannot be opened: Not a directory");
  // Files may have so many bytes: what the system says then reaches us as from a full disk.
  {
    const FileSizeLimit full(4096);
    EXPECT_ORDO_ERROR(save_safetensors(path("a"), {{"x", ones({5000})}}), DataError,
                      path("a") + ": cannot be written: File too large");
  }
  EXPECT_EQ(read(path("a")), before);
  EXPECT_FALSE(fs::exists(path("a") + ".part"));
}

}  // namespace
}  // namespace ordo::test::safetensors_test
