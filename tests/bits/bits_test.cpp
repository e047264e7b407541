// Every operation has the bits that tests/bits/bits.txt says: on every device, at both deterministic levels, with every
// instruction set that the processor has.
#include "tests/bits/bits.h"

#include <ordo/engine/run/emulation.h>
#include <ordo/kernels/vectors/vector_targets.h>
#include "tests/support/folder_test_base.h"
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::bits_test {
namespace {

class RegistryBits : public RegistryTest {
 protected:
  void expect_bits(Device device, Determinism level, const std::string& where) {
    const Cases cases = checked_build() || device.is_cuda() ? Cases::few : Cases::all;
    const auto found = differences(bits_of(*op_, device, level, cases), bits_written(*op_), cases);
    EXPECT_EQ(found, std::vector<std::string>()) << where << " at " << name(level);
  }
  void TearDown() override {
    kernels::cpu::use_vector_target("");
    RegistryTest::TearDown();
  }
};
INSTANTIATE_TEST_SUITE_P(Ops, RegistryBits, testing::ValuesIn(op_names()), [](const auto& info) { return info.param; });

TEST_P(RegistryBits, are_those_of_the_file) {
  for (const Device device : devices())
    for (const Determinism level : {Determinism::run_to_run, Determinism::device_to_device}) {
      if (level == Determinism::run_to_run && checked_build()) continue;
      // tests/registry/bytes_test.cpp compares simulated devices with the CPU.
      if (level == Determinism::device_to_device && device.is_cuda() && cuda::is_simulated()) continue;
      expect_bits(device, level, device.str());
    }
}

TEST_P(RegistryBits, are_the_same_with_every_instruction_set) {
  if (checked_build()) GTEST_SKIP() << "the plain build runs them";
  std::vector<std::string> others = kernels::cpu::vector_targets();
  others.erase(others.begin());  // the one in use
  for (const std::string& target : others) {
    kernels::cpu::use_vector_target(target);
    expect_bits(cpu, Determinism::device_to_device, target);
  }
}

TEST(Bits, a_difference_says_where) {
  const Bits file{{"\"a\" float32", "0123456789abcdef"}, {"\"b\" float32", "01234567"}};
  EXPECT_EQ(differences(file, file, Cases::all), std::vector<std::string>());
  Bits got = file;
  got["\"a\" float32"] = "0123456789abcde0";
  got["\"b\" float32"] = "11234567";
  EXPECT_EQ(differences(got, file, Cases::all),
            (std::vector<std::string>{"\"a\" float32: the gradients", "\"b\" float32: the result"}));
  got = {{"\"a\" float32", ""}, {"\"c\" float32", "00"}};
  EXPECT_EQ(differences(got, file, Cases::all),
            (std::vector<std::string>{"\"c\" float32: not in the file", "\"b\" float32: only in the file"}));
}

using BitsCommand = FolderTest;

TEST_F(BitsCommand, writes_a_file_and_finds_what_was_changed_in_it) {
  const std::string file = path("bits.txt");
  const auto command = [&](std::vector<std::string> arguments) {
    if (arguments[0] != "--write") arguments.insert(arguments.end(), {"--device", "cpu"});
    arguments.insert(arguments.end(), {"--file", file});
    return bits_command(arguments);
  };
  EXPECT_EQ(command({"add"}), 2) << "there is no file";
  EXPECT_EQ(command({"--write", "add", "sum"}), 0);
  EXPECT_EQ(command({"add", "sum"}), 0);
  EXPECT_EQ(command({"add", "mul"}), 1) << "mul is not in the file";
  EXPECT_EQ(command({"no_such_operation"}), 2);
  std::string text = read(file);
  char& digit = text[text.find(" float32 ", text.find("\nsum ")) + 9];
  digit = digit == '0' ? '1' : '0';
  write("bits.txt", text);
  EXPECT_EQ(command({"add"}), 0);
  EXPECT_EQ(command({"sum"}), 1);
}

}  // namespace
}  // namespace ordo::test::bits_test
