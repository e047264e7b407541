// SHA-256: the test vectors of FIPS 180-4 and tensors of every kind.
#include "tests/support/op_samples.h"

namespace ordo::test::checksum_test {
namespace {

TEST(Sha256, standard_vectors) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, lengths_around_a_block) {
  // From Python's hashlib.
  EXPECT_EQ(sha256_hex(std::string(55, 'x')).substr(0, 16), "d5e285683cd4efc0");
  EXPECT_EQ(sha256_hex(std::string(56, 'x')).substr(0, 16), "04c26261370ee754");
  EXPECT_EQ(sha256_hex(std::string(63, 'x')).substr(0, 16), "75220b47218278e6");
  EXPECT_EQ(sha256_hex(std::string(64, 'x')).substr(0, 16), "7ce100971f64e700");
  EXPECT_EQ(sha256_hex(std::string(65, 'x')).substr(0, 16), "9537c5fdf120482f");
}

TEST(Sha256, tensors) {
  const Tensor abc = from_vector<uint8_t>({'a', 'b', 'c'}, {3});
  EXPECT_EQ(sha256_hex(TensorList{abc}), sha256_hex("abc"));
  EXPECT_EQ(sha256_hex(TensorList{abc.narrow(0, 0, 1), abc.narrow(0, 1, 2)}), sha256_hex("abc"));
  EXPECT_EQ(sha256_hex(TensorList{}), sha256_hex(""));
  EXPECT_EQ(sha256_hex(TensorList{zeros({0, 4})}), sha256_hex(""));
  const Tensor m = from_vector<uint8_t>({'a', 'c', 'b', 'd'}, {2, 2});
  for (Device device : test_devices()) EXPECT_EQ(sha256_hex(TensorList{m.to(device).t()}), sha256_hex("abcd"));
  // One changed bit changes the hash; -0 is not 0.
  EXPECT_NE(sha256_hex(TensorList{tensor({0.0f})}), sha256_hex(TensorList{tensor({-0.0f})}));
}

}  // namespace
}  // namespace ordo::test::checksum_test
