#include <gtest/gtest.h>

#include <ordo/engine/run/generator.h>
#include <ordo/engine/run/philox.h>

namespace ordo {
namespace {

// Known answers published with the algorithm (Random123, kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, known_answers) {
  using Words = std::vector<uint32_t>;
  const auto words = [](PhiloxBlock b) { return Words(std::begin(b.v), std::end(b.v)); };
  EXPECT_EQ(words(philox(0, 0, 0)), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(words(philox(~0ull, ~0ull, ~0ull)), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(words(philox(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88)),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Generator, reserves_and_restores) {
  Generator g(7, 3);
  EXPECT_EQ(g.reserve(5), (GeneratorState{7, 3, 0}));
  const GeneratorState saved = g.state();
  EXPECT_EQ(saved.offset, 5u);
  EXPECT_EQ(g.reserve(2), saved);
  g.set_state(saved);
  EXPECT_EQ(g.reserve(1), saved);
  Generator other(1, 9);
  other.set_state(saved);
  EXPECT_EQ(other.state(), saved) << "its stream as well";
  g.manual_seed(8);
  EXPECT_EQ(g.state(), (GeneratorState{8, 3, 0}));
  const Generator copy = g;
  g.reserve(4);
  EXPECT_EQ(copy.state().offset, 4u) << "copies share the stream";
}

}  // namespace
}  // namespace ordo
