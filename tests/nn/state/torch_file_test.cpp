// Files of PyTorch: what it saved is read, to the byte, and what is no state dict is refused without running anything.
#include "tests/support/data_files.h"
#include "tests/support/names_of.h"
#include "tests/support/zip_of.h"

namespace ordo::test::torch_file_test {
namespace {

using namespace std::string_literals;  // of bytes that are 0, too

/// Written by make_torch_files.py, as PyTorch 2.15 does.
std::string file_of(const std::string& name) { return std::string(ORDO_SOURCE_DIR) + "/tests/nn/state/data/" + name; }

class TorchFile : public FolderTest {
 protected:
  /// Skips the test when Ordo was configured without libzip, having checked what the error says.
  bool can_read() {
    return is_installed("libzip-dev", [] { EXPECT_FALSE(load_torch(file_of("state.pt")).empty()); });
  }
  /// A file of this pickle, whose storage "0" has four floats.
  std::string pickled(const std::string& pickle) {
    std::filesystem::remove(path("a.pt"));
    return write("a.pt", zip_of({{"a/data.pkl", pickle}, {"a/data/0", std::string(16, '\0')}}));
  }
  void expect_pickles_refused(const std::vector<std::pair<std::string, const char*>>& cases) {
    expect_refused(
        "load_torch", cases, [this](const std::string& pickle) { return pickled(pickle); }, load_torch);
  }
};

std::string text(const std::string& t) { return "X" + little(t.size(), 4) + t; }
std::string reference(const std::string& storage, const std::string& key, const std::string& count) {
  return "(" + text("storage") + "ctorch\n" + storage + "\n" + text(key) + text("cpu") + count + "tQ";
}
const std::string kFour = reference("FloatStorage", "0", "K\x04");
/// A tensor of `storage` with these further arguments.
std::string tensor(const std::string& arguments, const std::string& storage = kFour) {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + arguments + "\x89N" + "tR";
}
std::string alone(const std::string& value) { return "\x80\x02" + value + "."; }

TEST_F(TorchFile, holds_what_was_saved) {
  if (!can_read()) GTEST_SKIP();
  for (const std::string name : {"state", "dtypes", "views", "run", "protocol4"}) {
    SCOPED_TRACE(name);
    expect_same_tensors(load_torch(file_of(name + ".pt")), load_safetensors(file_of(name + ".safetensors")).tensors);
  }
  EXPECT_EQ(load_torch(file_of("state.pt"))[0].name, "first.weight");
}

TEST_F(TorchFile, a_tensor_alone_has_no_name) {
  if (!can_read()) GTEST_SKIP();
  const auto one = load_torch(pickled(alone(tensor("K\x01K\x03\x85K\x01\x85"))));
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].name, "");
  EXPECT_EQ(one[0].tensor.sizes(), Dims{3});
}

TEST_F(TorchFile, nothing_is_executed) {
  if (!can_read()) GTEST_SKIP();
  const std::string command = text("touch " + path("executed"));
  const std::vector<std::pair<std::string, const char*>> cases = {
      {alone("cos\nsystem\n" + command + "\x85R"), "byte 2: the name 'os system' is refused: no state dict needs it"},
      {alone("cbuiltins\neval\n" + command + "\x85R"), "the name 'builtins eval' is refused"},
      {alone("ctorch\nload\n" + command + "\x85R"), "the name 'torch load' is refused"},
      {alone(text("os") + text("system") + "\x93" + command + "\x85R"), "the name 'os system' is refused"},
      {alone("(" + command + "ios\nsystem\n"), "the instruction INST is refused"},
      {alone("ccollections\nOrderedDict\n)\x81"), "the instruction NEWOBJ is refused"},
      {alone("ccollections\nOrderedDict\n" + command + "\x85R"), "a call of 'collections OrderedDict' with other"},
      {alone(command + ")R"), "a call of what is no name"},
      {alone("\x82\x01"), "the instruction EXT1 is refused"},
      {alone("cos\x1b[31m\nsystem\n"), "the name 'os\\x1b[31m system' is refused"},
      {alone("]}b"), "it fills what is no dict"},
  };
  expect_pickles_refused(cases);
  const std::string file = pickled(cases[0].first);
  EXPECT_ORDO_ERROR(load_torch(file), DataError, "[load_torch] " + file + ": member 'a/data.pkl': byte 2: ");
  EXPECT_FALSE(std::filesystem::exists(path("executed")));
}

