// A transformer that learns to write a text file, character by character. The text is a file of the user, or the pages
// of docs/.
#include <algorithm>
#include <filesystem>

#include "samples/models/text_transformer.h"
#include "samples/models/text_windows.h"

namespace examples {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLength = 64;  // of a window

/// All pages but the one that says how well this went.
std::string pages() {
  std::vector<std::string> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(ORDO_PAGES, error))
    if (entry.path().extension() == ".md" && entry.path().filename() != "models.md")
      files.push_back(entry.path().string());
  if (files.empty()) throw DataError("[char_transformer] no pages in " ORDO_PAGES "; give a file by --text");
  std::sort(files.begin(), files.end());
  std::string all;
  for (const std::string& file : files) all += data::read_text(file);
  return all;
}

/// Of single characters, in nats: what a model loses that knows how often each occurs, and nothing else.
double entropy_of(const Tensor& text, int64_t characters) {
  const Tensor p = bincount(text, {}, characters).to(float64) / double(text.numel());
  return -(p * p.clamp(1e-300).log()).sum().item<double>();
}

class CharTransformer : public Example {
 public:
  explicit CharTransformer(const Scale& scale, const std::string& text)
      : vocabulary_(text),
        windows_("char_transformer", vocabulary_.encode(text), kLength),
        entropy_(entropy_of(windows_.text(), vocabulary_.size())),
        net_(vocabulary_.size(), kLength, scale.of(128), 4) {}
  nn::ModuleBase& model() override { return net_; }

  TensorList draw(int64_t rows, uint64_t seed) const override { return {windows_.draw(rows, seed)}; }
  Tensor loss(const TensorList& batch) override { return loss_of_next(batch[0], net_); }
  double score(const TensorList& batch) override {
    NoGrad guard;
    return std::max(0.0, 1 - loss(batch).item<double>() / entropy_);
  }

 private:
  data::Vocabulary vocabulary_;
  TextWindows windows_;
  double entropy_;
  TextTransformer net_;
};

}  // namespace

extern const Entry kCharTransformer = {"char_transformer",
                                       "a transformer that learns to write text, character by character",
                                       "entropy of characters predicted",
                                       8000,
                                       32,
                                       2e-3,
                                       [](Scale scale) -> std::unique_ptr<Example> {
                                         return std::make_unique<CharTransformer>(
                                             scale, scale.text.empty() ? pages() : data::read_text(scale.text));
                                       }};

}  // namespace examples
