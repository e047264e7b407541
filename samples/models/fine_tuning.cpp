// A language model from a folder that transformers wrote learns a text: all of it, or low-rank parts of its attention.
#include <algorithm>
#include <filesystem>

#include "samples/models/text_windows.h"

namespace examples {
namespace {

/// Tokens, from a file of them or of text.
Tensor tokens_of(const Scale& scale) {
  if (scale.text.empty()) throw ValueError("[train] needs a text to learn: --text FILE, UTF-8, or a .npy of tokens");
  if (scale.text.ends_with(".npy")) return load_npy(scale.text).to(int64).flatten();
  const std::vector<int64_t> tokens =
      models::Tokenizer(scale.folder + "/tokenizer.json").encode(data::read_text(scale.text));
  return from_vector(tokens, {int64_t(tokens.size())});
}

class FineTuning : public Example {
 public:
  explicit FineTuning(const Scale& scale)
      : folder_(scale.folder),
        lora_(scale.lora > 0),
        model_(models::open(scale.folder)),
        windows_("train", tokens_of(scale), std::min<int64_t>(128, model_->positions() - 1)) {
    model_->train();
    if (lora_)
      nn::add_lora(*model_, {"c_attn", "q_proj", "v_proj"}, {.rank = scale.lora, .alpha = 2.0 * double(scale.lora)});
  }
  nn::ModuleBase& model() override { return *model_; }
  TensorList draw(int64_t rows, uint64_t seed) const override { return {windows_.draw(rows, seed)}; }
  Tensor loss(const TensorList& batch) override { return loss_of_next(batch[0], *model_); }
  double score(const TensorList& batch) override {
    const NoGrad guard;
    const Tensor losses = loss_of_next(batch[0], *model_, Reduction::none).view({batch[0].size(0), -1});
    return (-losses.mean(1)).exp().mean().item<double>();
  }
  void save(const std::string& folder) override {
    if (lora_) models::save_adapter(*model_, folder + "/adapter");
    nn::merge_lora(*model_);
    models::save(*model_, folder);
    const std::filesystem::path tokenizer = std::filesystem::path(folder_) / "tokenizer.json";
    std::error_code error;
    if (std::filesystem::exists(tokenizer, error) && !std::filesystem::equivalent(folder_, folder, error))
      std::filesystem::copy_file(tokenizer, std::filesystem::path(folder) / "tokenizer.json",
                                 std::filesystem::copy_options::overwrite_existing, error);
    if (error) throw DataError("[train] " + folder + "/tokenizer.json: cannot be written: " + error.message());
  }

 private:
  std::string folder_;
  bool lora_;
  std::unique_ptr<models::LanguageModel> model_;
  TextWindows windows_;
};

}  // namespace

extern const Entry kFineTuning = {
    "language_model", "", "probability of a token", 2000, 8, 5e-5, [](Scale scale) -> std::unique_ptr<Example> {
      return std::make_unique<FineTuning>(scale);
    }};

}  // namespace examples