TEST_F(TorchFile, broken_pickles) {
  if (!can_read()) GTEST_SKIP();
  const std::string many = "\x8a\x08" + little(uint64_t(1) << 62, 8);
  const std::vector<std::pair<std::string, const char*>> cases = {
      {"", "it ends within an instruction of 1 more bytes"},
      {"\x80\x02", "it ends within an instruction"},
      {"\x80\x09N.", "protocol 9; there are 2 to 5"},
      {alone(""), "a value is missing"},
      {alone("NN"), "it ends with more than one value"},
      {alone("N") + "N", "it ends before its last byte"},
      {alone("\x99"), "0x99 is no instruction of pickles"},
      {alone("t"), "a mark is missing"},
      {alone("(N"), "it ends with more than one value"},
      {alone("}(Nu"), "a key without a value"},
      {alone("Na"), "it fills what is no list"},
      {alone("h\x05"), "it recalls value 5, which it has not stored"},
      {alone("X" + little(1u << 31, 4)), "it ends within an instruction of 2147483648 more bytes"},
      {alone("ctorch"), "a name that does not end"},
      {alone("\x8a\x09"), "an integer of 9 bytes"},
      {alone("}(N" + tensor("K\x00K\x01\x85K\x01\x85"s) + "u"), "tensors under a key that is neither text nor integer"},
      {alone("]q\x00h\x00"s + "a"), "a container of tensors that is there twice, or too deep"},
      {alone("(]q\x01" + tensor("K\x00K\x01\x85K\x01\x85"s) + "ah\x01t"), "a container of tensors that is there twice"},
      {alone("(" + tensor("K\x00(K\x00"s + many + many + "t(K\x01K\x01K\x01t") + "t"),
       "a tensor with more elements than"},
      {alone("}(X" + little(5000, 4) + std::string(5000, 'x') + tensor("K\x00K\x01\x85K\x01\x85"s) + "u"),
       "a name of 5000 bytes"},
      {alone("(" + std::string(200000, ']') + "t"), "more values than a state dict of its size"},
      {alone("ctorch._utils\n_rebuild_tensor_v2\n(" + kFour + "tR"),
       "a call of 'torch._utils _rebuild_tensor_v2' with other"},
      {alone(tensor("K\x00(K\x05tK\x01\x85"s)), "a tensor with more elements than its storage"},
      {alone(tensor("K\x02K\x03\x85K\x01\x85")), "a tensor that reaches beyond its storage"},
      {alone(tensor("K\x00K\x02\x85"s + many + "\x85")), "a tensor that reaches beyond its storage"},
      {alone(tensor("K\x00"s + many + "\x85K\x00\x85"s)), "a tensor with more elements than its storage"},
      {alone(tensor("K\x05K\x00\x85K\x01\x85"s)), "a tensor that begins outside its storage"},
      {alone(tensor("J\xff\xff\xff\xffK\x01\x85K\x01\x85")), "a tensor that begins outside its storage"},
      {alone(tensor("K\x00J\xff\xff\xff\xff\x85K\x01\x85"s)), "a size or stride that is no integer, or negative"},
      {alone(tensor("K\x00K\x01\x85)"s)), "a tensor with more sizes than strides, or fewer"},
      {alone(tensor("K\x00(K\x01K\x01K\x01K\x01K\x01K\x01K\x01K\x01K\x01t)"s)), "no tuple of at most 8 integers"},
      {alone(reference("FloatStorage", "1", "K\x04")), "storage '1' is not in the archive"},
      {alone(reference("CharStorage", "0", "K\x10")), "'torch CharStorage': Ordo has no such dtype"},
      {alone("(" + kFour + reference("IntStorage", "0", "K\x04") + "t"), "storage '0' is of two dtypes or sizes"},
      {alone("K\x01Q"), "a reference that is not to a storage"},
  };
  expect_pickles_refused(cases);
  EXPECT_ORDO_ERROR(load_torch(pickled(alone(reference("FloatStorage", "0", "K\x05")))), DataError,
                    "member 'a/data/0': its sizes and dtype need 20 bytes, but it has 16");
  const std::string deep(60000, ']'), appended(60000, 'a');
  EXPECT_ORDO_ERROR(load_torch(pickled(alone(deep + tensor("K\x00K\x01\x85K\x01\x85"s) + appended))), DataError,
                    "too deep in others");
  EXPECT_LT(memory_stats().peak_allocated_bytes, size_t(1) << 20);
}

TEST_F(TorchFile, broken_archives) {
  if (!can_read()) GTEST_SKIP();
  EXPECT_ORDO_ERROR(load_torch(path("absent")), DataError, "no such file");
  EXPECT_ORDO_ERROR(load_torch(write("old", alone("N"))), DataError, "no zip file, or a broken one");
  EXPECT_ORDO_ERROR(load_torch(write("npz", zip_of({{"x.npy", "1"}}))), DataError, "it has no member data.pkl");
  EXPECT_ORDO_ERROR(load_torch(write("script", zip_of({{"a/data.pkl", "N."}, {"a/constants.pkl", "N."}}))), DataError,
                    "a program of torch.jit.save()");
  EXPECT_ORDO_ERROR(load_torch(write("big", zip_of({{"a/data.pkl", "N."}, {"a/byteorder", "big"}}))), DataError,
                    "its numbers are big-endian");
  EXPECT_ORDO_ERROR(load_torch(file_of("packed.pt")), DataError, "member 'a/data.pkl': it is packed");
  const std::string whole = read(file_of("views.pt"));
  for (size_t length = 0; length < whole.size(); length += 7)
    EXPECT_THROW(load_torch(write("cut", whole.substr(0, length))), DataError) << length;
}

}  // namespace
}  // namespace ordo::test::torch_file_test
