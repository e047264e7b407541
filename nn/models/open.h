// Models from folders as transformers writes them: config.json and *.safetensors.
//
//   const std::unique_ptr<models::LanguageModel> model = models::open("checkpoints/gpt2");
//   models::save(*model, "checkpoints/mine");
//   const std::unique_ptr<models::Bert> encoder = models::open_bert("checkpoints/bert");
//   const std::unique_ptr<models::ResNet> classifier = models::open_resnet("checkpoints/resnet-50");
#pragma once

#include <memory>
#include <string>

#include <ordo/nn/models/bert.h>
#include <ordo/nn/models/language_model.h>
#include <ordo/nn/models/resnet.h>

namespace ordo::models {

struct OpenOptions {
  DType dtype = float32;  ///< of the parameters, whatever the files have
  Device device = cpu;
};

/// The model of a folder with its weights, in evaluation mode. config.json names the architecture: GPT2LMHeadModel,
/// LlamaForCausalLM, MistralForCausalLM or Qwen2ForCausalLM. Weights are in model.safetensors, in the files that
/// model.safetensors.index.json lists, or in pytorch_model.bin.
///
/// Throws: DataError when a file is missing or damaged, or the configuration asks for what Ordo's model has not, which
/// the message names; ValueError and ShapeError naming missing, unexpected and misshaped tensors.
/// PyTorch: transformers.AutoModelForCausalLM.from_pretrained.
std::unique_ptr<LanguageModel> open(const std::string& folder, const OpenOptions& options = {});

/// A BERT of a folder, likewise: of architecture BertModel, BertForMaskedLM, BertForTokenClassification or
/// BertForSequenceClassification. Of a file for pre-training, what the masked model lacks is left out. Throws: as open().
/// PyTorch: transformers.AutoModel.from_pretrained and its kin.
std::unique_ptr<Bert> open_bert(const std::string& folder, const OpenOptions& options = {});

/// A ResNet of a folder, likewise: of architecture ResNetForImageClassification; or of a file, .pth or .safetensors, with
/// the names of torchvision's ResNets, whose sizes say which it is. Throws: as open().
/// PyTorch: transformers.ResNetForImageClassification.from_pretrained; torchvision.models.resnet50 and its kin.
std::unique_ptr<ResNet> open_resnet(const std::string& folder, const OpenOptions& options = {});

/// Writes config.json and model.safetensors, which transformers reads. The folder is made if it is not there.
///
/// Throws: DataError when a file cannot be written; ValueError when the model has parts of nn::add_lora.
/// PyTorch: transformers.PreTrainedModel.save_pretrained.
void save(const LanguageModel& model, const std::string& folder);
void save(const Bert& model, const std::string& folder);
void save(const ResNet& model, const std::string& folder);

}  // namespace ordo::models
