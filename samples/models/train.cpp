// Trains one of the examples beside this file, or a model that transformers wrote:
//   train MODEL [--epochs N] [--deterministic] [--folder DIR --resume] ...
//   train FOLDER --text book.txt [--lora 8] [--save DIR] ...
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "samples/models/example.h"

namespace examples {

#define EXAMPLES(X) \
  X(kResNet18)      \
  X(kTransformer)   \
  X(kCharTransformer) X(kLstmTagger) X(kCtc) X(kUNet) X(kGraph) X(kSpatial) X(kDetector) X(kVideo) X(kVae)
#define DECLARE(entry) extern const Entry entry;
EXAMPLES(DECLARE)

const std::vector<Entry>& entries() {
#define LIST(entry) entry,
  static const std::vector<Entry> all = {EXAMPLES(LIST)};
  return all;
}

struct Settings {
  std::string model, device = "cpu", level = "not_guaranteed", folder, log, text, save;
  bool deterministic = false, resume = false, shard_optimizer = false, quiet = false, shape = false, times = false;
  int64_t epochs = 3, steps = 0, rows = 0, test_rows = 512, batch = 0, threads = 0, workers = 0, shard_rows = 0,
          accumulate = 1, save_every = 0, lora = 0;
  double width = 1, lr = 0;
  uint64_t seed = 1;
};

Determinism level_named(const std::string& text) {
  for (Determinism level : {Determinism::not_guaranteed, Determinism::run_to_run, Determinism::device_to_device})
    if (text == name(level)) return level;
  throw ValueError("[train] there is no level '" + text + "'");
}

void train(const Entry& entry, const Settings& s) {
  if (s.threads > 0) set_num_threads(int(s.threads));
  const Determinism level = s.deterministic ? Determinism::run_to_run : level_named(s.level);
  TrainerOptions options{.epochs = s.steps > 0 ? 0 : s.epochs,
                         .steps = s.steps,
                         .accumulate = s.accumulate,
                         .randomness = RandomnessOptions{.seed = s.seed, .deterministic = level},
                         .shard_rows = s.shard_rows > 0 ? std::optional(s.shard_rows) : std::nullopt,
                         .shard_optimizer = s.shard_optimizer,
                         .folder = s.folder,
                         .save_every = {.steps = s.save_every, .epochs = s.save_every > 0 ? 0 : 1},
                         .resume = s.resume,
                         .log = s.log,
                         .progress = !s.quiet};
  Trainer trainer(options);
  const Device device = s.device == "cuda" ? distributed::local_device() : Device(s.device);
  const std::unique_ptr<Example> example =
      entry.make({.width = s.width, .text = s.text, .folder = s.model, .lora = s.lora});
  nn::ModuleBase& model = example->model();
  if (s.shape && distributed::rank() == 0) std::printf("%s\n", model.str().c_str());
  model.to(device);
  optim::Adam optimizer(model.parameters(), {.lr = s.lr > 0 ? s.lr : entry.lr});
  const auto loader_of = [&](int64_t rows, uint64_t seed, bool shuffle) {
    return data::DataLoader(data::TensorDataset(example->draw(rows, seed)),
                            {.batch_size = s.batch > 0 ? s.batch : entry.batch,
                             .shuffle = shuffle,
                             .workers = s.workers,
                             .device = device});
  };
  data::DataLoader loader = loader_of(s.rows > 0 ? s.rows : entry.rows, kTrainSeed, true);
  data::DataLoader test = loader_of(s.test_rows, kTestSeed, false);
  trainer.validate([&]() -> NamedNumbers {
    model.eval();
    double sum = 0;
    int64_t rows = 0;
    for (const data::Batch& batch : test) {
      sum += example->score(batch.tensors) * double(batch.size());
      rows += batch.size();
    }
    model.train();
    return {{"score", sum / double(rows)}};
  });
  std::vector<double> seconds;  // of each step
  std::chrono::steady_clock::time_point begun;
  trainer.on(On::step_begin, [&](Trainer&) { begun = std::chrono::steady_clock::now(); });
  trainer.on(On::step_end, [&](Trainer&) {
    if (device.is_cuda()) cuda::synchronize(device);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
  });
  const TrainResult result = trainer.fit(model, optimizer, loader, [&](nn::ModuleBase&, const data::Batch& batch) {
    return example->loss(batch.tensors);
  });
  if (distributed::rank() != 0) return;  // mpirun started several processes, whose results are the same
  std::printf("%s  parameters %lld  steps %lld  ", entry.name, static_cast<long long>(model.parameter_count()),
              static_cast<long long>(result.steps));
  for (const auto& [name, value] : result.metrics) std::printf("%s %.4f  ", entry.score, value);
  std::printf("weights %s\n", result.weights.substr(0, 12).c_str());
  if (s.times && !seconds.empty()) {
    std::nth_element(seconds.begin(), seconds.begin() + ptrdiff_t(seconds.size() / 2), seconds.end());
    std::printf("milliseconds of a step, the median: %.3f\n", seconds[seconds.size() / 2] * 1e3);
  }
  if (!s.save.empty()) example->save(s.save);
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  Settings s;
  CLI::App app{"Trains an example and prints how well it does, and the SHA-256 of its weights.", "train"};
  std::string models = "The models:\n";
  for (const Entry& e : entries())
    models += "  " + std::string(e.name) + std::string(18 - std::string(e.name).size(), ' ') + e.about + "\n";
  app.footer(models);
  app.add_option("MODEL", s.model, "one of the models below, or a folder that transformers wrote")->required();
  app.add_option("--epochs", s.epochs, "passes through the training set")->capture_default_str();
  app.add_option("--steps", s.steps, "so many steps instead");
  app.add_option("--rows", s.rows, "items of the training set");
  app.add_option("--test-rows", s.test_rows, "items to measure the score on")->capture_default_str();
  app.add_option("--batch", s.batch, "items of a batch");
  app.add_option("--width", s.width, "multiplies channels and states")->capture_default_str();
  app.add_option("--text", s.text,
                 "a file of UTF-8 to learn, by char_transformer, else the pages of docs/, or by a folder's model");
  app.add_option("--lora", s.lora, "of a folder's model, train only parts of this rank in its attention")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--save", s.save, "write a folder's model, as transformers reads it, here");
  app.add_option("--lr", s.lr, "learning rate of Adam");
  app.add_option("--seed", s.seed)->capture_default_str();
  app.add_option("--device", s.device, "cpu, cuda (under mpirun a GPU for each process), or cuda:1")
      ->capture_default_str();
  app.add_option("--threads", s.threads);
  app.add_option("--workers", s.workers, "threads that prepare batches");
  app.add_option("--level", s.level, "not_guaranteed, run_to_run or device_to_device")->capture_default_str();
  app.add_option("--accumulate", s.accumulate, "batches of a step")->capture_default_str();
  app.add_option("--shard-rows", s.shard_rows,
                 "items that are computed at a time; else a batch, under mpirun an eighth of one");
  app.add_flag("--shard-optimizer", s.shard_optimizer, "each process keeps a part of the optimiser's state");
  app.add_flag("--deterministic", s.deterministic, "level run_to_run");
  app.add_option("--folder", s.folder, "of the checkpoints");
  app.add_option("--save-every", s.save_every, "steps between checkpoints; else one an epoch");
  app.add_flag("--resume", s.resume, "go on with the folder's latest checkpoint");
  app.add_option("--log", s.log, "a file of JSON lines");
  app.add_flag("--shape", s.shape, "print the model");
  app.add_flag("--times", s.times, "print how long a step took");
  app.add_flag("--quiet", s.quiet, "no progress");
  CLI11_PARSE(app, argc, argv);
  const auto named =
      std::find_if(entries().begin(), entries().end(), [&](const Entry& e) { return e.name == s.model; });
  const bool is_folder = named == entries().end() && std::filesystem::is_directory(s.model);
  if (!is_folder && (s.lora > 0 || !s.save.empty())) {
    std::fprintf(stderr, "train: --lora and --save are for models in folders\n");
    return 2;
  }
  if (named != entries().end() || is_folder) {
    try {
      std::error_code error;
      if (!s.save.empty()) std::filesystem::create_directories(s.save, error);
      if (error) throw DataError("[train] " + s.save + ": cannot be made: " + error.message());
      train(is_folder ? kFineTuning : *named, s);
      return 0;
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 1;
    }
  }
  std::fprintf(stderr, "train: there is no model '%s'\n%s", s.model.c_str(), models.c_str());
  return 2;
}
