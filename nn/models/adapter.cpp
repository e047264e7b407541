#include <ordo/nn/models/adapter.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/run/generator_scope.h>
#include <ordo/nn/layers/linear.h>
#include <ordo/nn/layers/lora.h>
#include <ordo/nn/models/bert.h>
#include <ordo/nn/models/gpt2.h>
#include <ordo/nn/models/json_file.h>
#include <ordo/nn/state/safetensors.h>
#include <ordo/nn/state/whole_file.h>

namespace ordo::models {
namespace {

/// "base_model.model." + the layer's path + one of these.
constexpr const char* kPrefix = "base_model.model.";
constexpr const char* kSuffixes[2] = {".lora_A.weight", ".lora_B.weight"};

struct Part {
  Tensor factors[2];  // A and B
};

/// What a file holds: parts by the paths of their layers, and parameters of `modules_to_save`.
struct AdapterFile {
  std::map<std::string, Part> parts;
  std::map<std::string, Tensor> whole;
};
AdapterFile adapter_file(const std::string& file, const std::vector<std::string>& modules_to_save) {
  AdapterFile held;
  for (const auto& [name, tensor] : load_safetensors(file).tensors) {
    const std::string prefix = kPrefix;
    bool found = false;
    for (int i = 0; i < 2 && name.starts_with(prefix); ++i) {
      const std::string suffix = kSuffixes[i];
      if (!name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size()) continue;
      held.parts[name.substr(prefix.size(), name.size() - prefix.size() - suffix.size())].factors[i] = tensor;
      found = true;
    }
    const auto is_of = [&, &name = name](const std::string& module) {
      return ("." + name).find("." + module + ".") != std::string::npos;
    };
    if (!found && name.starts_with(prefix) && std::any_of(modules_to_save.begin(), modules_to_save.end(), is_of)) {
      held.whole[name.substr(prefix.size())] = tensor;
      found = true;
    }
    ORDO_CHECK(found, ValueError, "load_adapter", "{}: '{}' is no low-rank part of a Linear", file, name);
  }
  ORDO_CHECK(!held.parts.empty(), ValueError, "load_adapter", "{}: has no parts", file);
  return held;
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

void load_adapter(nn::ModuleBase& model, const std::string& folder) {
  const ordo::detail::LibraryCall call;
  const Entries config = json_file(folder + "/adapter_config.json", "load_adapter");
  config.expect("peft_type", "LORA");
  config.expect("bias", "none");
  for (const char* name : {"lora_bias", "use_dora"}) config.expect(name, false);
  for (const char* name : {"rank_pattern", "alpha_pattern"}) config.expect(name, nlohmann::json::object());
  for (const char* name : {"use_qalora", "use_bdlora"}) config.expect(name, false);
  for (const char* name : {"alora_invocation_tokens", "arrow_config", "kasa_config", "layer_replication",
                           "monteclora_config", "target_parameters", "trainable_token_indices", "velora_config"})
    config.expect(name, nullptr);
  if (config.has("init_lora_weights")) {  // others change the weights beside the parts
    const nlohmann::json& initial = config.at("init_lora_weights");
    config.check(initial.is_boolean() || initial == "gaussian" || initial == "orthogonal" || initial == "eva",
                 "'init_lora_weights' is {}, which is not computed here", initial.dump());
  }
  const nn::LoRAOptions options{.rank = config.get<int64_t>("r"),
                                .alpha = config.get<double>("lora_alpha"),
                                .dropout = config.get<double>("lora_dropout", 0),
                                .use_rslora = config.get<bool>("use_rslora", false)};
  const auto modules = config.get<std::vector<std::string>>("modules_to_save", {});
  const auto [parts, whole] = adapter_file(folder + "/adapter_model.safetensors", modules);
  std::map<std::string, const nn::Linear*> linears;
  for (const auto& [path, module] : model.named_modules()) {
    ORDO_CHECK(!dynamic_cast<nn::LoRA*>(module), ValueError, "load_adapter", "'{}' is a low-rank part already", path);
    if (const auto* const layer = dynamic_cast<nn::Linear*>(module)) linears[path] = layer;
  }
  std::vector<std::string> paths;
  for (const auto& [path, part] : parts) {
    const auto layer = linears.find(path);
    ORDO_CHECK(layer != linears.end(), ValueError, "load_adapter", "the model has no Linear '{}'", path);
    const Dims sizes[2] = {{options.rank, layer->second->in_features()}, {layer->second->out_features(), options.rank}};
    for (int i = 0; i < 2; ++i) {
      ORDO_CHECK(part.factors[i].defined(), ValueError, "load_adapter", "there is no '{}{}'", path, kSuffixes[i]);
      ORDO_CHECK(part.factors[i].sizes() == sizes[i], ShapeError, "load_adapter", "'{}{}' has the shape {}, not {}",
                 path, kSuffixes[i], part.factors[i].sizes(), sizes[i]);
    }
    paths.push_back(path);
  }
  std::vector<std::pair<Tensor, Tensor>> replaced;  // parameters, and what they become
  const nn::NamedTensorList parameters = model.named_parameters();
  for (const auto& [name, value] : whole) {
    const auto is_named = [&, &name = name](const nn::NamedTensor& p) { return p.name == name; };
    const auto parameter = std::find_if(parameters.begin(), parameters.end(), is_named);
    ORDO_CHECK(parameter != parameters.end(), ValueError, "load_adapter", "the model has no parameter '{}'", name);
    ORDO_CHECK(parameter->tensor.sizes() == value.sizes(), ShapeError, "load_adapter", "'{}' has the shape {}, not {}",
               name, value.sizes(), parameter->tensor.sizes());
    replaced.emplace_back(parameter->tensor, value);
  }
  for (const auto& [name, tensor] : parameters)  // peft lists modules that a model may lack
    for (const std::string& module : modules)
      ORDO_CHECK(("." + name).find("." + module + ".") == std::string::npos || whole.contains(name), ValueError,
                 "load_adapter", "there is no '{}', of a module that is to be replaced", name);
  Generator generator(0);  // of first values, which nobody sees
  const ordo::detail::GeneratorScope scope(generator);
  nn::add_lora(model, paths, options);
  const NoGrad guard;
  for (const auto& [path, module] : model.named_modules())
    if (const auto* const part = dynamic_cast<nn::LoRA*>(module)) {
      const Part& values = parts.at(path.substr(0, path.rfind('.')));
      Tensor(part->A).copy_(values.factors[0]);
      Tensor(part->B).copy_(values.factors[1]);
    }
  for (auto& [parameter, value] : replaced) parameter.copy_(value).requires_grad_(true);
}

void save_adapter(nn::ModuleBase& model, const std::string& folder) {
  const ordo::detail::LibraryCall call;
  nn::NamedTensorList tensors;
  std::set<std::string> layers, names, others, modules;
  const nn::LoRAOptions* options = nullptr;
  for (const auto& [path, module] : model.named_modules()) {
    const auto* const part = dynamic_cast<nn::LoRA*>(module);
    if (!part) continue;
    const std::string layer = path.substr(0, path.rfind('.'));
    ORDO_CHECK(!options || *options == part->options(), ValueError, "save_adapter",
               "the parts have different ranks, alphas or dropouts");
    options = &part->options();
    layers.insert(layer);
    names.insert(last_name(layer));
    tensors.push_back({kPrefix + layer + kSuffixes[0], part->A});
    tensors.push_back({kPrefix + layer + kSuffixes[1], part->B});
  }
  for (const auto& [name, parameter] : model.named_parameters()) {
    const size_t dot = name.rfind('.');
    const std::string path = dot == std::string::npos ? "" : name.substr(0, dot);
    if (!parameter.requires_grad() || path.ends_with(".lora")) continue;
    ORDO_CHECK(!path.empty() && !layers.contains(path), ValueError, "save_adapter",
               "'{}' trains, and is of no module that can be saved whole", name);
    modules.insert(path);
  }
  for (const auto& [name, parameter] : model.named_parameters())
    if (const size_t dot = name.rfind('.'); dot != std::string::npos && modules.contains(name.substr(0, dot)))
      tensors.push_back({kPrefix + name, parameter});
  for (const auto& [path, module] : model.named_modules())
    if (!layers.contains(path)) others.insert(last_name(path));
  const bool by_names =
      std::none_of(names.begin(), names.end(), [&](const auto& name) { return others.contains(name); });
  ORDO_CHECK(options, ValueError, "save_adapter", "the model has no low-rank parts; nn::add_lora() gives it some");
  nn::make_folder("save_adapter", folder);
  nlohmann::ordered_json task;
  if (dynamic_cast<LanguageModel*>(&model)) task = "CAUSAL_LM";
  if (const auto* const bert = dynamic_cast<Bert*>(&model); bert && bert->classifier)
    task = bert->bert.pooler ? "SEQ_CLS" : "TOKEN_CLS";
  nlohmann::ordered_json json = {{"peft_type", "LORA"},
                                 {"task_type", task},
                                 {"r", options->rank},
                                 {"lora_alpha", options->alpha},
                                 {"lora_dropout", options->dropout},
                                 {"use_rslora", options->use_rslora},
                                 {"bias", "none"},
                                 {"fan_in_fan_out", dynamic_cast<GPT2*>(&model) != nullptr},
                                 {"target_modules", by_names ? names : layers}};
  if (!modules.empty()) json["modules_to_save"] = modules;
  nn::WholeFile config(folder + "/adapter_config.json", "save_adapter");
  config.write(json.dump(2) + "\n");
  save_safetensors(folder + "/adapter_model.safetensors", tensors, {{"format", "pt"}});
  config.commit();
}

}  // namespace ordo::models
