// The code of docs/data.md, which must be here as it is there, and does what the page says.
#include <gtest/gtest.h>

#include <sstream>

#include <ordo/ordo.h>
#include "tests/support/folder_test_base.h"

namespace ordo::test {
namespace {

struct Squares : data::Dataset {
  int64_t size() const override { return 100; }
  data::Sample get(int64_t i) const override { return {full({1}, double(i)), full({1}, double(i * i))}; }
};

struct Noise : data::Transform {
  Tensor apply(const Tensor& image, data::Draws& draws) const override {
    Tensor noisy = image.clone();
    for (int64_t i = 0; i < noisy.numel(); ++i) noisy.data<float>()[i] += draws.between(-0.1f, 0.1f);
    return noisy;
  }
};

using DataPage = FolderTest;

TEST_F(DataPage, loaders) {
  int64_t steps = 0;
  const auto step = [&](const Tensor& inputs, const Tensor& targets) {
    EXPECT_EQ(inputs.mul(inputs).to_vector<float>(), targets.to_vector<float>());
    ++steps;
  };
  data::DataLoader loader(Squares(), {.batch_size = 10, .shuffle = true, .generator = Generator(3), .workers = 2});
  for (int epoch = 0; epoch < 5; ++epoch)
    for (auto [inputs, targets] : loader) step(inputs, targets);
  EXPECT_EQ(steps, 50);
}

TEST_F(DataPage, transforms_and_resuming) {
  const data::ImageDataset train = data::synthetic_digits(10, 1);
  const data::TransformList changes{data::RandomCrop(28, 28, {.padding = 2}),
                                    data::RandomApply({data::RandomRotation(10)}), data::RandomErasing()};
  const data::TransformedDataset augmented(train, changes, {.seed = 3});
  const data::TransformedDataset noisy(augmented, {Noise()});
  const auto make = [&] { return data::DataLoader(noisy, {.batch_size = 4, .generator = Generator(3), .workers = 1}); };
  std::vector<std::vector<float>> batches, rest;
  auto whole = make();
  for (auto [images, labels] : whole) batches.push_back(images.to_vector<float>());
  const std::string path = this->path("run.safetensors");
  auto begun = make();
  for (const data::Batch& batch : begun) {
    Checkpoint run;
    run.add("loader", begun);
    run.save(path);
    EXPECT_EQ(batch.size(), 4);
    break;
  }
  auto loader = make();
  const auto step = [&](const Tensor& images, const Tensor&) { rest.push_back(images.to_vector<float>()); };
  Checkpoint run;
  run.add("loader", loader);
  run.load(path);
  for (auto [images, labels] : loader) step(images, labels);  // the rest of that epoch
  EXPECT_EQ(rest, std::vector(batches.begin() + 1, batches.end()));
}

TEST_F(DataPage, tables) {
  const std::string path = write("iris.csv", "length,width,species\n1,2,setosa\n3,4,virginica\n");
  const data::CsvTable table = data::read_csv(path, {.types = {{"species", data::CsvType::text}}});
  const data::TensorDataset flowers({table.features({"length", "width"}), table.column("species").values});
  EXPECT_EQ(flowers.size(), 2);
}

TEST_F(DataPage, text) {
  const std::string path = write("t.txt", "what follows what");
  const std::string text = data::read_text(path);
  const data::Vocabulary letters(text);
  const data::SequenceDataset windows(letters.encode(text), 8);
  EXPECT_EQ(letters.decode(windows.get(1)[0]), "lows wha");
}

/// The file's lines without indentation.
std::string flat(const std::string& text) {
  std::istringstream lines(text);
  std::string all, line;
  while (std::getline(lines, line)) {
    line.erase(0, line.find_first_not_of(' '));
    all += line + "\n";
  }
  return all;
}

TEST_F(DataPage, is_compiled_here) {
  const std::string page = read(ORDO_DATA_PAGE), here = flat(read(ORDO_DATA_PAGE_TEST));
  int blocks = 0;
  for (size_t at = page.find("```cpp\n"); at != std::string::npos; at = page.find("```cpp\n", at + 1), ++blocks) {
    const size_t begin = at + 7;
    const std::string block = flat(page.substr(begin, page.find("```", begin) - begin));
    EXPECT_NE(here.find(block), std::string::npos) << "not in this file:\n" << block;
  }
  EXPECT_EQ(blocks, 7);
}

}  // namespace
}  // namespace ordo::test
