// The training that the site's first screen runs in a browser, here on the CPU: the same weights, to the bit.
#include <gtest/gtest.h>

#include <fstream>

#include <ordo/kernels/accumulate/accumulate_cpu.h>
#include <ordo/nn/checksum.h>
#include "docs/site/live/switch.h"

namespace ordo::test::first_screen_test {
namespace {

TEST(FirstScreen, the_weights_are_those_of_the_page) {
  using namespace ordo::site;
  const Data data = make_data();
  Model model = make_model();
  std::vector<float> hidden(kBags * kWidth), loss(kBags), logit_gradient(kBags * kClasses);
  std::vector<float> row_gradient(kBags * kWidth);
  for (int step = 0; step < kSteps; ++step) {
    for (int b = 0; b < kBags; ++b)
      bag_step(b, data.words.data(), data.classes.data(), model.table.data(), model.weights.data(), hidden.data(),
               logit_gradient.data(), row_gradient.data(), loss.data());
    std::vector<float> gradient(kWords * kWidth);
    kernels::cpu::accumulate(WordGradients{kItems, data.words.data(), row_gradient.data()}, gradient.data(),
                             {kWords, 1, kWidth}, Algorithm::sorted);
    for (int i = 0; i < kWidth * kClasses; ++i)
      weight_step(i, hidden.data(), logit_gradient.data(), model.weights.data());
    for (int i = 0; i < kWords * kWidth; ++i) model.table[size_t(i)] -= kRate * gradient[size_t(i)];
  }
  std::vector<float> trained = model.table;
  trained.insert(trained.end(), model.weights.begin(), model.weights.end());
  std::string expected;
  std::ifstream(ORDO_SOURCE_DIR "/docs/site/live/switch.sha256") >> expected;
  EXPECT_EQ(sha256_hex(std::string_view(reinterpret_cast<const char*>(trained.data()), trained.size() * sizeof(float))),
            expected);
}

}  // namespace
}  // namespace ordo::test::first_screen_test
