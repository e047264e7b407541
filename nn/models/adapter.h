// Low-rank parts of a model (nn/layers/lora.h) in folders as peft writes them: adapter_config.json and
// adapter_model.safetensors.
//
//   const auto model = models::open("checkpoints/llama");
//   models::load_adapter(*model, "checkpoints/llama-on-my-texts");
#pragma once

#include <string>

#include <ordo/nn/module.h>

namespace ordo::models {

/// Gives the model the parts of a folder, and freezes all else, as nn::add_lora does: the parts train, and so do
/// `modules_to_save`, whose parameters become the folder's.
///
/// Throws: DataError when a file is missing or damaged, or the configuration asks for what is not computed here, which
/// the message names; ValueError or ShapeError for a part that is missing, misshaped or of a layer that is no Linear, or
/// a parameter that the model does not have, or when the model has parts already. Nothing has changed then.
/// PyTorch: peft.PeftModel.from_pretrained.
void load_adapter(nn::ModuleBase& model, const std::string& folder);

/// Writes the model's parts, and modules of which other parameters train. The folder is made if it is not there.
///
/// Throws: DataError when a file cannot be written; ValueError when there are no parts, or two of different options, or a
/// parameter trains that is the model's own, or of a layer with parts.
/// PyTorch: save_pretrained of peft's models.
void save_adapter(nn::ModuleBase& model, const std::string& folder);

}  // namespace ordo::models
