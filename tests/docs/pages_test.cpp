// The C++ of README.md and docs/: each block stands in this file as it stands on its page, is compiled, and runs.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>

#include <ordo/ordo.h>
#include "tests/support/folder_test_base.h"

namespace ordo::test::pages_test {
namespace {

/// The process's level, settings and folder are again what they were.
class DocsPages : public FolderTest {
 protected:
  void TearDown() override {
    std::filesystem::current_path(at_);
    set_determinism(before_);
    set_fill_uninitialized_memory(fill_);
    FolderTest::TearDown();
  }

 private:
  const Determinism before_ = determinism();
  const bool fill_ = fill_uninitialized_memory();
  const std::filesystem::path at_ = std::filesystem::current_path();
};

// -- docs/determinism.md --------------------------------------------------------------------------------------------

TEST_F(DocsPages, determinism) {
  set_fill_uninitialized_memory(true);
  ordo::use_deterministic_algorithms(true);                    // run_to_run for the process; false: not_guaranteed
  ordo::set_determinism(ordo::Determinism::device_to_device);  // any level, for the process
  {
    ordo::DeterminismGuard exact(ordo::Determinism::run_to_run);  // this thread, this scope
  }
  ordo::set_fill_uninitialized_memory(false);  // see below
  EXPECT_EQ(determinism(), Determinism::device_to_device);
  EXPECT_FALSE(fill_uninitialized_memory());
}

// -- docs/architecture.md -------------------------------------------------------------------------------------------

TEST_F(DocsPages, architecture_listens) {
  testing::internal::CaptureStdout();
  {
    const ordo::OpListener listener(
        [](const ordo::OpEvent& e) { std::printf("%*s%s\n", 2 * e.depth, "", std::string(e.name).c_str()); });
    relu(ones({2}));
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "full\nrelu\n");
}

// -- docs/rows.md ---------------------------------------------------------------------------------------------------

TEST_F(DocsPages, rows_alone) {
  nn::Sequential model{nn::Linear(16, 64), nn::GELU(), nn::LayerNorm(64), nn::Linear(64, 4)};
  const Tensor x = randn({257, 16}), all = model(x);
  EXPECT_TRUE(equal(model(x.narrow(0, 100, 1)), all.narrow(0, 100, 1)));  // alone as in the batch
  EXPECT_TRUE(equal(model(x.narrow(0, 90, 33)), all.narrow(0, 90, 33)));  // and in another batch
}

// -- docs/show.md ---------------------------------------------------------------------------------------------------

TEST_F(DocsPages, show_recovers_an_order) {
  const auto theirs = [](const std::vector<double>& values) {
    float sum = 0;
    for (const double v : values) sum += float(v);
    return double(sum);
  };
  const ordo::audit::Recovered found = ordo::audit::recover_tree(4, theirs, 0x1p100);
  const std::string order = found.tree.str();  // (((0+1)+2)+3)
  EXPECT_EQ(order, "(((0+1)+2)+3)");
}

// -- docs/accumulate.md ---------------------------------------------------------------------------------------------

TEST_F(DocsPages, accumulate_plans) {
  const Tensor tokens = tensor<int64_t>({2, 0, 2, 1}), table = rand({4, 64}), source = rand({4, 64});
  const int64_t n = 4;
  const IndexPlan plan(tokens, table.size(0));
  Tensor rows = embedding(plan, table);  // its gradient does not sort again
  Tensor sums = index_add(zeros({n, 64}), 0, plan, source);
  EXPECT_EQ(rows.to_vector<float>(), embedding(tokens, table).to_vector<float>());
  EXPECT_EQ(sums.to_vector<float>(), index_add(zeros({n, 64}), 0, tokens, source).to_vector<float>());
}

// -- docs/training.md -----------------------------------------------------------------------------------------------

TEST_F(DocsPages, training_seeds) {
  const Randomness used = seed_everything({.seed = 3, .deterministic = Determinism::run_to_run});
  EXPECT_EQ(used.seed, 3u);
  EXPECT_EQ(determinism(), Determinism::run_to_run);
}

TEST_F(DocsPages, training_fits_and_validates) {
  using Net = nn::Sequential;
  Net model{nn::Flatten(), nn::Linear(784, 10)};
  optim::SGD optimizer(model.parameters(), {.lr = 0.01});
  data::DataLoader loader(data::synthetic_digits(20, 1), {.batch_size = 10});
  data::DataLoader test(data::synthetic_digits(10, 2), {.batch_size = 10});
  const Device device = cpu;
  Trainer trainer({.epochs = 1, .progress = false});
  int steps = 0;
  trainer.on(On::step_end, [&](Trainer&) { ++steps; });
  trainer.fit(model, optimizer, loader, nn::CrossEntropyLoss());
  trainer.fit(model, optimizer, loader, [&](Net& net, const data::Batch& batch) {
    const auto [images, labels] = batch;
    return cross_entropy(net(images.to(device)), labels.to(device));
  });
  EXPECT_EQ(steps, 4);
  const auto score_of = [](Net&) { return 42.0; };
  trainer.validate(model, test, {{"loss", nn::CrossEntropyLoss()}, {"accuracy", metrics::accuracy}});
  trainer.validate([&] { return NamedNumbers{{"score", score_of(model)}}; });  // or any numbers
  trainer.fit(model, optimizer, loader, nn::CrossEntropyLoss());
  EXPECT_EQ(trainer.status().metrics.size(), 1u);
  EXPECT_EQ(trainer.status().metrics.at(0).value, 42);  // the last validation counts
}

TEST_F(DocsPages, training_stops) {
  nn::Linear model(1, 1);
  optim::SGD optimizer(model.parameters(), {.lr = 0.1});
  data::DataLoader loader(ones({8, 1}), ones({8, 1}), {.batch_size = 1});
  Trainer trainer({.epochs = 100, .progress = false});
  trainer.on(On::step_end, [](Trainer& t) {
    if (t.status().loss < 0.01) t.stop();
  });
  const TrainResult result = trainer.fit(model, optimizer, loader, nn::MSELoss());
  EXPECT_EQ(result.end, TrainEnd::stopped);
  EXPECT_LT(trainer.status().loss, 0.01);
}

// -- docs/audit.md --------------------------------------------------------------------------------------------------

TEST_F(DocsPages, audit_records) {
  std::filesystem::current_path(folder());
  audit::Recorder recorder("a.trace");                             // until it is destroyed
  audit::Recorder part({.path = "b.trace", .steps = {{17, 20}}});  // these steps only
  audit::Recorder memory;                                          // no file: memory.trace()
  relu(ones({2}));
  EXPECT_EQ(memory.trace().records.size(), 2u);
  recorder.close();
  part.close();
  EXPECT_EQ(audit::read("a.trace").records.size(), 2u);
  EXPECT_EQ(audit::read("b.trace").records.size(), 0u);
}

TEST_F(DocsPages, audit_in_tests) {
  const auto train_a_little = [] {
    nn::Linear layer(3, 2);
    layer(rand({4, 3})).sum().backward();
  };
  EXPECT_TRUE(audit::reproducible([&] {
    manual_seed(1);
    train_a_little();
  }));
}

TEST_F(DocsPages, audit_watches) {
  std::filesystem::current_path(folder());
  nn::Linear model(1, 1);
  optim::SGD optimizer(model.parameters(), {.lr = 0.1});
  data::DataLoader loader(ones({5, 1}), ones({5, 1}), {.batch_size = 1});
  Trainer trainer({.epochs = 1, .progress = false});
  audit::watch(trainer, {.folder = "runs/digits/audit", .first = 3, .every = 1000});
  trainer.fit(model, optimizer, loader, nn::MSELoss());
  EXPECT_TRUE(std::filesystem::exists("runs/digits/audit/step-3.trace"));
  EXPECT_FALSE(std::filesystem::exists("runs/digits/audit/step-4.trace"));
}

// -- docs/data.md ----------------------------------------------------------------------------------------------------

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

TEST_F(DocsPages, data_loaders) {
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

TEST_F(DocsPages, data_transforms_and_resuming) {
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

TEST_F(DocsPages, data_tables) {
  const std::string path = write("iris.csv", "length,width,species\n1,2,setosa\n3,4,virginica\n");
  const data::CsvTable table = data::read_csv(path, {.types = {{"species", data::CsvType::text}}});
  const data::TensorDataset flowers({table.features({"length", "width"}), table.column("species").values});
  EXPECT_EQ(flowers.size(), 2);
}

TEST_F(DocsPages, data_text) {
  const std::string path = write("t.txt", "what follows what");
  const std::string text = data::read_text(path);
  const data::Vocabulary letters(text);
  const data::SequenceDataset windows(letters.encode(text), 8);
  EXPECT_EQ(letters.decode(windows.get(1)[0]), "lows wha");
}

// -- all of them ----------------------------------------------------------------------------------------------------

/// A text without blanks, as a page breaks its lines otherwise than this file.
std::string flat(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

/// Is this line, which is in no block, C++?
bool is_statement(std::string line) {
  if (const size_t comment = line.find("  //"); comment != std::string::npos) line.erase(comment);
  return line.starts_with("    ") && line.ends_with(';');
}

/// How many blocks of C++ a page has, by what holds them to be right.
struct Blocks {
  int shown = 0;     ///< a file of samples/, which is built and run
  int walked = 0;    ///< compiled and tested by tests/walk, which is a test of its own
  int compiled = 0;  ///< in this file
  bool operator==(const Blocks&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Blocks& b) {
  return out << b.shown << " shown, " << b.walked << " walked, " << b.compiled << " compiled here";
}

TEST_F(DocsPages, every_block_of_cpp_is_compiled_and_run) {
  const std::filesystem::path root = ORDO_SOURCE_DIR;
  const std::string here = flat(read((root / "tests/docs/pages_test.cpp").string()));
  const std::map<std::string, Blocks> expected{
      {"README.md", {1, 0, 0}},       {"accumulate.md", {0, 0, 1}},      {"adding-an-op.md", {0, 9, 0}},
      {"architecture.md", {0, 0, 1}}, {"audit.md", {0, 0, 3}},           {"data.md", {0, 0, 7}},
      {"determinism.md", {0, 0, 1}},  {"getting-started.md", {1, 0, 0}}, {"rows.md", {0, 0, 1}},
      {"show.md", {0, 0, 1}},         {"training.md", {1, 0, 4}}};
  std::vector<std::filesystem::path> pages{root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md"};
  for (const auto& entry : std::filesystem::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  std::map<std::string, Blocks> found;
  for (const std::filesystem::path& path : pages) {
    const std::string name = path.filename().string(), page = read(path.string());
    std::istringstream lines(page);
    std::string line, before;  // before: the last line with text
    for (int number = 1; std::getline(lines, line); ++number) {
      if (line != "```cpp") {
        if (line.starts_with("```"))
          while (std::getline(lines, line) && line != "```") ++number;
        EXPECT_FALSE(is_statement(line)) << name << ":" << number << ", C++ that is not in a block of its own:\n"
                                         << line;
        if (!line.empty()) before = line;
        continue;
      }
      const int begin = number;
      std::string block;
      for (++number; std::getline(lines, line) && line != "```"; ++number) block += line + "\n";
      const std::string cat = "<!-- output of: cat ";
      if (before.starts_with(cat)) {
        const std::string sample = before.substr(cat.size(), before.find(" -->") - cat.size());
        EXPECT_TRUE(sample.starts_with("samples/")) << sample;
        EXPECT_EQ(block, read((root / sample).string())) << name << ":" << begin;
        ++found[name].shown;
      } else if (name == "adding-an-op.md") {
        EXPECT_TRUE(before.ends_with("`:")) << name << ":" << begin << " says to which file it belongs";
        ++found[name].walked;
      } else {
        EXPECT_NE(here.find(flat(block)), std::string::npos) << name << ":" << begin << ", not in this file:\n"
                                                             << block;
        ++found[name].compiled;
      }
    }
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace ordo::test::pages_test
