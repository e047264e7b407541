// Texts that go on:   generate FOLDER --prompt "Once upon a time" [--prompt ...] [--temperature 0.8 --top-p 0.95 --seed 1] ...
// FOLDER holds config.json, *.safetensors and tokenizer.json, as transformers writes them. huggingface.co has such
// folders; Ordo downloads none.
#include <ordo/ordo.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <optional>

using namespace ordo;

namespace {

struct Settings {
  std::string folder, adapter, device = "cpu", dtype = "float32";
  std::vector<std::string> prompts, tokens;
  models::GenerateOptions options;
  int threads = 0;
  bool times = false;
};

/// "3,14,15"
std::vector<int64_t> numbers_of(const std::string& text) {
  std::vector<int64_t> numbers;
  for (const std::string& part : CLI::detail::split(text, ','))
    if (!CLI::detail::lexical_cast(part, numbers.emplace_back()))
      throw ValueError("[generate] '" + text + "' is no list of tokens, such as 3,14,15");
  return numbers;
}

void generate(const Settings& s) {
  if (s.threads > 0) set_num_threads(s.threads);
  set_determinism(Determinism::device_to_device);
  std::optional<models::Tokenizer> tokenizer;
  if (!s.prompts.empty()) tokenizer.emplace(s.folder + "/tokenizer.json");
  std::vector<std::vector<int64_t>> prompts;
  for (const std::string& text : s.prompts) prompts.push_back(tokenizer->encode_with_special_tokens(text).ids);
  for (const std::string& text : s.tokens) prompts.push_back(numbers_of(text));
  const auto model = models::open(s.folder, {.dtype = dtype_from_name(s.dtype), .device = Device(s.device)});
  if (!s.adapter.empty()) models::load_adapter(*model, s.adapter);
  const std::vector<models::Generated> texts = models::generate(*model, prompts, s.options);
  if (s.times) {  // what came before was to warm up
    models::GenerateOptions one = s.options;
    one.max_new_tokens = 1;
    const auto seconds_of = [&](const models::GenerateOptions& options) {
      const auto started = std::chrono::steady_clock::now();
      models::generate(*model, prompts, options);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    };
    const double begin = seconds_of(one), all = seconds_of(s.options);
    std::printf("prompts %.1f ms, then %.1f tokens a second of each\n", begin * 1e3,
                double(s.options.max_new_tokens - 1) / (all - begin));
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto& [tokens, log_probabilities] = texts[i];
    double sum = 0;
    for (const float p : log_probabilities) sum += p;
    if (i < s.prompts.size()) {
      std::vector<int64_t> whole = prompts[i];
      whole.insert(whole.end(), tokens.begin(), tokens.end());
      std::printf("%s\n", tokenizer->decode(whole).c_str());
    } else {
      for (size_t k = 0; k < tokens.size(); ++k)
        std::printf("%lld%c", static_cast<long long>(tokens[k]), k + 1 < tokens.size() ? ',' : '\n');
    }
    const Tensor all = from_vector(log_probabilities, {int64_t(log_probabilities.size())});
    std::printf("  %zu tokens  log-probability %.6f  hash %s\n", tokens.size(), sum,
                sha256_hex({all}).substr(0, 12).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Settings s;
  CLI::App app{"Goes on with texts, by a model that transformers wrote. The same texts on every run, in any company.",
               "generate"};
  app.add_option("FOLDER", s.folder, "with config.json, *.safetensors and tokenizer.json")->required();
  app.add_option("--adapter", s.adapter, "a folder of low-rank parts that peft wrote, or `train --lora --save`");
  app.add_option("--prompt", s.prompts, "a text; several make a batch");
  app.add_option("--tokens", s.tokens, "a prompt as numbers of tokens: 3,14,15")->delimiter(';');
  app.add_option("--max-new-tokens", s.options.max_new_tokens)->capture_default_str();
  app.add_option("--temperature", s.options.temperature, "0: the most probable token")->capture_default_str();
  app.add_option("--top-k", s.options.top_k);
  app.add_option("--top-p", s.options.top_p)->capture_default_str();
  app.add_option("--seed", s.options.seed)->capture_default_str();
  app.add_option("--stop", s.options.stop, "numbers of tokens after which a text ends");
  app.add_option("--dtype", s.dtype, "float32, bfloat16 or float16")->capture_default_str();
  app.add_option("--device", s.device)->capture_default_str();
  app.add_option("--threads", s.threads);
  app.add_flag("--times", s.times, "print how long it took");
  CLI11_PARSE(app, argc, argv);
  try {
    generate(s);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
